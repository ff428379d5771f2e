package sim

import (
	"testing"
	"time"

	"evenkeel/policy/balance"
)

// stallsAtHalf is a farm of two nodes said to hold 2,000 connections, of which
// one stalls from 1,000 on, and a working day that brings 2,900: enough for one
// to stall all day if both get as much, and little enough for both to hold.
func stallsAtHalf(at int) Scenario {
	s := Scenario{Name: "half", For: 10 * time.Hour, Rules: law, TTL: TTL{5 * time.Second, 30 * time.Second},
		Gossip: Gossip{Delay: 500 * time.Millisecond},
		Clients: Clients{N: 1450, Storm: 2 * time.Hour, Go: 8 * time.Hour, Leave: 2 * time.Hour,
			Session: time.Hour, Pause: 10 * time.Second, Rate: 0.2, Legs: 3, Again: 10 * time.Second},
		Resolvers: []Resolver{{Share: 3}, {Share: 2}, {Share: 1}},
	}
	for _, name := range []string{"ex1", "ex2"} {
		s.Nodes = append(s.Nodes, Node{Name: name, Limit: 2000, Service: 500, Queue: 200})
	}
	s.Nodes[0].Stall = Stall{At: at, For: time.Minute, Every: 5 * time.Minute, Rate: 0.02}
	return s
}

// days plays one day after the other. What agents learnt is all that stays.
func days(t *testing.T, s Scenario, rule Rule, n int) (refused []float64, learners []balance.Learner) {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	learners = make([]balance.Learner, len(s.Nodes))
	for day := range n {
		w := newWorld(s, rule, uint64(day))
		for i := range w.agents {
			w.agents[i].learner = learners[i]
		}
		for ; w.now < w.end; w.now++ {
			w.step()
		}
		refused = append(refused, w.refused())
		for i := range w.agents {
			learners[i] = w.agents[i].learner
			t.Logf("day %d, %s: %d refused in all, learnt %+v, limit %d", day+1, s.Nodes[i].Name, int(w.refused()), learners[i].Learnt(), learners[i].Limit())
		}
	}
	return refused, learners
}

// Within a week of working days the point is found within a tenth, and then
// nearly nobody is refused any more. The node that never stalls keeps its limit.
func TestLearnsWhereANodeStalls(t *testing.T) {
	s := stallsAtHalf(1000)
	before, _ := days(t, s, rule(t, "evenkeel"), 1)
	refused, l := days(t, s, rule(t, "evenkeel-learn"), 7)
	found := l[0].Learnt()
	if found.Connections < 900 || found.Connections > 1100 || found.Low > 1000 || found.High < 1000 {
		t.Errorf("learnt %+v, the truth is 1000", found)
	}
	if last := refused[len(refused)-1]; last > before[0]/10 {
		t.Errorf("on the last day %.0f were refused, without learning %.0f", last, before[0])
	}
	if got := l[1].Learnt(); got.Known() || l[1].Limit() < 2000 {
		t.Errorf("of the node that never stalls: %+v, limit %d", got, l[1].Limit())
	}
}
