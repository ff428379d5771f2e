package exlog

import (
	"testing"

	"evenkeel/queue/lines/linestest"
)

// FuzzReader: any bytes are read to their end, in whatever blocks; a row has the
// columns that the header names; and in bytes, the plain way finds the same.
func FuzzReader(f *testing.F) {
	for _, s := range []string{mixed, linestest.InUTF16(mixed, false), linestest.InUTF16(mixed, true), head4 + "a,\"b,\nc\"\"\n", head3 + "\x00\x00 \n", "#Fields: a\n \n", linestest.BOM, "a,b\n\"\n\",\n"} {
		f.Add([]byte(s), uint16(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, first uint16) {
		format().AnyBytes(t, string(data), int(first), slowly, oracleWanted()...)
	})
}
