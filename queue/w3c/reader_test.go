package w3c

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
)

// No row is lost where a block ends.
func TestBlocks(t *testing.T) {
	for name, data := range map[string]string{"httperr": string(httperr(1 << 20)), "site": string(site(1 << 20))} {
		for _, text := range []string{data, linestest.InUTF16(data, false)} {
			got, stats := format().Told(text, "date")
			if len(got) != strings.Count(data, "\n")-4 || stats.Rejected != 0 || got[len(got)-1][:4] != fmt.Sprint(len(got) + 4)[:4] {
				t.Errorf("%s: %d rows, the last is %q: %+v", name, len(got), got[len(got)-1], stats)
			}
		}
	}
}

// The memory of a reader is bounded whatever a file holds.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		promise, with string
		good          func(Stats) bool
	}{
		{"a line of 64 MiB", "a", func(s Stats) bool { return s.Long == 1 && s.Bytes >= 1<<26 }},
		{"64 MiB of NULs", "\x00", func(s Stats) bool { return s.Nul == 1<<26 && s.Rejected == 0 }},
	} {
		src := &linestest.Endless{Head: fields13, Left: 1 << 26, With: c.with}
		if s := format().Bounded(t, c.promise, src, "date"); !c.good(s) || s.Rows > 0 {
			t.Errorf("%s: %+v", c.promise, s)
		}
	}
}

// Behind the last row there is none, whatever came last.
func TestNoRow(t *testing.T) {
	for _, last := range []string{"", "#Fields: a b\n", "#Fields: a b date time\n", "x y z\n"} {
		r := NewReader(strings.NewReader("#Fields: date time a\n2025-06-01 06:00:00 1\n"+last), Position{}, "a", "b")
		for r.Next() {
		}
		_, isTime := r.Time()
		_, isNumber := r.Uint(0)
		if r.Field(0) != nil || r.Field(1) != nil || r.Raw() != nil || isTime || isNumber {
			t.Errorf("%q: there is still a row", last)
		}
	}
}

// What cannot be read on is said, and what was read is not taken for the end.
func TestReadError(t *testing.T) {
	head := fields13 + "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA\n2025"
	r := NewReader(&linestest.Endless{Head: head}, Position{}, "date")
	if !r.Next() || r.Next() || r.Next() {
		t.Error("not one row")
	}
	if err := r.Err(); err == nil || err.Error() != fmt.Sprintf("read at byte %d: the disk is gone", len(head)) {
		t.Errorf("got %v", err)
	}
	if got := r.Stats(); got.Cut != 0 || got.Bytes != int64(len(head)-4) {
		t.Errorf("the start of a row was taken for a cut one: %+v", got)
	}
}

// A row costs no allocation.
func TestAllocations(t *testing.T) {
	for name, data := range map[string][]byte{"httperr": httperr(1 << 20), "site": site(1 << 20)} {
		want := httperrWanted()
		if name == "site" {
			want = siteWanted()
		}
		r := NewReader(bytes.NewReader(data), Position{}, want...)
		n := testing.AllocsPerRun(10, func() { // rounded down: what the runtime allocates meanwhile is not ours
			for range 200 {
				if !r.Next() {
					t.Fatal("too few rows")
				}
				use(r, 1, 2)
			}
		})
		if n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
