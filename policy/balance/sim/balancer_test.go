package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// behind is a world of s behind a balancer of a kind.
func behind(t *testing.T, s Scenario, kind, name string) *world {
	t.Helper()
	s.Balancer.Kind = kind
	return furnished(t, s, name)
}

// What each product sees of a node that is full, or slow, for a while: it is
// probed at 0 s and then by the product's own clock.
func TestProbes(t *testing.T) {
	sec := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for _, c := range []struct {
		kind, name string
		from, to   float64 // s in which the queue holds share of its places
		depth      float64 // requests; it serves 100 a second and has 1,000 places
		want       string
	}{
		{"netscaler", "two bad probes are none", 1, 11, 1000, ""},
		{"netscaler", "three take it out for 30 s, one brings it back", 1, 16, 1000, "15s down, 45s up"},
		{"netscaler", "after those 30 s it is asked every 5 s", 1, 52, 1000, "15s down, 55s up"},
		{"netscaler", "an answer within 2 s is good", 1, 40, 199, ""},
		{"netscaler", "a later one is not", 1, 16, 201, "15s down, 45s up"},
		{"haproxy", "two bad probes are none", 1, 5, 1000, ""},
		{"haproxy", "three take it out, two bring it back", 1, 6.5, 1000, "6s down, 10s up"},
		{"f5", "two bad probes are none", 1, 21, 1000, ""},
		{"f5", "three take it out, one brings it back", 1, 31, 1000, "30s down, 40s up"},
		{"f5", "it waits for ten seconds", 1, 60, 999, ""},
	} {
		w := behind(t, bare(400, 400), c.kind, "balancer-leastconn")
		var got []string
		for up := true; w.now < at(2*time.Minute); w.now++ {
			w.nodes[0].queue = 0
			if d := w.now.since(); d >= sec(c.from) && d < sec(c.to) {
				w.nodes[0].queue = c.depth
			}
			w.lb.watch(w)
			if p := w.lb.pools[0]; p.up != up {
				up = p.up
				got = append(got, fmt.Sprint(w.now.since(), " ", map[bool]string{true: "up", false: "down"}[up]))
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.kind, c.name, got, c.want)
		}
		if !w.lb.pools[1].up {
			t.Errorf("%s: %s: the other is down", c.kind, c.name)
		}
	}
}

// fall takes node i out, as its third bad probe does, and rise brings it back.
func (w *world) fall(i int) {
	w.lb.pools[i].bad = w.lb.fall - 1
	w.lb.judge(w, i, false)
}

func (w *world) rise(i int) {
	w.lb.pools[i].ok = w.lb.rise - 1
	w.lb.judge(w, i, true)
}

// A NetScaler flushes what a node holds when it goes down; the others leave it.
func TestFlush(t *testing.T) {
	for kind, kept := range map[string]int{"netscaler": 0, "haproxy": 100, "f5": 100} {
		s := bare(400, 400)
		s.Clients.N = 100
		w := behind(t, s, kind, "balancer-leastconn")
		for i := range w.clients {
			w.hold(int32(i), &w.clients[i], 0)
			w.nodes[0].sessions++
		}
		w.fall(0)
		if n := w.nodes[0]; n.sessions != kept || n.cut != 100-kept || w.wanting != 100-kept || w.downs != 1 {
			t.Errorf("%s: %d sessions left, %d cut, %d clients want one", kind, n.sessions, n.cut, w.wanting)
		}
	}
}

// picks counts where n new clients are sent; each keeps its session.
func (w *world) picks(n int) []int {
	got := make([]int, len(w.nodes))
	for range n {
		me := client{node: -1, avoid: -1}
		for _, i := range w.lb.pick(w, &me) {
			got[i]++
			w.nodes[i].sessions++
		}
	}
	return got
}

// Both methods go by the weights that an administrator gives: the capacities.
func TestMethods(t *testing.T) {
	for _, name := range []string{"balancer-leastconn", "balancer-roundrobin"} {
		w := behind(t, bare(1000, 1000, 2000), "haproxy", name)
		if got := fmt.Sprint(w.picks(400)); got != "[100 100 200]" {
			t.Errorf("%s: %s", name, got)
		}
	}
	// Least connections makes good what came before; round robin does not.
	for name, want := range map[string]string{"balancer-leastconn": "[0 100 200]", "balancer-roundrobin": "[75 75 150]"} {
		w := behind(t, bare(1000, 1000, 2000), "haproxy", name)
		w.nodes[0].sessions = 100
		if got := fmt.Sprint(w.picks(300)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// After one rose, a NetScaler goes round robin, by weight, for seven seconds a
// node; after one fell, it does not.
func TestSlowStart(t *testing.T) {
	w := behind(t, bare(1000, 1000, 2000), "netscaler", "balancer-leastconn")
	w.nodes[0].sessions, w.nodes[1].sessions, w.nodes[2].sessions = 0, 5000, 5000
	w.fall(1)
	if got := fmt.Sprint(w.picks(40)); got != "[40 0 0]" {
		t.Errorf("one fell: %s", got)
	}
	w.rise(1)
	w.nodes[1].sessions = 5000 // the flush took them
	if got := fmt.Sprint(w.picks(40)); got != "[10 10 20]" {
		t.Errorf("one rose: %s", got)
	}
	w.now += at(21*time.Second) - 1
	if got := fmt.Sprint(w.picks(40)); got != "[10 10 20]" {
		t.Errorf("just before it is over: %s", got)
	}
	w.now++
	if got := fmt.Sprint(w.picks(40)); got != "[40 0 0]" {
		t.Errorf("it is over: %s", got)
	}
}

// F5's template lets a node's weight grow for five minutes after it rose.
func TestSlowRamp(t *testing.T) {
	w := behind(t, bare(1000, 1000), "f5", "balancer-leastconn")
	if x := w.lb.weight(w, 0); x != 1000 {
		t.Errorf("from the start it is %v", x)
	}
	w.now = at(time.Hour)
	w.fall(0)
	w.rise(0)
	for after, want := range map[time.Duration]float64{0: 100, 15 * time.Second: 100, 150 * time.Second: 500, 5 * time.Minute: 1000} {
		w.now = at(time.Hour + after)
		if x := w.lb.weight(w, 0); !agrees(x, want) {
			t.Errorf("after %v it is %v, want %v", after, x, want)
		}
	}
}

// A client comes back to its node while the balancer remembers it, which is
// counted from the last of its session; not to one that is down, or drained.
func TestPersistence(t *testing.T) {
	for _, c := range []struct {
		name  string
		since time.Duration // the session's end
		spoil func(*world)
		want  int16
	}{
		{"remembered", 5*time.Minute - tick, func(*world) {}, 0},
		{"forgotten", 5 * time.Minute, func(*world) {}, 1},
		{"down", time.Minute, func(w *world) { w.lb.pools[0].up = false }, 1},
		{"drained", time.Minute, func(w *world) { w.nodes[0].drain = true }, 1},
		{"did not answer a moment ago", time.Minute, func(w *world) { w.clients[0].avoid = 0 }, 1},
	} {
		s := bare(1000, 1000)
		s.Balancer.Persist = 5 * time.Minute
		w := behind(t, s, "haproxy", "balancer-leastconn")
		me := &w.clients[0]
		w.hold(0, me, 0)
		w.nodes[0].sessions = 1
		w.now += at(40 * time.Minute) // longer than it would be remembered from the start
		w.table.take(0)
		w.act(0)
		w.nodes[0].sessions = 500
		w.now += at(c.since)
		c.spoil(w)
		if got := w.lb.pick(w, me); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: sent to %v, want %d", c.name, got, c.want)
		}
	}
}

// Who is drained or down gets nobody; where all are, nobody is sent anywhere.
func TestBalancerDrain(t *testing.T) {
	w := behind(t, bare(1000, 1000), "haproxy", "balancer-roundrobin")
	w.nodes[0].drain = true
	if got := fmt.Sprint(w.picks(10)); got != "[0 10]" {
		t.Errorf("one is drained: %s", got)
	}
	w.lb.pools[1].up = false
	if got := fmt.Sprint(w.picks(10)); got != "[0 0]" {
		t.Errorf("the other is down: %s", got)
	}
}

// HAProxy takes weights from our agent check, and keeps the last one of an agent
// that died. A NetScaler and an F5 do not ask it.
func TestAgentCheck(t *testing.T) {
	for kind, want := range map[string]string{"haproxy": "100 0", "netscaler": "100 100", "f5": "100 100"} {
		s := bare(1000, 1000)
		s.Events = []Event{{At: time.Minute, Do: Drain, Nodes: []string{"ex2"}}}
		w := behind(t, s, kind, "evenkeel-balancer")
		w.until(2 * time.Minute)
		w.agents[1].alive = false
		w.until(3 * time.Minute)
		if got := fmt.Sprintf("%.0f %.0f", w.lb.pools[0].percent, w.lb.pools[1].percent); got != want {
			t.Errorf("%s: %s percent, want %s", kind, got, want)
		}
	}
}

// The pool's page fails with the pool; ours says what the agent decided.
func TestTwoPages(t *testing.T) {
	for name, want := range map[string]bool{"balancer-leastconn": false, "evenkeel-balancer": true} {
		w := behind(t, bare(1000, 1000), "haproxy", name)
		w.until(10 * time.Second)
		w.nodes[0].queue = 1000
		if got := w.probed(0, 2*time.Second); got != want {
			t.Errorf("%s: a full node's page is good: %v", name, got)
		}
		w.agents[1].alive = false // ours needs the agent, the pool's does not
		if got := w.probed(1, 2*time.Second); got == want {
			t.Errorf("%s: the page of a node without an agent is good: %v", name, got)
		}
	}
}

// Without the guard a node fails as soon as its queue passes the mark, and holds
// that; connections alone never fail it.
func TestWithoutGuard(t *testing.T) {
	s := bare(1000, 1000)
	w := behind(t, s, "haproxy", "evenkeel-balancer-no-guard")
	w.nodes[0].sessions = 495
	w.until(10 * time.Second)
	if !w.serves(0) {
		t.Error("it fails for its connections")
	}
	w.nodes[0].sessions, w.nodes[0].queue = 0, 950
	w.until(10*time.Second + 5*tick + tick)
	if w.serves(0) {
		t.Error("it does not fail for its queue")
	}
	w.until(10*time.Second + law.Hold - tick)
	if w.nodes[0].queue > 0 || w.serves(0) {
		t.Error("it does not hold")
	}
	w.until(11*time.Second + law.Hold)
	if !w.serves(0) {
		t.Error("it fails for ever")
	}
}

// A probe with a load in its name is refused over that load, by the farm's leave;
// without the guard, without it.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		rule  string
		load  float64
		leave bool
		want  bool
	}{
		{"evenkeel-balancer", 0.5, true, true},
		{"evenkeel-balancer", 0.7, false, true},
		{"evenkeel-balancer", 0.7, true, false},
		{"evenkeel", 0.7, true, true}, // nobody asks so
	} {
		w := behind(t, bare(1000, 1000), "haproxy", c.rule)
		w.until(10 * time.Second)
		w.rule.probe = page
		w.agents[0].plan.Own.Load, w.agents[0].plan.Leave = c.load, c.leave
		if got := w.probed(0, 2*time.Second); got != c.want {
			t.Errorf("%s at %v, leave %v: good %v", c.rule, c.load, c.leave, got)
		}
	}
}
