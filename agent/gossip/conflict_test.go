package gossip

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"evenkeel/agent/gossip/fabric"
)

// A machine restored from an image comes up with a name that is taken. It knows
// only some of the farm, and not the one whose name it has.
func TestTwoMachinesOneName(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 4)
		defer f.end()
		first, witness := f.nodes[0], f.nodes[2]
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })

		second := f.add("mx1", 11, []string{seat(3).String()})
		f.within(20*time.Second, "both know", func() bool {
			_, a := first.Conflict()
			_, b := second.Conflict()
			return a && b
		})
		for _, c := range []struct {
			who  *node
			own  bool
			want [2]netip.AddrPort
		}{
			{first, true, [2]netip.AddrPort{seat(1), seat(11)}},
			{second, true, [2]netip.AddrPort{seat(11), seat(1)}},
			{witness, false, [2]netip.AddrPort{seat(1), seat(11)}},
		} {
			got, ok := c.who.Conflict()
			if !ok || got.Name != "mx1" || got.Own != c.own || got.Addrs != c.want {
				t.Errorf("%v sees %+v, want own %v, %v", c.who.addr, got, c.own, c.want)
			}
		}

		time.Sleep(5 * time.Second)
		before := f.factsOf("mx1")
		for range 30 {
			time.Sleep(5 * time.Second)
			if got := f.factsOf("mx1"); !slices.Equal(got, before) {
				t.Fatalf("while two are mx1, beats %v are heard after %v", got, before)
			}
			if !allFresh(f.nodes[1:4], 5*time.Second) || !first.fresh("mx2", 5*time.Second) {
				t.Fatal("the others are no longer heard")
			}
			if second.about("mx2").Beat == 0 {
				t.Fatal("the second hears nothing")
			}
		}
		if err := second.Tell(1<<60, nil); !errors.Is(err, ErrConflict) {
			t.Errorf("tell: %v, want %v", err, ErrConflict)
		}
		if err := second.Leave(time.Second); !errors.Is(err, ErrConflict) {
			t.Errorf("leave: %v, want %v", err, ErrConflict)
		}

		for _, n := range []*node{first, second, witness} {
			if got := n.log.having("level=ERROR"); len(got) != 1 || len(n.log.having("level=ERROR", "10.0.0.1:7946", "10.0.0.11:7946")) != 1 {
				t.Errorf("%v: want one error with both addresses, got %q", n.addr, got)
			}
		}

		second.crash()
		f.within(2*clashHold, "the conflict is over", func() bool { _, on := first.Conflict(); return !on })
		f.within(5*time.Second, "mx1 is heard again", func() bool { return witness.fresh("mx1", 3*time.Second) })
	})
}

// factsOf lists the beats that all but the bearers of a name have of it.
func (f *farm) factsOf(name string) []uint64 {
	var out []uint64
	for _, n := range f.nodes {
		if n.options.Name != name {
			out = append(out, n.about(name).Beat)
		}
	}
	return out
}

// Two machines, one name, and nobody else: they meet only when one joins.
func TestTwoMachinesOneNameAlone(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := &farm{t: t}
		defer f.end()
		first := f.add("mx1", 1, nil)
		second := f.add("mx1", 2, []string{seat(1).String()})
		f.within(5*time.Second, "both know", func() bool {
			_, a := first.Conflict()
			_, b := second.Conflict()
			return a && b
		})
		for range 300 {
			time.Sleep(time.Second)
			_, a := first.Conflict()
			_, b := second.Conflict()
			if !a || !b {
				t.Fatal("the conflict is forgotten while it lasts")
			}
		}
	})
}

// A node that comes back elsewhere before anyone saw it fail cannot be told from
// a second machine. It is silent for a while, and then heard without help.
func TestNameMovesTooSoon(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 4)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		f.nodes[3].crash()
		moved := f.add("mx4", 14, seats(3))
		now := append(slices.Clone(f.nodes[:3]), moved)
		f.within(5*time.Second, "the alarm", func() bool { _, on := moved.Conflict(); return on })
		f.within(3*time.Minute, "it is heard from elsewhere", func() bool { return allFresh(now, 3*time.Second) })
	})
}

// A node that failed, or left, and comes back elsewhere is no conflict.
func TestNameMoves(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*node)
		wait time.Duration
	}{
		{"left", func(n *node) { n.Leave(time.Second); n.crash() }, time.Second},
		{"failed a while ago", (*node).crash, 20 * time.Second},
		{"failed long ago", (*node).crash, 5 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			fabric.Bubble(t, func(t *testing.T) {
				f := newFarm(t, 4)
				defer f.end()
				f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
				c.end(f.nodes[3])
				time.Sleep(c.wait)

				moved := f.add("mx4", 14, seats(3))
				now := append(slices.Clone(f.nodes[:3]), moved)
				f.within(10*time.Second, "it is heard from elsewhere", func() bool {
					return allFresh(now, 3*time.Second) && slices.Contains(f.nodes[0].Members(), Member{"mx4", seat(14), "alive"})
				})
				for _, n := range now {
					if x, on := n.Conflict(); on {
						t.Errorf("%v sees a conflict: %+v", n.addr, x)
					}
				}
			})
		})
	}
}
