package balance

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A street is a farm whose shares stand still, and the clients that come to it.
type street struct {
	rules Rules
	now   time.Time
	plan  Plan
	books books
	come  func(s *street, dt time.Duration) // adds who came to the counts of the plan
	owed  []float64
}

func newStreet(shares ...float64) *street {
	s := &street{rules: rules(), now: epoch, plan: Plan{TTL: 30 * time.Second}, come: steady(10, 0), owed: make([]float64, len(shares))}
	for i, share := range shares {
		s.plan.Nodes = append(s.plan.Nodes, Standing{
			Name: fmt.Sprint("mx", i+1), Status: Up, Heard: true, Share: share, Fact: Fact{Connections: 100, Arrived: 1, Caches: 5},
		})
	}
	return s
}

// pass lets d pass, a look every two seconds.
func (s *street) pass(d time.Duration) Astray {
	for end := s.now.Add(d); s.now.Before(end); {
		s.now = s.now.Add(look)
		s.come(s, look)
		s.books = s.books.see(s.rules, s.now, s.plan)
	}
	return s.books.found
}

// soon is when a farm that changed is judged again: it settles, the page that
// was open meanwhile is thrown away, the pages fill, and say so for long enough.
func (s *street) soon() time.Duration { return s.rules.settling() + (1+pages+firmly)*pageFor }

// steady is rate connections a second, of which those of sorters go to the
// first node and the others by the shares.
func steady(rate, sorters float64) func(*street, time.Duration) {
	return func(s *street, dt time.Duration) {
		for i := range s.plan.Nodes {
			p := (1 - sorters) * s.plan.Nodes[i].Share
			if i == 0 {
				p += sorters
			}
			s.owed[i] += rate * p * dt.Seconds()
			n := uint64(s.owed[i])
			s.plan.Nodes[i].Arrived += n
			s.owed[i] -= float64(n)
		}
	}
}

func (a Astray) String() string {
	switch {
	case !a.Known && a.Much:
		return "unknown, much before"
	case !a.Known:
		return "unknown"
	}
	return strings.TrimSpace(fmt.Sprintf("%.0f%% %s%s", 100*a.Share, a.More, map[bool]string{true: " much"}[a.Much]))
}

func TestAstrayStories(t *testing.T) {
	node := func(i int, change func(*Standing)) func(*street) {
		return func(s *street) { change(&s.plan.Nodes[i]) }
	}
	for _, c := range []struct {
		name   string
		change func(*street)
		want   string
	}{
		{"all take any address", func(*street) {}, "0%"},
		{"half sort, and the shares of the first are lowered", func(s *street) { s.come = steady(10, 0.5) }, "40% mx1 much"},
		{"a tenth do: seen, and not worth a word", func(s *street) { s.come = steady(10, 0.1) }, "8% mx1"},
		{"all do", func(s *street) { s.come = steady(10, 1) }, "80% mx1 much"},
		{"a hundred in a quarter of an hour are too few", func(s *street) { s.come = steady(0.1, 0.5) }, "unknown"},
		{"of three hundred, 16 % may be chance", func(s *street) { s.come = steady(1./3, 0.2) }, "0%"},
		{"of three thousand they are not", func(s *street) { s.come = steady(10./3, 0.2) }, "16% mx1 much"},
		{"one does not count who comes", node(1, func(n *Standing) { n.Arrived = 0 }), "0%"}, // until somebody comes
		{"all sort, and to one nobody ever came", func(s *street) {
			s.come = steady(10, 1)
			s.plan.Nodes[1].Arrived, s.plan.Nodes[1].Connections = 0, 0
		}, "80% mx1 much"},
		{"one never counts who comes", func(s *street) {
			s.come = func(s *street, dt time.Duration) { steady(10, 0.5)(s, dt); s.plan.Nodes[1].Arrived = 0 }
		}, "unknown"},
		{"one that gets no work need not", func(s *street) {
			s.come = func(s *street, dt time.Duration) { steady(10, 0.5)(s, dt); s.plan.Nodes[2].Arrived = 0 }
			s.plan.Nodes[2].Status, s.plan.Nodes[2].Share, s.plan.Nodes[1].Share = Down, 0, 0.8
		}, "40% mx1 much"},
		{"nobody asks for answers", func(s *street) {
			for i := range s.plan.Nodes {
				s.plan.Nodes[i].Caches = 0
			}
		}, "unknown"},
		{"most of the farm is gone", func(s *street) { s.plan.Alone = true }, "unknown"},
		{"one is left", func(s *street) { s.plan.Nodes[0].Status, s.plan.Nodes[1].Status = Failing, Draining }, "unknown"},
	} {
		s := newStreet(0.2, 0.5, 0.3)
		c.change(s)
		if got := s.pass(s.soon()).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What was found outlasts a change of the farm as something said, not as a number.
func TestAstrayAsTheFarmChanges(t *testing.T) {
	s := newStreet(0.2, 0.5, 0.3)
	second := &s.plan.Nodes[1]
	for _, step := range []struct {
		name   string
		change func()
		pass   time.Duration
		want   string
	}{
		{"it has just started", func() {}, s.soon() - 7*pageFor, "unknown"},
		{"nobody sorts", func() {}, 7 * pageFor, "0%"},
		{"half begin to", func() { s.come = steady(10, 0.5) }, 20 * time.Minute, "40% mx1 much"},
		{"one drains: its books are closed", func() { second.Status = Draining }, look, "unknown, much before"},
		{"it is back", func() { second.Status = Up }, s.soon() - 7*pageFor, "unknown, much before"},
		{"and has settled", func() {}, 7 * pageFor, "40% mx1 much"},
		{"one restarts between two looks", func() { second.Arrived = 3 }, look, "unknown, much before"},
		{"and has settled", func() {}, s.soon(), "40% mx1 much"},
		{"it can no longer be told who came", func() { s.come = func(*street, time.Duration) { second.Arrived = 0 } }, look, "unknown, much before"},
		{"only a few go on", func() { second.Arrived, s.come = 1, steady(10, 0.09) }, s.soon(), "7% mx1 much"},
		{"so few come that it may be chance", func() { s.come = steady(0.3, 0.09) }, 16 * time.Minute, "7% mx1 much"},
		{"and then hardly any go on", func() { s.come = steady(10, 0.05) }, 20 * time.Minute, "4% mx1"},
		{"and a few again", func() { s.come = steady(10, 0.09) }, 20 * time.Minute, "7% mx1"},
	} {
		step.change()
		if got := s.pass(step.pass).String(); got != step.want {
			t.Fatalf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// Shares that move are compared with a TTL's delay, as clients follow them.
func TestAstrayKnowsTheTTL(t *testing.T) {
	s := newStreet(0.5, 0.5)
	begin := s.now
	turning := func(now time.Time) float64 { // the first node's share: up and down, every two minutes
		if now.Sub(begin)%(2*time.Minute) < time.Minute {
			return 0.9
		}
		return 0.1
	}
	s.come = func(s *street, dt time.Duration) {
		held := (turning(s.now.Add(-10*time.Second)) + turning(s.now.Add(-20*time.Second))) / 2
		s.plan.Nodes[0].Share, s.plan.Nodes[1].Share = held, 1-held
		steady(10, 0)(s, dt)
		now := turning(s.now)
		s.plan.Nodes[0].Share, s.plan.Nodes[1].Share = now, 1-now
	}
	if got := s.pass(2 * s.soon()); got.Share > 0 {
		t.Errorf("%v, want nothing", got)
	}
}

// What is said is never more than what is the case: a lower bound of who sorts,
// and without chance in it the very part of them that the shares would not have
// sent there.
func TestAstrayIsALowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shares []float64
		sum := 0.0
		for range rapid.IntRange(2, 8).Draw(t, "nodes") {
			shares = append(shares, rapid.Float64Range(0.05, 1).Draw(t, "share"))
			sum += shares[len(shares)-1]
		}
		for i := range shares {
			shares[i] /= sum
		}
		s := newStreet(shares...)
		sorters := rapid.Float64Range(0, 1).Draw(t, "sort")
		s.come = steady(100, sorters)
		got, truth := s.pass(s.soon()), sorters*(1-shares[0])
		if !got.Known || got.Share > truth+0.01 || truth > 0.05 && got.Share < truth-0.01 {
			t.Fatalf("%v of %.3f that went astray", got, truth)
		}
		if got.Share > 0 && got.More != "mx1" {
			t.Fatalf("most to %s, want mx1", got.More)
		}
	})
}

// lumps is one resolver: an answer every TTL names one node, by chance and its
// share, and all who come take it. There is no more chance than that.
func lumps(rnd *rand.Rand, rate float64) func(*street, time.Duration) {
	var until time.Time
	to := 0
	return func(s *street, dt time.Duration) {
		if !s.now.Before(until) {
			until, to = s.now.Add(s.plan.TTL), 0
			for x := rnd.Float64() - s.plan.Nodes[0].Share; x >= 0 && to < len(s.plan.Nodes)-1; {
				to++
				x -= s.plan.Nodes[to].Share
			}
		}
		s.plan.Nodes[to].Arrived += 2 * uint64(rate*dt.Seconds()/2+rnd.Float64())
	}
}

// No chance is taken for sorting, however lumpy: of 400 farms behind a single
// resolver that caches one address for a TTL, for five hours each, hardly one says so.
func TestAstrayIsNotChance(t *testing.T) {
	said := 0
	for seed := range uint64(400) {
		shares := [][]float64{{0.5, 0.5}, {0.2, 0.8}, {0.1, 0.2, 0.3, 0.4}}[seed%3]
		s := newStreet(shares...)
		s.come = lumps(rand.New(rand.NewPCG(seed, 1)), 10)
		for range 20 {
			if s.pass(15 * time.Minute).Much {
				said++
				break
			}
		}
	}
	t.Logf("%d of 400 farms say so", said)
	if said > 4 {
		t.Errorf("%d of 400 farms say so, want at most 4", said)
	}
}

// The books of one decision are not changed by the next: a decision can be tried
// and thrown away. And they are bounded.
func TestAstrayIsPure(t *testing.T) {
	s := newStreet(0.2, 0.5, 0.3)
	s.come = steady(10, 0.5)
	for range 1000 {
		before := s.books
		text := fmt.Sprint(before)
		s.pass(look)
		if fmt.Sprint(before) != text {
			t.Fatal("changed what was before")
		}
		if again := before.see(s.rules, s.now, s.plan); !reflect.DeepEqual(again, s.books) {
			t.Fatal("the same arguments gave other books")
		}
	}
	if n, most := len(s.books.closed), pages; n != most {
		t.Errorf("%d pages, want %d", n, most)
	}
}

// The books reach the Plan, and a machine that stood still begins them anew.
func TestAstrayInThePlan(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Connections = 100
	second := func() Plan {
		w.own.Arrived += 20 // all come to this node
		for i := range w.nodes {
			w.nodes[i].Arrived, w.nodes[i].Caches = 1, 4
		}
		return w.pass(time.Second)
	}
	var p Plan
	for range 30 * 60 {
		p = second()
	}
	if a := p.Astray; !a.Known || !a.Much || a.More != "mx1" || p.Own.Arrived != w.own.Arrived {
		t.Fatalf("%v, told %d came of %d; want much to mx1", a, p.Own.Arrived, w.own.Arrived)
	}
	w.now = w.now.Add(time.Minute)
	if a := second().Astray; a.Known || !a.Much {
		t.Errorf("after a minute's sleep: %v, want unknown, much before", a)
	}
}
