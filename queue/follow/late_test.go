package follow

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/exlog"
	"evenkeel/queue/w3c"
)

// old makes a log that is no longer among the newest, with some rows, and what
// write adds to it.
func old[T Tail[P], P any](w *world[T, P], write func(l *log)) {
	for i := range newest + 4 {
		l := w.create(fmt.Sprintf("a%02d.log", i))
		w.add(l, 3, 0)
		w.flush(l)
		if i == 0 {
			write(l)
		}
	}
}

// wait polls for an hour, in which the newest log grows.
func wait[T Tail[P], P any](w *world[T, P]) {
	for range 60 {
		w.poll()
		w.now = w.now.Add(time.Minute)
		l := w.logs[len(w.logs)-1]
		w.add(l, 1, 0)
		w.flush(l)
	}
	w.poll()
}

// What stands behind NULs in a file that nobody writes to any more is met, when
// they were waited for long enough.
func TestNulsInAnOldFile(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	old(w, func(l *log) {
		l.size += 1000 // power was lost
		w.add(l, 3, 0)
		w.flush(l)
	})
	wait(w)
	w.judge()
	for _, f := range w.d.files {
		if !f.newest && f.open != nil {
			t.Errorf("%s is still open", f.saved.Name)
		}
	}
}

// Likewise what stands behind a quote that does not end.
func TestQuoteInAnOldFile(t *testing.T) {
	k := exlogKind()
	k.row = func(id, _ int) string { return fmt.Sprintf("2025-03-14T08:00:00.124Z,Mapi,id=%d;\r\n", id) }
	w := newWorld(t, k, t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	old(w, func(l *log) {
		l.pending = "2025-03-14T08:00:00.124Z,Mapi,\"torn\r\n"
		w.add(l, 100, 0)
		w.flush(l)
	})
	w.poll()
	if len(w.order) != 3*(newest+4) {
		t.Errorf("the quote is not waited for: %d rows", len(w.order))
	}
	wait(w)
	w.judge()
}

// A row of many lines that is met in two blocks is not given up in between, though
// all of it is history.
func TestRowAcrossBlocksOfHistory(t *testing.T) {
	k := exlogKind()
	row := k.row
	k.row = func(id, pad int) string { // with a line in it that looks like a row
		return strings.Replace(row(id, pad), "\r\n", "\r\n2025-03-14T08:00:00.124Z,Mapi,none\r\n", 1)
	}
	w := newWorld(t, k, t.TempDir(), "*.log")
	defer w.end()
	l := w.create("a.log")
	for range 40 {
		w.add(l, 1, 50_000)
		w.flush(l)
	}
	w.poll()
	w.add(l, 1, 0)
	w.flush(l)
	var rejected int64
	_, err := w.d.Poll(w.now, func(_ string, t *exlog.Tail) { rejected = t.Stats().Rejected })
	w.must(err)
	if rejected != 0 {
		t.Errorf("%d rejected", rejected)
	}
}

// However far ahead a file is made longer, its writer fills it when there is
// something to write.
func TestFarAhead(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "b.log")
	defer w.end()
	l := w.create("b.log")
	w.add(l, 1, 0)
	w.flush(l)
	w.ahead(l, 3*lookLen)
	w.poll()
	for range 3 {
		w.add(l, 1, 0)
		w.flush(l)
		w.poll()
		w.now = w.now.Add(24 * time.Hour)
		w.poll()
	}
	if !slices.Equal(w.order, []int{2, 3, 4}) {
		t.Errorf("got %v", w.order)
	}
}

// At the first start nothing is read but of what grows, however much there is.
func TestFirstStartReadsWhatGrows(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	for i := range newest + 2 {
		l := w.create(fmt.Sprintf("a%d.log", i))
		w.add(l, 100, 1000)
		w.flush(l)
	}
	for _, grows := range []int{-1, newest + 1, 0} {
		var size int64
		if grows >= 0 {
			l := w.logs[grows]
			w.add(l, 1, 0)
			w.flush(l)
			size = l.size
		}
		w.poll()
		if read := budget - w.d.budget; int64(read) != size {
			t.Errorf("file %d grows: %d bytes are read, want %d", grows, read, size)
		}
	}
	if len(w.order) != 2 {
		t.Errorf("got %v", w.order)
	}
}

// Of many files that are new at once no more are looked at in a poll than may be
// open.
func TestManyNewFiles(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	for i := range 4 * maxOpen {
		l := w.create(fmt.Sprintf("a%d.log", i))
		w.add(l, 1, 0)
		w.flush(l)
		l.f.Close()
	}
	for more, polls := true, 1; more; polls++ {
		var err error
		more, err = w.d.Poll(w.now, func(string, *w3c.Tail) {})
		w.must(err)
		if known := len(w.d.files); known > polls*maxOpen {
			t.Fatalf("%d files are known after %d polls", known, polls)
		}
	}
	if known := len(w.d.files); known != 4*maxOpen {
		t.Errorf("%d files are known", known)
	}
}

// A state of another folder says nothing of this one.
func TestStateOfAnotherFolder(t *testing.T) {
	there := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer there.end()
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.ids = 100 // other rows
	for _, w := range []*world[*w3c.Tail, w3c.Position]{there, w} {
		l := w.create("a.log")
		w.add(l, 3, 0)
		w.flush(l)
	}
	there.poll()
	w.must(w.d.Load(there.d.State()))
	w.poll()
	if len(w.order) > 0 {
		t.Errorf("history was met: %v", w.order)
	}
}

// Of many files that grow at once all rows are met, and in a poll those of no more
// files than may be open.
func TestManyGrow(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	for i := range 3 * maxOpen {
		l := w.create(fmt.Sprintf("a%d.log", i))
		w.add(l, 1, 0)
		w.flush(l)
	}
	w.poll()
	for _, l := range w.logs {
		w.add(l, 1, 0)
		w.flush(l)
		later := time.Unix(2_000_000_000, 0)
		w.must(os.Chtimes(w.path(l.name), later, later))
	}
	for more, polls := true, 1; more; polls++ {
		var err error
		rows := 0
		more, err = w.d.Poll(w.now, func(string, *w3c.Tail) { rows++ })
		w.must(err)
		w.ids -= rows
		if rows > maxOpen {
			t.Fatalf("%d files are read in a poll", rows)
		}
	}
	if w.ids != 3*maxOpen {
		t.Errorf("%d rows were met", 6*maxOpen-w.ids)
	}
}
