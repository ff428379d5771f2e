package sim

import (
	"fmt"
	"testing"
	"time"
)

// workingDay is clients on nodes that hold half as many again, from seven to six.
func workingDay(clients, nodes int) Scenario {
	s := Scenario{Name: "million", For: 11 * time.Hour, From: time.Hour, TTL: TTL{5 * time.Second, 30 * time.Second}, Rules: law,
		Gossip: Gossip{Delay: time.Second},
		Clients: Clients{N: clients, Come: 10 * time.Minute, Storm: 2 * time.Hour, Go: 9 * time.Hour, Leave: 2 * time.Hour,
			Session: 2 * time.Hour, Pause: 10 * time.Second, Rate: 0.05, Legs: 3, Again: 10 * time.Second},
	}
	for i := range 200 {
		s.Resolvers = append(s.Resolvers, Resolver{Share: 1 / float64(i+1)})
	}
	for i := range nodes {
		limit := clients * perSession / nodes * 3 / 2
		s.Nodes = append(s.Nodes, Node{Name: fmt.Sprintf("ex%04d", i+1), Limit: limit, Service: float64(limit) / 4, Queue: 1000})
	}
	return s
}

func BenchmarkPlay(b *testing.B) {
	r, _ := Find("evenkeel")
	for _, size := range []struct{ clients, nodes int }{{10_000, 4}, {1_000_000, 64}} {
		b.Run(fmt.Sprintf("clients=%d/nodes=%d", size.clients, size.nodes), func(b *testing.B) {
			for b.Loop() {
				res := Play(workingDay(size.clients, size.nodes), r, 1, nil)
				b.ReportMetric(res.PeakOverIdeal(), "peak/ideal")
				b.ReportMetric(res.ImbalanceP50, "imbalance")
			}
		})
	}
}
