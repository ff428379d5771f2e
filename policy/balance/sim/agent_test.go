package sim

import (
	"math"
	"testing"
	"time"

	"evenkeel/policy/balance"
)

// A word is under way for a time without memory, and some are lost: counted over
// many words.
func TestWordsTravel(t *testing.T) {
	s := bare(100, 100)
	s.Gossip = Gossip{Delay: 2 * time.Second, Loss: 0.3}
	w := furnished(t, s, "evenkeel")
	const n = 20_000
	for after, want := range map[time.Duration]float64{0: 0, 2 * time.Second: 1 - 1/math.E, 4 * time.Second: 1 - math.Exp(-2), 20 * time.Second: 1} {
		w.now = at(time.Minute + after)
		got := 0.0
		for beat := range uint64(n) {
			if w.arrived(word{at(time.Minute), balance.Fact{Beat: beat}}, 0, 1) {
				got++
			}
		}
		if want *= 0.7; math.Abs(got/n-want) > 0.02 { // a tick is a twentieth of the mean
			t.Errorf("after %v %.3f have arrived, want %.3f", after, got/n, want)
		}
	}
}

// heard is what node i knows of node j: j's Fact, and when it was told.
func (w *world) heard(i, j int) balance.Node {
	if j > i {
		j--
	}
	return w.agents[i].nodes[j]
}

// The latest word that arrived counts, whichever way it came, and its age is
// that since it was told, not since it was heard.
func TestLatestWordCounts(t *testing.T) {
	s := bare(1000, 1000, 1000)
	s.Gossip = Gossip{Delay: 3 * time.Second, Loss: 0.2}
	w := furnished(t, s, "evenkeel")
	last, late := uint64(0), 0
	for ; w.now < at(5*time.Minute); w.now++ {
		w.nodes[1].sessions = int(w.now) / 10 // something to tell
		w.step()
		n := w.heard(0, 1)
		if n.Beat < last {
			t.Fatalf("%v: beat %d after %d", w.now.since(), n.Beat, last)
		}
		last = n.Beat
		for _, said := range w.agents[1].told {
			if said.fact.Beat == n.Beat && !w.clock(said.at).Equal(n.Born) {
				t.Fatalf("%v: told at %v, said to be of %v", w.now.since(), said.at.since(), n.Born)
			}
		}
		if w.clock(w.now).Sub(n.Born) > 3*time.Second {
			late++
		}
	}
	if last == 0 || late == 0 {
		t.Errorf("beat %d, %d ticks late", last, late)
	}
}

// A node tells its Fact every heartbeat, and sooner when it has news: another
// status, or a twentieth of its limit.
func TestTell(t *testing.T) {
	w := furnished(t, bare(1000, 1000), "evenkeel")
	w.until(10 * time.Second)
	before := w.agents[0].beat
	w.until(20 * time.Second)
	n := 0
	for _, said := range w.agents[0].told {
		if said.fact.Beat > before {
			n++
		}
	}
	if n != 10 {
		t.Errorf("at rest %d words in ten seconds", n)
	}
	for i, c := range []struct {
		name string
		do   func(*server)
		told bool
	}{
		{"48 connections of 1,000", func(n *server) { n.sessions += 24 }, false},
		{"50 connections of 1,000", func(n *server) { n.sessions += 25 }, true},
		{"50 fewer", func(n *server) { n.sessions -= 25 }, true},
		{"another status", func(n *server) { n.drain = true }, true},
	} {
		last := func() instant { return w.agents[0].told[len(w.agents[0].told)-1].at }
		for w.until(time.Duration(30+10*i) * time.Second); w.now != last()+at(period); { // between two heartbeats
			w.until((w.now + 1).since())
		}
		c.do(&w.nodes[0])
		w.until((w.now + 1).since())
		if told := last() == w.now-1; told != c.told {
			t.Errorf("%s: told at once: %v", c.name, told)
		}
	}
}

// noticed plays until node 0's cluster says that node j is there or not, and how
// long that took from an event on.
func (w *world) noticed(j int, member bool, event time.Duration) time.Duration {
	w.until(event + tick)
	for w.heard(0, j).Member != member && w.now < w.end {
		w.until((w.now + 1).since())
	}
	return (w.now - 1).since() - event
}

// The cluster notices a death within two and a half to five seconds, and a
// restart at once.
func TestDeathIsNoticed(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		s := bare(100, 100, 100)
		s.Events = []Event{{At: time.Minute, Do: Crash, Nodes: []string{"ex2"}, For: time.Minute}}
		w := newWorld(s, rule(t, "evenkeel"), seed)
		w.until(time.Minute)
		if !w.heard(0, 1).Member {
			t.Fatal("alive, and no member")
		}
		if d := w.noticed(1, false, time.Minute); d < 2500*time.Millisecond || d > 5*time.Second+period {
			t.Errorf("noticed after %v", d)
		}
		if d := w.noticed(1, true, 2*time.Minute); d > period {
			t.Errorf("the restart is noticed after %v", d)
		}
		if !w.heard(0, 2).Member {
			t.Error("the other is gone too")
		}
	}
}

// Across a partition, and while all are deaf, no word arrives, and the cluster
// finds the others gone; on the same side all goes on. Afterwards it is over.
func TestPartition(t *testing.T) {
	for _, c := range []struct {
		do    Act
		same  bool // node 0 hears node 1
		nodes []string
	}{{Partition, true, []string{"ex1", "ex2"}}, {Deaf, false, nil}} {
		s := bare(100, 100, 100, 100)
		s.Events = []Event{{At: time.Minute, Do: c.do, Nodes: c.nodes, For: time.Minute}}
		w := furnished(t, s, "evenkeel")
		w.until(time.Minute)
		before := [4]uint64{1: w.heard(0, 1).Beat, 3: w.heard(0, 3).Beat}
		if d := w.noticed(3, false, time.Minute); d < 2500*time.Millisecond || d > 5*time.Second+period {
			t.Errorf("%s: noticed after %v", c.do, d)
		}
		w.until(2 * time.Minute)
		if w.heard(0, 3).Beat != before[3] {
			t.Errorf("%s: a word came across", c.do)
		}
		if got := w.heard(0, 1).Beat > before[1] && w.heard(0, 1).Member; got != c.same {
			t.Errorf("%s: node 0 hears its neighbour: %v", c.do, got)
		}
		w.until(2*time.Minute + 2*time.Second)
		for j := 1; j < 4; j++ {
			if n := w.heard(0, j); !n.Member || w.clock(w.now).Sub(n.Born) > 2*time.Second {
				t.Errorf("%s: afterwards %s is a member: %v, heard of %v", c.do, n.Name, n.Member, n.Born)
			}
		}
	}
}

// Who starts again knows nobody until he hears, and his word outranks his
// former one.
func TestRestart(t *testing.T) {
	s := bare(100, 100)
	s.Gossip.Delay = time.Second
	s.Events = []Event{{At: time.Minute, Do: Crash, Nodes: []string{"ex1"}, For: time.Second}}
	w := furnished(t, s, "evenkeel")
	w.until(time.Minute)
	before := w.agents[0].beat
	w.until(61 * time.Second)
	w.happen()
	if n := w.heard(0, 1); n.Name != "ex2" || n.Beat != 0 || !n.Born.IsZero() {
		t.Errorf("just started, and it knows %+v", n)
	}
	if w.agents[0].beat <= before {
		t.Errorf("beat %d after %d", w.agents[0].beat, before)
	}
	w.until(2 * time.Minute)
	if w.heard(0, 1).Beat == 0 || w.heard(1, 0).Beat <= before {
		t.Error("they do not hear each other")
	}
}

// In a large farm who is well within his marks decides once a heartbeat, and
// never so seldom that the law takes it for a sleep; who is not, each half
// second.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		n      int
		status balance.Status
		queue  float64
		want   time.Duration
	}{
		{16, balance.Up, 0, period},
		{50, balance.Up, 0, 2 * time.Second},
		{50, balance.Up, 201, period},
		{50, balance.Degraded, 0, period},
		{1000, balance.Up, 200, longest},
	} {
		w := &world{agents: make([]agent, c.n)}
		a := &agent{queue: c.queue}
		a.plan.Own = balance.Fact{Status: c.status, Queue: int(c.queue), QueueLimit: 1000}
		if got := w.pace(a).since(); got != c.want {
			t.Errorf("%d nodes, %s, queue %v: %v, want %v", c.n, c.status, c.queue, got, c.want)
		}
	}
}

// What an agent sees of its node is what the node is.
func TestMeasure(t *testing.T) {
	n := server{Node: Node{Limit: 100, Queue: 50}, sessions: 7, arrived: 40, refused: 3.9, queue: 20.5}
	a := agent{looks: at(time.Minute), queue: 10.5}
	m := n.measure(&a, at(time.Minute)+at(period))
	if m.Connections != 14 || m.Arrived != 40 || m.Limit != 100 || m.Refused != 3 || m.Broken != "" || m.Draining {
		t.Errorf("%+v", m)
	}
	if q := m.Queues[0]; q.Depth != 20 || q.Limit != 50 || q.Slope != 20 {
		t.Errorf("%+v", q)
	}
	n.gone, n.drain = true, true
	if m := n.measure(&a, at(time.Minute)); m.Broken == "" || !m.Draining || m.Queues[0].Slope != 0 {
		t.Errorf("%+v", m)
	}
}
