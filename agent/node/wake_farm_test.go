package node_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/balance"
)

// A machine sleeps for an hour, of which only its own clock knows, and another
// dies at the moment at which it wakes: the longest that its answers can name a
// dead node. It comes back slowly, nobody suspects himself, and in the end all
// that live are even.
func TestSleeperComesBack(t *testing.T) {
	bubble(t, []int{4, 7}, func(t *testing.T, n int) {
		const awake = 70 * time.Second
		wakes := time.Now().Add(awake)
		f := newSleepyFarm(t, func() time.Duration {
			if time.Now().Before(wakes) {
				return 0
			}
			return time.Hour
		}, half(n)...)
		defer f.end()
		f.settle()
		time.Sleep(time.Until(wakes))
		sleeper, dead := f.machines[0], f.machines[n-1]
		dead.crash()
		f.machines = f.machines[:n-1]

		f.within(time.Second, "it starts slowly", func() bool { return sleeper.of("mx1").Why == "ramp" })
		f.within(8*time.Second, "its answers no longer name the dead", func() bool { return sleeper.of(dead.Name).Share == 0 })
		f.during(ramp/2, "nobody suspects himself, and none is lost", func() bool {
			return !slices.ContainsFunc(f.machines, (*machine).alone) && !slices.ContainsFunc(f.machines, func(m *machine) bool {
				return m.of("mx1").Status == balance.Down || m.of("mx2").Status == balance.Down
			})
		})
		f.within(2*ramp, "all that live are even", func() bool { return even(f.machines, 0.02, names(n)[:n-1]...) })
		f.end()
		if n := strings.Count(sleeper.log.String(), "was away"); n != 1 {
			t.Errorf("it says %d times that it was away, want once:\n%s", n, sleeper.log.String())
		}
	})
}

// A machine is stopped for two minutes and reaches nobody: the others give it
// nothing. When it goes on it hears them within seconds, and not with the next
// of the attempts that come once a minute.
func TestStoppedComesBack(t *testing.T) {
	bubble(t, []int{3, 7}, func(t *testing.T, n int) {
		const from, to = 40 * time.Second, 160 * time.Second
		start := time.Now()
		stops := func(at time.Duration) (int, int) {
			if from <= at && at < to {
				time.Sleep(time.Until(start.Add(to))) // the loop, and with it the machine
			}
			return limit / 2, 0
		}
		f := newFarm(t, append([]load{stops}, half(n-1)...)...)
		defer f.end()
		f.settle()
		time.Sleep(time.Until(start.Add(from)))
		stopped, rest := f.machines[0], f.machines[1:]
		f.net.Cut(seat(1))
		f.within(15*time.Second, "the others give it nothing", func() bool { return f.all(rest, "mx1", balance.Down) && even(rest, 0.02, names(n)[1:]...) })
		time.Sleep(time.Until(start.Add(to - time.Millisecond)))

		f.net.Heal() // before it wakes, and not at the same instant, or chance would have it who is first
		heard := time.Now()
		f.within(7*time.Second, "it hears all, and all hear it", func() bool {
			return even(f.machines, 0.2, names(n)[1:]...) && f.all(f.machines, "mx1", balance.Up) && f.all(f.machines, "mx2", balance.Up)
		})
		t.Logf("%d nodes: heard again after %v", n, time.Since(heard))
		if s := stopped.of("mx1"); s.Why != "ramp" {
			t.Errorf("it comes back with %.2f %s, want a slow start", s.Share, s.Why)
		}
		f.during(5*time.Second, "nobody suspects himself", func() bool { return !slices.ContainsFunc(f.machines, (*machine).alone) })
		f.within(3*ramp, "all are even again", func() bool { return even(f.machines, 0.02, names(n)...) })
	})
}
