package follow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evenkeel/queue/maillog"
	"evenkeel/queue/w3c"
)

// A poll is bounded, and says that there is more.
func TestBudget(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	l := w.create("a.log")
	for range 1000 {
		w.add(l, 1, 50_000)
		w.flush(l)
	}
	polls, rows := 0, 0
	for more := true; more; polls++ {
		var err error
		before := rows
		if more, err = w.d.Poll(w.now, func(string, *w3c.Tail) { rows++ }); err != nil {
			t.Fatal(err)
		}
		if got := (rows - before) * 50_000; got > budget+blockLen {
			t.Errorf("read %d at once", got)
		}
	}
	if polls != 4 || rows != 1000 {
		t.Errorf("%d rows in %d polls", rows, polls)
	}
}

// However many files there are, few are open, and all are read.
func TestManyFiles(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	for i := range 3 * maxOpen {
		l := w.create(fmt.Sprintf("a%d.log", i))
		w.add(l, 1, 0)
		w.flush(l)
		l.f.Close()
	}
	w.poll()
	w.judge() // as long as it said that there is more, it was asked
	for range 5 {
		w.poll()
		open := 0
		for _, f := range w.d.files {
			if f.open != nil {
				open++
			}
		}
		if open > maxOpen || w.d.opened > maxOpen {
			t.Errorf("%d are open", open)
		}
	}
	w.judge()
	b, _ := json.Marshal(w.d.State())
	if per := len(b) / (3 * maxOpen); per > 300 {
		t.Errorf("%d bytes of state a file", per)
	}
	for _, l := range w.logs[:100] {
		os.Remove(w.path(l.name))
	}
	w.poll()
	w.now = w.now.Add(grace)
	w.poll()
	if got := len(w.d.State().Files); got != 3*maxOpen-100 {
		t.Errorf("%d files are remembered", got)
	}
}

// A folder that is not there is said, and what it has when it comes is news.
func TestFolderComesLater(t *testing.T) {
	w := newWorld(t, w3cKind(), filepath.Join(t.TempDir(), "HTTPERR"), "*.log")
	defer w.end()
	if _, err := w.d.Poll(w.now, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	w.must(os.Mkdir(w.dir, 0o755))
	l := w.create("a.log")
	w.add(l, 1, 0)
	w.flush(l)
	w.poll()
	w.judge()
}

// What cannot be read is said, does not keep the rest from being read, and is
// tried again; what was in it then is history, or it is not.
func TestRefused(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is refused to root")
	}
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	a, b := w.create("a.log"), w.create("b.log")
	w.add(a, 1, 0)
	w.flush(a)
	w.must(os.Chmod(w.path("a.log"), 0))
	for range 2 {
		if _, err := w.d.Poll(w.now, func(string, *w3c.Tail) { t.Error("a row") }); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "a.log") {
			t.Errorf("got %v", err)
		}
	}
	w.must(os.Chmod(w.path("a.log"), 0o644))
	w.poll()
	w.add(a, 1, 0)
	w.add(b, 1, 0)
	w.flush(a)
	w.flush(b)
	w.poll()
	if !slices.Equal(w.order, []int{2, 3}) {
		t.Errorf("got %v", w.order)
	}
}

// A pattern that is none is said.
func TestBadPattern(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log", "httperr[.log")
	defer w.end()
	for range 2 {
		if _, err := w.d.Poll(w.now, nil); !errors.Is(err, filepath.ErrBadPattern) || !strings.Contains(err.Error(), "httperr[.log") {
			t.Errorf("got %v", err)
		}
	}
}

// A file that is none of the format is said once, and the others are read.
func TestForeignFile(t *testing.T) {
	w := newWorld(t, maillogKind(w3cKind()), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	l := w.create("a.log")
	w.add(l, 3, 0)
	w.flush(l)
	w.must(os.WriteFile(w.path("b.log"), []byte(strings.Repeat("Dear diary\r\n", 10_000)), 0o644))
	for i := range 3 {
		_, err := w.d.Poll(w.now, func(string, *maillog.Tail) { w.ids-- })
		if i > 0 && err != nil || i == 0 && (!errors.Is(err, maillog.ErrKind) || !strings.Contains(err.Error(), "b.log")) {
			t.Errorf("poll %d: got %v", i, err)
		}
		w.now = w.now.Add(quiet)
		f, err := os.OpenFile(w.path("b.log"), os.O_APPEND|os.O_WRONLY, 0)
		w.must(err)
		_, err = f.WriteString("and so on\r\n")
		w.must(err)
		w.must(f.Close())
	}
	if w.ids != 0 {
		t.Errorf("%d rows were not met", w.ids)
	}
}

// Links and folders are none of the files.
func TestOnlyFiles(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	l := w.create("a.log")
	w.add(l, 1, 0)
	w.flush(l)
	w.must(os.Mkdir(w.path("folder.log"), 0o755))
	if os.Symlink("a.log", w.path("current.log")) != nil || os.Link(w.path("a.log"), w.path("same.log")) != nil {
		t.Skip("no links here")
	}
	for range 3 {
		w.poll()
		w.poll()
		w.add(l, 1, 0)
		w.flush(l)
	}
	w.poll()
	w.judge()
}
