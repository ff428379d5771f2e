package w3c

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzReader: any bytes are read to their end, in whatever blocks; a row has the
// columns that the header names; and in bytes, the plain way finds the same.
func FuzzReader(f *testing.F) {
	for _, s := range []string{restarted, inUTF16(restarted, false), inUTF16(restarted, true), siteHead + "a b  c\n", fields7 + "\x00\x00 \n", "#Fields: a\n \n", utf8BOM} {
		f.Add([]byte(s), uint16(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, first uint16) {
		got, stats := told(string(data), oracleWanted()...)
		if stats.Bytes != int64(len(data)) || stats.Rejected != stats.Headless+stats.Columns+stats.Cut+stats.Long || stats.Rows != int64(len(got)) {
			t.Fatalf("%+v of %d bytes, %d rows", stats, len(data), len(got))
		}
		w := follow(oracleWanted()...)
		w.poll(t, string(data[:min(int(first), len(data))]), len(data)+1)
		w.restart(t)
		w.poll(t, string(data), len(data)+1)
		at := w.tail.Position()
		r := NewReader(bytes.NewReader(data[at.Offset:]), at, oracleWanted()...)
		for r.Next() {
			w.rows = append(w.rows, tell(&r.rows))
			if n := strings.Count(string(r.Raw()), string(r.plan.sep)) + 1; n != len(r.Header().Columns()) {
				t.Fatalf("%d columns under %q", n, r.Header().Fields)
			}
		}
		if strings.Join(w.rows, "\n") != strings.Join(got, "\n") {
			t.Fatalf("followed: %q, read at once: %q", w.rows, got)
		}
		if _, mark := sniffed(data); r.pos.Encoding != UTF8 || mark == 2 || stats.Long > 0 || len(data) == 0 {
			return
		}
		plain, counted := slowly(string(data), oracleWanted()...)
		fast, stats := timeless(data, func(s string) *Reader { return NewReader(strings.NewReader(s), Position{}, oracleWanted()...) })
		if strings.Join(fast, "\n") != strings.Join(plain, "\n") || stats != counted {
			t.Fatalf("got %q %+v, want %q %+v", fast, stats, plain, counted)
		}
	})
}
