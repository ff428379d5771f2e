package w3c

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// No row is lost where a block ends.
func TestBlocks(t *testing.T) {
	for name, data := range map[string]string{"httperr": string(httperr(1 << 20)), "site": string(site(1 << 20))} {
		for _, text := range []string{data, inUTF16(data, false)} {
			got, stats := told(text, "date")
			if len(got) != strings.Count(data, "\n")-4 || stats.Rejected != 0 || got[len(got)-1][:4] != fmt.Sprint(len(got) + 4)[:4] {
				t.Errorf("%s: %d rows, the last is %q: %+v", name, len(got), got[len(got)-1], stats)
			}
		}
	}
}

// The memory of a reader is bounded whatever a file holds.
func TestBounded(t *testing.T) {
	r := NewReader(&endless{head: fields13, left: 1 << 26, with: 'a'}, Position{}, "date")
	if r.Next() || r.Stats().Long != 1 || r.Stats().Bytes < 1<<26 || cap(r.buf) != blockLen || cap(r.plain)+cap(r.mended) > 0 {
		t.Errorf("a line of 64 MiB: %+v, buffer %d", r.Stats(), cap(r.buf))
	}
	r.Reset(&endless{head: fields13, left: 1 << 26}, Position{})
	if r.Next() || r.Stats().Nul != 1<<26 || r.Stats().Rejected != 0 || cap(r.buf) != blockLen {
		t.Errorf("64 MiB of NULs: %+v", r.Stats())
	}
}

// endless is a head and then one byte again and again.
type endless struct {
	head string
	left int
	with byte
}

func (e *endless) Read(b []byte) (n int, err error) {
	if e.head != "" {
		n = copy(b, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	b = b[:min(len(b), e.left)]
	copy(b, bytes.Repeat([]byte{e.with}, len(b)))
	if e.left -= len(b); len(b) == 0 {
		err = fmt.Errorf("the disk is gone")
	}
	return len(b), err
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
	r := NewReader(&endless{head: head}, Position{}, "date")
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
