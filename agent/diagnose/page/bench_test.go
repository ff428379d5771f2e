package page

import (
	"io"
	"testing"
	"time"

	"evenkeel/agent/diagnose"
)

// restless is a farm of twelve nodes and 20,000 steps, none of which is like the
// one before: five thousand sessions that come and go by up to fifty, and counts
// up to two thousand.
func restless() diagnose.Report {
	r := incident(12, 48*time.Hour/20_000)
	seed := uint64(1)
	drawn := func(most float64) float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>40) / (1 << 24) * most
	}
	for _, c := range r.Nodes {
		for i := range c.Sessions {
			c.Sessions[i] = 5000 + drawn(50)
			c.Requests[i], c.Refused[i], c.Opened[i], c.Cut[i] = drawn(2000), drawn(200), drawn(100), drawn(20)
		}
	}
	return r
}

func BenchmarkWrite(b *testing.B) {
	r := restless()
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, r, aboutOf()); err != nil {
			b.Fatal(err)
		}
	}
}
