package follow

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/w3c"
)

// What stands in the files at the first start is history, also when it is only
// then that a file may be read, or only later that it grows.
func TestHistoryIsNotNews(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "httperr*.log")
	defer w.end()
	var old []*log
	for i := range newest + 3 {
		l := w.create(fmt.Sprintf("HTTPERR%d.LOG", i+1))
		w.add(l, 5, 0)
		w.flush(l)
		old = append(old, l)
	}
	last := old[len(old)-1]
	w.add(last, 1, 0)
	w.write(last, 20) // half of a row
	w.ahead(last, 64<<10)
	w.poll()
	if len(w.order) > 0 {
		t.Fatalf("history was met: %v", w.order)
	}
	for _, l := range []*log{last, old[0]} { // one that is open, and one at rest
		w.flush(l)
		w.add(l, 2, 0)
		w.flush(l)
	}
	w.poll()
	w.poll()
	if want := []int{57, 58, 59, 60, 56}; !equalSets(w.order, want) {
		t.Errorf("got %v, want %v", w.order, want)
	}
}

// NULs that power left in history keep nobody waiting.
func TestNulsOfHistory(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "b.log")
	defer w.end()
	l := w.create("b.log")
	for range 2 {
		w.add(l, 3, 0)
		w.flush(l)
		l.size += 1000
	}
	w.add(l, 3, 0)
	w.flush(l)
	w.poll()
	w.add(l, 2, 0)
	w.flush(l)
	w.poll()
	if !slices.Equal(w.order, []int{10, 11}) {
		t.Errorf("got %v", w.order)
	}
}

// A copy that somebody leaves beside a file, of an open one or of one at rest, is
// not read again; nor is it when both it and the program go on.
func TestCopyBeside(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log*")
	defer w.end()
	w.poll()
	for i := range newest + 4 {
		l := w.create(fmt.Sprintf("a%02d.log", i))
		w.add(l, 3, 0)
		w.flush(l)
	}
	w.poll()
	w.now = w.now.Add(quiet)
	w.poll()
	for i, l := range []*log{w.logs[0], w.logs[len(w.logs)-1]} {
		b, err := os.ReadFile(w.path(l.name))
		w.must(err)
		w.must(os.WriteFile(w.path(fmt.Sprintf("copy%d.log", i)), b[:len(b)*i/2+len(b)*(1-i)], 0o644))
		w.poll()
		w.must(os.WriteFile(w.path(fmt.Sprintf("copy%d.log", i)), b, 0o644))
	}
	for range 4 {
		w.poll()
		w.add(w.logs[len(w.logs)-1], 1, 0)
		w.flush(w.logs[len(w.logs)-1])
	}
	w.keep()
	w.start()
	w.poll()
	w.poll()
	w.judge()
}

// Files that have but NULs yet are not copies of each other.
func TestNulsAlone(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	for i, n := range []int64{65536, 100} {
		w.ahead(w.create(fmt.Sprintf("b%d.log", i)), n)
	}
	for range 3 {
		w.poll()
	}
	for _, l := range w.logs {
		w.add(l, 3, 0)
		w.flush(l)
	}
	w.poll()
	w.poll()
	w.judge()
}

func equalSets(a, b []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestFromStart(t *testing.T) {
	w := newWorld(t, exlogKind(), t.TempDir(), "*.log")
	defer w.end()
	w.o.FromStart = true
	w.start()
	l := w.create("a.log")
	w.add(l, 5, 0)
	w.flush(l)
	w.poll()
	w.judge()
}

// Older files come first, by their numbers.
func TestOrderOfNames(t *testing.T) {
	names := []string{"httperr1.log", "HTTPERR2.log", "httperr10.log", "httperr19.log", "httperr100.log", "HttpProxy_2025031408-1.LOG", "HttpProxy_2025031408-2.LOG", "HttpProxy_2025031408-10.LOG", "HttpProxy_2025031409-1.LOG", "u_ex250301.log", "u_ex250302.log", "u_ex250302.log.1", "z007", "z7", "z08"}
	shuffled := slices.Clone(names)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, func(a, b string) int {
		return compareSights(sight{name: a, key: strings.ToLower(a)}, sight{name: b, key: strings.ToLower(b)})
	})
	if !slices.Equal(shuffled, names) {
		t.Errorf("got %q", shuffled)
	}
}

// Files are read in the order of their names, though they appear in another.
func TestOrderOfFiles(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "*.log")
	defer w.end()
	w.poll()
	for _, name := range []string{"a10.log", "a9.log", "a1.log"} {
		l := w.create(name)
		w.add(l, 1, 0)
		w.flush(l)
	}
	w.poll()
	w.d.Close() // and goes on after it
	w.add(w.logs[1], 1, 0)
	w.flush(w.logs[1])
	w.poll()
	if !slices.Equal(w.order, []int{3, 2, 1, 4}) {
		t.Errorf("got %v", w.order)
	}
}

// A file that is renamed to what is not followed is read to its end, and
// forgotten when nobody writes to it any more.
func TestRenamedOutOfSight(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "access.log")
	defer w.end()
	w.poll()
	l := w.create("access.log")
	w.add(l, 1, 0)
	w.flush(l)
	w.poll()
	w.rename(l, "access.log.1")
	n := w.create("access.log")
	for range 5 {
		for _, l := range []*log{l, n} {
			w.add(l, 1, 0)
			w.flush(l)
		}
		w.poll()
		w.now = w.now.Add(40 * time.Second)
	}
	w.judge()
	w.now = w.now.Add(grace)
	w.poll()
	w.poll()
	if s := w.d.State(); len(s.Files) != 1 || s.Files[0].Offset != n.size {
		t.Errorf("got %+v", s)
	}
}

// The follower stops between truncating and writing; what is there then may be
// longer than what it knew.
func TestTruncatedAndLongerWhileStopped(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "b.log")
	defer w.end()
	w.poll()
	l := w.create("b.log")
	w.add(l, 3, 0)
	w.flush(l)
	w.poll()
	w.keep()
	w.ahead(l, -l.size)
	l.size, l.pending = 0, w.k.header
	w.add(l, 30, 0)
	w.flush(l)
	w.start()
	w.poll()
	w.judge()
}

// A file that is truncated and written again after it was looked at gives none of
// its new bytes for the old ones.
func TestTruncatedWhileRead(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "b.log")
	defer w.end()
	w.poll()
	l := w.create("b.log")
	w.add(l, 3, 0)
	w.flush(l)
	w.poll()
	w.ahead(l, -l.size)
	l.size, l.pending = 0, w.k.header
	w.add(l, 30, 0)
	w.flush(l)
	w.d.budget = budget
	if _, err := w.d.read(w.now, w.d.files[0], func(_ string, t *w3c.Tail) { w.t.Errorf("a row: %s", t.Raw()) }); err != nil {
		t.Error(err)
	}
	w.poll()
	w.judge()
}

// NULs with nothing behind them are waited for as long as it takes; with
// something behind them, as long as the options say.
func TestNuls(t *testing.T) {
	w := newWorld(t, w3cKind(), t.TempDir(), "b.log")
	defer w.end()
	w.poll()
	l := w.create("b.log")
	w.add(l, 1, 0)
	w.flush(l)
	w.ahead(l, 64<<10)
	for range 3 {
		w.poll()
		w.now = w.now.Add(24 * time.Hour)
	}
	w.add(l, 1, 0)
	w.flush(l) // a day later, where it was announced
	w.poll()
	w.judge()
	l.size += 1000 // power was lost, and the writer appends
	w.add(l, 1, 0)
	w.flush(l)
	w.ahead(l, 0)
	for i, want := range []int{2, 2, 3, 3} {
		w.poll()
		if len(w.order) != want {
			t.Errorf("%d minutes after: %d rows, want %d", i*5, len(w.order), want)
		}
		w.now = w.now.Add(patience / 2)
	}
	w.keep()
	w.start()
	w.poll()
	w.judge()
}
