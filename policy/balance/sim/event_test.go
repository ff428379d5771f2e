package sim

import (
	"testing"
	"time"
)

// Each Act begins, and ends after For.
func TestActs(t *testing.T) {
	for _, c := range []struct {
		do            Act
		before, after func(w *world) bool // between its begin and its end, and then
	}{
		{Crash,
			func(w *world) bool { return w.nodes[1].gone && !w.nodes[1].mute && !w.agents[1].alive },
			func(w *world) bool {
				return !w.nodes[1].gone && w.agents[1].alive && w.nodes[1].born == at(3*time.Minute)
			}},
		{Unplug,
			func(w *world) bool { return w.nodes[1].gone && w.nodes[1].mute && !w.agents[1].alive },
			func(w *world) bool { return !w.nodes[1].gone && !w.nodes[1].mute && w.agents[1].alive }},
		{Recycle,
			func(w *world) bool {
				return w.nodes[1].gone && !w.nodes[1].mute && w.agents[1].alive && !w.agents[1].plan.Serve
			},
			func(w *world) bool {
				return !w.nodes[1].gone && w.agents[1].alive && w.nodes[1].born == at(3*time.Minute)
			}},
		{StallNow,
			func(w *world) bool { return w.nodes[1].speed(w.now) == 0 },
			func(w *world) bool { return w.nodes[1].speed(w.now) == w.nodes[1].Service }},
		{Drain,
			func(w *world) bool {
				return w.nodes[1].drain && w.agents[0].plan.Nodes[1].Share == 0 && w.nodes[1].sessions == 5
			},
			func(w *world) bool { return !w.nodes[1].drain && w.nodes[1].open == at(3*time.Minute) }},
		{Partition,
			func(w *world) bool { return w.agents[1].side != w.agents[0].side },
			func(w *world) bool { return w.agents[1].side == w.agents[0].side }},
		{Deaf,
			func(w *world) bool { return w.deaf },
			func(w *world) bool { return !w.deaf }},
	} {
		for _, lasts := range []time.Duration{2 * time.Minute, 0} { // 0 is for ever
			s := bare(100, 100, 100)
			s.Events = []Event{{At: time.Minute, Do: c.do, Nodes: []string{"ex2"}, For: lasts}}
			w := furnished(t, s, "evenkeel")
			w.nodes[1].sessions = 5
			w.until(time.Minute)
			if c.before(w) {
				t.Errorf("%s: it has begun too early", c.do)
			}
			w.until(time.Minute + 5*time.Second)
			if !c.before(w) {
				t.Errorf("%s: it has not begun", c.do)
			}
			if w.nodes[0].gone || w.nodes[0].drain || w.nodes[0].speed(w.now) != w.nodes[0].Service || !w.agents[0].alive {
				t.Errorf("%s: another node is hit", c.do)
			}
			w.until(3*time.Minute - tick)
			if !c.before(w) {
				t.Errorf("%s: it ended too early", c.do)
			}
			w.until(3*time.Minute + tick)
			if got := c.after(w); got != (lasts > 0) {
				t.Errorf("%s for %v: over %v", c.do, lasts, got)
			}
		}
	}
}

// What drops sessions drops them all, with what waits.
func TestActsCut(t *testing.T) {
	for do, want := range map[Act]int{Crash: 0, Unplug: 0, Recycle: 0, StallNow: 30, Drain: 30, Partition: 30, Deaf: 30} {
		s := bare(100, 100)
		s.Clients.N = 40
		s.Events = []Event{{At: time.Minute, Do: do, Nodes: []string{"ex1"}, For: time.Minute}}
		w := furnished(t, s, "evenkeel")
		for i := range w.clients[:30] {
			w.hold(int32(i), &w.clients[i], 0)
			w.nodes[0].sessions++
		}
		w.until(time.Minute)
		kept, cut := w.nodes[0].sessions, w.nodes[0].cut
		w.now = at(time.Minute)
		w.happen()
		if n := w.nodes[0]; kept < 25 || cut != 0 || n.sessions != min(want, kept) || n.cut != kept-n.sessions || want == 0 && n.queue != 0 {
			t.Errorf("%s: %d of %d sessions left, %d cut, queue %v", do, n.sessions, kept, n.cut, n.queue)
		}
	}
}

// An event without names is for all.
func TestEventForAll(t *testing.T) {
	s := bare(100, 100, 100)
	s.Events = []Event{{At: time.Second, Do: Drain}}
	w := furnished(t, s, "evenkeel")
	w.until(2 * time.Second)
	for _, n := range w.nodes {
		if !n.drain {
			t.Errorf("%s is not drained", n.Name)
		}
	}
}

// The farm should settle from the last end on.
func TestSteady(t *testing.T) {
	s := bare(100)
	if d := s.steady(); d != 0 {
		t.Errorf("nothing happens: %v", d)
	}
	s.Events = []Event{{At: 10 * time.Minute, For: 20 * time.Minute}, {At: 25 * time.Minute}}
	if d := s.steady(); d != 30*time.Minute {
		t.Errorf("%v", d)
	}
}
