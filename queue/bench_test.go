package queue

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func BenchmarkSample(b *testing.B) {
	for _, n := range []int{8, 256} {
		b.Run(fmt.Sprintf("queues=%d", n), func(b *testing.B) {
			var r Reading
			for i := range n {
				r.Queues = append(r.Queues, Queue{Name: fmt.Sprintf("0.0.0.0:%d", i*7919%n), Depth: i, Limit: 128})
				r.Ports = append(r.Ports, Port{uint16(i), i})
			}
			src := &fake{name: "listener", read: func(context.Context, int) (Reading, error) { return r, nil }}
			s := NewSampler(time.Hour, src, &fake{name: "cpu"})
			s.slots[0].note(t0, r, nil, trend{})
			b.ReportAllocs()
			for b.Loop() {
				if got := s.Sample(t0); len(got.Queues) != n {
					b.Fatal(got)
				}
			}
		})
	}
}

func BenchmarkSlopes(b *testing.B) {
	queues := make([]Queue, 64)
	for i := range queues {
		queues[i].Name = fmt.Sprint(i)
	}
	tr, now := trend{}, t0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(500 * time.Millisecond)
		tr.see(now, queues)
	}
}
