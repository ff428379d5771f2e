package w3c

import (
	"bytes"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
)

// FuzzReader: any bytes are read to their end, in whatever blocks; a row has the
// columns that the header names; and in bytes, the plain way finds the same.
func FuzzReader(f *testing.F) {
	for _, s := range []string{restarted, linestest.InUTF16(restarted, false), linestest.InUTF16(restarted, true), siteHead + "a b  c\n", fields7 + "\x00\x00 \n", "#Fields: a\n \n", linestest.BOM} {
		f.Add([]byte(s), uint16(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, first uint16) {
		format().AnyBytes(t, string(data), int(first), slowly, oracleWanted()...)
		r := NewReader(bytes.NewReader(data), Position{})
		for r.Next() {
			if n := strings.Count(string(r.Raw()), string(r.plan.sep)) + 1; n != len(r.Header().Columns()) {
				t.Fatalf("%d columns under %q", n, r.Header().Fields)
			}
		}
	})
}
