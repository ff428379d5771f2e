package w3c

import (
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"evenkeel/queue/lines/linestest"
)

// HTTP.sys makes the file longer by NULs and fills them later.
func TestTailWaits(t *testing.T) {
	const row = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA\r\n"
	nuls := strings.Repeat("\x00", 64<<10)
	extended := fields13 + row + nuls
	w := format().Watch("s-reason")
	for _, s := range []struct {
		Name, File   string
		Rows, Offset int
		Waiting      bool
	}{
		{"nothing yet", "", 0, 0, false},
		{"made longer before anything is written", nuls, 0, 0, true},
		{"one row", extended, 1, len(fields13 + row), true},
		{"still one", extended, 1, len(fields13 + row), true},
		{"longer, with something behind the NULs", extended + "\r\n", 1, len(fields13 + row), true},
		{"half a row over the NULs", fields13 + row + row[:50] + nuls[50:], 1, len(fields13 + row), true},
		{"the whole row", fields13 + row + row + nuls[len(row):], 2, len(fields13 + row + row), true},
		{"all that is left is taken back", fields13 + row + row, 2, len(fields13 + row + row), false},
		{"and a third comes", fields13 + row + row + row, 3, len(fields13 + row + row + row), false},
	} {
		w.See(t, linestest.Step(s))
	}
}

// NULs that are never filled are given up when the caller says so.
func TestGiveUp(t *testing.T) {
	const row = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA\r\n"
	file := fields13 + row + row[:30] + strings.Repeat("\x00", 200_000) + fields13 + row + row[:20] + "\x00\x00"
	w := format().Watch("s-reason")
	w.Tail.GiveUp() // nothing is waited for
	w.Poll(t, file, 128<<10)
	w.Tail.GiveUp()
	w.Poll(t, file, 128<<10)
	if got := w.Tail.Stats(); len(w.Rows) != 2 || got.Nul != 200_000 || got.Cut != 1 || got.First != (lines.Reject{Line: 3, Offset: int64(len(fields13 + row)), Why: lines.Cut}) {
		t.Errorf("got %q, %+v", w.Rows, got)
	}
	if !w.Tail.Waiting() || w.Offset() != int64(len(file)-22) {
		t.Errorf("the next NULs are waited for again: offset %d of %d", w.Offset(), len(file))
	}
	w.Tail.GiveUp()
	file += row + row[:20] // written where the NULs ended
	w.Poll(t, file+"\x00\x00", 128<<10)
	file += row[20:]
	w.Poll(t, file+"\x00\x00", 128<<10)
	if got := w.Tail.Stats(); len(w.Rows) != 4 || got.Cut != 2 {
		t.Errorf("the writer goes on behind NULs that were given up: %q, %+v", w.Rows, got)
	}
}

// A line whose end is not written yet is no row, and none twice when it is.
func TestTailWaitsForTheLine(t *testing.T) {
	format().EveryCut(t, restarted, restartedTold(), restartedWanted()...)
}

// When a file is finished, a reader from the tail's position reads the rest.
func TestTailThenReader(t *testing.T) {
	format().ThenRead(t, restarted[:len(restarted)-1], restartedWanted()...)
}
