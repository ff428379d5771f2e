package sim

import (
	"fmt"
	"testing"
	"time"
)

// bare is a farm in which nothing happens: the nodes have room, gossip takes no
// time, and nobody comes. Tests set by hand what they are about.
func bare(limits ...int) Scenario {
	s := Scenario{Name: "bare", For: time.Hour, Rules: law, TTL: TTL{5 * time.Second, 30 * time.Second},
		Clients:   Clients{N: 1, Come: 2 * time.Hour, Session: time.Hour, Rate: 0.1, Legs: 3, Again: 10 * time.Second},
		Resolvers: []Resolver{{Share: 1}},
	}
	for i, limit := range limits {
		s.Nodes = append(s.Nodes, Node{Name: fmt.Sprint("ex", i+1), Limit: limit, Service: float64(limit) / 4, Queue: 1000})
	}
	return s
}

// furnished is a world of s under a rule, before its first step.
func furnished(t testing.TB, s Scenario, name string) *world {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return newWorld(s, rule(t, name), 1)
}

// until plays on until d after the start.
func (w *world) until(d time.Duration) {
	for ; w.now < at(d); w.now++ {
		w.step()
	}
}

// agrees says that two numbers are the same but for rounding.
func agrees(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
