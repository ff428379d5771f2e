package balance

import (
	"fmt"
	"testing"
	"time"
)

// Over delays up to the assumed longest, a third of all packets lost, one-way
// cuts, partitions, wrong failure detectors, restarts with clocks set back, and
// nodes that stand still: never two nodes fail for load at once, never fewer than half stay.
//
// modelSeeds farms of each size are played; many more were when the guard was
// changed (DESIGN.md).
func TestGuardModel(t *testing.T) {
	const modelSeeds = 40
	for n := 1; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			fails := 0
			for seed := range uint64(modelSeeds) {
				m := newModel(n, seed, true)
				for range 10 * 240 {
					m.tick()
					m.check(t, seed)
				}
				fails += m.fails
			}
			if n > 1 && fails == 0 {
				t.Error("nobody ever failed: the model shows nothing")
			}
			t.Logf("n=%d: %d leaves in %d runs", n, fails, modelSeeds)
		})
	}
}

// Without faults the leave is given: a node in trouble does fail, the others
// one after the other, and a farm of one never.
func TestGuardGives(t *testing.T) {
	for n := 1; n <= 5; n++ {
		m := newModel(n, 7, false)
		for range 10 * 600 {
			m.tick()
			m.check(t, 7)
		}
		if n == 1 && m.fails > 0 || n > 1 && m.fails < 10 {
			t.Errorf("n=%d: %d leaves in ten minutes", n, m.fails)
		}
	}
}

// far is after the end of every run.
var far = epoch.Add(24 * time.Hour)

// quietFarm has n nodes that want nothing, under a network without faults.
func quietFarm(n int, seed uint64) *model {
	m := newModel(n, seed, false)
	for _, a := range m.nodes {
		a.hot, a.calm = epoch, far
	}
	return m
}

func (m *model) pass(d time.Duration) {
	for end := m.now.Add(d); m.now.Before(end); {
		m.tick()
	}
}

// The worst that a network can do to the quarantine: the first node has leave;
// its links grow slow, to the longest that is assumed, so that it lives on old
// words; then nobody hears it any more, and it hears the others only until each
// has taken its grant back, or they all start anew.
func TestQuarantineIsLongEnough(t *testing.T) {
	for _, restart := range []bool{false, true} {
		for n := 4; n <= 5; n++ {
			for seed := range uint64(20) {
				m := quietFarm(n, seed)
				m.r.Hold = time.Hour
				first, second := m.nodes[0], m.nodes[1]
				first.hot = far
				m.pass(time.Minute)
				for d := 500 * time.Millisecond; d < travel; d += 100 * time.Millisecond {
					for j := range n {
						m.slow[j][0] = d
					}
					m.pass(300 * time.Millisecond)
				}
				second.hot = far
				m.pass(2 * time.Second)
				if !first.plan.Leave {
					t.Fatalf("n=%d seed=%d: the first has no leave", n, seed)
				}
				m.abandon(restart)
				for range 900 {
					m.tick()
					m.check(t, seed)
					m.deafen()
				}
				if !second.plan.Leave {
					t.Fatalf("n=%d seed=%d restart=%v: the second never got leave", n, seed, restart)
				}
			}
		}
	}
}

// abandon lets nobody hear the first node any more, and has the others restart,
// or find it gone.
func (m *model) abandon(restart bool) {
	for j := 1; j < len(m.nodes); j++ {
		m.cut[0][j], m.blind[j][0] = true, true
		if restart {
			m.nodes[j].reset(len(m.nodes), uint64(m.now.UnixMilli()))
			m.cut[j][0] = true
		}
	}
}

// deafen cuts the first node off from whoever has taken his grant back.
func (m *model) deafen() {
	for j := 1; j < len(m.nodes); j++ {
		if m.nodes[j].state.grant.Node != m.nodes[0].name {
			m.cut[j][0] = true
		}
	}
}

// Two or three that wish at once do not block each other, whatever is lost: one
// of them gets leave.
func TestWishersDoNotBlock(t *testing.T) {
	for _, c := range []struct{ n, wishers, loss int }{{3, 2, 0}, {3, 2, 30}, {3, 3, 30}, {5, 2, 10}, {5, 3, 30}, {7, 3, 30}} {
		for seed := range uint64(20) {
			m := quietFarm(c.n, seed)
			m.faults.loss = c.loss
			m.pass(time.Minute)
			for _, a := range m.nodes[:c.wishers] {
				a.hot = far
			}
			before := m.fails
			m.pass(time.Minute)
			if m.fails == before {
				t.Errorf("%+v seed=%d: nobody got leave in a minute", c, seed)
			}
		}
	}
}
