package balance

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// lives plays one node in a world that is a function of time, for d, and says
// when its status changed.
func lives(r Rules, d time.Duration, world func(at time.Duration) Measure) string {
	var s State
	var told []string
	for beat := uint64(1); ; beat++ {
		at := time.Duration(beat-1) * 500 * time.Millisecond
		if at > d {
			return strings.Join(told, ", ")
		}
		var p Plan
		s, p = Decide(r, s, Observation{Now: epoch.Add(at), Name: "mx1", Beat: beat, Own: world(at)})
		line := strings.TrimSpace(fmt.Sprint(p.Own.Status, " ", p.Own.Why))
		if len(told) == 0 || !strings.HasSuffix(told[len(told)-1], "s "+line) {
			told = append(told, fmt.Sprint(at, " ", line))
		}
	}
}

// between is 1 from a to b and 0 outside.
func between(at, a, b time.Duration) int {
	if a <= at && at < b {
		return 1
	}
	return 0
}

func queueOf(depth int) Measure {
	return Measure{Limit: 4000, Queues: []Queue{{Depth: depth, Limit: 1000}}}
}

func TestStatusStories(t *testing.T) {
	const from, to = 10 * time.Second, 20 * time.Second
	for _, c := range []struct {
		name  string
		world func(at time.Duration) Measure
		want  string
	}{
		{"nothing happens", func(time.Duration) Measure { return queueOf(540) }, "0s up"},
		{"at 70 % it is degraded at once, and comes back after five calm seconds",
			func(at time.Duration) Measure { return queueOf(700 * between(at, from, to)) },
			"0s up, 10s degraded queue, 25s up"},
		{"at 69 % it is not", func(at time.Duration) Measure { return queueOf(690 * between(at, from, to)) }, "0s up"},
		{"between the marks it stays what it was",
			func(at time.Duration) Measure {
				return queueOf(600 + 100*between(at, from, to) - 60*between(at, time.Minute, 90*time.Second))
			},
			"0s up, 10s degraded queue, 1m5s up"},
		{"a queue full in 15 s degrades in two beats, long before 70 %",
			func(at time.Duration) Measure {
				m := queueOf(100)
				m.Queues[0].Slope = 60 * float64(between(at, from, to))
				return m
			},
			"0s up, 10.5s degraded slope, 25s up"},
		{"one steep beat is noise",
			func(at time.Duration) Measure {
				m := queueOf(100)
				m.Queues[0].Slope = 600 * float64(between(at, from, from+time.Second/2))
				return m
			},
			"0s up"},
		{"a refusal degrades, and alone never fails",
			func(at time.Duration) Measure {
				m := queueOf(0)
				m.Refused = uint64(7 + min(20, max(0, int((at-from)/(500*time.Millisecond)))))
				return m
			},
			"0s up, 10.5s degraded refused, 25.5s up"},
		{"so does one of a queue that nobody measures, for as long",
			func(at time.Duration) Measure {
				return Measure{Limit: 1, Reported: uint64(7 + min(20, max(0, int((at-from)/(500*time.Millisecond)))))}
			},
			"0s up, 10.5s degraded refused, 25.5s up"},
		{"two half-full queues are not a full one",
			func(at time.Duration) Measure {
				return Measure{Limit: 1, Queues: []Queue{{Depth: 50, Limit: 100}, {Depth: 50, Limit: 100}}}
			},
			"0s up"},
		{"the worst queue counts, even one over its limit",
			func(at time.Duration) Measure {
				return Measure{Limit: 1, Queues: []Queue{{Depth: 0, Limit: 1000}, {Depth: 6, Limit: 5}}}
			},
			"0s degraded queue"},
		{"connections at the limit degrade",
			func(at time.Duration) Measure {
				return Measure{Limit: 4000, Connections: 3500 + 500*between(at, from, to)}
			},
			"0s up, 10s degraded connections, 25s up"},
		{"processors at the limit degrade",
			func(at time.Duration) Measure {
				return Measure{Limit: 1, Gauges: []Gauge{{"cpu", 0.5 + 0.5*float64(between(at, from, to)), 1}, {"none", 9, 0}}}
			},
			"0s up, 10s degraded cpu, 25s up"},
		{"blind is unknown, not zero and not down",
			func(at time.Duration) Measure {
				return Measure{Limit: 1, Connections: Unmeasured, Blind: between(at, from, to) == 1}
			},
			"0s up, 10s unknown blind, 20s up"},
		{"a broken service fails at once, and is held for three minutes",
			func(at time.Duration) Measure {
				m := queueOf(0)
				if between(at, from, to) == 1 {
					m.Broken = "smtp"
				}
				return m
			},
			"0s up, 10s failing smtp, 3m10s up"},
		{"a drain goes before all else and ends with the request",
			func(at time.Duration) Measure {
				m := queueOf(900)
				m.Draining = between(at, from, to) == 1
				return m
			},
			"0s degraded queue, 10s draining drain, 20s degraded queue"},
		{"one node never fails for load, however full",
			func(at time.Duration) Measure { return queueOf(1001) }, "0s degraded queue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rules()
			r.Hold = 180 * time.Second
			if got := lives(r, 5*time.Minute, c.world); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func shares(p Plan) string {
	var out []string
	for _, n := range p.Nodes {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.3f %s", n.Name, n.Share, n.Why)))
	}
	return strings.Join(out, ", ")
}

// Stale facts decay to capacity weights, and never to zero.
func TestStaleDecays(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.nodes[0].Connections = 2000
	w.own.Connections = 100
	p := w.pass(10 * time.Minute)
	if got := p.Nodes[1].Share; math.Abs(got-0.01/3) > 1e-9 {
		t.Errorf("loaded mx2 gets %v, want its floor", got)
	}
	last := p.Nodes[1].Share
	for range 5 {
		p = w.pass(2*time.Second, "mx2")
		if p.Nodes[1].Share < last-1e-12 {
			t.Errorf("stale mx2 fell from %v to %v", last, p.Nodes[1].Share)
		}
		last = p.Nodes[1].Share
	}
	if got := shares(p); got != "mx1 0.333, mx2 0.333 late, mx3 0.333" {
		t.Errorf("at ten heartbeats: %s", got)
	}
}

// Drains end in nothing while others are up, and in everything when nobody is.
func TestLastResorts(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Draining = true
	if got := shares(w.pass(time.Second)); got != "mx1 0.000 drain, mx2 0.500, mx3 0.500" {
		t.Error(got)
	}
	w.nodes[0].Status, w.nodes[1].Status = Failing, Failing
	if p := w.pass(time.Second); shares(p) != "mx1 1.000 drain, mx2 0.000, mx3 0.000" || !p.Open {
		t.Error(p.Open, shares(p))
	}
	w.own.Draining, w.own.Broken = false, "imap"
	w.nodes[0].Connections = 3000
	if p := w.pass(time.Second); shares(p) != "mx1 0.449 imap, mx2 0.112, mx3 0.438" {
		t.Error(shares(p))
	}
}

// One Fact that is a little late is no reason for a probe to turn good and bad.
func TestHoldOutlastsOneLateFact(t *testing.T) {
	w := full(t)
	w.want(w.pass(6*time.Second, "mx2"), Failing, true, true)
}

// Not every beat sees a new reading: refusals in every other beat are enough.
func TestRefusalsWithGaps(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	for range 4 {
		w.own.Refused++
		w.pass(time.Second)
	}
	w.grant()
	w.own.Refused++
	w.want(w.pass(time.Second/2), Failing, true, true)
}

// What logs report of queues that nobody measures raises no wish, on no ladder
// either, and does not keep a node out that failed for a queue.
func TestReportedNeverFails(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Ladder = 1
	for range 120 {
		w.own.Reported += 50
		if p := w.pass(time.Second / 2); p.Own.Wish != (Wish{}) {
			t.Fatalf("it wishes to fail: %+v", p.Own)
		}
	}
	w.grant()
	w.want(w.pass(time.Second/2), Degraded, false, false)

	w = newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.own = queueOf(950)
	w.pass(5 * time.Second)
	w.grant()
	w.want(w.pass(time.Second), Failing, true, true)
	w.own = queueOf(0)
	var p Plan
	for range 2 * 200 { // past its hold
		w.own.Reported++
		p = w.pass(time.Second / 2)
	}
	w.want(p, Degraded, false, false)
}

// Who is over a mark of his own is no room for others, whatever his queue says.
func TestDegradedIsNoRoom(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.nodes[1].Status, w.nodes[1].Why = Degraded, "refused"
	w.pass(time.Minute)
	w.own = queueOf(950)
	w.want(w.pass(5*time.Second), Degraded, false, false)
}

// A wish that nobody has room for is not raised: it would stand in the way of
// one that can be granted.
func TestNoRoomNoWish(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.own = queueOf(950)
	w.own.Connections = 5401 // one more than 2·(0.7·4000 − 100)
	w.want(w.pass(5*time.Second), Degraded, false, false)
	w.own.Connections--
	w.want(w.pass(time.Second), Degraded, true, false)
}

// A broken service says no, asked to drain or not; and a probe that failed for
// load is held through a drain.
func TestFailingThenDrain(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Broken, w.own.Draining = "imap", true
	if p := w.pass(time.Second); p.Serve || p.Own.Why != "imap" {
		t.Errorf("broken and draining: serve %v, %v %s", p.Serve, p.Own.Status, p.Own.Why)
	}
	w = full(t)
	w.own.Draining = true
	w.want(w.pass(time.Second), Failing, true, true)
	w.want(w.pass(w.r.Hold), Draining, false, false)
}

// A short pause of this agent makes all others late at once; when they are heard
// again, it was nothing.
func TestPauseIsNotAlone(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.now = w.now.Add(stall - time.Second/2)
	if p := w.pass(time.Second/2, "mx2", "mx3"); !p.Alone {
		t.Error("all are late, and it does not suspect itself")
	}
	if p := w.pass(time.Second / 2); p.Alone {
		t.Error("all are heard again, and it still suspects itself")
	}
}

// Who was lost long before is not served again because others vanish too.
func TestAloneForgetsTheLongLost(t *testing.T) {
	w := newTeller(t, "mx2", "mx3", "mx4", "mx5")
	w.pass(time.Minute)
	w.nodes[0].Member = false
	w.pass(40*time.Second, "mx2")
	for i := range w.nodes {
		w.nodes[i].Member = false
	}
	p := w.pass(10*time.Second, "mx2", "mx3", "mx4", "mx5")
	if got := shares(p); !p.Alone || got != "mx1 0.250, mx2 0.000 lost, mx3 0.250 alone, mx4 0.250 alone, mx5 0.250 alone" {
		t.Error(p.Alone, got)
	}
}

// Nodes that take no work do not shorten the answers' life.
func TestTTLOfTakers(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.nodes[0].Status, w.nodes[0].Steady = Draining, 0
	if p := w.pass(time.Second); p.TTL != w.r.TTLMax {
		t.Errorf("TTL %v beside a draining node, want %v", p.TTL, w.r.TTLMax)
	}
}

// A count that is lost for a beat and comes back is nobody's arrival.
func TestArrivedComesBack(t *testing.T) {
	w := newTeller(t)
	w.own = Measure{Limit: 4000, Connections: 100, Arrived: 90000}
	w.pass(time.Minute)
	w.own.Arrived = 0
	w.pass(time.Second)
	w.own.Arrived = 90000
	if p := w.pass(time.Second); p.Own.Arrivals > 1 {
		t.Errorf("%v arrivals a second", p.Own.Arrivals)
	}
}

// A node in its slow start that fell silent counts for its capacity in the end.
func TestStaleRamp(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.own.Connections, w.nodes[0].Up = 100, time.Second
	w.pass(10 * time.Minute)
	if got := shares(w.pass(time.Minute, "mx2")); got != "mx1 0.333, mx2 0.333 late, mx3 0.333" {
		t.Error(got)
	}
}

// A balancer's step on the ladder never outranks a node in trouble.
func TestLadderComesLast(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.own = Measure{Connections: 100, Limit: 4000, Ladder: 0.40, Gauges: []Gauge{{"cpu", 0.99, 1}}}
	w.want(w.pass(time.Second), Up, true, false)
	w.nodes[0].Wish = Wish{7, 0.90}
	if p := w.pass(time.Second / 2); p.Own.Grant != (Grant{"mx2", 7}) {
		t.Errorf("granted %v, want the node in trouble", p.Own.Grant)
	}
}

// While its grant stands a node wishes nothing: a third could grant that, and
// all three would wait for each other.
func TestNoWishBesideAGrant(t *testing.T) {
	w := newTeller(t, "mx2", "mx3")
	w.pass(time.Minute)
	w.nodes[0].Wish = Wish{7, 0.95}
	w.pass(time.Second)
	w.own = queueOf(990)
	if p := w.pass(5 * time.Second); p.Own.Grant != (Grant{"mx2", 7}) || p.Own.Wish != (Wish{}) {
		t.Errorf("grant %v, wish %v", p.Own.Grant, p.Own.Wish)
	}
	w.nodes[0].Wish = Wish{}
	w.want(w.pass(time.Second), Degraded, true, false)
}
