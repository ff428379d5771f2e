package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// shown is a world whose sessions a test sets by hand, second by second.
func shown(t testing.TB, s Scenario) *world {
	w := furnished(t, s, "evenkeel")
	for i := range w.nodes {
		w.nodes[i].born, w.nodes[i].open = -at(time.Hour), -at(time.Hour)
	}
	return w
}

// second lets the meter look once, at nodes that hold so many sessions.
func (w *world) second(sessions ...int) {
	for i, n := range sessions {
		w.nodes[i].sessions = n
	}
	w.meter.look(w)
	w.now += second
}

// The imbalance is max - min connections/limit, over nodes that are there, take
// new work, and are past their ramp.
func TestImbalance(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*server)
		want  float64
	}{
		{"all count", func(*server) {}, 0.8},
		{"gone", func(n *server) { n.gone = true }, 0.4},
		{"drained", func(n *server) { n.drain = true }, 0.4},
		{"within its ramp", func(n *server) { n.open = 1 - at(law.Ramp) }, 0.4},
		{"just past its ramp", func(n *server) { n.open = -at(law.Ramp) }, 0.8},
	} {
		w := shown(t, bare(100, 100, 200))
		c.spoil(&w.nodes[0])
		w.second(45, 25, 10)
		if r := w.meter.result(w); !agrees(r.ImbalanceMax, c.want) {
			t.Errorf("%s: %v, want %v", c.name, r.ImbalanceMax, c.want)
		}
	}
}

// Once a node's drain is taken back it is as one that has just started.
func TestRampAfterDrain(t *testing.T) {
	w := shown(t, bare(100, 100, 100))
	w.now = at(20 * time.Minute)
	w.resume(0, Event{})
	if w.second(0, 20, 30); !agrees(w.meter.result(w).ImbalanceMax, 0.2) {
		t.Errorf("at once: %v", w.meter.result(w).ImbalanceMax)
	}
	w.now += at(law.Ramp)
	if w.second(0, 20, 30); !agrees(w.meter.result(w).ImbalanceMax, 0.6) {
		t.Errorf("after its ramp: %v", w.meter.result(w).ImbalanceMax)
	}
}

// The ideal spreads all who hold a session or want one over all nodes that are
// there; the peak is that of the fullest.
func TestPeakAndIdeal(t *testing.T) {
	w := shown(t, bare(100, 100, 200))
	w.second(30, 10, 10)
	w.wanting = 10
	w.second(20, 20, 20)
	if r := w.meter.result(w); !agrees(r.Peak, 0.6) || !agrees(r.Ideal, 0.35) || !agrees(r.PeakOverIdeal(), 0.6/0.35) {
		t.Errorf("peak %v, ideal %v", r.Peak, r.Ideal)
	}
	w.wanting, w.nodes[2].gone = 0, true
	w.second(30, 50, 0)
	if r := w.meter.result(w); !agrees(r.Peak, 1) || !agrees(r.Ideal, 0.8) {
		t.Errorf("without the third: peak %v, ideal %v", r.Peak, r.Ideal)
	}
	if r := (Result{}); r.PeakOverIdeal() != 1 {
		t.Errorf("nobody came: %v", r.PeakOverIdeal())
	}
}

// Where everybody has a session, no farm does better than the ideal.
func TestIdealIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Scenario
		w := &world{}
		for range rapid.IntRange(1, 6).Draw(t, "nodes") {
			n := server{Node: Node{Limit: rapid.IntRange(1, 1000).Draw(t, "limit"), Queue: 1}, sessions: rapid.IntRange(0, 1000).Draw(t, "sessions")}
			s.Nodes = append(s.Nodes, n.Node)
			w.nodes = append(w.nodes, n)
		}
		if w.sc, w.end = s, second; rapid.Bool().Draw(t, "one is gone") && len(w.nodes) > 1 {
			w.nodes[0].gone, w.nodes[0].sessions = true, 0
		}
		w.meter = newMeter(w)
		w.meter.look(w)
		if r := w.meter.result(w); r.Peak < r.Ideal-1e-9 || r.P99OverIdeal < 1-1e-9 {
			t.Fatalf("peak %v, ideal %v", r.Peak, r.Ideal)
		}
	})
}

// Outage is counted in client minutes: without the session that was wanted, or
// with one at a node whose queue is full. Nothing counts before From.
func TestOutage(t *testing.T) {
	s := bare(100, 100)
	s.From = time.Minute
	w := shown(t, s)
	w.wanting, w.unserved = 60, 7
	w.nodes[0].refused = 5
	for w.now < at(time.Minute) {
		w.second(50, 0)
	}
	if r := w.meter.result(w); r.Outage != 0 || r.Refused != 0 || r.Peak != 0 {
		t.Errorf("before: %v client minutes, %v refused, peak %v", r.Outage, r.Refused, r.Peak)
	}
	for range 30 {
		w.second(30, 10)
	}
	w.wanting, w.nodes[0].queue = 0, 1000
	for range 10 {
		w.second(30, 10)
	}
	w.nodes[0].refused, w.unserved = 15, 8
	if r := w.meter.result(w); !agrees(r.Outage, 30+5) || !agrees(r.Refused, 11) {
		t.Errorf("%v client minutes, %v refused", r.Outage, r.Refused)
	}
}

// Level is the time from the last event until the imbalance stays within 0.05.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart []int // sessions of 100 connections' limit, minute by minute, beside 20
		want  time.Duration
	}{
		{"it was level all the time", []int{20, 20, 20, 20, 20, 20}, 0},
		{"two minutes after the event", []int{20, 20, 40, 30, 21, 22}, 2 * time.Minute},
		{"and never again", []int{20, 20, 40, 40, 40, 40}, -time.Second},
		{"not the first time", []int{20, 20, 40, 20, 30, 22}, 3 * time.Minute},
		{"0.06 is not level", []int{20, 20, 23, 23, 23, 23}, -time.Second},
	} {
		s := bare(100, 100)
		s.Events = []Event{{At: time.Minute, Do: StallNow, For: time.Minute}}
		w := shown(t, s)
		for _, n := range c.apart {
			for range 60 {
				w.second(n, 20)
			}
		}
		if got := w.meter.result(w).Level; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The series loses nothing: whatever its points span, all that was refused is in
// it, and it is no longer than it may be.
func TestSeries(t *testing.T) {
	for _, lasts := range []time.Duration{90 * time.Second, 10 * time.Minute, 25 * time.Minute, 601 * time.Second} {
		s := bare(100, 100)
		s.For = lasts
		w := shown(t, s)
		for w.now < w.end {
			w.nodes[0].refused += 3
			w.nodes[1].queue = float64(w.now / second % 7 * 100)
			w.second(30, 20)
		}
		r := w.meter.result(w)
		every, sum, left := int(r.Series.Every/time.Second), 0.0, int(lasts/time.Second)
		for i, x := range r.Series.Refused {
			span := min(every, left)
			left -= span
			sum += x * float64(span)
			if !agrees(r.Series.Fill[0][i], 0.6) || !agrees(r.Series.Ideal[i], 0.5) {
				t.Fatalf("%v: point %d is %v of an ideal %v", lasts, i, r.Series.Fill[0][i], r.Series.Ideal[i])
			}
		}
		if n := len(r.Series.Refused); n > points || n < points/2 && every > 1 || left != 0 || math.Abs(sum-r.Refused) > 1e-6 {
			t.Errorf("%v: %d points show %v of %v refused, %d s are missing", lasts, n, sum, r.Refused, left)
		}
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, c := range []struct {
		xs      []float64
		p, want float64
	}{{nil, 0.5, 0}, {[]float64{7}, 0.01, 7}, {[]float64{3, 1}, 0.5, 1}, {[]float64{3, 1, 2}, 0.5, 2}, {hundred, 0.99, 99}, {hundred, 1, 100}, {hundred, 0.5, 50}} {
		if got := percentile(c.xs, c.p); got != c.want {
			t.Errorf("%v of %d numbers is %v, want %v", c.p, len(c.xs), got, c.want)
		}
	}
}
