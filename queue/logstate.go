package queue

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evenkeel/queue/follow"
	"evenkeel/queue/maillog"
)

const (
	mostFolders = 64
	mostOwn     = 4096 // addresses of this machine
)

// A LogState is how far a [LogSource] has read. It is a plain value that
// survives JSON, and is never changed.
type LogState struct {
	Path    string // the folder; of another one a state says nothing
	Folders map[string]follow.State[maillog.Position]
}

// State is how far s has read, as of some seconds ago, and nil before. It may be
// called while s is read; who compares it with the last one sees by its address
// whether anything moved.
func (s *LogSource) State() *LogState { return s.keep.Load() }

// Close closes the files, and makes State say how far s has read. It is for when
// nobody reads s any more; who reads it goes on.
func (s *LogSource) Close() {
	for _, f := range s.folders {
		f.Close()
	}
	if s.begun {
		s.note(s.clock())
	}
}

// Load makes s go on from a state. It is for before the first Read. A state of
// another folder is none. The error says so, or that it is damaged, and that s
// begins at the end of its logs.
func (s *LogSource) Load(state LogState) error {
	if state.Path != s.root {
		return fmt.Errorf("%s: the state is of the folder %q, and not of %q", s.kind.name, state.Path, s.root)
	}
	for name, saved := range state.Folders {
		if !s.mine(name) || len(s.folders) >= mostFolders {
			continue
		}
		f := s.follow(name, false)
		if err := f.Load(saved); err != nil {
			s.folders = nil
			return fmt.Errorf("%s: folder %q: %w", s.kind.name, name, err)
		}
		s.folders = append(s.folders, f)
	}
	s.begun = true // also when it was not there: what it has now came since
	return nil
}

// note makes the state.
func (s *LogSource) note(now time.Time) {
	state := LogState{Path: s.root, Folders: map[string]follow.State[maillog.Position]{}}
	for _, f := range s.folders {
		state.Folders[f.name] = f.State()
	}
	s.keep.Store(&state)
	s.moved, s.made = false, now
}

// expand looks for folders that are new. What is in one that could not be listed
// before may be old, and is history.
func (s *LogSource) expand(now time.Time) error {
	if s.begun && !s.expanded.IsZero() && now.Sub(s.expanded) < expandEvery {
		return nil
	}
	if info, err := os.Stat(s.root); err != nil || !info.IsDir() {
		s.begun = s.begun || errors.Is(err, fs.ErrNotExist)
		if err == nil {
			err = fmt.Errorf("%s: %w", s.root, errNoFolder)
		}
		return err
	}
	seen, found := s.look()
	for _, name := range found {
		if s.folder(name) == nil && len(s.folders) < mostFolders {
			s.folders = append(s.folders, s.follow(name, s.begun && !s.sights.old(path.Dir(name))))
			s.moved = true
		}
	}
	s.sights.see(seen)
	s.begun, s.expanded, s.hidden = true, now, seen.err()
	s.review()
	s.know()
	if len(s.folders) == 0 {
		s.expanded = time.Time{}
		return cmp.Or(s.hidden, fmt.Errorf("%s: no folder of logs in it (%s)", s.root, strings.Join(s.kind.under, ", ")))
	}
	return nil
}

// know learns the addresses of this machine. Those that it had stay: a row may be
// of before they went. The logs in a share are another machine's, and meant so.
func (s *LogSource) know() {
	addrs, err := s.addrs()
	if err != nil || strings.HasPrefix(s.root, `\\`) {
		return
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && len(s.tally.own) < mostOwn {
			s.tally.own[p.Addr().Unmap()] = true
		}
	}
}

// review looks what of the hints at files still holds.
func (s *LogSource) review() {
	s.empty = ""
	for _, f := range s.folders {
		f.review(s.root)
	}
	if s.shown.Rows == 0 && !slices.ContainsFunc(s.folders, func(f *logFolder) bool { return len(s.files(join(s.root, f.name))) > 0 }) {
		s.empty = fmt.Sprintf("source %s: no file %s in %s", s.kind.name, strings.Join(s.kind.files, " or "), s.root)
	}
}

var errNoFolder = errors.New("is no folder")

func (s *LogSource) folder(name string) *logFolder {
	for _, f := range s.folders {
		if strings.EqualFold(f.name, name) {
			return f
		}
	}
	return nil
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok
}

// mine reports that a folder is one that s follows.
func (s *LogSource) mine(name string) bool {
	for _, pattern := range s.kind.under {
		if matches(pattern, name) && path.Clean(name) == name {
			return true
		}
	}
	return false
}

func join(root, name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
