package maillog

import (
	"bytes"
	"testing"
)

// Rows cost no allocation: a file of twice the length costs as many.
func TestNoAllocationsARow(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		make func(size int) []byte
	}{
		{HTTPErr, manyHTTPErr}, {IIS, manyIIS}, {HTTPProxy, manyHTTPProxy}, {MapiHTTP, manyMapiHTTP}, {EWS, manyEWS}, {RPCAccess, manyRPCAccess},
	} {
		data := c.make(1 << 20)
		half := data[:bytes.LastIndexByte(data[:len(data)/2], '\n')+1]
		r, src := NewReader(nil, Position{}), bytes.NewReader(nil)
		rows := 0
		allocs := func(data []byte) float64 {
			return testing.AllocsPerRun(5, func() {
				src.Reset(data)
				r.Reset(src, Position{})
				for rows = 0; r.Next(); rows++ {
				}
			})
		}
		few := allocs(half)
		if many := allocs(data); many > few+1 || rows < 500 || r.Kind() != c.kind {
			t.Errorf("%v: %v allocations for %d bytes, %v for %d and %d rows", c.kind, few, len(half), many, len(data), rows)
		}
	}
}
