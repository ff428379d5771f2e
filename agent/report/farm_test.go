package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/balance"
	"evenkeel/policy/balance/sim"
)

// smallFarm is two nodes, 200 clients and half an hour in which one node dies.
func smallFarm() sim.Scenario {
	return sim.Scenario{
		Name: "small", About: "One of two nodes dies & comes back.", For: 30 * time.Minute,
		Nodes:     []sim.Node{{Name: "ex01", Limit: 300, Service: 75, Queue: 100}, {Name: "ex02", Limit: 600, Service: 150, Queue: 100}},
		Clients:   sim.Clients{N: 200, Storm: 10 * time.Minute, Session: time.Hour, Pause: 10 * time.Second, Rate: 0.1, Legs: 3, Again: 10 * time.Second},
		Resolvers: []sim.Resolver{{Share: 1}, {Share: 1}},
		TTL:       sim.TTL{Min: 5 * time.Second, Max: 30 * time.Second},
		Gossip:    sim.Gossip{Delay: 500 * time.Millisecond},
		Rules:     balance.Rules{Degrade: 0.7, Recover: 0.55, Fail: 0.9, Hold: 3 * time.Minute, Ramp: time.Minute},
		Events:    []sim.Event{{At: 15 * time.Minute, Do: sim.Crash, Nodes: []string{"ex01"}, For: 5 * time.Minute}},
	}
}

// played is a scenario under some rules, in earnest.
func played(t testing.TB, sc sim.Scenario, seeds []uint64, rules ...string) Simulation {
	t.Helper()
	if err := sc.Check(); err != nil {
		t.Fatal(err)
	}
	s := Simulation{Scenario: sc, Seeds: seeds}
	for _, name := range rules {
		rule, ok := sim.Find(name)
		if !ok {
			t.Fatalf("no rule %s", name)
		}
		p := Play{Rule: rule}
		for i, seed := range seeds {
			r := sim.Play(sc, rule, seed, nil)
			if i == 0 {
				p.Course = CourseOf(r)
			}
			p.Results = append(p.Results, r)
		}
		s.Plays = append(s.Plays, p)
	}
	return s
}

// noisy is a farm of n nodes under every rule there is, whose lines never rest:
// as much as a page ever holds.
func noisy(n int) Simulation {
	chance := rand.New(rand.NewPCG(1, 2))
	s := Simulation{Scenario: smallFarm(), Seeds: []uint64{1}}
	for i := range n {
		s.Scenario.Nodes = append(s.Scenario.Nodes, sim.Node{Name: fmt.Sprintf("n%02d", i), Limit: 1})
	}
	for _, rule := range append(sim.Rules(), sim.Ablations()...) {
		r := sim.Result{Refused: 123456, Outage: 9_999_999, Peak: 12, Ideal: 0.5, Level: -1, Cascades: 123}
		r.Series.Every = 3 * time.Second
		for i := range n {
			r.Nodes = append(r.Nodes, fmt.Sprintf("n%02d", i))
			r.Series.Fill = append(r.Series.Fill, random(chance, 600, 1.2))
			r.Series.Queue = append(r.Series.Queue, random(chance, 600, 1))
		}
		r.Series.Ideal, r.Series.Refused = random(chance, 600, 1), random(chance, 600, 100)
		s.Plays = append(s.Plays, Play{rule, []sim.Result{r}, CourseOf(r)})
	}
	return s
}

func random(chance *rand.Rand, n int, most float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = most * chance.Float64()
	}
	return xs
}

func text(t *testing.T, write func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pageOf(t *testing.T, s Simulation) string {
	t.Helper()
	return text(t, func(b *strings.Builder) error { return s.Page(b) })
}

var odd = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e-9, 0.4999, 1, 1e300}
