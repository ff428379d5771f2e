package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Find looks for logs in files, in folders and all below them, and in archives
// (.zip, .gz, known by what they hold). Links are followed, in no circle. What is
// no log is passed over; what cannot be read is a [Fault]. The error says which
// path (or pattern with * or ?) is not there or, named by itself, holds no log (see
// [ErrNoLog]), or that ctx has ended, or that node is given to several servers (see [ErrServers]). With
// a node all logs are its; without, they tell whose they are. The order of paths
// makes no difference.
func Find(ctx context.Context, paths []string, node string) (*Found, error) {
	return FindTold(ctx, paths, node, new(Progress))
}

// FindTold is [Find], and counts in p how far it has come.
func FindTold(ctx context.Context, paths []string, node string, p *Progress) (*Found, error) {
	w := walk{disk: disk{os.Open}, seen: map[string]bool{}, files: map[string]source{}, progress: p}
	return w.find(ctx, paths, node)
}

func (w *walk) find(ctx context.Context, paths []string, node string) (*Found, error) {
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if err := w.named(ctx, path); err != nil {
			return nil, err
		}
	}
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	return &w.found, w.found.arrange(ctx, w.sights, node)
}

// named enters what the operator named: a path or, where there is none of that
// name, a pattern, which not every shell expands.
func (w *walk) named(ctx context.Context, path string) error {
	about, err := os.Stat(path)
	if err == nil {
		return w.visit(ctx, filepath.Clean(path), about, 0)
	}
	var all []string
	if strings.ContainsAny(path, "*?") {
		all, _ = filepath.Glob(path) // a wrong pattern matches nothing
	}
	for _, path := range all {
		if about, err = os.Stat(path); err != nil {
			return err
		}
		if err = w.visit(ctx, filepath.Clean(path), about, 0); err != nil {
			return err
		}
	}
	return err
}

// A walk gathers what is found.
type walk struct {
	disk     disk
	progress *Progress
	seen     map[string]bool   // folders, by their true path
	files    map[string]source // by their true path
	sights   []sight
	found    Found
}

// A source is a file that may be a log or an archive.
type source struct {
	name  string // to show
	true  string // its path without links
	size  int64
	named bool // by the operator, and not found in a folder
	below int  // how many parts the path has that the operator named
}

// visit enters a file or a folder. One that the operator named is below nothing.
func (w *walk) visit(ctx context.Context, name string, about fs.FileInfo, below int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	path, err := truePath(name)
	named := below == 0
	if named {
		below = max(1, len(parts(path))) // of "/", too
	}
	switch {
	case err != nil:
		w.fault(name, err)
	case about.IsDir():
		if !w.seen[path] {
			w.seen[path] = true
			return w.folder(ctx, name, below)
		}
	case about.Mode().IsRegular():
		w.file(source{name, path, about.Size(), named, below})
	default: // a pipe would wait
		w.found.Passed++
	}
	return nil
}

// truePath is the same for all ways to a file.
func truePath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func (w *walk) folder(ctx context.Context, name string, below int) error {
	entries, err := os.ReadDir(name) // some of them, with an error
	if err != nil {
		w.fault(name, err)
	}
	for _, entry := range entries {
		name := filepath.Join(name, entry.Name())
		about, err := os.Stat(name) // of what a link leads to
		if err != nil {
			w.fault(name, err)
			continue
		}
		if err := w.visit(ctx, name, about, below); err != nil {
			return err
		}
	}
	return nil
}

// file takes a file once, under the shortest of its names.
func (w *walk) file(s source) {
	if old, ok := w.files[s.true]; ok {
		w.found.Doubles++
		s.named, s.below = s.named || old.named, min(s.below, old.below)
		if cmp.Or(cmp.Compare(len(old.name), len(s.name)), cmp.Compare(old.name, s.name)) < 0 {
			s.name = old.name
		}
	}
	w.files[s.true] = s
	w.progress.Files.Store(int64(len(w.files)))
}

func (w *walk) fault(name string, err error) {
	w.found.Faults = append(w.found.Faults, faultOf(filepath.ToSlash(name), err))
}

// faultOf is a fault without the path in its error, which the name says.
func faultOf(name string, err error) Fault {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return Fault{name, err}
}

// look opens every file, and keeps those that are logs.
func (w *walk) look(ctx context.Context) error {
	var eye eye
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		s := w.files[path]
		w.progress.Looked.Add(1)
		items, err := w.disk.items(s)
		if err != nil {
			w.fault(s.name, err)
		}
		logs := 0
		for _, it := range items {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if w.lookAt(ctx, &eye, it) {
				logs++
			}
		}
		if s.named && logs == 0 && !w.faulty(s.name) {
			return fmt.Errorf("%s: %w", s.name, ErrNoLog)
		}
	}
	return nil
}

// lookAt reports whether it is a log.
func (w *walk) lookAt(ctx context.Context, e *eye, it item) bool {
	seen, err := e.look(ctx, it)
	switch {
	case ctx.Err() != nil: // it was not seen to its end
	case err != nil:
		w.fault(it.name, err)
	case !seen.isLog():
		w.found.Passed++
	}
	if seen.isLog() {
		w.sights = append(w.sights, seen)
	}
	return seen.isLog()
}

// faulty says that a file, or something in it, cannot be read.
func (w *walk) faulty(name string) bool {
	name = filepath.ToSlash(name)
	return slices.ContainsFunc(w.found.Faults, func(f Fault) bool { return f.Name == name || strings.HasPrefix(f.Name, name+"/") })
}
