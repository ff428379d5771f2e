package balance

import (
	"strings"
	"testing"
	"time"
)

// What happens to a farm is told by the beats of one of its nodes.
type teller struct {
	t     *testing.T
	r     Rules
	s     State
	now   time.Time
	beat  uint64
	own   Measure
	nodes []Node
}

func newTeller(t *testing.T, others ...string) *teller {
	w := &teller{t: t, r: rules(), now: epoch, own: queueOf(0)}
	for _, name := range others {
		w.nodes = append(w.nodes, Node{Name: name, Member: true, Fact: Fact{
			Beat: 1, Status: Up, Connections: 100, Limit: 4000, Queue: 10, QueueLimit: 1000, Up: time.Hour, Steady: time.Hour,
		}})
	}
	return w
}

// pass lets d pass in beats; the nodes named are silent.
func (w *teller) pass(d time.Duration, silent ...string) Plan {
	var p Plan
	for end := w.now.Add(d); w.now.Before(end); {
		w.now = w.now.Add(500 * time.Millisecond)
		w.beat++
		for i := range w.nodes {
			if strings.Contains(strings.Join(silent, " "), w.nodes[i].Name) {
				continue
			}
			w.nodes[i].Born, w.nodes[i].Beat = w.now, w.nodes[i].Beat+1
		}
		w.s, p = Decide(w.r, w.s, Observation{Now: w.now, Name: "mx1", Beat: w.beat, Own: w.own, Nodes: w.nodes})
	}
	return p
}

// grant has all others grant what this node wishes.
func (w *teller) grant() {
	for i := range w.nodes {
		w.nodes[i].Grant = Grant{"mx1", w.s.wish.Beat}
	}
}

func (w *teller) want(p Plan, status Status, wish, leave bool) {
	w.t.Helper()
	if p.Own.Status != status || (p.Own.Wish.Beat != 0) != wish || p.Leave != leave {
		w.t.Fatalf("after %v: %v, wish %v, leave %v; want %v, %v, %v",
			w.now.Sub(epoch), p.Own.Status, p.Own.Wish, p.Leave, status, wish, leave)
	}
}

// full has the node go through everything up to failing for load.
func full(t *testing.T) *teller {
	w := newTeller(t, "mx2", "mx3")
	w.want(w.pass(time.Minute), Up, false, false)
	w.own = queueOf(900)
	w.want(w.pass(time.Second/2), Degraded, false, false)
	w.want(w.pass(time.Second), Degraded, true, false)
	w.grant()
	w.want(w.pass(time.Second/2), Failing, true, true)
	return w
}

func TestWishAndGrant(t *testing.T) {
	w := full(t)
	w.own = queueOf(0)
	w.want(w.pass(19*time.Second), Failing, true, true)
	w.want(w.pass(time.Second), Up, false, false)
}

func TestHoldEndsEarly(t *testing.T) {
	for name, change := range map[string]func(w *teller){
		"a: one falls silent":      func(w *teller) { w.pass(8*time.Second, "mx2") },
		"b: one drains":            func(w *teller) { w.nodes[0].Status = Draining },
		"c: one gets over its own": func(w *teller) { w.nodes[0].Queue = 551 },
		"c: no room is left":       func(w *teller) { w.own.Connections = 5401 },
		"d: one takes its word":    func(w *teller) { w.nodes[1].Grant = Grant{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := full(t)
			w.own.Connections = 5400 // exactly the room of two: 2·(0.7·4000 − 100)
			w.want(w.pass(time.Second), Failing, true, true)
			change(w)
			if p := w.pass(time.Second/2, "mx2"); p.Own.Status != Degraded || p.Leave || !p.Serve {
				t.Errorf("still %v, leave %v", p.Own.Status, p.Leave)
			}
		})
	}
}

// A node that has just started does not know what its former self granted.
func TestStartNeitherGrantsNorFails(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own = queueOf(950)
	w.nodes[0].Wish = Wish{7, 0.99}
	for w.now.Sub(epoch) < quarantine(3)-time.Second {
		p := w.pass(time.Second / 2)
		w.grant()
		if p.Own.Status == Failing || p.Own.Grant != (Grant{}) {
			t.Fatalf("after %v: %+v", w.now.Sub(epoch), p.Own)
		}
	}
	w.pass(2 * time.Second)
	if got, want := w.s.grant, (Grant{"mx2", 7}); got != want {
		t.Errorf("granted %v, want %v", got, want)
	}
}

// A grant to a node that is gone is taken back for all to see, and only much
// later anything else is granted or done.
func TestLostGrantWaits(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.nodes[0].Wish, w.nodes[1].Wish = Wish{7, 0.99}, Wish{8, 0.95}
	if p := w.pass(time.Second); p.Own.Grant != (Grant{"mx2", 7}) {
		t.Fatalf("granted %v", p.Own.Grant)
	}
	w.nodes[0].Member = false
	p := w.pass(4*time.Second, "mx2")
	if p.Own.Grant != (Grant{}) {
		t.Fatalf("still grants %v to the lost", p.Own.Grant)
	}
	if p = w.pass(quarantine(3)-time.Second, "mx2"); p.Own.Grant != (Grant{}) {
		t.Fatalf("granted %v too early", p.Own.Grant)
	}
	if p = w.pass(2*time.Second, "mx2"); p.Own.Grant != (Grant{"mx3", 8}) {
		t.Fatalf("grants %v, want mx3", p.Own.Grant)
	}
}

// The foremost wish is granted: higher load, then name; one's own is dropped
// for it, so that whoever granted it becomes free.
func TestForemostWish(t *testing.T) {
	for _, c := range []struct {
		name     string
		two, own float64
		want     Grant
	}{
		{"the other is worse off", 0.99, 0.95, Grant{"mx2", 7}},
		{"this one is", 0.91, 0.95, Grant{}},
		{"equal: the name decides", 0.95, 0.95, Grant{}},
	} {
		w := newTeller(t, "mx2")
		w.pass(time.Minute)
		w.own = queueOf(int(1000 * c.own))
		w.pass(2 * time.Second)
		w.nodes[0].Wish = Wish{7, c.two}
		p := w.pass(time.Second / 2)
		if p.Own.Grant != c.want || (p.Own.Wish.Beat == 0) != (c.want.Node != "") {
			t.Errorf("%s: grant %v, wish %v", c.name, p.Own.Grant, p.Own.Wish)
		}
	}
}

// A balancer's own step on the ladder asks for the same leave, and does not
// make the node fail for the others.
func TestLadder(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.own = Measure{Connections: 2000, Limit: 4000, Ladder: 0.40}
	w.want(w.pass(time.Second), Up, true, false)
	w.grant()
	p := w.pass(time.Second / 2)
	w.want(p, Up, true, true)
	if !p.Serve {
		t.Error("the plain probe must still say yes")
	}
	w.own.Connections = 1000
	w.want(w.pass(time.Second), Up, false, false)
}

// Who loses more than half of a farm of three or more at once suspects
// himself, and keeps the last nodes for a minute at capacity weights.
func TestAlone(t *testing.T) {
	w := newTeller(t, "mx2", "mx3", "mx4")
	w.nodes[2].Limit = 8000
	w.pass(time.Minute)
	for i := range w.nodes {
		w.nodes[i].Member = false
	}
	all := []string{"mx2", "mx3", "mx4"}
	p := w.pass(10*time.Second, all...)
	if got := shares(p); !p.Alone || got != "mx1 0.200, mx2 0.200 alone, mx3 0.200 alone, mx4 0.400 alone" {
		t.Fatalf("alone %v: %s", p.Alone, got)
	}
	p = w.pass(time.Minute, all...)
	if got := shares(p); p.Alone || got != "mx1 1.000, mx2 0.000 lost, mx3 0.000 lost, mx4 0.000 lost" {
		t.Fatalf("after a minute: %s", got)
	}
}

// One of three, or those who said goodbye, are no reason to doubt oneself.
func TestNotAlone(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Connections = 100
	w.pass(10 * time.Minute)
	w.nodes[0].Member = false
	if p := w.pass(10*time.Second, "mx2"); p.Alone || shares(p) != "mx1 0.500, mx2 0.000 lost, mx3 0.500" {
		t.Errorf("one lost: %v %s", p.Alone, shares(p))
	}
	w = newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	for i := range w.nodes {
		w.nodes[i].Member, w.nodes[i].Left = false, true
	}
	if p := w.pass(10*time.Second, "mx2", "mx3"); p.Alone || shares(p) != "mx1 1.000, mx2 0.000 left, mx3 0.000 left" {
		t.Errorf("all left: %v %s", p.Alone, shares(p))
	}
}
