package sim

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func rule(t testing.TB, name string) Rule {
	t.Helper()
	r, ok := Find(name)
	if !ok {
		t.Fatalf("no rule %q", name)
	}
	return r
}

// anyScenario is a small farm to which anything may happen.
func anyScenario(t *rapid.T) Scenario {
	s := morning(time.Duration(rapid.IntRange(1, 60).Draw(t, "ttl")) * time.Second)
	s.For, s.From = 8*time.Minute, time.Minute
	s.Clients.N, s.Clients.Storm = rapid.IntRange(1, 2000).Draw(t, "clients"), 3*time.Minute
	s.Clients.Session = time.Duration(rapid.IntRange(1, 3600).Draw(t, "session")) * time.Second
	s.Clients.Pin, s.Clients.PinFor = rapid.Float64Range(0, 1).Draw(t, "pin"), 30*time.Minute
	s.Clients.Sort = rapid.Float64Range(0, 1).Draw(t, "sort")
	if rapid.Bool().Draw(t, "go home") {
		s.Clients.Go, s.Clients.Leave = 4*time.Minute, 2*time.Minute
	}
	s.Gossip = Gossip{time.Duration(rapid.IntRange(0, 5000).Draw(t, "delay")) * time.Millisecond, rapid.Float64Range(0, 0.9).Draw(t, "loss")}
	for i := range s.Nodes {
		s.Nodes[i].Limit = rapid.IntRange(100, 1500).Draw(t, "limit")
		s.Nodes[i].Service = rapid.Float64Range(10, 1000).Draw(t, "service")
		s.Nodes[i].Stall = Stall{At: rapid.IntRange(0, 2000).Draw(t, "stall at"), For: 10 * time.Second, Every: time.Minute}
	}
	s.Balancer.Kind = rapid.SampledFrom([]string{"netscaler", "haproxy", "f5"}).Draw(t, "kind")
	s.Balancer.Persist = time.Duration(rapid.IntRange(0, 600).Draw(t, "persist")) * time.Second
	what := []Act{Crash, Unplug, Recycle, StallNow, Drain, Partition, Deaf}
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		s.Events = append(s.Events, Event{
			At: time.Duration(rapid.IntRange(0, 480).Draw(t, "at")) * time.Second, Do: rapid.SampledFrom(what).Draw(t, "do"),
			For: time.Duration(rapid.IntRange(0, 300).Draw(t, "for")) * time.Second, Nodes: []string{rapid.SampledFrom([]string{"ex1", "ex2", "ex4"}).Draw(t, "node")},
		})
	}
	return s
}

// audit compares what the nodes and the world say with what the clients know.
func (w *world) audit(t *rapid.T) {
	held, wants := make([]int, len(w.nodes)), 0
	for i := range w.clients {
		switch w.clients[i].phase {
		case holding:
			held[w.clients[i].node]++
		case wanting:
			wants++
		}
	}
	if wants != w.wanting {
		t.Fatalf("%v: %d clients want a session, counted as %d", w.now.since(), wants, w.wanting)
	}
	for i, n := range w.nodes {
		if n.sessions != held[i] {
			t.Fatalf("%v: %s holds %d sessions, its clients %d", w.now.since(), n.Name, n.sessions, held[i])
		}
		if n.gone && n.sessions > 0 {
			t.Fatalf("%v: %s is gone and holds %d sessions", w.now.since(), n.Name, n.sessions)
		}
		if !(n.queue >= 0 && n.queue <= float64(n.Queue)) {
			t.Fatalf("%v: %s has a queue of %v", w.now.since(), n.Name, n.queue)
		}
	}
}

// Nobody is lost or counted twice, whatever happens, under any rule.
func TestNobodyIsLost(t *testing.T) {
	all := append(Rules(), Ablations()...)
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		if err := s.Check(); err != nil {
			t.Skip(err)
		}
		w := newWorld(s, rapid.SampledFrom(all).Draw(t, "rule"), rapid.Uint64().Draw(t, "seed"))
		for ; w.now < w.end; w.now++ {
			w.step()
			if w.now%(30*second) == 0 {
				w.audit(t)
			}
		}
		r := w.meter.result(w)
		for name, x := range map[string]float64{
			"peak": r.Peak, "ideal": r.Ideal, "p99": r.P99OverIdeal, "imbalance": r.ImbalanceP50, "most": r.ImbalanceMax, "refused": r.Refused, "outage": r.Outage,
		} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Fatalf("%s is %v", name, x)
			}
		}
	})
}

// The same seed gives the same play; another one another.
func TestDeterministic(t *testing.T) {
	for _, name := range []string{"evenkeel", "evenkeel-balancer", "two-choices"} {
		s := incident("haproxy")
		s.For = 30 * time.Minute
		a, b := Play(s, rule(t, name), 7, nil), Play(s, rule(t, name), 7, nil)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two plays of one seed differ", name)
		}
		if c := Play(s, rule(t, name), 8, nil); reflect.DeepEqual(a, c) {
			t.Errorf("%s: two seeds give the same play", name)
		}
	}
}

// Who plays may look on, and end it.
func TestWatch(t *testing.T) {
	s := morning(time.Minute)
	s.For = 30 * time.Minute
	var seen []float64
	Play(s, rule(t, "shed"), 1, func(done float64) bool { seen = append(seen, done); return done < 0.5 })
	if len(seen) != 51 || seen[0] != 0 || seen[50] != 0.5 {
		t.Errorf("told %v", seen)
	}
	s.For = 10 * time.Minute
	if n := len(Play(s, rule(t, "shed"), 1, nil).Series.Ideal); n != 600 {
		t.Errorf("with nobody to end it, it lasts for %d s", n)
	}
}

// Where nothing is refused, all rules see the same clients come and go.
func TestSameArrivals(t *testing.T) {
	s := morning(30 * time.Second)
	s.For = time.Hour
	sum := func(name string) (n int) {
		r := Play(s, rule(t, name), 3, nil)
		if r.Refused > 0 {
			t.Fatalf("%s refuses", name)
		}
		for _, k := range r.Sessions {
			n += k
		}
		return n
	}
	if a, b := sum("evenkeel"), sum("round-robin"); a != b {
		t.Errorf("%d sessions and %d", a, b)
	}
}
