package balance

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{3, 64, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			obs := Observation{Now: epoch, Name: "mx", Own: queueOf(10)}
			for i := range n - 1 {
				obs.Nodes = append(obs.Nodes, Node{Name: fmt.Sprintf("mx%04d", i), Member: true, Born: epoch, Fact: Fact{
					Beat: 1, Status: Up, Connections: i, Limit: 4000, Queue: 10, QueueLimit: 1000, Up: time.Hour, Steady: time.Hour,
				}})
			}
			var s State
			b.ReportAllocs()
			for b.Loop() {
				obs.Beat++
				s, _ = Decide(rules(), s, obs)
			}
		})
	}
}
