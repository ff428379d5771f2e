package balance

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func anyLoads(t *rapid.T) []vessel {
	ls := make([]vessel, rapid.IntRange(1, 12).Draw(t, "n"))
	for i := range ls {
		ls[i] = vessel{
			c:        float64(rapid.IntRange(1, 8000).Draw(t, "c")),
			v:        rapid.Float64Range(0, 1.5).Draw(t, "v"),
			faded:    rapid.SampledFrom([]float64{0, 0, 0, 0.5, 1}).Draw(t, "faded"),
			ramp:     rapid.SampledFrom([]float64{0, 0.1, 0.5, 1, 1, 7}).Draw(t, "ramp"),
			degraded: rapid.IntRange(0, 4).Draw(t, "degraded") == 0,
		}
		if rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
			ls[i].v = math.NaN()
		}
	}
	return ls
}

// The level is exact: whoever is strictly between his bounds ends at it, who is
// at his floor is above it already, who is at his cap stays below.
func TestLevelIsLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ls := anyLoads(t)
		k := rapid.Float64Range(0, 1e6).Draw(t, "k")
		if level(ls, k) {
			return
		}
		total := capacity(ls)
		k = max(k, total*leastFlow)
		lo, hi, sum := math.Inf(-1), math.Inf(1), 0.0
		const eps = 1e-6
		for i, b := range bounds(ls, total) {
			after := ls[i].v + ls[i].share*k/ls[i].c
			if ls[i].share > b.floor*(1+eps) {
				lo = max(lo, after) // it took more than it had to: nobody may end below who could
			}
			if ls[i].share < b.cap*(1-eps) {
				hi = min(hi, after)
			}
			sum += ls[i].share
		}
		if lo > hi+eps*(1+math.Abs(hi)) {
			t.Fatalf("one was filled to %v while another stayed at %v", lo, hi)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("shares sum to %v", sum)
		}
	})
}

// The order of the nodes does not matter.
func TestLevelOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyLoads(t)
		b := make([]vessel, len(a))
		for i := range a {
			b[len(a)-1-i] = a[i]
		}
		level(a, 100)
		level(b, 100)
		for i := range a {
			if math.Abs(a[i].share-b[len(a)-1-i].share) > 1e-9 {
				t.Fatalf("%v forwards, %v backwards", a[i].share, b[len(a)-1-i].share)
			}
		}
	})
}

func TestLevelByHand(t *testing.T) {
	full := func(c, v float64) vessel { return vessel{c: c, v: v, ramp: 1} }
	for _, c := range []struct {
		name string
		ls   []vessel
		k    float64
		want string
	}{
		{"one takes all", []vessel{full(4000, 0.3)}, 10, "1.000"},
		{"equal nodes, equal shares", []vessel{full(4000, 0.3), full(4000, 0.3)}, 10, "0.500 0.500"},
		{"level nodes share by capacity", []vessel{full(1, .3), full(1, .3), full(2, .3)}, 1, "0.250 0.250 0.500"},
		{"100 sessions, 50 behind: 75 and 25", []vessel{full(1000, 0.30), full(1000, 0.35)}, 100, "0.750 0.250"},
		{"few sessions all go to the emptier, but for the floor", []vessel{full(1000, 0.3), full(1000, 0.6)}, 100, "0.995 0.005"},
		{"many sessions come near to capacity", []vessel{full(1000, 0.3), full(1000, 0.6)}, 1e6, "0.500 0.500"},
		{"nobody gets more than twice his fair share",
			[]vessel{full(1000, 0), full(1000, 0.5), full(1000, 0.5), full(1000, 0.5)}, 10, "0.500 0.167 0.167 0.167"},
		{"a slow start begins at a tenth of the cap",
			[]vessel{{c: 1000, ramp: 0}, full(1000, 0.5), full(1000, 0.5)}, 10, "0.067 0.467 0.467"},
		{"caps are stretched when all start together",
			[]vessel{{c: 1000, v: 0.5}, {c: 1000, v: 0.1}, {c: 2000, v: 0.1}}, 10, "0.250 0.250 0.500"},
		{"a degraded node stays at its floor", []vessel{full(1000, 0.9), {c: 1000, v: 0.1, ramp: 1, degraded: true}}, 10, "0.995 0.005"},
		{"not known counts as the mean", []vessel{full(1000, 0.4), full(1000, 0.2), {c: 1000, v: math.NaN(), ramp: 1}}, 300, "0.003 0.665 0.332"},
		{"all unknown: capacity", []vessel{{c: 1000, v: math.NaN(), ramp: 1}, {c: 3000, v: math.NaN(), ramp: 1}}, 9, "0.250 0.750"},
		{"all degraded: the room that is left", []vessel{{c: 1000, v: .9, degraded: true}, {c: 1000, v: .7, degraded: true}}, 9, "0.250 0.750"},
		{"all over: levelled like any others", []vessel{full(1000, 1.2), full(3000, 1.1)}, 9, "0.003 0.998"},
		{"all over and level: capacity", []vessel{full(1000, 1.1), full(3000, 1.1)}, 9, "0.250 0.750"},
	} {
		level(c.ls, c.k)
		got := ""
		for i, l := range c.ls {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%.3f", l.share)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// Nodes of capacity 45, 60 and 75, one after another lost: the classical
// weighted answers, but never one to the dead.
func TestCapacityAsNodesDie(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own, w.r.Ramp = Measure{Limit: 45, Connections: 9}, 0
	w.nodes[0].Limit, w.nodes[0].Connections = 60, 12
	w.nodes[1].Limit, w.nodes[1].Connections = 75, 15
	if got := shares(w.pass(5 * time.Minute)); got != "mx1 0.250, mx2 0.333, mx3 0.417" {
		t.Error("all up:", got)
	}
	w.nodes[1].Member = false
	if got := shares(w.pass(20*time.Second, "mx3")); got != "mx1 0.429, mx2 0.571, mx3 0.000 lost" {
		t.Error("one lost:", got)
	}
	w.nodes[0].Member = false
	if got := shares(w.pass(20*time.Second, "mx2", "mx3")); got != "mx1 1.000, mx2 0.000 lost, mx3 0.000 lost" {
		t.Error("two lost:", got)
	}
}

func TestTTL(t *testing.T) {
	for _, c := range []struct {
		steady time.Duration
		status Status
		want   time.Duration
	}{
		{time.Hour, Up, 30 * time.Second},
		{12700 * time.Millisecond, Up, 12 * time.Second},
		{time.Second, Up, 5 * time.Second},
		{0, Degraded, 5 * time.Second},
	} {
		w := newTeller(t, "mx2")
		w.nodes[0].Steady, w.nodes[0].Status = c.steady, c.status
		if got := w.pass(time.Second).TTL; got != c.want {
			t.Errorf("steady for %v: TTL %v, want %v", c.steady, got, c.want)
		}
	}
}

func TestArrivals(t *testing.T) {
	w := newTeller(t)
	w.own = Measure{Limit: 4000}
	var p Plan
	for range 20 { // 20 come and 10 go every second, and only the growth is seen
		w.own.Connections += 5
		p = w.pass(time.Second / 2)
	}
	if got := p.Own.Arrivals; math.Abs(got-10) > 1 {
		t.Errorf("growth of 10/s for ten seconds seen as %v", got)
	}
	for range 1200 { // the same, and it is seen who came
		w.own.Connections, w.own.Arrived = w.own.Connections+5, w.own.Arrived+10
		p = w.pass(time.Second / 2)
	}
	if got := p.Own.Arrivals; math.Abs(got-20) > 0.1 {
		t.Errorf("20/s seen as %v", got)
	}
	w.own.Connections = Unmeasured
	w.pass(time.Minute)
	w.own.Connections = 0
	if p = w.pass(5 * time.Minute); p.Own.Arrivals > 0.2 {
		t.Errorf("after five quiet minutes still %v", p.Own.Arrivals)
	}
}

func TestHeartbeat(t *testing.T) {
	for n, want := range map[int]time.Duration{1: time.Second, 25: time.Second, 50: 2 * time.Second, 100: 4 * time.Second} {
		if got := Heartbeat(n); got != want {
			t.Errorf("farm of %d: %v, want %v", n, got, want)
		}
	}
}

func TestStatusWords(t *testing.T) {
	got := ""
	for s := Unknown; s <= Down+1; s++ {
		got += s.String() + " "
	}
	if want := "unknown up degraded draining failing down unknown "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEven(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.r.Even, w.nodes[0].Limit = true, 8000
	if got := shares(w.pass(time.Second)); got != "mx1 0.333, mx2 0.333, mx3 0.333" {
		t.Error(got)
	}
}
