package e2e

import (
	"math"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Three agents start in no order, find each other, and answer by their limits,
// each of them alike. Prometheus has nothing to complain about in what they tell
// it.
func startStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "start", 200, 200, 400)
	f.startAll(t)
	for _, at := range f.nodes {
		got := at.shares(t, 200)
		for _, n := range f.nodes {
			if math.Abs(got[n.id]-n.fair()) > 0.05 {
				t.Errorf("%s sends %.3f of the clients to %s, want %.3f ± 0.05", at.id, got[n.id], n.id, n.fair())
			}
		}
		if code, state := at.probe(); code != 200 || state != "up" {
			t.Errorf("the probe of %s says %d %s, want 200 up", at.id, code, state)
		}
		if err := try(at.metrics(t), "promtool", "check", "metrics"); err != nil {
			t.Errorf("the metrics of %s: %v", at.id, err)
		}
	}
}

// A killed agent leaves the answers within 10 s. Its node comes back by
// rejoining, and through its ramp.
func crashStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "crash", 200, 200, 400)
	f.startAll(t)
	lost, others := f.nodes[1], []*node{f.nodes[0], f.nodes[2]}

	lost.agent.kill()
	died := time.Now()
	for _, at := range others {
		at.drops(t, lost, 10*time.Second-time.Since(died))
	}

	lost.start(t)
	lost.returns(t, others)
	f.level(t)
}

// An agent stands still for 20 s, as when its machine is moved, and goes on. It
// is out of the others' answers meanwhile.
func freezeStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "freeze", 200, 200, 400)
	f.startAll(t)
	f.watch(t)
	frozen, others := f.nodes[2], f.nodes[:2]

	frozen.agent.cmd.Process.Signal(syscall.SIGSTOP)
	began := time.Now()
	for _, at := range others {
		at.drops(t, frozen, 10*time.Second-time.Since(began))
	}
	throughout(t, 20*time.Second-time.Since(began), "the others leave it out", func() (string, bool) {
		s := others[0].status()
		return s.String(), s.of(frozen.id).State == "down" && others[0].shares(t, 5)[frozen.id] == 0
	})
	frozen.agent.cmd.Process.Signal(syscall.SIGCONT)
	frozen.returns(t, others)
	f.level(t)
}

// returns waits until all of others have seen that n comes back, through its ramp.
func (n *node) returns(t *testing.T, others []*node) {
	t.Helper()
	ramps := map[string]bool{}
	eventually(t, soon, n.id+" comes back through its ramp", func() (seen string, _ bool) {
		for _, at := range others {
			s := at.status()
			o := s.of(n.id)
			if !ramps[at.id] && o.State == "up" && o.Why == "" {
				t.Fatalf("%s came back at once: %v", n.id, s)
			}
			if o.Share > 0 && o.Why == "ramp" {
				ramps[at.id] = true
			}
			seen += s.String() + "\n"
		}
		return seen, len(ramps) == len(others)
	})
}

// drops waits until n is in none of at's answers.
func (at *node) drops(t *testing.T, n *node, within time.Duration) {
	t.Helper()
	eventually(t, within, at.id+" no longer sends clients to "+n.id, func() (string, bool) {
		s := at.status()
		return s.String(), s.of(n.id).State == "down" && at.shares(t, 20)[n.id] == 0
	})
}

// All agents leave and start again at the same time, as in a hasty update.
func restartStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "restart", 200, 200, 400)
	f.startAll(t)
	var leaving sync.WaitGroup
	for _, n := range f.nodes {
		leaving.Go(func() { n.terminate(t) })
	}
	leaving.Wait()
	if t.Failed() {
		return
	}
	f.startAll(t)
}

// A node is cut off from its peers, not from the clients. It suspects itself and
// keeps them for a minute, then serves on by itself; the others go on without it;
// and when the cut is mended all is as before, even though memberlist has given
// up looking for the dead, which takes it 30 s.
func partitionStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "partition", 200, 200, 400)
	for _, n := range f.nodes {
		n.set.Ramp = time.Second // nobody starts anew here
	}
	f.startAll(t)
	cut, others := f.nodes[2], f.nodes[:2]

	cut.cut(t)
	eventually(t, soon, cut.id+" suspects itself", func() (string, bool) { s := cut.status(); return s.String(), s.Alone })
	alone := time.Now()
	for _, at := range others {
		at.drops(t, cut, soon)
	}
	got := cut.shares(t, 200)
	for _, n := range f.nodes {
		if math.Abs(got[n.id]-n.fair()) > 0.05 {
			t.Errorf("alone, %s sends %.3f of the clients to %s, want %.3f ± 0.05", cut.id, got[n.id], n.id, n.fair())
		}
	}
	eventually(t, 65*time.Second, cut.id+" believes that the others are gone", func() (string, bool) {
		s := cut.status()
		if code, state := cut.probe(); code != 200 || s.of(cut.id).Share == 0 {
			t.Fatalf("the probe of %s says %d %s: %v", cut.id, code, state, s)
		}
		return s.String(), !s.Alone
	})
	if kept := time.Since(alone); kept < 55*time.Second {
		t.Errorf("%s kept the others for %v, want about a minute", cut.id, kept)
	}
	eventually(t, soon, cut.id+" sends all to itself", func() (string, bool) {
		return cut.status().String(), cut.shares(t, 20)[cut.id] > 0.999
	})

	cut.mend(t)
	f.level(t)
}
