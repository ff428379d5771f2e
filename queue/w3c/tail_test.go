package w3c

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
		if now := w.tail.Position().Offset; now == from || now == int64(len(file)) {
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

// HTTP.sys makes the file longer by NULs and fills them later.
func TestTailWaitsAtNul(t *testing.T) {
	const row = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA\r\n"
	nuls := strings.Repeat("\x00", 64<<10)
	extended := fields13 + row + nuls
	w := follow("s-reason")
	for _, step := range []struct {
		name, file string
		rows       int
		offset     int
		atNul      bool
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
	const row = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA\r\n"
	file := fields13 + row + row[:30] + strings.Repeat("\x00", 200_000) + fields13 + row + row[:20] + "\x00\x00"
	w := follow("s-reason")
	w.tail.SkipNul() // nothing to skip
	w.poll(t, file, 128<<10)
	w.tail.SkipNul()
	w.poll(t, file, 128<<10)
	if got := w.tail.Stats(); len(w.rows) != 2 || got.Nul != 200_000 || got.Cut != 1 || got.First != (Reject{3, int64(len(fields13 + row)), Cut}) {
		t.Errorf("got %q, %+v", w.rows, got)
	}
	if !w.tail.AtNul() || w.tail.Position().Offset != int64(len(file)-22) {
		t.Errorf("the next NULs are waited for again: offset %d of %d", w.tail.Position().Offset, len(file))
	}
	w.tail.SkipNul()
	file += row + row[:20] // written where the NULs ended
	w.poll(t, file+"\x00\x00", 128<<10)
	file += row[20:]
	w.poll(t, file+"\x00\x00", 128<<10)
	if got := w.tail.Stats(); len(w.rows) != 4 || got.Cut != 2 {
		t.Errorf("the writer goes on behind NULs that were given up: %q, %+v", w.rows, got)
	}
}

// A line whose end is not written yet is no row, and none twice when it is.
func TestTailWaitsForTheLine(t *testing.T) {
	for name, file := range map[string]string{"bytes": restarted, "UTF-16": inUTF16(restarted, false)} {
		for cut := range 2 * (len(file) + 1) {
			w := follow(restartedWanted()...)
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
			if got := strings.Join(w.rows, "\n"); got != strings.Join(restartedTold(), "\n") {
				t.Fatalf("%s cut at %d, %d rows before: got %s", name, cut, first, got)
			}
		}
	}
}

// When a file is finished, a reader from the tail's position reads the rest.
func TestTailThenReader(t *testing.T) {
	file := restarted[:len(restarted)-1]
	w := follow(restartedWanted()...)
	w.poll(t, file, 1<<20)
	at := w.tail.Position()
	r := NewReader(strings.NewReader(file[at.Offset:]), at, w.want...)
	for r.Next() {
		w.rows = append(w.rows, tell(&r.rows))
	}
	if got, want := strings.Join(w.rows, "\n"), strings.Join(restartedTold(), "\n")+" unended"; got != want {
		t.Errorf("got %s", got)
	}
	if got := w.tail.Stats().Bytes + r.Stats().Bytes; got != int64(len(file)) {
		t.Errorf("counted %d bytes of %d", got, len(file))
	}
}
