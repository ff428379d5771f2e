package exlog

import (
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"evenkeel/queue/lines/linestest"
)

// A file may be made longer by NULs that are filled later.
func TestTailWaits(t *testing.T) {
	const row = row4 + "\r\n"
	nuls := strings.Repeat("\x00", 64<<10)
	many := strings.Replace(row, "-All", "\"a\nb\nc\"", 1)
	w := format().Watch("Parameters")
	for _, s := range []struct {
		Name, File   string
		Rows, Offset int
		Waiting      bool
	}{
		{"nothing yet", "", 0, 0, false},
		{"made longer before anything is written", nuls, 0, 0, true},
		{"one row", head4 + row + nuls, 1, len(head4 + row), true},
		{"still one", head4 + row + nuls, 1, len(head4 + row), true},
		{"longer, with something behind the NULs", head4 + row + nuls + "\r\n", 1, len(head4 + row), true},
		{"half a row over the NULs", head4 + row + row[:30] + nuls[30:], 1, len(head4 + row), true},
		{"the whole row", head4 + row + row + nuls, 2, len(head4 + row + row), true},
		{"the first line of a row of many", head4 + row + row + many[:35] + nuls, 2, len(head4 + row + row), true},
		{"and the last", head4 + row + row + many + nuls, 3, len(head4 + row + row + many), true},
		{"the NULs are taken back, within a row of many lines", head4 + row + row + many + many[:len(many)-10], 3, len(head4 + row + row + many), false},
		{"two of its lines", head4 + row + row + many + many[:strings.Index(many, "\nc")+1], 3, len(head4 + row + row + many), false},
		{"and one that would be a row", head4 + row + row + many + many[:strings.Index(many, "\nc")+1] + row, 3, len(head4 + row + row + many), true},
		{"all that is left is taken back", head4 + row + row + many, 3, len(head4 + row + row + many), false},
		{"and another comes", head4 + row + row + many + row, 4, len(head4 + row + row + many + row), false},
	} {
		w.See(t, linestest.Step(s))
	}
}

// NULs that are never filled are given up when the caller says so.
func TestGiveUp(t *testing.T) {
	const row = row4 + "\r\n"
	file := head4 + row + row[:30] + strings.Repeat("\x00", 200_000) + head4 + row + row[:25] + "\"a\n" + row + "\x00\x00"
	w := format().Watch("Parameters")
	w.Tail.GiveUp() // nothing is waited for
	w.Poll(t, file, 150<<10)
	w.Tail.GiveUp()
	w.Poll(t, file, 150<<10)
	if got := w.Tail.Stats(); len(w.Rows) != 2 || got.Nul != 200_000 || got.Cut != 1 || got.First != (lines.Reject{Line: 3, Offset: int64(len(head4 + row)), Why: lines.Cut}) {
		t.Errorf("got %q, %+v", w.Rows, got)
	}
	if !w.Tail.Waiting() || w.Offset() != int64(len(file)-2-len(row)-3-25) {
		t.Errorf("the next NULs are waited for again: offset %d of %d", w.Offset(), len(file))
	}
	w.Tail.GiveUp()
	w.Poll(t, file, 150<<10)
	if got := w.Tail.Stats(); len(w.Rows) != 3 || got.Quotes != 1 || got.Nul != 200_002 || w.Offset() != int64(len(file)) {
		t.Errorf("a row among lines that were waited for is lost: %q, %+v", w.Rows, got)
	}
	file += "\x00" + row + row[:20] // the writer goes on behind the NULs
	w.Poll(t, file+"\x00\x00", 150<<10)
	file += row[20:]
	w.Poll(t, file+"\x00\x00", 150<<10)
	if got := w.Tail.Stats(); len(w.Rows) != 5 || got.Cut != 1 || got.Nul != 200_003 {
		t.Errorf("the writer goes on behind NULs that were given up: %q, %+v", w.Rows, got)
	}
	w = format().Watch("Parameters")
	w.Poll(t, "\x00\x00"+head4+row, 1<<20)
	w.Tail.GiveUp()
	w.Poll(t, "\x00\x00"+head4+row, 1<<20)
	if len(w.Rows) != 1 {
		t.Errorf("NULs at the start of a file: %q, %+v", w.Rows, w.Tail.Stats())
	}
}

// A row whose end is not written yet is none, and none twice when it is.
func TestTailWaitsForTheRow(t *testing.T) {
	format().EveryCut(t, mixed, mixedTold(), mixedWanted()...)
}

// A quote that does not end holds a live file up as far as a row may go, and no
// farther.
func TestTailAndBrokenQuote(t *testing.T) {
	w := format().Watch("User")
	file := head4 + row4 + "\n" + strings.Replace(row4, "-All", `"a`, 1) + "\n"
	w.Poll(t, file, 1<<20)
	held := w.Offset()
	file += strings.Repeat(row4+"\n", (MaxRow-100)/len(row4+"\n"))
	w.Poll(t, file, 1<<20)
	if got := w.Tail.Position(); len(w.Rows) != 1 || got.Offset != held || got.Line != 2 {
		t.Errorf("got %d rows, %+v", len(w.Rows), got)
	}
	file += row4 + "\n" + row4 + "\n" + row4 + "\n" + row4 + "\n"
	w.Poll(t, file, 1<<20)
	if s := w.Tail.Stats(); len(w.Rows) != strings.Count(file, "\n")-2 || s.Quotes != 1 || s.Rejected != 1 || s.First.Line != 3 {
		t.Errorf("got %d rows, %+v", len(w.Rows), s)
	}
}

// A quote that does not end is given up when the caller says so: its line is none,
// the rows behind it are, and the next such quote is waited for again.
func TestGiveUpQuote(t *testing.T) {
	for name, encoded := range map[string]func(string) string{"bytes": func(s string) string { return s }, "UTF-16": func(s string) string { return linestest.InUTF16(s, false) }} {
		torn := strings.Replace(row4, "-All", `"a`, 1) + "\n"
		file := head4 + torn + row4 + "\n" + row4 + "\n"
		w := format().Watch("User")
		for i, rows := range []int{2, 2 + 2} {
			w.Poll(t, encoded(file), 1<<20)
			if !w.Tail.Waiting() || len(w.Rows) != 2*i {
				t.Errorf("%s: waiting %v, %q", name, w.Tail.Waiting(), w.Rows)
			}
			w.Tail.GiveUp()
			w.Poll(t, encoded(file), 1<<20)
			if s := w.Tail.Stats(); w.Tail.Waiting() || len(w.Rows) != rows || s.Quotes != int64(i+1) || s.Rejected != s.Quotes {
				t.Errorf("%s: given up: waiting %v, %q, %+v", name, w.Tail.Waiting(), w.Rows, s)
			}
			file += torn + row4 + "\n" + row4 + "\n"
		}
	}
}

// When a file is finished, a reader from the tail's position reads the rest.
func TestTailThenReader(t *testing.T) {
	format().ThenRead(t, mixed[:len(mixed)-1], mixedWanted()...)
	format().ThenRead(t, mixed[:strings.Index(mixed, "\n#Version: 15.02")], mixedWanted()...)
}
