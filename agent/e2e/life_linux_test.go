package e2e

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"
)

// Three agents start in no order, find each other, and answer by their limits,
// each of them alike.
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
		eventually(t, 10*time.Second-time.Since(died), at.id+" no longer sends clients to "+lost.id, func() (string, bool) {
			s := at.status()
			return s.String(), s.of(lost.id).State == "down" && at.shares(t, 20)[lost.id] == 0
		})
	}

	lost.start(t)
	slow := map[string]bool{}
	eventually(t, soon, lost.id+" comes back through its ramp", func() (seen string, _ bool) {
		for _, at := range others {
			s := at.status()
			n := s.of(lost.id)
			if !slow[at.id] && n.State == "up" && n.Why == "" {
				t.Fatalf("%s came back at once: %v", lost.id, s)
			}
			if n.Share > 0 && n.Why == "ramp" {
				slow[at.id] = true
			}
			seen += s.String() + "\n"
		}
		return seen, len(slow) == len(others)
	})
	f.level(t)
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

// A node is cut off from its peers, not from the clients. It serves on, alone;
// the others go on without it; and when the cut is mended all is as before,
// even after memberlist has given up looking for the dead, which takes it 30 s.
func partitionStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "partition", 200, 200, 400)
	f.startAll(t)
	cut, others := f.nodes[2], f.nodes[:2]

	cut.cut(t)
	eventually(t, soon, cut.id+" suspects itself", func() (string, bool) { s := cut.status(); return s.String(), s.Alone })
	for _, at := range others {
		eventually(t, soon, at.id+" goes on without "+cut.id, func() (string, bool) {
			s := at.status()
			return s.String(), s.of(cut.id).State == "down" && at.shares(t, 20)[cut.id] == 0
		})
	}
	got := cut.shares(t, 200)
	for _, n := range f.nodes {
		if math.Abs(got[n.id]-n.fair()) > 0.05 {
			t.Errorf("alone, %s sends %.3f of the clients to %s, want %.3f ± 0.05", cut.id, got[n.id], n.id, n.fair())
		}
	}
	throughout(t, 33*time.Second, cut.id+" serves on", func() (string, bool) {
		code, state := cut.probe()
		return fmt.Sprint(code, " ", state), code == 200 && len(cut.shares(t, 1)) > 0
	})

	cut.mend(t)
	f.level(t)
}
