package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Two nodes are loaded in turns, at once, and at once when one has just been cut
// off, with a third of all packets between the agents lost. One probe may fail,
// never both.
func guardStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "guard", 200, 200, 400)
	for _, n := range f.nodes {
		n.lose(t, 30)
	}
	f.startAll(t)
	a, b := f.nodes[0], f.nodes[1]
	f.watch(t)

	first, second := newCrowd(t), newCrowd(t)
	overload(t, first, a)
	a.says(t, 503, "failing") // the others have room
	overload(t, second, b)
	a.says(t, 200, "degraded") // now they have not
	a.relieve(first)
	b.says(t, 503, "failing")
	b.relieve(second)
	for _, apart := range []bool{false, true} {
		f.calm(t)
		if apart {
			a.cut(t) // the last that each has heard is that the other has room
		}
		overload(t, first, a, b)
		a.suffers(t)
		b.suffers(t)
		throughout(t, 4*time.Second, "one of a and b does not fail", func() (string, bool) {
			one, _ := a.probe()
			other, _ := b.probe()
			return fmt.Sprint(one, " ", other), one != 503 || other != 503
		})
		a.relieve(first)
		b.relieve(first)
	}
	a.mend(t)
	f.calm(t)
}

// calm waits until every agent has heard of all that they are up.
func (f *farm) calm(t *testing.T) {
	t.Helper()
	for _, at := range f.nodes {
		eventually(t, soon, at.id+" sees all up", func() (string, bool) {
			s := at.status()
			down := slices.ContainsFunc(s.Nodes, func(n standing) bool { return n.State != "up" })
			return s.String(), len(s.Nodes) == len(f.nodes) && !down
		})
	}
}

// overload fills the queues of nodes over the mark to fail, all at once.
func overload(t *testing.T, c *crowd, nodes ...*node) {
	t.Helper()
	for _, n := range nodes {
		n.server.stall()
	}
	for range overFail {
		for _, n := range nodes {
			n.connect(t, c, 1)
		}
	}
}

// relieve lets n's server go on, without those who waited.
func (n *node) relieve(c *crowd) {
	c.leave()
	n.server.resume()
}

// says waits until n's probe does.
func (n *node) says(t *testing.T, want int, state string) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("the probe of %s says %d %s", n.id, want, state), func() (string, bool) {
		code, is := n.probe()
		return fmt.Sprint(code, " ", is, "; ", n.status()), code == want && is == state
	})
}

// suffers waits until n knows that its queue is over the mark to fail.
func (n *node) suffers(t *testing.T) {
	t.Helper()
	eventually(t, soon, n.id+" knows that its queue is nearly full", func() (string, bool) {
		s := n.status()
		q := s.of(n.id).Queue
		return s.String(), q != nil && *q >= backlog*9/10
	})
}

// A watch probes all nodes of a farm, ten times a second.
type watch struct {
	farm             *farm
	samples, failing atomic.Int64 // all, and those in which a probe failed
}

// watch wants that never two probes fail at once, until the test is over.
func (f *farm) watch(t *testing.T) *watch {
	ctx, stop := context.WithCancel(context.Background())
	w := &watch{farm: f}
	var wg sync.WaitGroup
	wg.Go(func() { w.neverBoth(ctx, t) })
	t.Cleanup(func() {
		stop()
		wg.Wait()
		t.Logf("of %d samples a probe failed in %d", w.samples.Load(), w.failing.Load())
	})
	return w
}

// neverBoth probes until ctx is done. Probes take time: two fail at once when
// both say so twice, and the second time begins when the first has ended.
func (w *watch) neverBoth(ctx context.Context, t *testing.T) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ; ctx.Err() == nil; <-tick.C {
		first := failing(w.farm.nodes)
		w.samples.Add(1)
		if len(first) > 0 {
			w.failing.Add(1)
		}
		if len(first) < 2 {
			continue
		}
		if both := failing(first); len(both) > 1 {
			t.Errorf("more than one probe fails: those of %s and %s", both[0].id, both[1].id)
		}
	}
}

// failing are those of nodes whose probes fail. One that says nothing for a
// second, as a frozen one, does not keep the watch from the others.
func failing(nodes []*node) (out []*node) {
	for _, n := range nodes {
		if code, _ := n.probeWithin(time.Second); code == 503 {
			out = append(out, n)
		}
	}
	return out
}
