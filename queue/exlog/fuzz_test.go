package exlog

import (
	"strings"
	"testing"
)

// FuzzReader: any bytes are read to their end, in whatever blocks; a row has the
// columns that the header names; and in bytes, the plain way finds the same.
func FuzzReader(f *testing.F) {
	for _, s := range []string{mixed, inUTF16(mixed, false), inUTF16(mixed, true), head4 + "a,\"b,\nc\"\"\n", head3 + "\x00\x00 \n", "#Fields: a\n \n", utf8BOM, "a,b\n\"\n\",\n"} {
		f.Add([]byte(s), uint16(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, first uint16) {
		got, stats := told(string(data), oracleWanted()...)
		if stats.Bytes != int64(len(data)) || stats.Rejected != stats.Headless+stats.Columns+stats.Quotes+stats.Cut+stats.Long || stats.Rows != int64(len(got)) {
			t.Fatalf("%+v of %d bytes, %d rows", stats, len(data), len(got))
		}
		w := follow(oracleWanted()...)
		w.poll(t, string(data[:min(int(first), len(data))]), len(data)+1)
		w.restart(t)
		w.poll(t, string(data), len(data)+1)
		w.finish(string(data))
		if strings.Join(w.rows, "\n") != strings.Join(got, "\n") {
			t.Fatalf("followed: %q, read at once: %q", w.rows, got)
		}
		if likeUTF16(string(data)) || stats.Long > 0 || len(data) == 0 {
			return
		}
		plain, counted := slowly(string(data), oracleWanted()...)
		fast, stats := timeless(string(data))
		if strings.Join(fast, "\n") != strings.Join(plain, "\n") || stats != counted {
			t.Fatalf("got %q %+v, want %q %+v", fast, stats, plain, counted)
		}
	})
}
