package sim

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A timetable holds what a plain map would.
func TestTimetable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const clients, end = 8, instant(6)
		tt, model := newTimetable(end, make([]client, clients)), map[int32]instant{}
		for i := range tt.clients {
			tt.clients[i].due = end
		}
		for range rapid.IntRange(0, 60).Draw(t, "acts") {
			c := int32(rapid.IntRange(0, clients-1).Draw(t, "client"))
			if _, due := model[c]; due {
				tt.take(c)
				tt.clients[c].due = end
				delete(model, c)
				continue
			}
			i := instant(rapid.IntRange(0, int(end)+2).Draw(t, "instant")) // past the end is never
			tt.put(c, i)
			model[c] = i
		}
		for i := range end {
			for c := tt.first[i]; c >= 0; c = tt.clients[c].next {
				if due, ok := model[c]; !ok || due != i {
					t.Fatalf("client %d at %d, want %d", c, i, due)
				}
				delete(model, c)
			}
		}
		for c, i := range model {
			if i < end {
				t.Fatalf("client %d was lost at %d", c, i)
			}
		}
	})
}

// story plays a client of its own through a farm, and tells when it got a
// session, and where.
func story(t *testing.T, s Scenario, name string, d time.Duration) (opened []time.Duration, at []int16) {
	w := furnished(t, s, name)
	before := uint16(0)
	for ; w.now < instant(d/tick); w.now++ {
		w.step()
		if c := w.clients[0]; c.session > before {
			before = c.session
			opened, at = append(opened, w.now.since()), append(at, c.node)
		}
	}
	return opened, at
}

// early is a bare farm whose one client comes at once.
func early(limits ...int) Scenario {
	s := bare(limits...)
	s.Clients.Come = 10 * time.Second
	return s
}

// A node that refuses costs nothing where the answer has another; one that says
// nothing costs 21 s. An answer of one address that refuses costs the time until
// the client tries again.
func TestDeadAddress(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		do         Act
		fixed      bool // order of the answer
		least      time.Duration
		most       time.Duration
	}{
		{"refuses, another in the answer", "round-robin", Crash, false, 10 * time.Second, 10 * time.Second},
		{"says nothing, another in the answer", "round-robin", Unplug, false, 10 * time.Second, 31 * time.Second},
		{"says nothing, and stays the first", "round-robin", Unplug, true, 10 * time.Second, 31 * time.Second},
		{"refuses, alone in the answer", "weighted-single", Crash, false, 10 * time.Second, 310 * time.Second},
	} {
		dead := 0
		for seed := range uint64(16) {
			s := early(1000, 1000)
			s.Resolvers[0].Fixed = c.fixed
			s.Events = []Event{{At: 5 * time.Second, Do: c.do, Nodes: []string{"ex1"}}}
			w := newWorld(s, rule(t, c.rule), seed)
			for ; w.now < at(400*time.Second) && w.clients[0].session == 0; w.now++ {
				w.step()
			}
			got := (w.now - 1).since()
			if got < c.least || got > c.most || w.clients[0].node != 1 {
				t.Errorf("%s: a session after %v at %d", c.name, got, w.clients[0].node)
			}
			if got > 10*time.Second {
				dead++
				if c.do == Unplug && got != 31*time.Second {
					t.Errorf("%s: after %v, want 21 s later", c.name, got)
				}
			}
		}
		if c.least != c.most && (dead < 4 || dead > 12) {
			t.Errorf("%s: %d of 16 met the dead one first", c.name, dead)
		}
	}
}

// A cut brings a client back within five seconds; if the node says nothing, it
// must first want something, and wait until TCP gives up.
func TestCut(t *testing.T) {
	for do, within := range map[Act][2]time.Duration{Crash: {0, 5 * time.Second}, Unplug: {21 * time.Second, 21*time.Second + 10*10*time.Second}} {
		s := early(1000, 1000)
		s.Events = []Event{{At: time.Minute, Do: do}}
		for seed := range uint64(16) {
			w := newWorld(s, rule(t, "evenkeel"), seed)
			w.until(time.Minute + tick)
			if w.clients[0].phase != wanting || w.nodes[0].sessions+w.nodes[1].sessions != 0 || w.wanting != 1 {
				t.Fatalf("%s: the client is %v", do, w.clients[0].phase)
			}
			if back := (w.clients[0].due - at(time.Minute)).since(); back <= within[0] || back > within[1]+tick {
				t.Errorf("%s: it comes back after %v", do, back)
			}
		}
	}
}

// Who goes home in the middle of a session ends it, and does not come again;
// who waits for one then wants none any more.
func TestGoHome(t *testing.T) {
	for limit, sessions := range map[int]uint16{1000: 1, 1: 0} { // a queue of one place refuses three legs
		s := early(1000)
		s.Nodes[0].Queue = limit
		s.Clients.Go = 5 * time.Minute
		w := furnished(t, s, "evenkeel")
		w.until(4 * time.Minute)
		if w.clients[0].session != sessions {
			t.Fatalf("%d sessions before", w.clients[0].session)
		}
		w.until(8 * time.Minute)
		if c := w.clients[0]; c.phase != away || w.wanting != 0 || w.nodes[0].sessions != 0 || c.due < w.end {
			t.Errorf("at home: %+v", c)
		}
	}
}

// A pinned client holds its address for that time, whatever the answers say.
func TestPinned(t *testing.T) {
	s := early(1000, 1000)
	s.Clients.Pin, s.Clients.PinFor = 1, 10*time.Minute
	s.Clients.Session, s.Clients.Pause = 20*time.Second, time.Second
	opened, at := story(t, s, "round-robin", 50*time.Minute)
	changes := 0
	for i := 1; i < len(at); i++ {
		if at[i] != at[i-1] {
			changes++
			if opened[i]-opened[0] < 10*time.Minute {
				t.Errorf("it moved after %v", opened[i]-opened[0])
			}
		}
	}
	if len(at) < 60 || changes == 0 || changes > 5 {
		t.Errorf("%d sessions, %d changes", len(at), changes)
	}
	s.Clients.Pin = 0
	_, at = story(t, s, "round-robin", 10*time.Minute)
	changes = 0
	for i := 1; i < len(at); i++ {
		if at[i] != at[i-1] {
			changes++
		}
	}
	if changes < len(at)/2 {
		t.Errorf("not pinned: %d sessions, %d changes", len(at), changes)
	}
}

// What it holds is forgotten once it does not work.
func TestPinnedToTheDead(t *testing.T) {
	for _, do := range []Act{Crash, Unplug} {
		s := early(1000, 1000)
		s.Clients.Pin, s.Clients.PinFor = 1, 30*time.Minute
		w := furnished(t, s, "evenkeel")
		w.until(time.Minute)
		dead := w.clients[0].node
		w.crash(int(dead), do == Unplug)
		w.until(5 * time.Minute)
		if c := w.clients[0]; c.phase != holding || c.node == dead || do == Unplug && w.unserved > 0 {
			t.Errorf("%s: four minutes later it is %v at %d, after %d that did not work", do, c.phase, c.node, w.unserved)
		}
	}
}
