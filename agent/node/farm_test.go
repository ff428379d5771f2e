package node_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/policy/balance"
)

// bubble runs a story for farms of several sizes, each in fake time.
func bubble(t *testing.T, sizes []int, story func(t *testing.T, n int)) {
	for _, n := range sizes {
		t.Run(fmt.Sprintf("nodes=%d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { story(t, n) })
		})
	}
}

// half is n loads, each of half its limit.
func half(n int) []load { return slices.Repeat([]load{steady(limit / 2)}, n) }

// Every node draws its own plan, and all draw the same: from Facts of other
// ages, hence the bound.
func TestFarmAgrees(t *testing.T) {
	bubble(t, []int{3, 7}, func(t *testing.T, n int) {
		var loads []load
		for i := range n {
			loads = append(loads, steady(1000+200*i))
		}
		f := newFarm(t, loads...)
		defer f.end()
		f.settle()
		f.during(20*time.Second, "all agree within 0.02, and who is emptier gets no less", func() bool {
			for i, name := range names(n) {
				one := f.machines[0].of(name).Share
				if i > 0 && one > f.machines[0].of(names(n)[i-1]).Share+1e-9 {
					return false
				}
				for _, m := range f.machines {
					if math.Abs(m.of(name).Share-one) > 0.02 {
						return false
					}
				}
			}
			return true
		})
		if first, last := f.machines[0].of("mx1").Share, f.machines[0].of(f.machines[n-1].Name).Share; first < 1.5*last {
			t.Errorf("the emptiest gets %.3f and the fullest %.3f: not level", first, last)
		}
	})
}

// A node that is cut off gets nothing from the others, suspects itself for a
// minute, then serves alone, and is taken back.
func TestCutAndHeal(t *testing.T) {
	bubble(t, []int{3, 7}, func(t *testing.T, n int) {
		f := newFarm(t, half(n)...)
		defer f.end()
		f.settle()
		cut, rest, others := f.machines[0], f.machines[1:], names(n)[1:]

		f.net.Cut(seat(1))
		f.within(15*time.Second, "the others give it nothing", func() bool {
			return even(rest, 0.02, others...) && f.all(rest, "mx1", balance.Down)
		})
		f.within(6*time.Second, "it suspects itself", cut.alone)
		f.during(55*time.Second, "it keeps all at their capacity", func() bool { return even([]*machine{cut}, 0.001, names(n)...) })
		f.within(10*time.Second, "it serves alone", func() bool { return !cut.alone() && cut.of("mx1").Share == 1 })
		if !even(rest, 0.02, others...) || slices.ContainsFunc(rest, (*machine).alone) {
			t.Error("the others did not go on: ", f.sees())
		}

		f.net.Heal()
		f.within(60*time.Second+ramp, "all are even again", func() bool { return even(f.machines, 0.02, names(n)...) })
	})
}

// all is whether all of who think the same of a node.
func (f *farm) all(who []*machine, name string, s balance.Status) bool {
	return !slices.ContainsFunc(who, func(m *machine) bool { return m.of(name).Status != s })
}

// Three of seven who are parted from four lost most of the farm, and four did not.
func TestTheSmallerPartSuspectsItself(t *testing.T) {
	bubble(t, []int{7}, func(t *testing.T, n int) {
		f := newFarm(t, half(n)...)
		defer f.end()
		f.settle()
		few, many := f.machines[:3], f.machines[3:]
		f.net.Cut(seat(1), seat(2), seat(3))
		f.within(15*time.Second, "the many are even among themselves", func() bool { return even(many, 0.02, names(n)[3:]...) })
		f.within(15*time.Second, "the few suspect themselves", func() bool { return few[0].alone() && few[1].alone() && few[2].alone() })
		f.during(40*time.Second, "only the few are alone, and keep all", func() bool {
			return even(few, 0.001, names(n)...) && !slices.ContainsFunc(many, (*machine).alone)
		})
	})
}

// After a power cut all start at once, none knowing who is there.
func TestAllRestartAtOnce(t *testing.T) {
	bubble(t, []int{7}, func(t *testing.T, n int) {
		f := newFarm(t, half(n)...)
		defer f.end()
		f.settle()
		for _, m := range f.machines {
			m.crash()
		}
		f.machines = nil
		time.Sleep(30 * time.Second)

		for i, l := range half(n) {
			f.add(fmt.Sprint("mx", i+1), i+1, l, nil)
		}
		f.within(15*time.Second, "all are even again, in the midst of their slow starts", func() bool { return even(f.machines, 0.02, names(n)...) })
	})
}

// The second life of a node begins with a clock an hour behind that of the
// first. It is told what its former self said, and jumps above it.
func TestClockSetBack(t *testing.T) {
	bubble(t, []int{3}, func(t *testing.T, n int) {
		f := newFarm(t, half(n-1)...)
		f.size = n
		defer f.end()
		ahead := uint64(time.Now().Add(time.Hour).UnixMilli())
		former := f.add("mx3", 3, steady(1111), func(heard uint64) uint64 { return max(heard, ahead) })
		f.settle()
		former.crash()
		f.machines = f.machines[:2]
		time.Sleep(2 * time.Second)

		now := f.add("mx3", 3, steady(2222), nil)
		f.within(10*time.Second, "the others hear its second life", func() bool {
			return f.machines[0].of("mx3").Connections == 2222 && f.machines[1].of("mx3").Connections == 2222
		})
		if now.View().Beat <= ahead {
			t.Errorf("beat %d is not above %d", now.View().Beat, ahead)
		}
		f.during(30*time.Second, "and go on hearing it", func() bool {
			return f.machines[0].of("mx3").Age < 3*time.Second && f.all(f.machines[:2], "mx3", balance.Up)
		})
	})
}

// A machine restored from an image comes up with a name that is taken: both are
// told, neither's load is published, and the name keeps its capacity's share.
func TestTwoMachinesOneName(t *testing.T) {
	bubble(t, []int{3}, func(t *testing.T, n int) {
		f := newFarm(t, steady(1000), steady(2000), steady(2000))
		defer f.end()
		f.settle()
		first, witnesses := f.machines[0], f.machines[1:3]

		second := f.add("mx1", 4, steady(3999), nil)
		unheard := func() bool {
			return witnesses[0].of("mx1").Connections == 1000 && witnesses[1].of("mx1").Connections == 1000
		}
		f.within(20*time.Second, "both know, and the second hears the others", func() bool {
			a, onA := first.cluster.Conflict()
			b, onB := second.cluster.Conflict()
			if !unheard() {
				t.Fatal("the second is taken for the first: ", f.sees())
			}
			return onA && onB && a.Own && b.Own && second.of("mx2").Heard && second.of("mx3").Heard
		})
		f.during(2*time.Minute, "nothing new is heard of the name, and both serve on", func() bool {
			return unheard() && !first.fails() && !second.fails()
		})
		for _, m := range witnesses {
			if s := m.of("mx1"); s.Status != balance.Unknown || s.Why != "late" || math.Abs(s.Share-s.Fair) > 0.02 {
				t.Errorf("%s sees mx1 %v %s with %.3f, want unknown, late, %.3f", m.Name, s.Status, s.Why, s.Share, s.Fair)
			}
		}

		f.end()
		for _, m := range []*machine{first, second} {
			if n := strings.Count(m.log.String(), "another machine uses this name"); n != 1 {
				t.Errorf("mx1 says %d times that it cannot tell, want once:\n%s", n, m.log.String())
			}
		}
	})
}

// Two nodes of three stall. One may fail its probe while the other two have
// room, never both, and not even one while the second has none.
func TestNeverBothFail(t *testing.T) {
	bubble(t, []int{3}, func(t *testing.T, n int) {
		stalls := func(depth int, from ...time.Duration) load { // at every other instant it ends
			return func(at time.Duration) (int, int) {
				past := 0
				for _, x := range from {
					if at >= x {
						past++
					}
				}
				return 1000, depth * (past % 2)
			}
		}
		f := newFarm(t,
			stalls(950, 40*time.Second),
			stalls(960, 40*time.Second, 100*time.Second, 160*time.Second),
			steady(1000))
		defer f.end()
		one, two, three := f.machines[0], f.machines[1], f.machines[2]
		until := func(at time.Duration) time.Duration { return at - time.Since(f.start) }

		f.during(until(100*time.Second), "none fails while two are full", func() bool { return !one.fails() && !two.fails() && !three.fails() })
		if !f.all(f.machines, "mx1", balance.Degraded) || !f.all(f.machines, "mx2", balance.Degraded) {
			t.Error("the two are not degraded: ", f.sees())
		}
		f.within(10*time.Second, "the first fails once the second has room", one.fails)
		f.during(until(160*time.Second), "it alone", func() bool { return one.fails() && !two.fails() && !three.fails() })
		f.within(5*time.Second, "it serves again when the second is full again", func() bool { return !one.fails() })
		f.during(time.Minute, "and none fails", func() bool { return !one.fails() && !two.fails() && !three.fails() })
	})
}

// Who leaves says so: first that he takes no more, then goodbye.
func TestLeaves(t *testing.T) {
	bubble(t, []int{3}, func(t *testing.T, n int) {
		f := newFarm(t, half(n)...)
		defer f.end()
		f.settle()
		rest := f.machines[:2]
		f.machines[2].Drain(-1)
		f.within(2*time.Second, "the others take its share", func() bool {
			return even(rest, 0.02, "mx1", "mx2") && f.all(rest, "mx3", balance.Draining)
		})
		f.machines[2].cluster.Leave(time.Second)
		f.machines[2].crash()
		f.within(6*time.Second, "it has left, and is not lost", func() bool {
			return f.all(rest, "mx3", balance.Down) && rest[0].of("mx3").Why == "left" && rest[1].of("mx3").Why == "left"
		})
	})
}

// A drain for another node travels as a request, which the other carries out
// and says itself; its probe says no when the time for that is over.
func TestDrainsAnother(t *testing.T) {
	bubble(t, []int{3}, func(t *testing.T, n int) {
		f := newFarm(t, half(n)...)
		defer f.end()
		f.settle()
		rest, asked := f.machines[:2], f.machines[2]
		if err := f.machines[0].Ask("mx3", false, time.Minute); err != nil {
			t.Fatal(err)
		}
		f.within(5*time.Second, "it drains, and the others take its share", func() bool {
			return even(rest, 0.02, "mx1", "mx2") && f.all(f.machines, "mx3", balance.Draining)
		})
		f.during(50*time.Second, "its probe says yes", func() bool { return !asked.fails() })
		f.within(15*time.Second, "and no in the end", asked.fails)
		if err := f.machines[1].Ask("mx3", true, 0); err != nil {
			t.Fatal(err)
		}
		f.within(5*time.Second, "another lets it resume", func() bool { return f.all(f.machines, "mx3", balance.Up) && !asked.fails() })
		f.during(time.Minute, "and nobody asks again", func() bool { return f.all(f.machines, "mx3", balance.Up) })
	})
}
