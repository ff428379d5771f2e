package gossip

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"evenkeel/agent/gossip/fabric"
)

func TestEveryoneHearsEveryone(t *testing.T) {
	for _, n := range []int{2, 3, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			fabric.Bubble(t, func(t *testing.T) {
				f := newFarm(t, n)
				defer f.end()
				f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
				for _, h := range f.nodes[0].Heard() {
					if h.Left || h.Born.After(time.Now()) {
						t.Errorf("a healthy node is heard as %+v", h)
					}
				}
				if got := f.nodes[0].Stats(); got.Members != n || got.Known != n-1 {
					t.Errorf("%d members, %d known; want %d and %d", got.Members, got.Known, n, n-1)
				}
			})
		})
	}
}

func TestCutNodeIsNoMemberAndComesBack(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 7)
		defer f.end()
		lost, rest := f.nodes[6], f.nodes[:6]
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })

		f.net.Cut(lost.addr)
		f.within(15*time.Second, "the rest see it gone", func() bool {
			return !slices.ContainsFunc(rest, func(n *node) bool { return n.about("mx7").Member })
		})
		h := rest[0].about("mx7")
		if h.Left || h.Beat == 0 || len(h.Fact) == 0 {
			t.Errorf("a node that failed is heard as %+v, want not Left and its last Fact", h)
		}
		if !allFresh(rest, 5*time.Second) {
			t.Error("the rest no longer hear each other")
		}

		time.Sleep(2 * time.Minute) // memberlist has long forgotten it: only Join brings it back
		f.net.Heal()
		f.within(70*time.Second, "all hear all again", func() bool { return allFresh(f.nodes, 3*time.Second) })
	})
}

func TestHalvesFindEachOther(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 7)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })

		f.net.Cut(seat(1), seat(2), seat(3))
		time.Sleep(2 * time.Minute)
		for _, half := range [][]*node{f.nodes[:3], f.nodes[3:]} {
			if !allFresh(half, 5*time.Second) {
				t.Error("a half does not hear itself")
			}
		}
		if f.nodes[0].about("mx7").Member || f.nodes[6].about("mx1").Member {
			t.Error("a half counts the other as members")
		}

		f.net.Heal()
		f.within(70*time.Second, "all hear all again", func() bool { return allFresh(f.nodes, 3*time.Second) })
	})
}

func TestAllRestartAtOnce(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 7)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		for _, n := range f.nodes {
			n.crash()
		}
		f.nodes = nil
		time.Sleep(30 * time.Second)

		for i := range 7 {
			f.add(fmt.Sprintf("mx%d", i+1), i+1, seats(7))
			time.Sleep(2 * time.Second) // machines do not start alike; the first finds no one
		}
		f.within(10*time.Second, "all hear all again", func() bool { return allFresh(f.nodes, 3*time.Second) })
	})
}

// Whoever is alone asks more often than once a minute: the farm may be starting.
func TestAloneLooksOften(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := &farm{t: t}
		defer f.end()
		f.add("mx1", 1, seats(2))
		time.Sleep(12 * time.Second)
		f.add("mx2", 2, nil)
		f.within(7*time.Second, "both hear each other", func() bool { return allFresh(f.nodes, 3*time.Second) })
	})
}

func TestLeavingInAHurry(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 3)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		start := time.Now()
		if err := f.nodes[2].Leave(0); err == nil || time.Since(start) > time.Millisecond {
			t.Errorf("waited %v: %v; want an error at once", time.Since(start), err)
		}
		f.within(2*time.Second, "the goodbye is heard all the same", func() bool { return f.nodes[0].about("mx3").Left })
	})
}

func TestFreshThoughPacketsAreLost(t *testing.T) {
	for _, c := range []struct {
		nodes         int
		loss          float64
		p50, p99, max time.Duration
	}{
		{3, 0, time.Second, 1500 * time.Millisecond, 2 * time.Second},
		{7, 0, time.Second, 1500 * time.Millisecond, 4 * time.Second},
		{7, 0.3, 1200 * time.Millisecond, 2500 * time.Millisecond, 8 * time.Second},
		{30, 0.1, 1200 * time.Millisecond, 2500 * time.Millisecond, 8 * time.Second},
	} {
		t.Run(fmt.Sprintf("nodes=%d/loss=%v", c.nodes, c.loss), func(t *testing.T) {
			fabric.Bubble(t, func(t *testing.T) {
				f := newFarm(t, c.nodes)
				defer f.end()
				f.net.Loss(c.loss)
				f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
				ages := f.ages(30 * time.Second)
				p50, p99, last := ages[len(ages)/2], ages[len(ages)*99/100], ages[len(ages)-1]
				t.Logf("age p50 %v, p99 %v, max %v", p50, p99, last)
				if p50 > c.p50 || p99 > c.p99 || last > c.max {
					t.Errorf("age p50 %v, p99 %v, max %v; want %v, %v, %v at most", p50, p99, last, c.p50, c.p99, c.max)
				}
			})
		})
	}
}

// ages samples how old everything is that everyone hears, in order. The step
// is no part of a second, so that it meets all phases of telling.
func (f *farm) ages(during time.Duration) []time.Duration {
	var out []time.Duration
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(257 * time.Millisecond) {
		for _, n := range f.nodes {
			for _, h := range n.Heard() {
				out = append(out, time.Since(h.Born))
			}
		}
	}
	slices.Sort(out)
	return out
}

// What a hearer believes of a Fact's age is the truth, but for the milliseconds
// that rounding adds, and beats only rise.
func TestBornIsTheTruth(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 5)
		defer f.end()
		f.net.Loss(0.2)
		beats := map[[2]string]uint64{}
		for range 2000 {
			time.Sleep(37 * time.Millisecond)
			for _, n := range f.nodes {
				for _, h := range n.Heard() {
					pair := [2]string{n.options.Name, h.Name}
					if h.Beat < beats[pair] {
						t.Fatalf("%v: beat %d after %d", pair, h.Beat, beats[pair])
					}
					beats[pair] = h.Beat
					if h.Beat == 0 {
						continue
					}
					older := h.truth().Sub(h.Born)
					if older < 0 || older > 20*time.Millisecond || h.Born.After(time.Now()) {
						t.Fatalf("%v: born %v, told %v", pair, h.Born, h.truth())
					}
				}
			}
		}
	})
}

func TestLeavingIsNotFailing(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 5)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		leaver, failer, rest := f.nodes[3], f.nodes[4], f.nodes[:3]

		if err := leaver.Leave(5 * time.Second); err != nil {
			t.Fatal(err)
		}
		if err := leaver.Leave(5 * time.Second); err != nil {
			t.Errorf("the second goodbye: %v", err)
		}
		f.within(2*time.Second, "the goodbye is heard", func() bool {
			return !slices.ContainsFunc(rest, func(n *node) bool { return !n.about("mx4").Left })
		})
		leaver.crash()
		failer.crash()
		f.within(15*time.Second, "the failure is seen", func() bool {
			return !slices.ContainsFunc(rest, func(n *node) bool { return n.about("mx5").Member })
		})

		want := []Member{{"mx1", seat(1), "alive"}, {"mx2", seat(2), "alive"}, {"mx3", seat(3), "alive"},
			{"mx4", seat(4), "left"}, {"mx5", seat(5), "failed"}}
		if got := rest[1].Members(); !slices.Equal(got, want) {
			t.Errorf("members %v\nwant    %v", got, want)
		}

		f.add("mx4", 4, seats(5))
		f.within(10*time.Second, "who left is back", func() bool {
			h := rest[0].about("mx4")
			return h.Member && !h.Left && rest[0].fresh("mx4", 3*time.Second)
		})
	})
}

// A node whose clock was set back while it was down tells beats that no one
// believes, until it jumps above what it hears of its former self.
func TestFormerSelfIsOutranked(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 3)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		f.nodes[2].crash()
		former := f.nodes[0].about("mx3").Beat

		back := f.addFrom("mx3", 3, seats(3), former-1000)
		f.within(30*time.Second, "it hears of its former self", func() bool { return back.OwnBeat() >= former })
		if got := f.nodes[0].about("mx3").Beat; got != former {
			t.Errorf("beat %d is believed, want still %d", got, former)
		}
		back.stop()
		back.wg.Wait()

		if err := back.Tell(back.OwnBeat()+1, make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		f.within(5*time.Second, "it is heard again", func() bool { return f.nodes[0].about("mx3").Beat > former })
	})
}

func TestForgottenAfterADay(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 2)
		defer f.end()
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		f.nodes[1].crash()
		time.Sleep(time.Minute)
		crashed := time.Now()

		f.nodes[0].tidy(crashed.Add(keep - 2*time.Minute))
		if f.nodes[0].about("mx2").Beat == 0 {
			t.Error("forgotten within a day")
		}
		f.nodes[0].tidy(crashed.Add(keep))
		if h := f.nodes[0].about("mx2"); h.Name != "" {
			t.Errorf("after a day still %+v", h)
		}
	})
}

func TestAloneNothingWaits(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := &farm{t: t}
		n := f.add("mx1", 1, []string{seat(1).String(), seat(9).String()})
		defer f.end()
		time.Sleep(58 * time.Second) // between two attempts
		if got := n.Stats(); got.Joins == 0 || got.Joins != got.JoinErrors {
			t.Errorf("%d joins, %d failed; want some, all of the peer that is not there", got.Joins, got.JoinErrors)
		}
		start := time.Now()
		if err := n.Leave(0); err != nil || time.Since(start) > time.Second {
			t.Errorf("leaving no one took %v: %v", time.Since(start), err)
		}
		joins := n.Stats().Joins
		time.Sleep(5 * time.Minute)
		if got := n.Stats().Joins; got != joins {
			t.Errorf("who has left still joins, %d times", got-joins)
		}
		if a := n.Addr(); a != seat(1) {
			t.Errorf("advertises %v, want %v", a, seat(1))
		}
	})
}
