package exlog

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
)

// No row is lost where a block ends.
func TestBlocks(t *testing.T) {
	for name, data := range map[string]string{"proxy": string(proxy(1 << 20)), "cmd": string(cmd(1 << 20))} {
		for _, text := range []string{data, linestest.InUTF16(data, false)} {
			got, stats := format().Told(text)
			if len(got) != strings.Count(data, "\r\n2025-03") || stats.Rejected != 0 {
				t.Errorf("%s: %d rows, the last is %q: %+v", name, len(got), got[len(got)-1], stats)
			}
		}
	}
}

// The memory of a reader is bounded whatever a file holds.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		promise, head string
		with          string
		good          func(Stats) bool
	}{
		{"a line of 4 MiB", head4, "a", func(s Stats) bool { return s.Long == 1 && s.Rejected == 1 }},
		{"4 MiB of NULs", head4, "\x00", func(s Stats) bool { return s.Nul == 1<<22 && s.Rejected == 0 }},
		{"a quote and a line of 4 MiB", head4 + row4 + "\n\"\n", "a", func(s Stats) bool { return s.Rows == 1 && s.Long == 1 && s.Quotes == 1 }},
		{"a quote and 4 MiB of lines", head4 + "\"\n", "a\n", func(s Stats) bool { return s.Columns == 1<<21 && s.Quotes == 1 }},
		{"4 MiB of doubled quotes", head4 + row4 + "\n", "\"\"\n\n", func(s Stats) bool { return s.Rows == 1 && s.Rejected == s.Columns }},
		{"4 MiB of rows with open quotes", head4, "\"a\n", func(s Stats) bool { return s.Rejected == s.Quotes && s.Rows == 0 }},
		{"4 MiB of lines that end each other's quotes", head4, "a,b,c,\"\n", func(s Stats) bool { return s.Rejected == 0 && s.Rows == 1<<22/16 }},
	} {
		src := &linestest.Endless{Head: c.head, Left: 1 << 22, With: c.with}
		if s := format().Bounded(t, c.promise, src, "DateTime"); !c.good(s) || s.Bytes < 1<<22-MaxRow {
			t.Errorf("%s: %+v", c.promise, s)
		}
	}
}

// Behind the last row there is none, whatever came last.
func TestNoRow(t *testing.T) {
	for _, last := range []string{"", "#Fields: a,b\n", "#Fields: a,b,DateTime\n", "x,y,z\n", "\"x\n"} {
		r := NewReader(strings.NewReader("#Fields: DateTime,a\n2025-06-01T06:00:00.000Z,\"1\"\n"+last), Position{}, "a", "b")
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
	for _, start := range []string{"2025", "2025-06-01T06:00:00.000Z,\"a\nb"} {
		head := head4 + row4 + "\n" + start
		r := NewReader(&linestest.Endless{Head: head}, Position{}, "DateTime")
		if !r.Next() || r.Next() || r.Next() {
			t.Error("not one row")
		}
		if err := r.Err(); err == nil || err.Error() != fmt.Sprintf("read at byte %d: the disk is gone", len(head)) {
			t.Errorf("got %v", err)
		}
		if got := r.Stats(); got.Rejected != 0 || got.Bytes != int64(len(head)-len(start)) {
			t.Errorf("the start of a row was taken for a cut one: %+v", got)
		}
	}
}

// A row costs no allocation.
func TestAllocations(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{"proxy": {proxy(4 << 20), proxyWanted()}, "rca": {rca(1 << 20), rcaWanted()}, "cmd": {cmd(1 << 20), cmdWanted()}} {
		r := NewReader(bytes.NewReader(c.data), Position{}, c.want...)
		r.scratch = make([]byte, 0, 1024)     // which grows to the longest row
		n := testing.AllocsPerRun(1, func() { // which calls it twice
			for range 1200 {
				if !r.Next() {
					t.Fatal("too few rows")
				}
				use(r, 1, 2)
				r.Float(3)
				for p := range Pairs(r.Field(len(c.want) - 1)) {
					p.Float()
				}
			}
		})
		if n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
