package node

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// asleep is a world in which this machine sleeps for half an hour, ten minutes
// after its start, and ex03 dies meanwhile. ex02 is heard again a second after;
// the cluster counts ex03 as a member for four.
func asleep() world {
	const falls, slept = 10*time.Minute + 200*time.Millisecond, 30 * time.Minute
	return world{
		sample: calm,
		slept: func(at time.Duration) time.Duration {
			if at < falls {
				return 0
			}
			return slept
		},
		others: func(at time.Duration) []Heard {
			all := neighbours(at)
			for i := range all {
				switch { // Born is by the clock that counts the sleep
				case at < falls:
				case i == 0 && at >= falls+time.Second:
					all[i].Born = time.Now().Add(slept)
				default:
					all[i].Born = time.Now().Add(falls - at)
				}
			}
			all[1].Member = at < falls+4*time.Second
			return all
		},
	}
}

// A machine that slept says so once, has the farm joined anew, tells it at once,
// and starts slowly. There is an answer all the time, and it names who died
// meanwhile no longer than the cluster thinks it a member.
func TestSleeps(t *testing.T) {
	l := live(t, asleep(), 15*time.Minute)
	const woke = 10*time.Minute + Beat
	if got := strings.Count(l.log, `"was away: rejoining, and starting slowly" for=30m0.5s`); got != 1 || l.last.Returns != 1 {
		t.Errorf("said %d times, %d returns, want once:\n%s", got, l.last.Returns, l.log)
	}
	if !slices.Equal(l.joined, []time.Duration{woke}) {
		t.Errorf("joined anew at %v, want at %v", l.joined, woke)
	}
	if n := tellings(l.facts, func(f telling) bool { return f.at == woke && f.fact.Up == 0 }); n != 1 {
		t.Errorf("told %d times when it woke, want once", n)
	}
	if strings.Contains(l.log, "fell silent") || strings.Contains(l.log, "clock was set") {
		t.Errorf("the log blames the farm or the clock:\n%s", l.log)
	}
	for _, c := range []struct {
		at       time.Duration
		low, top int // of a thousand answers, ex01's
		dead     int // and at least so many, ex03's
	}{
		{10 * time.Minute, 320, 350, 320},
		{woke, 60, 75, 450}, // a tenth of twice the fair share
		{woke + 5*time.Second, 60, 120, 0},
	} {
		if got := answers(l.at(c.at)); got["ex01"] < c.low || got["ex01"] > c.top || got["ex03"] < c.dead {
			t.Errorf("at %v DNS answers %v, want ex01 within %d..%d and ex03 %d", c.at, got, c.low, c.top, c.dead)
		}
	}
	for _, m := range l.shown {
		if m.at < woke || m.at > woke+20*time.Second {
			continue
		}
		got := answers(m)
		if got["ex01"]+got["ex02"]+got["ex03"] != askers {
			t.Fatalf("at %v DNS answers %v", m.at, got)
		}
		if m.at >= 10*time.Minute+5*time.Second && got["ex03"] > 0 {
			t.Fatalf("at %v DNS still names the dead: %v", m.at, got)
		}
	}
}

// A process that is stopped, or starved, comes back like one that slept: its
// monotonic clock went on, and the next beat is late. A hiccup is nothing.
func TestStalls(t *testing.T) {
	for _, c := range []struct {
		stall time.Duration
		want  int
	}{{4 * time.Second, 0}, {6 * time.Second, 1}, {time.Hour, 1}} {
		l := live(t, world{others: neighbours, sample: func(at time.Duration) queue.Sample {
			if at == time.Minute {
				time.Sleep(c.stall)
			}
			return calm(at)
		}}, 2*time.Hour)
		if got := strings.Count(l.log, "was away"); got != c.want || len(l.joined) != c.want || l.last.Returns != uint64(c.want) {
			t.Errorf("stopped for %v: said %d times, joined anew %d times, %d returns; want %d",
				c.stall, got, len(l.joined), l.last.Returns, c.want)
		}
	}
}

// A clock that was set is said. Set forth it may hide a machine that stood
// still, so the farm is joined anew; no decision depends on it either way.
func TestClockIsSet(t *testing.T) {
	for _, c := range []struct {
		by    time.Duration
		said  string
		joins int
	}{
		{0, "", 0},
		{4 * time.Second, "", 0},
		{-4 * time.Second, "", 0},
		{3*time.Minute + 12*time.Second, "by=3m12s", 1},
		{-time.Hour, "by=-1h0m0s", 0},
	} {
		l := life{start: epoch}
		var log bytes.Buffer
		n := l.node(t, world{sample: calm}, &log)
		mem := n.beat(epoch, memory{})
		log.Reset()
		mem.pace.wall = mem.pace.wall.Add(-c.by) // as the clock was before it was set
		mem = n.beat(epoch.Add(Beat), mem)
		if got := log.String(); !strings.Contains(got, c.said) || (got != "") != (c.said != "") || len(l.joined) != c.joins {
			t.Errorf("set by %v: joined anew %d times, want %d; said %q, want %q", c.by, len(l.joined), c.joins, got, c.said)
		}
		if v := mem.last; v.Returns != 0 || v.Plan.Away != 0 || v.Plan.Own.Up != Beat {
			t.Errorf("set by %v: %d returns, away %v, up for %v", c.by, v.Returns, v.Plan.Away, v.Plan.Own.Up)
		}
		n.beat(epoch.Add(2*Beat), mem)
		if len(l.joined) != c.joins {
			t.Errorf("set by %v: joined anew with every beat", c.by)
		}
	}
}

func TestSleepBetweenLooks(t *testing.T) {
	at := func(awake, all time.Duration, wall bool) clocks { return clocks{epoch.Add(awake), all, wall} }
	for _, c := range []struct {
		what      string
		last, now clocks
		want      time.Duration
	}{
		{"the first look", clocks{}, at(0, time.Hour, false), 0},
		{"awake", at(0, 0, false), at(time.Hour, time.Hour, false), 0},
		{"asleep for an hour", at(0, 0, false), at(time.Second, time.Hour+time.Second, false), time.Hour},
		{"asleep for a moment", at(0, 0, false), at(time.Second, 6*time.Second, false), 0},
		{"stopped: the monotonic clock knows", at(0, 0, false), at(time.Hour, time.Hour, false), 0},
		{"a wall clock set back", at(0, time.Hour, true), at(time.Second, 0, true), 0},
		{"a wall clock set forth looks like sleep", at(0, 0, true), at(time.Second, time.Minute, true), 59 * time.Second},
		{"another clock than the last time", at(0, 0, true), at(time.Second, time.Hour, false), 0},
	} {
		if got := c.now.since(c.last); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// This machine, which runs this test, does not sleep.
func TestAwake(t *testing.T) {
	var s Sleep
	for range 1000 {
		if d := s.Slept(); d != 0 {
			t.Fatalf("slept %v", d)
		}
	}
}

// Naps add up, whoever asks.
func TestSleepAddsUp(t *testing.T) {
	var s Sleep
	s.Slept()
	for i := range 3 {
		s.last.all -= time.Hour // as if the clock that goes on had
		if got, want := s.Slept(), time.Duration(i+1)*time.Hour; (got - want).Abs() > time.Second {
			t.Errorf("slept %v, want %v", got, want)
		}
	}
}

// A drain read from a file counts by the clock on the wall until then, and never
// again: not even one that was set back makes it begin in the future.
func TestRestoredDrain(t *testing.T) {
	n := &Node{}
	n.Restore(Drain{Since: time.Now().Add(-time.Hour).Round(0)}) // outside of a bubble, whose time has one clock only
	if d := n.Drained(); d.Since == d.Since.Round(0) {
		t.Error("restored, it still goes by the wall clock")
	}
	for _, c := range []struct {
		since time.Duration // before now, as written down
		over  time.Duration // after now
	}{
		{0, time.Minute}, {20 * time.Second, 40 * time.Second}, {time.Hour, 0}, {-time.Hour, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := &Node{}
			n.Restore(Drain{Since: time.Now().Add(-c.since).Round(0), Over: time.Minute})
			d := n.Drained()
			time.Sleep(c.over - time.Nanosecond)
			if early := d.over(time.Now()); early && c.over > 0 {
				t.Errorf("begun %v ago: over before %v", c.since, c.over)
			}
			time.Sleep(time.Nanosecond)
			if !d.over(time.Now()) {
				t.Errorf("begun %v ago: not over after %v", c.since, c.over)
			}
		})
	}
}

// What was asked before the machine slept is not asked when it wakes: the other
// may have been resumed by hand, and have forgotten that it obeyed.
func TestAskDoesNotOutlastSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept time.Duration
		n := &Node{Name: "ex01", Slept: func() time.Duration { return slept }}
		n.view.Store(&View{Plan: balance.Plan{Nodes: []balance.Standing{{Name: "ex02"}}}})
		if err := n.Ask("ex02", false, time.Hour); err != nil {
			t.Fatal(err)
		}
		if a := n.asked(n.counted(time.Now())); a.Node != "ex02" {
			t.Errorf("asks %+v", a)
		}
		slept = time.Hour
		if a := n.asked(n.counted(time.Now())); a != (Ask{}) {
			t.Errorf("an hour later it still asks %+v", a)
		}
	})
}
