package linestest

import (
	"encoding/json"
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"pgregory.net/rapid"
)

// A Watch is what a program does that follows a file: it remembers the position
// alone, and feeds what stands behind it.
type Watch[P comparable] struct {
	Tail Tail[P]
	Rows []string // that were found, as Tell says them

	format Format[P]
	want   []string
}

// Watch follows a file from its start.
func (f Format[P]) Watch(want ...string) *Watch[P] {
	var start P
	return &Watch[P]{Tail: f.Follow(start, want...), format: f, want: want}
}

// Offset is where the watch is.
func (w *Watch[P]) Offset() int64 { return w.format.Place(w.Tail.Position()).Offset }

// Poll reads the file as it is now, block bytes at a time.
func (w *Watch[P]) Poll(t rapid.TB, file string, block int) {
	t.Helper()
	for {
		from := w.Offset()
		rest := file[from:]
		part := rest[:min(block, len(rest))]
		w.Tail.Feed([]byte(part))
		w.Rows = append(w.Rows, w.format.tell(w.Tail, len(w.want))...)
		now := w.Offset()
		if now == from && len(part) < len(rest) && len(part) >= w.format.Max+2 && !w.Tail.Waiting() {
			t.Fatalf("at %d, a block of %d bytes does not bring it on", now, len(part))
		}
		if now == from || now == int64(len(file)) {
			return
		}
	}
}

// Restart is a new tail that knows what was written down.
func (w *Watch[P]) Restart(t rapid.TB) {
	t.Helper()
	b, err := json.Marshal(w.Tail.Position())
	if err != nil {
		t.Fatal(err)
	}
	var at P
	if err := json.Unmarshal(b, &at); err != nil || at != w.Tail.Position() {
		t.Fatalf("%s came back as %+v: %v", b, at, err)
	}
	w.Tail = w.format.Follow(at, w.want...)
}

// Finish reads the rest of a file that nobody writes to any more.
func (w *Watch[P]) Finish(file string) lines.Stats {
	r := w.format.Read(strings.NewReader(file[w.Offset():]), w.Tail.Position(), 0, w.want...)
	w.Rows = append(w.Rows, w.format.tell(r, len(w.want))...)
	return r.Stats()
}

// A Step is a file as it is at one time, and where a watch then is.
type Step struct {
	Name, File   string
	Rows, Offset int
	Waiting      bool
}

// See polls the file of a step, and once more after a restart.
func (w *Watch[P]) See(t *testing.T, s Step) {
	t.Helper()
	w.Poll(t, s.File, 1<<20)
	p := w.Tail.Position()
	if len(w.Rows) != s.Rows || w.Offset() != int64(s.Offset) || w.Tail.Waiting() != s.Waiting {
		t.Errorf("%s: got %d rows, offset %d, at NUL %v, want %d, %d, %v", s.Name, len(w.Rows), w.Offset(), w.Tail.Waiting(), s.Rows, s.Offset, s.Waiting)
	}
	w.Restart(t)
	w.Poll(t, s.File, 1<<20)
	if got := w.Tail.Position(); got != p || len(w.Rows) != s.Rows {
		t.Errorf("%s, after a restart: got %d rows, %+v, want %+v", s.Name, len(w.Rows), got, p)
	}
}

// EveryCut: wherever a file was cut when it was first seen, a row whose end is
// not written yet is none, and none twice when it is.
func (f Format[P]) EveryCut(t *testing.T, file string, told []string, want ...string) {
	t.Helper()
	for name, file := range map[string]string{"bytes": file, "UTF-16": InUTF16(file, false)} {
		for cut := range 2 * (len(file) + 1) {
			w := f.Watch(want...)
			ahead := strings.Repeat("\x00", cut%2*64)
			cut /= 2 // with and without NULs ahead
			w.Poll(t, file[:cut]+ahead, 1<<20)
			first := len(w.Rows)
			if w.Offset() > int64(cut+cut%2) { // a NUL may stand for the other half of a unit
				t.Fatalf("%s: consumed %d of %d", name, w.Offset(), cut)
			}
			if cut%2 > 0 {
				w.Restart(t)
			}
			w.Poll(t, file, 1<<20)
			if got := strings.Join(w.Rows, "\n"); got != strings.Join(told, "\n") {
				t.Fatalf("%s cut at %d, %d rows before: got %s", name, cut, first, got)
			}
		}
	}
}

// ThenRead: when a file is finished, a reader from the tail's position reads the
// rest, which is a last row without its end.
func (f Format[P]) ThenRead(t *testing.T, file string, want ...string) {
	t.Helper()
	w := f.Watch(want...)
	w.Poll(t, file, 1<<20)
	stats := w.Finish(file)
	told, _ := f.Told(file, want...)
	if got := strings.Join(w.Rows, "\n"); got != strings.Join(told, "\n") || !strings.HasSuffix(got, "unended") {
		t.Errorf("got %s", got)
	}
	if got := w.Tail.Stats().Bytes + stats.Bytes; got != int64(len(file)) {
		t.Errorf("counted %d bytes of %d", got, len(file))
	}
}
