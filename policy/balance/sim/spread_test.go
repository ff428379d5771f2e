package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"evenkeel/policy/balance"
	"pgregory.net/rapid"
)

// standing is a node of 100 connections, as an agent knows it.
func standing(connections int, status balance.Status) balance.Standing {
	s := balance.Standing{Status: status, Heard: true}
	s.Fact = balance.Fact{Connections: connections, Limit: 100, Up: time.Hour, QueueLimit: 1000}
	return s
}

// What each rule makes of nodes: one empty, one half full, one full, one whose
// queue is the worst of it, one twice as large, and one that takes no work.
func TestWeighers(t *testing.T) {
	nodes := []balance.Standing{
		standing(0, balance.Up), standing(50, balance.Up), standing(100, balance.Degraded),
		standing(10, balance.Up), standing(50, balance.Up), standing(0, balance.Draining), standing(0, balance.Down), {},
	}
	nodes[3].Queue = 800
	nodes[4].Limit = 200
	for name, want := range map[string][]float64{
		"round-robin":     {1, 1, 1, 1, 1, 0, 0, 0},
		"weighted-single": {100, 100, 100, 100, 200, 0, 0, 0},
		"weighted-multi":  {100, 100, 100, 100, 200, 0, 0, 0},
		"shed":            {100, 100, 100, 100, 200, 0, 0, 0},
		"two-choices":     {100, 100, 100, 100, 200, 0, 0, 0},
		"least-loaded":    {1, 0, 0, 0, 0, 0, 0, 0},
		"inverse-load":    {100, 50, 1, 20, 150, 0, 0, 0},
		"cswrr":           {(100 + 100 + 12.5 + 200) / 4, 100, 100, 12.5, 200, 0, 0, 0}, // the first has no rate yet
	} {
		got := make([]float64, len(nodes))
		rule(t, name).weigh(nodes, got)
		if !slices.EqualFunc(got, want, agrees) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A node that started within the blackout gets the mean (gRPC A58).
func TestCswrrBlackout(t *testing.T) {
	nodes := []balance.Standing{standing(50, balance.Up), standing(50, balance.Up)}
	nodes[0].Up, nodes[1].Limit = 9*time.Second, 300
	got := make([]float64, 2)
	rateOverLoad(nodes, got)
	if !slices.Equal(got, []float64{300, 300}) {
		t.Errorf("%v", got)
	}
	nodes[1].Up = time.Second // and where none is known, they are alike
	if rateOverLoad(nodes, got); got[0] != got[1] || got[0] <= 0 {
		t.Errorf("%v", got)
	}
}

// Ours without its horizon sends to the nodes that ours sends to.
func TestRoom(t *testing.T) {
	nodes := []balance.Standing{standing(40, balance.Up), standing(90, balance.Degraded), standing(0, balance.Failing)}
	nodes[0].Fair, nodes[1].Fair = 0.5, 0.5
	got := make([]float64, 3)
	if room(nodes, got); !slices.Equal(got, []float64{60, 1, 0}) {
		t.Errorf("%v", got)
	}
	nodes[0].Connections, nodes[1].Status = 100, balance.Up
	nodes[1].Connections = 120
	if room(nodes, got); !slices.Equal(got, []float64{0.5, 0.5, 0}) {
		t.Errorf("no room: %v", got)
	}
}

// NS1 drops between its marks, by chance.
func TestDropped(t *testing.T) {
	for load, want := range map[float64]float64{0: 0, 0.6: 0, 0.75: 0.5, 0.9: 1, 2: 1} {
		if got := dropped(load); !agrees(got, want) {
			t.Errorf("at %v %v are dropped, want %v", load, got, want)
		}
	}
}

// answers counts the addresses of n answers in a form.
func answers(n, nodes int, form func(r uint64) []int16) []float64 {
	got := make([]float64, nodes)
	for r := range uint64(n) {
		for _, i := range form(mix(r)) {
			got[i] += 1 / float64(n)
		}
	}
	return got
}

// near says that counts are within what chance makes of 40,000.
func near(got []float64, want ...float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 0.01 })
}

func TestForms(t *testing.T) {
	const n = 40_000
	a := &agent{shares: []float64{1, 2, 0, 5}}
	a.plan.Nodes = []balance.Standing{standing(0, balance.Up), standing(75, balance.Up), standing(0, balance.Down), standing(50, balance.Up)}
	if got := answers(n, 4, func(r uint64) []int16 { return a.several(nil, r) }); !near(got, 0.2, 0.4, 0, 1) {
		t.Errorf("gdnsd's multi: %.3f", got)
	}
	if got := answers(n, 4, func(r uint64) []int16 { return a.all(nil, r) }); !near(got, 1, 1, 0, 1) {
		t.Errorf("all: %.3f", got)
	}
	// The second is dropped in half of the answers.
	if got := answers(n, 4, func(r uint64) []int16 { return a.shed(nil, r) }); !near(got, (1./8+1./6)/2, 2./8/2, 0, (5./8+5./6)/2) {
		t.Errorf("shed: %.3f", got)
	}
	// The second is taken only if it is drawn twice; the third never.
	if got := answers(n, 4, func(r uint64) []int16 { return a.emptier(nil, r) }); !near(got, 1-49./64, 4./64, 0, 49./64-4./64) {
		t.Errorf("two choices: %.3f", got)
	}
	for i := range a.plan.Nodes {
		a.plan.Nodes[i].Connections = 95
	}
	if got := answers(n, 4, func(r uint64) []int16 { return a.shed(nil, r) }); !near(got, 1./8, 2./8, 0, 5./8) {
		t.Errorf("all are dropped: %.3f", got)
	}
	first := answers(n, 4, func(r uint64) []int16 { return a.all(nil, r)[:1] })
	if !near(first, 0.25, 0.25, 0, 0.5) { // rotated, and the gap goes to the next
		t.Errorf("the first of all: %.3f", first)
	}
}

// take gives each as often as its share says, counted over every number.
func TestTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, shares, sum := anyShares(t)
		got := make([]int, len(whole))
		for j := range sum {
			got[take(nil, shares, (float64(j)+0.5)/float64(sum))[0]]++
		}
		if !slices.Equal(got, whole) {
			t.Fatalf("%v gives %v", whole, got)
		}
	})
	if got := take([]int16{3}, []float64{0, 0}, 0.5); len(got) != 1 {
		t.Errorf("of nothing it takes %v", got)
	}
}

// gdnsd takes a dead node out after 100 s and back 200 s after its return, with
// a TTL no longer than until a monitor may change its mind. If less than half of
// the weight is left, everybody is back, the dead too: at weights 1:2:7, the loss
// of the 7 changes nothing (measured with gdnsd 3.8.1).
func TestMonitors(t *testing.T) {
	s := bare(100, 200, 700)
	s.TTL.Max = 5 * time.Minute
	s.Events = []Event{
		{At: 5 * time.Minute, Do: Crash, Nodes: []string{"ex2"}, For: 5 * time.Minute},
		{At: 20 * time.Minute, Do: Crash, Nodes: []string{"ex3"}, For: 5 * time.Minute},
		{At: 40 * time.Minute, Do: Recycle, Nodes: []string{"ex2"}, For: 99 * time.Second},
		{At: 50 * time.Minute, Do: Drain, Nodes: []string{"ex1"}},
	}
	w := furnished(t, s, "weighted-single")
	for _, c := range []struct {
		at   time.Duration
		want string
		ttl  time.Duration
	}{
		{4 * time.Minute, "[100 200 700]", 100 * time.Second},
		{5*time.Minute + 40*time.Second, "[100 200 700]", 60 * time.Second},
		{5*time.Minute + 99*time.Second, "[100 200 700]", 10 * time.Second},
		{5*time.Minute + 101*time.Second, "[100 0 700]", 100 * time.Second},
		{10*time.Minute + 150*time.Second, "[100 0 700]", 50 * time.Second},
		{10*time.Minute + 199*time.Second, "[100 0 700]", 10 * time.Second},
		{10*time.Minute + 201*time.Second, "[100 200 700]", 100 * time.Second},
		{20*time.Minute + 200*time.Second, "[100 200 700]", 100 * time.Second},
		{40*time.Minute + 110*time.Second, "[100 200 700]", 100 * time.Second}, // it was away for too short a time
		{51 * time.Minute, "[0 200 700]", 100 * time.Second},
	} {
		w.until(c.at + period + tick)
		if got, ttl := fmt.Sprint(w.agents[0].shares), w.steady(); got != c.want || ttl < c.ttl-time.Second || ttl > c.ttl {
			t.Errorf("%v: %s for %v, want %s for %v", c.at, got, ttl, c.want, c.ttl)
		}
	}
}

// However soon a monitor may change its mind, a TTL is within its bounds.
func TestMonitorsWithinTTL(t *testing.T) {
	for _, c := range []struct{ least, most, want time.Duration }{
		{time.Second, 5 * time.Second, 5 * time.Second}, {time.Second, time.Minute, 10 * time.Second}, {20 * time.Second, time.Minute, 20 * time.Second},
	} {
		s := bare(100, 100)
		s.TTL = TTL{c.least, c.most}
		s.Events = []Event{{At: time.Minute, Do: Crash, Nodes: []string{"ex2"}}}
		w := furnished(t, s, "weighted-multi")
		w.until(time.Minute + 95*time.Second)
		if got := w.steady(); got != c.want {
			t.Errorf("bounds %v..%v: %v, want %v", c.least, c.most, got, c.want)
		}
	}
}

// The rules of others have health checks too: a service that does not answer is
// out within a second or two, and back as soon as it does. Round robin alone
// knows nothing of it, and no rule sends to who was drained.
func TestOthersCheckHealth(t *testing.T) {
	for _, r := range Rules() {
		if r.NeedsBalancer() || r.monitor {
			continue
		}
		s := bare(100, 100, 100)
		s.Events = []Event{
			{At: time.Minute, Do: Recycle, Nodes: []string{"ex2"}, For: time.Minute},
			{At: time.Minute, Do: Drain, Nodes: []string{"ex3"}},
		}
		w := furnished(t, s, r.Name)
		w.nodes[0].sessions, w.nodes[2].sessions = 10, 10 // so that the second is the emptiest
		w.until(62 * time.Second)
		for i := range w.agents {
			if got := w.agents[i].shares; (got[1] > 0) != r.blind || got[2] > 0 || got[0] == 0 {
				t.Errorf("%s: shares %v while the second does not answer", r.Name, got)
			}
		}
		w.until(122 * time.Second)
		if got := w.agents[0].shares; (got[1] > 0) == (r.weigh == nil) { // our hold is not theirs
			t.Errorf("%s: shares %v afterwards", r.Name, got)
		}
	}
}

// Our answers are the plan's shares, and the TTL the plan's; each part that is
// left out is left out.
func TestOurs(t *testing.T) {
	for name, want := range map[string]struct {
		most int
		ttl  time.Duration
	}{"evenkeel": {3, 5 * time.Second}, "evenkeel-no-sets": {1, 5 * time.Second}, "evenkeel-no-adaptive-ttl": {3, 30 * time.Second}} {
		w := furnished(t, bare(100, 100, 100), name)
		w.until(10 * time.Second)
		a, most := &w.agents[0], 0
		a.plan.TTL = 5 * time.Second
		for range 50 {
			r := cache{}
			if ttl := a.answer(w, &r, 0); ttl != want.ttl {
				t.Fatalf("%s: TTL %v, want %v", name, ttl, want.ttl)
			}
			most = max(most, len(r.set))
		}
		if most != want.most || a.covered != 50*want.ttl {
			t.Errorf("%s: %d addresses at most, %v covered", name, most, a.covered)
		}
	}
	// The sequence of an asker spreads any 100 answers evenly; chance does not.
	for name, even := range map[string]bool{"evenkeel": true, "evenkeel-no-sequence": false} {
		w := furnished(t, bare(100, 100, 100, 100), name)
		w.until(10 * time.Second)
		worst := 0.0
		for asker := range uint64(20) {
			first := make([]float64, 4)
			w.agents[0].counts = make([]uint32, 20)
			for range 100 {
				r := cache{}
				w.agents[0].answer(w, &r, asker)
				first[r.set[0]]++
			}
			worst = max(worst, slices.Max(first)-25)
		}
		if (worst <= 2) != even {
			t.Errorf("%s: up to %v of 100 answers too many begin with one node", name, worst)
		}
	}
}
