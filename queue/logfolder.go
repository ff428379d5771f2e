package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"evenkeel/queue/follow"
	"evenkeel/queue/maillog"
)

// mostLeft is how many files of a folder are known as left out.
const mostLeft = 16

// A logFolder is one folder that is followed.
type logFolder struct {
	name string // below the root, with slashes
	*follow.Folder[logTail, maillog.Position]
	news   bool // what it has when it is first polled is news
	polled bool
	due    time.Time
	behind int64
	fault  error            // of its last poll
	left   map[string]error // files that are no logs of this source, and why
}

// leave notes that a file is left out.
func (f *logFolder) leave(file string, why error) {
	if len(f.left) < mostLeft {
		f.left[file] = why
	}
}

// leaveForeign notes the files that are no logs, of all that a poll says, and
// returns what else it says.
func (f *logFolder) leaveForeign(err error) (rest error) {
	var joined interface{ Unwrap() []error }
	if foreign := (*follow.ForeignError)(nil); !errors.As(err, &foreign) || !errors.As(err, &joined) {
		return err
	}
	for _, err := range joined.Unwrap() {
		if foreign := (*follow.ForeignError)(nil); errors.As(err, &foreign) {
			f.leave(foreign.File, foreign.Err)
			continue
		}
		rest = errors.Join(rest, err)
	}
	return rest
}

// review forgets files that are gone.
func (f *logFolder) review(root string) {
	maps.DeleteFunc(f.left, func(file string, _ error) bool {
		_, err := os.Lstat(join(root, path.Join(f.name, file)))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// unread is how much stands in the files and was not read. What a folder has
// before it is first polled counts where it will be news.
func (s *LogSource) unread(f *logFolder) (n int64) {
	if !f.polled && !f.news {
		return 0
	}
	read := map[string]int64{}
	for _, v := range f.State().Files {
		read[v.Name] = v.Offset
	}
	for _, e := range s.files(join(s.root, f.name)) {
		if info, err := e.Info(); err == nil {
			n += max(0, info.Size()-read[e.Name()])
		}
	}
	return n
}

// files are those of a folder that have a name of s' logs.
func (s *LogSource) files(dir string) []fs.DirEntry {
	entries, _ := s.list(dir) // what cannot be listed is said by who reads it
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || !slices.ContainsFunc(s.kind.files, func(p string) bool { return matches(p, e.Name()) })
	})
}

// leftOut is a hint at files that are no logs of s.
func (s *LogSource) leftOut() []string {
	var name string
	var why error
	n := 0
	for _, f := range s.folders {
		for _, file := range slices.Sorted(maps.Keys(f.left)) {
			if n++; n == 1 {
				name, why = path.Join(f.name, file), f.left[file]
			}
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("source %s: %s is left out: %v", s.kind.name, name, why)}
	}
	return []string{fmt.Sprintf("source %s: %s and %d more are left out: %v", s.kind.name, name, n-1, why)}
}

// A listing is one look at the folders below a root.
type listing struct {
	root   string
	list   func(string) ([]fs.DirEntry, error)
	seen   map[string][]fs.DirEntry // by folder
	hidden map[string]error         // folders that are there, and cannot be listed
}

// look lists the folders that s may follow.
func (s *LogSource) look() (l listing, found []string) {
	l = listing{s.root, s.list, map[string][]fs.DirEntry{}, map[string]error{}}
	for _, p := range s.kind.under {
		found = append(found, l.under(".", strings.Split(p, "/"))...)
	}
	return l, found
}

// under are the folders below dir whose names match the patterns, one a level.
func (l listing) under(dir string, patterns []string) (out []string) {
	if len(patterns) == 0 || patterns[0] == "." {
		return []string{dir}
	}
	for _, e := range l.entries(dir) {
		if e.IsDir() && matches(patterns[0], e.Name()) {
			out = append(out, l.under(path.Join(dir, e.Name()), patterns[1:])...)
		}
	}
	return out
}

func (l listing) entries(dir string) []fs.DirEntry {
	if entries, ok := l.seen[dir]; ok || l.hidden[dir] != nil {
		return entries
	}
	entries, err := l.list(join(l.root, dir))
	switch {
	case err == nil:
		l.seen[dir] = entries
	case !errors.Is(err, fs.ErrNotExist):
		l.hidden[dir] = err
	}
	return entries
}

// err is the first that could not be listed.
func (l listing) err() error {
	for _, dir := range slices.Sorted(maps.Keys(l.hidden)) {
		return fmt.Errorf("folders of logs: %w", l.hidden[dir])
	}
	return nil
}

// sights are the folders that were looked into: true, it was listed; false, it
// never could be.
type sights map[string]bool

// old reports that what a folder has below it may have been there all the time.
func (v sights) old(dir string) bool {
	for ; ; dir = path.Dir(dir) {
		if listed, known := v[dir]; known && !listed {
			return true
		}
		if dir == path.Dir(dir) {
			return false
		}
	}
}

// see takes up a listing.
func (v sights) see(l listing) {
	for dir := range l.hidden {
		if !v[dir] { // it never was listed
			v[dir] = false
		}
	}
	for dir := range l.seen {
		v[dir] = true
	}
}
