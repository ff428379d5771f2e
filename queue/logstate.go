package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"evenkeel/queue/follow"
	"evenkeel/queue/maillog"
)

const mostFolders = 64

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
// another folder is none. The error says that it is damaged, and that s begins
// at the end of its logs.
func (s *LogSource) Load(state LogState) error {
	if state.Path != s.root {
		return nil
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

// expand looks for folders that are new.
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
	found := s.found()
	for _, name := range found {
		if s.folder(name) == nil && len(s.folders) < mostFolders {
			s.folders = append(s.folders, s.follow(name, s.begun))
			s.moved = true
		}
	}
	s.begun, s.expanded = true, now
	if len(s.folders) == 0 {
		s.expanded = time.Time{}
		return fmt.Errorf("%s: no folder of logs in it (%s)", s.root, strings.Join(s.kind.under, ", "))
	}
	return nil
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

// found lists the folders that are there.
func (s *LogSource) found() (out []string) {
	for _, pattern := range s.kind.under {
		out = append(out, under(s.root, ".", strings.Split(pattern, "/"))...)
	}
	return out
}

// under lists the folders below dir whose names match the patterns, one a level.
func under(root, dir string, patterns []string) (out []string) {
	if len(patterns) == 0 || patterns[0] == "." {
		return []string{dir}
	}
	entries, err := os.ReadDir(join(root, dir))
	if err != nil {
		return nil // it is not there, or will be read another time
	}
	for _, e := range entries {
		if e.IsDir() && matches(patterns[0], e.Name()) {
			out = append(out, under(root, path.Join(dir, e.Name()), patterns[1:])...)
		}
	}
	return out
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
