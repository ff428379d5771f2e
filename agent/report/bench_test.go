package report

import (
	"io"
	"testing"
)

// A page of every rule, twelve nodes that never rest, 600 points.
func BenchmarkPage(b *testing.B) {
	s := noisy(mostLines)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Page(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
