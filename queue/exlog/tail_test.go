package exlog

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A watch is what a program does that follows a file: it remembers the position
// alone, and feeds what stands behind it.
type watch struct {
	tail *Tail
	want []string
	rows []string
}

func follow(want ...string) *watch { return &watch{NewTail(Position{}, want...), want, nil} }

// poll reads the file as it is now, block bytes at a time.
func (w *watch) poll(t rapid.TB, file string, block int) {
	t.Helper()
	for {
		from := w.tail.Position().Offset
		rest := file[from:]
		part := rest[:min(block, len(rest))]
		w.tail.Feed([]byte(part))
		for w.tail.Next() {
			w.rows = append(w.rows, tell(&w.tail.rows))
		}
		now := w.tail.Position().Offset
		if now == from && len(part) < len(rest) && len(part) >= MaxRow+2 && !w.tail.AtNul() {
			t.Fatalf("at %d, a block of %d bytes does not bring it on", now, len(part))
		}
		if now == from || now == int64(len(file)) {
			return
		}
	}
}

// restart is a new tail that knows what was written down.
func (w *watch) restart(t rapid.TB) {
	t.Helper()
	b, err := json.Marshal(w.tail.Position())
	if err != nil {
		t.Fatal(err)
	}
	var at Position
	if err := json.Unmarshal(b, &at); err != nil || at != w.tail.Position() {
		t.Fatalf("%s came back as %+v: %v", b, at, err)
	}
	w.tail = NewTail(at, w.want...)
}

// finish reads the rest of a file that nobody writes to any more.
func (w *watch) finish(file string) Stats {
	at := w.tail.Position()
	r := NewReader(strings.NewReader(file[at.Offset:]), at, w.want...)
	for r.Next() {
		w.rows = append(w.rows, tell(&r.rows))
	}
	return r.Stats()
}

// A file may be made longer by NULs that are filled later.
func TestTailWaitsAtNul(t *testing.T) {
	const row = row4 + "\r\n"
	nuls := strings.Repeat("\x00", 64<<10)
	many := strings.Replace(row, "-All", "\"a\nb\nc\"", 1)
	w := follow("Parameters")
	for _, step := range []struct {
		name, file string
		rows       int
		offset     int
		atNul      bool
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
		{"all that is left is taken back", head4 + row + row + many, 3, len(head4 + row + row + many), false},
		{"and another comes", head4 + row + row + many + row, 4, len(head4 + row + row + many + row), false},
	} {
		w.poll(t, step.file, 1<<20)
		p := w.tail.Position()
		if len(w.rows) != step.rows || p.Offset != int64(step.offset) || w.tail.AtNul() != step.atNul {
			t.Errorf("%s: got %d rows, offset %d, at NUL %v, want %d, %d, %v", step.name, len(w.rows), p.Offset, w.tail.AtNul(), step.rows, step.offset, step.atNul)
		}
		w.restart(t)
		w.poll(t, step.file, 1<<20)
		if got := w.tail.Position(); got != p || len(w.rows) != step.rows {
			t.Errorf("%s, after a restart: got %d rows, %+v, want %+v", step.name, len(w.rows), got, p)
		}
	}
}

// NULs that are never filled are given up when the caller says so.
func TestSkipNul(t *testing.T) {
	const row = row4 + "\r\n"
	file := head4 + row + row[:30] + strings.Repeat("\x00", 200_000) + head4 + row + row[:25] + "\"a\n" + row + "\x00\x00"
	w := follow("Parameters")
	w.tail.SkipNul() // nothing to skip
	w.poll(t, file, 150<<10)
	w.tail.SkipNul()
	w.poll(t, file, 150<<10)
	if got := w.tail.Stats(); len(w.rows) != 2 || got.Nul != 200_000 || got.Cut != 1 || got.First != (Reject{3, int64(len(head4 + row)), Cut}) {
		t.Errorf("got %q, %+v", w.rows, got)
	}
	if !w.tail.AtNul() || w.tail.Position().Offset != int64(len(file)-2-len(row)-3-25) {
		t.Errorf("the next NULs are waited for again: offset %d of %d", w.tail.Position().Offset, len(file))
	}
	w.tail.SkipNul()
	w.poll(t, file, 150<<10)
	if got := w.tail.Stats(); len(w.rows) != 3 || got.Quotes != 1 || got.Nul != 200_002 || w.tail.Position().Offset != int64(len(file)) {
		t.Errorf("a row among lines that were waited for is lost: %q, %+v", w.rows, got)
	}
	file += "\x00" + row + row[:20] // the writer goes on behind the NULs
	w.poll(t, file+"\x00\x00", 150<<10)
	file += row[20:]
	w.poll(t, file+"\x00\x00", 150<<10)
	if got := w.tail.Stats(); len(w.rows) != 5 || got.Cut != 1 || got.Nul != 200_003 {
		t.Errorf("the writer goes on behind NULs that were given up: %q, %+v", w.rows, got)
	}
	w = follow("Parameters")
	w.poll(t, "\x00\x00"+head4+row, 1<<20)
	w.tail.SkipNul()
	w.poll(t, "\x00\x00"+head4+row, 1<<20)
	if len(w.rows) != 1 {
		t.Errorf("NULs at the start of a file: %q, %+v", w.rows, w.tail.Stats())
	}
}

// A row whose end is not written yet is none, and none twice when it is.
func TestTailWaitsForTheRow(t *testing.T) {
	for name, file := range map[string]string{"bytes": mixed, "UTF-16": inUTF16(mixed, false)} {
		for cut := range 2 * (len(file) + 1) {
			w := follow(mixedWanted()...)
			ahead := strings.Repeat("\x00", cut%2*64)
			cut /= 2 // with and without NULs ahead
			w.poll(t, file[:cut]+ahead, 1<<20)
			first := len(w.rows)
			if p := w.tail.Position(); p.Offset > int64(cut+cut%2) { // a NUL may stand for the other half of a unit
				t.Fatalf("%s: consumed %d of %d", name, p.Offset, cut)
			}
			if cut%2 > 0 {
				w.restart(t)
			}
			w.poll(t, file, 1<<20)
			if got := strings.Join(w.rows, "\n"); got != strings.Join(mixedTold(), "\n") {
				t.Fatalf("%s cut at %d, %d rows before: got %s", name, cut, first, got)
			}
		}
	}
}

// A quote that does not end holds a live file up as far as a row may go, and no
// farther.
func TestTailAndBrokenQuote(t *testing.T) {
	w := follow("User")
	file := head4 + row4 + "\n" + strings.Replace(row4, "-All", `"a`, 1) + "\n"
	w.poll(t, file, 1<<20)
	held := w.tail.Position().Offset
	file += strings.Repeat(row4+"\n", (MaxRow-100)/len(row4+"\n"))
	w.poll(t, file, 1<<20)
	if got := w.tail.Position(); len(w.rows) != 1 || got.Offset != held || got.Line != 2 {
		t.Errorf("got %d rows, %+v", len(w.rows), got)
	}
	file += row4 + "\n" + row4 + "\n" + row4 + "\n" + row4 + "\n"
	w.poll(t, file, 1<<20)
	if s := w.tail.Stats(); len(w.rows) != strings.Count(file, "\n")-2 || s.Quotes != 1 || s.Rejected != 1 || s.First.Line != 3 {
		t.Errorf("got %d rows, %+v", len(w.rows), s)
	}
}

// When a file is finished, a reader from the tail's position reads the rest.
func TestTailThenReader(t *testing.T) {
	for _, file := range []string{mixed[:len(mixed)-1], mixed[:strings.Index(mixed, "\n#Version: 15.02")]} {
		w := follow(mixedWanted()...)
		w.poll(t, file, 1<<20)
		stats := w.finish(file)
		want, _ := told(file, mixedWanted()...)
		if got := strings.Join(w.rows, "\n"); got != strings.Join(want, "\n") || !strings.HasSuffix(got, "unended") {
			t.Errorf("got %s", got)
		}
		if got := w.tail.Stats().Bytes + stats.Bytes; got != int64(len(file)) {
			t.Errorf("counted %d bytes of %d", got, len(file))
		}
	}
}
