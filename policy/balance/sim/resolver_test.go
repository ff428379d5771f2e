package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A resolver asks again when a TTL is over: no sooner than its floor lets it, no
// later than its clamp.
func TestResolverTTL(t *testing.T) {
	for _, c := range []struct {
		r    Resolver
		want time.Duration
	}{
		{Resolver{Share: 1}, 30 * time.Second},
		{Resolver{Share: 1, Least: 5 * time.Minute}, 5 * time.Minute},
		{Resolver{Share: 1, Most: 10 * time.Second}, 10 * time.Second},
		{Resolver{Share: 1, Least: time.Second, Most: time.Hour}, 30 * time.Second},
	} {
		s := bare(100, 100)
		s.Resolvers = []Resolver{c.r}
		w := furnished(t, s, "round-robin")
		var asked []time.Duration
		for w.until(time.Minute); w.now < at(20*time.Minute); w.until((w.now + 1).since()) {
			before := w.looked
			w.lookUp(&w.clients[0])
			if w.looked > before {
				asked = append(asked, w.now.since())
			}
		}
		for i := 1; i < len(asked); i++ {
			if d := asked[i] - asked[i-1]; d != c.want {
				t.Fatalf("%+v asks again after %v, want %v", c.r, d, c.want)
			}
		}
		if len(asked) < 3 {
			t.Errorf("%+v asked %d times", c.r, len(asked))
		}
	}
}

// It gives its answer in turn, and in the order it came if it is told so; a
// client that sorts always takes the same.
func TestResolverOrder(t *testing.T) {
	for _, c := range []struct {
		fixed, sorts bool
		want         string
	}{{false, false, "[2 2 2]"}, {true, false, "[0 0 6]"}, {false, true, "[6 0 0]"}, {true, true, "[6 0 0]"}} {
		w := furnished(t, bare(100, 100, 100), "evenkeel")
		r := &w.caches[0]
		r.Fixed, r.set, r.until = c.fixed, []int16{2, 0, 1}, at(time.Hour)
		w.clients[0].sorts = c.sorts
		first := make([]int, 3)
		for range 6 {
			set := w.lookUp(&w.clients[0])
			if sorted := slices.Sorted(slices.Values(set)); fmt.Sprint(sorted) != "[0 1 2]" {
				t.Fatalf("%v is given for %v", set, r.set)
			}
			first[set[0]]++
		}
		if got := fmt.Sprint(first); got != c.want {
			t.Errorf("fixed %v, sorting %v: %s, want %s", c.fixed, c.sorts, got, c.want)
		}
	}
}

// Any agent that lives is asked; where none does there is no answer, and the
// next client asks again.
func TestAnyAgentAnswers(t *testing.T) {
	w := furnished(t, bare(100, 100, 100, 100), "round-robin")
	w.until(time.Minute)
	for i := range w.agents {
		w.agents[i].alive = i == 2
	}
	for range 20 {
		w.caches[0].until = 0
		if len(w.lookUp(&w.clients[0])) == 0 {
			t.Fatal("it found nobody")
		}
	}
	if n := w.agents[2].counts[0]; n != 20 {
		t.Errorf("the living one answered %d times", n)
	}
	w.agents[2].alive, w.caches[0].until = false, 0
	if set := w.lookUp(&w.clients[0]); len(set) > 0 || w.caches[0].until > 0 {
		t.Errorf("nobody lives, and the answer is %v", set)
	}
	for i := range w.agents {
		w.agents[i].alive = true
	}
	before := w.agents[0].counts[0]
	for range 400 {
		w.caches[0].until = 0
		w.lookUp(&w.clients[0])
	}
	if n := w.agents[0].counts[0] - before; n < 70 || n > 130 {
		t.Errorf("one of four answered %d of 400", n)
	}
}

// Where the parent zone names some agents only, those answer, the first by name,
// and only they hear the others.
func TestNamedAgents(t *testing.T) {
	s := bare(100, 100, 100, 100)
	s.Agents = 2
	w := furnished(t, s, "evenkeel")
	w.until(time.Minute)
	for range 100 {
		w.caches[0].until = 0
		w.lookUp(&w.clients[0])
	}
	for i := range w.agents {
		a := &w.agents[i]
		if named := i < 2; (a.counts[0] > 0) != named || (len(a.nodes) == 3) != named || (len(a.plan.Nodes) == 4) != named {
			t.Errorf("agent %d gave %d answers and knows of %d others", i, a.counts[0], len(a.nodes))
		}
	}
}
