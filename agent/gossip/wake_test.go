package gossip

import (
	"testing"
	"time"

	"evenkeel/agent/gossip/fabric"
)

// after is d from a moment on, and 0 before.
func after(moment time.Time, d time.Duration) func() time.Duration {
	return func() time.Duration {
		if time.Now().Before(moment) {
			return 0
		}
		return d
	}
}

// A machine sleeps for an hour that its monotonic clock does not count. What it
// heard before is an hour older when it wakes, for itself and for whoever hears
// it from there; what it hears then is new.
func TestSleepMakesFactsOlder(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		wakes := time.Now().Add(time.Minute)
		f := &farm{t: t, slept: map[string]func() time.Duration{"mx1": after(wakes, time.Hour)}}
		defer f.end()
		sleeper, dead := f.add("mx1", 1, seats(3)), f.add("mx2", 2, seats(3))
		f.within(10*time.Second, "both hear each other", func() bool { return allFresh(f.nodes, 3*time.Second) })
		dead.crash()
		f.nodes = f.nodes[:1]
		time.Sleep(time.Until(wakes))

		h := sleeper.about("mx2")
		if age := sleeper.now().Sub(h.Born); age < time.Hour+45*time.Second || age > time.Hour+time.Minute {
			t.Errorf("a Fact of before the sleep is %v old, want an hour and what passed awake", age)
		}
		third := f.add("mx3", 3, seats(3))
		f.within(10*time.Second, "the third hears both", func() bool {
			return third.about("mx2").Beat > 0 && sleeper.about("mx3").Beat > 0
		})
		if age := time.Since(third.about("mx2").Born); age < time.Hour {
			t.Errorf("passed on, it is %v old, want over an hour", age)
		}
		f.within(5*time.Second, "the sleeper is heard, and hears, with no age too much", func() bool {
			own := sleeper.about("mx3")
			return third.fresh("mx1", 2*time.Second) && own.Member && sleeper.now().Sub(own.Born) < 2*time.Second
		})
	})
}

// What waits to be sent when the machine falls asleep is sent with its true age.
func TestWaitingWordsAge(t *testing.T) {
	slept := time.Duration(0)
	start := time.Now()
	b := broadcast{rumour{kindFact, "mx1", 7, start, nil}, func() time.Time { return start.Add(slept) }}
	for _, want := range []time.Duration{0, time.Hour} {
		slept = want
		w, err := readWord(b.Message())
		if err != nil || w.age != want {
			t.Errorf("after %v: age %v, %v", slept, w.age, err)
		}
	}
}

// Who wakes asks its peers at once though all are members, and goes on asking
// while the network is not up; then once a minute at most, as before.
func TestRejoin(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := newFarm(t, 3)
		defer f.end()
		one := f.nodes[0]
		f.within(20*time.Second, "all hear all", func() bool { return allFresh(f.nodes, 3*time.Second) })
		joins := func(during time.Duration) uint64 {
			before := one.Stats().Joins
			time.Sleep(during)
			return one.Stats().Joins - before
		}
		if n := joins(3 * time.Minute); n != 0 {
			t.Fatalf("%d attempts while all are members", n)
		}
		one.Rejoin()
		if n := joins(time.Second); n != 2 {
			t.Errorf("%d attempts, want each of the two others at once", n)
		}

		f.net.Cut(seat(1))
		one.Rejoin()
		if n := joins(time.Minute); n < 8 {
			t.Errorf("%d attempts in a minute without network, want two every ten seconds or so", n)
		}
		f.net.Heal()
		f.within(12*time.Second, "all hear all again", func() bool { return allFresh(f.nodes, 3*time.Second) })
		time.Sleep(15 * time.Second) // an attempt that began before the end of the cut
		if n := joins(3 * time.Minute); n != 0 {
			t.Errorf("%d attempts when all are members again", n)
		}
	})
}

// A node that has only itself to join has nothing to rejoin, and no reason to
// try again.
func TestRejoinNobody(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		f := &farm{t: t}
		defer f.end()
		one := f.add("mx1", 1, seats(1))
		one.Rejoin()
		time.Sleep(time.Minute)
		if s := one.Stats(); s.Joins != 0 {
			t.Errorf("%d attempts", s.Joins)
		}
	})
}
