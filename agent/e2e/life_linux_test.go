package e2e

import (
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
		at.answersFairly(t)
		at.says(t, 200, "up")
		if err := try(at.metrics(t), "promtool", "check", "metrics"); err != nil {
			t.Errorf("the metrics of %s: %v", at.id, err)
		}
	}
}

// A killed agent leaves the answers within 10 s. Its node comes back by
// rejoining, and through its ramp. Who finds out needs a processor for that: a
// crash during which programs had to wait for one is not judged, but repeated.
func crashStory(t *testing.T, bin string) {
	const within = 10 * time.Second
	f := newFarm(t, bin, "crash", 200, 200, 400)
	f.startAll(t)
	for range 3 {
		var took time.Duration
		late := latest(func() { took = f.crash(t, f.nodes[1]) })
		t.Logf("out of the answers after %v, on a machine that is late by %v at most", took, late)
		if took <= within {
			return
		}
		if late <= tolerable {
			t.Fatalf("out of the answers after %v, want %v at most", took, within)
		}
	}
	t.Logf("whether it takes %v at most cannot be said of a machine that is so busy", within)
}

// tolerable is how late programs may be where times and courses are judged: an
// agent waits so long for another's answer before it begins to doubt it.
const tolerable = 250 * time.Millisecond

// latest is how long a program waited for a processor at most, while do ran.
func latest(do func()) (most time.Duration) {
	const every = 10 * time.Millisecond
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-done:
				return
			case <-time.After(every):
				most = max(most, time.Since(last)-every)
			}
		}
	})
	func() {
		defer wg.Wait()
		defer close(done) // even if do ends the test
		do()
	}()
	return most
}

// crash kills the agent of lost, and starts it again when it is out of all
// answers, which took so long.
func (f *farm) crash(t *testing.T, lost *node) (took time.Duration) {
	t.Helper()
	var others []*node
	for _, n := range f.nodes {
		if n != lost {
			others = append(others, n)
		}
	}
	lost.agent.kill()
	died := time.Now()
	f.drop(t, lost, others)
	took = time.Since(died)
	lost.start(t)
	lost.returns(t, others)
	f.level(t)
	return took
}

// An agent stands still for 20 s or longer, as when its machine is moved, and
// goes on. It is out of the others' answers meanwhile.
func freezeStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "freeze", 200, 200, 400)
	f.startAll(t)
	f.watch(t)
	frozen, others := f.nodes[2], f.nodes[:2]

	frozen.agent.cmd.Process.Signal(syscall.SIGSTOP)
	began := time.Now()
	f.drop(t, frozen, others)
	throughout(t, max(5*time.Second, 20*time.Second-time.Since(began)), "the others leave it out", func() (string, bool) {
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

// drop waits until n is in no answer of others.
func (f *farm) drop(t *testing.T, n *node, others []*node) {
	t.Helper()
	eventually(t, soon, "the others no longer send clients to "+n.id, func() (seen string, _ bool) {
		for _, at := range others {
			s := at.status()
			if seen = at.id + ": " + s.String(); s.of(n.id).State != "down" || at.shares(t, 20)[n.id] > 0 {
				return seen, false
			}
		}
		return "", true
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

	began := time.Now() // before it can know
	cut.cut(t)
	eventually(t, soon, cut.id+" suspects itself", func() (string, bool) { s := cut.status(); return s.String(), s.Alone })
	f.drop(t, cut, others)
	cut.answersFairly(t)
	eventually(t, 90*time.Second, cut.id+" believes that the others are gone", func() (string, bool) {
		s := cut.status()
		if code, state := cut.probe(); code != 200 && code != 0 || len(s.Nodes) > 0 && s.of(cut.id).Share == 0 {
			t.Fatalf("the probe of %s says %d %s: %v", cut.id, code, state, s)
		}
		return s.String(), len(s.Nodes) > 0 && !s.Alone
	})
	if kept := time.Since(began); kept < time.Minute {
		t.Errorf("%s believes so %v after it was cut off, want a minute after it knew, at least", cut.id, kept)
	}
	eventually(t, soon, cut.id+" sends all to itself", func() (string, bool) {
		return cut.status().String(), cut.shares(t, 20)[cut.id] > 0.999
	})

	cut.mend(t)
	f.level(t)
}
