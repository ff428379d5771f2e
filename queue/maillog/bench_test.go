package maillog

import (
	"bytes"
	"testing"
)

// benchSize is more than any cache holds.
const benchSize = 64 << 20

// BenchmarkRead says how many million bytes a second of processor time reads:
// by the clock of the wall, others use the machine too.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		kind Kind
		make func(size int) []byte
	}{
		{HTTPErr, manyHTTPErr}, {IIS, manyIIS}, {HTTPProxy, manyHTTPProxy}, {MapiHTTP, manyMapiHTTP}, {EWS, manyEWS}, {RPCAccess, manyRPCAccess},
	} {
		b.Run("of="+c.kind.String(), func(b *testing.B) {
			data := c.make(benchSize)
			r, src := NewReader(nil, Position{}), bytes.NewReader(nil)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			rows := 0
			from := cpu()
			for b.Loop() {
				src.Reset(data)
				r.Reset(src, Position{})
				for r.Next() {
					rows += min(1, int(r.Record().Kind))
				}
			}
			if spent := cpu() - from; spent > 0 && rows > 0 && r.Kind() == c.kind {
				b.ReportMetric(float64(len(data))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
				b.ReportMetric(float64(spent)/float64(rows), "cpu-ns/row")
			}
		})
	}
}
