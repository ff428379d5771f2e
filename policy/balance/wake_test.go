package balance

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sleep has the node stand still for d, and then decide once; nobody was heard
// since.
func (w *teller) sleep(d time.Duration) Plan {
	w.now = w.now.Add(d - 500*time.Millisecond)
	return w.pass(500*time.Millisecond, "mx2", "mx3")
}

// A beat that is late by a little goes on; from five seconds on it is a return.
func TestAwayFrom(t *testing.T) {
	for _, c := range []struct{ pause, want time.Duration }{
		{500 * time.Millisecond, 0},
		{stall, 0},
		{stall + time.Millisecond, stall + time.Millisecond},
		{30 * time.Minute, 30 * time.Minute},
		{-time.Hour, 0},
	} {
		w := newTeller(t, "mx2")
		w.pass(time.Minute)
		_, p := Decide(w.r, w.s, Observation{Now: w.now.Add(c.pause), Name: "mx1", Beat: 999, Own: w.own, Nodes: w.nodes})
		if p.Away != c.want {
			t.Errorf("after %v: away %v, want %v", c.pause, p.Away, c.want)
		}
	}
	if _, p := Decide(rules(), State{}, Observation{Now: epoch, Name: "mx1"}); p.Away != 0 {
		t.Errorf("a start is no return: away %v", p.Away)
	}
}

// A node that slept for half an hour comes back slowly. Those it has not heard
// since keep their capacity's share for a moment, and who died meanwhile has none
// as soon as the cluster says so, whether or not anyone else is heard again.
func TestSleepComesBackSlowly(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Connections = 100
	w.pass(10 * time.Minute)
	if p := w.sleep(30 * time.Minute); p.Alone || p.Own.Up != 0 || shares(p) != "mx1 0.067 ramp, mx2 0.467 late, mx3 0.467 late" {
		t.Errorf("when it wakes: alone %v, up %v, %s", p.Alone, p.Own.Up, shares(p))
	}
	w.nodes[0].Member = false
	if p := w.pass(500*time.Millisecond, "mx2"); p.Away != 0 || shares(p) != "mx1 0.100 ramp, mx2 0.000 lost, mx3 0.900" {
		t.Errorf("one is heard again: away %v, %s", p.Away, shares(p))
	}
	w.nodes[1].Member = false
	if p := w.pass(8*time.Second, "mx2", "mx3"); p.Alone || !strings.HasPrefix(shares(p), "mx1 1.000") {
		t.Errorf("nobody is left: alone %v, %s", p.Alone, shares(p))
	}
}

// The leave to fail was of a farm that is no more: the probe says yes at once,
// though all still look as if they granted it. It asks anew, by another name,
// after the quarantine.
func TestSleepEndsLeave(t *testing.T) {
	w := full(t)
	old := w.s.wish
	p := w.sleep(6 * time.Second)
	w.want(p, Degraded, false, false)
	if !p.Serve || p.Own.Why != "queue" {
		t.Errorf("serve %v, %s", p.Serve, p.Own.Why)
	}
	for woke := w.now; w.now.Sub(woke) < quarantine(3)-time.Second; {
		if p := w.pass(time.Second / 2); p.Leave || p.Own.Wish == old { // all go on granting the old wish
			t.Fatalf("%v after it woke: leave %v, wish %v", w.now.Sub(woke), p.Leave, p.Own.Wish)
		}
	}
	w.pass(2 * time.Second)
	w.grant()
	w.want(w.pass(time.Second), Failing, true, true)
}

// A node that has leave is stopped, and others get it. When it wakes, its sockets
// hold words of when all granted its wish, which look new, and nothing else
// reaches it: it must not go on.
func TestWakesBesideAnother(t *testing.T) {
	for n := 4; n <= 5; n++ {
		for seed := range uint64(20) {
			m := quietFarm(n, seed)
			m.r.Hold = time.Hour
			first, second := m.nodes[0], m.nodes[1]
			first.hot = far
			m.pass(time.Minute)
			if !first.plan.Leave {
				t.Fatalf("n=%d seed=%d: the first has no leave", n, seed)
			}
			m.sleep(0, 90*time.Second, 2*time.Second)
			second.hot = far
			for j := 1; j < n; j++ {
				m.blind[j][0] = true
			}
			m.pass(80 * time.Second)
			if !second.plan.Leave {
				t.Fatalf("n=%d seed=%d: the second never got leave", n, seed)
			}
			for j := 1; j < n; j++ {
				m.cut[j][0] = true
			}
			for range 600 {
				m.tick()
				m.check(t, seed)
			}
		}
	}
}

// A grant outlasts the sleep, as long as its node may still rely on it; then the
// quarantine of the start holds.
func TestSleepKeepsGrant(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.nodes[0].Wish = Wish{7, 0.99}
	w.pass(time.Second)
	want := Grant{"mx2", 7}
	if p := w.sleep(time.Hour); p.Own.Grant != want {
		t.Fatalf("when it wakes it grants %v, want %v", p.Own.Grant, want)
	}
	w.nodes[0].Wish, w.nodes[1].Wish = Wish{}, Wish{8, 0.95}
	if p := w.pass(quarantine(3) - time.Second); p.Own.Grant != (Grant{}) {
		t.Fatalf("in quarantine it grants %v", p.Own.Grant)
	}
	if p := w.pass(2 * time.Second); p.Own.Grant != (Grant{"mx3", 8}) {
		t.Fatalf("grants %v, want mx3", p.Own.Grant)
	}
}

// A broken service is held through a sleep, no longer than its time; a degraded
// node leaves by its marks; and what came or was refused meanwhile is no rate.
func TestSleepKeepsStatus(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.r.Hold = 180 * time.Second
	w.pass(time.Second)
	w.own.Broken = "imap"
	w.pass(time.Second)
	w.own.Broken = ""
	w.want(w.sleep(time.Minute), Failing, false, false)
	w.want(w.sleep(time.Hour), Degraded, false, false)
	w.want(w.pass(calmFor), Up, false, false)

	w.own.Connections, w.own.Refused = 2000, 50
	if p := w.sleep(time.Hour); p.Own.Status != Up || p.Own.Arrivals != 0 {
		t.Errorf("after an hour: %v %s, %v arrivals a second", p.Own.Status, p.Own.Why, p.Own.Arrivals)
	}
}

// After whatever was before: who wakes neither fails for load, nor wishes to,
// grants nobody new, and gives an answer.
func TestWakeIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			if p.Away == 0 {
				return
			}
			if p.Leave || after.forLoad || after.wish != (Wish{}) || p.Alone {
				t.Fatalf("leave %v, wish %v, alone %v", p.Leave, after.wish, p.Alone)
			}
			if after.grant != (Grant{}) && after.grant != before.grant {
				t.Fatalf("grants %v, before %v", after.grant, before.grant)
			}
			sum := 0.0
			for _, n := range p.Nodes {
				sum += n.Share
			}
			if sum < 0.999 {
				t.Fatalf("shares sum to %v", sum)
			}
		})
	})
}

// A node that starts before its service takes no clients, and is not held for it.
func TestBrokenFromTheStart(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.r.Hold = 180 * time.Second
	w.own.Broken = "port 993"
	w.want(w.pass(time.Minute), Failing, false, false)
	w.own.Broken = ""
	w.want(w.pass(time.Second), Up, false, false)
	w.own.Broken = "port 993"
	w.pass(time.Second)
	w.own.Broken = ""
	w.want(w.pass(time.Minute), Failing, false, false)
}
