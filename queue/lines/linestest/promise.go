package linestest

import (
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"evenkeel/queue/lines"
	"pgregory.net/rapid"
)

// AnyBlocks: however a finished file is cut into blocks, its rows are the same.
func (f Format[P]) AnyBlocks(t *rapid.T, data string, want ...string) {
	told, wantStats := f.Told(data, want...)
	var start P
	block := rapid.SampledFrom([]int{f.Max + 2, f.Max + 100, 2 * f.Max, 3 * f.Max, lines.Block}).Draw(t, "block")
	r := f.Read(iotest.HalfReader(strings.NewReader(data)), start, block, want...)
	got := f.tell(r, len(want))
	if strings.Join(got, "\n") != strings.Join(told, "\n") || r.Stats() != wantStats {
		t.Fatalf("%.5000q: got %.5000q %+v, want %.5000q %+v", data, got, r.Stats(), told, wantStats)
	}
}

// AnyGrowth: whatever a follower sees of a growing file, which has NULs in UTF-16
// alone, and whenever it starts anew, it gets the rows that one reading of the
// whole file gives: none lost, none twice.
func (f Format[P]) AnyGrowth(t *rapid.T, whole string, want ...string) {
	if strings.Contains(whole, "\x00") && f.IsBytes(whole) {
		whole = strings.ReplaceAll(whole, "\x00", "0")
	}
	whole = whole[:len(whole)-len(whole)%2]
	told, _ := f.Told(whole, want...)
	w := f.Watch(want...)
	for written := 0; written < len(whole); {
		written = min(len(whole), written+rapid.IntRange(1, max(1, len(whole)/3)).Draw(t, "written"))
		ahead := rapid.SampledFrom([]int{0, 0, 1, 64, 65536}).Draw(t, "ahead")
		w.Poll(t, whole[:written]+strings.Repeat("\x00", ahead), rapid.IntRange(f.Max+2, 4*f.Max).Draw(t, "block"))
		if rapid.Bool().Draw(t, "restart") {
			w.Restart(t)
		}
	}
	w.Poll(t, whole, 4*f.Max)
	w.Finish(whole)
	if strings.Join(w.Rows, "\n") != strings.Join(told, "\n") {
		t.Fatalf("%.5000q:\ngot  %.5000q\nwant %.5000q", whole, w.Rows, told)
	}
}

// IsBytes reports that a file is not taken for UTF-16, so that an oracle of bytes
// can read it.
func (f Format[P]) IsBytes(data string) bool {
	var start P
	r := f.Read(strings.NewReader(data), start, 0)
	r.Next()
	return f.Place(r.Position()).Encoding == lines.UTF8
}

// A Plain way to read a finished file in bytes says of it what Timeless does.
type Plain func(data string, want ...string) ([]string, lines.Stats)

// Oracle: in bytes, the plain way finds the same.
func (f Format[P]) Oracle(t rapid.TB, data string, plain Plain, want ...string) {
	t.Helper()
	if !f.IsBytes(data) {
		return
	}
	told, counted := plain(data, want...)
	got, stats := f.Timeless(data, want...)
	if strings.Join(got, "\n") != strings.Join(told, "\n") || stats != counted {
		t.Fatalf("%.5000q:\ngot  %.5000q %+v\nwant %.5000q %+v", data, got, stats, told, counted)
	}
}

// AnyBytes: any bytes are read to their end, at once or as two parts; what is
// found and counted agrees, and in bytes the plain way finds the same.
func (f Format[P]) AnyBytes(t *testing.T, data string, first int, plain Plain, want ...string) {
	told, s := f.Told(data, want...)
	if s.Bytes != int64(len(data)) || s.Rejected != s.Headless+s.Columns+s.Quotes+s.Cut+s.Long || s.Rows != int64(len(told)) {
		t.Fatalf("%+v of %d bytes, %d rows", s, len(data), len(told))
	}
	w := f.Watch(want...)
	w.Poll(t, data[:min(first, len(data))], len(data)+1)
	w.Restart(t)
	w.Poll(t, data, len(data)+1)
	w.Finish(data)
	if strings.Join(w.Rows, "\n") != strings.Join(told, "\n") {
		t.Fatalf("followed: %q, read at once: %q", w.Rows, told)
	}
	f.Oracle(t, data, plain, want...)
}

// Bounded: whatever src holds, the reader takes no more memory than a block and
// a little. It returns what was counted.
func (f Format[P]) Bounded(t *testing.T, promise string, src *Endless, want ...string) lines.Stats {
	t.Helper()
	var start P
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := f.Read(src, start, 0, want...)
	for r.Next() {
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > lines.Block+64<<10 {
		t.Errorf("%s: %d bytes of memory", promise, got)
	}
	return r.Stats()
}
