package node

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

func tellings(facts []telling, is func(telling) bool) (n int) {
	for _, f := range facts {
		if is(f) {
			n++
		}
	}
	return n
}

// What cannot be told is said once, and tried again with every heartbeat.
func TestTellFails(t *testing.T) {
	cut := func(at time.Duration) bool { return between(at, 10*time.Second, 20*time.Second) }
	l := live(t, world{sample: calm, refuse: func(at time.Duration) error {
		if cut(at) {
			return errors.New("the name is taken")
		}
		return nil
	}}, time.Minute)
	if n := tellings(l.facts, func(f telling) bool { return cut(f.at) }); n != 10 {
		t.Errorf("tried %d times in ten seconds, want ten", n)
	}
	want := `level=ERROR msg="not told to the farm" err="the name is taken"` + "\n" +
		`level=INFO msg="over: not told to the farm"` + "\n"
	if !strings.HasSuffix(l.log, want) || strings.Count(l.log, "not told") != 2 {
		t.Errorf("the log ends\n%s, want\n%s", l.log, want)
	}
}

// A node whose clock was set back jumps above what it said in its former life,
// with the next heartbeat, and stays above.
func TestFormerSelfIsOutranked(t *testing.T) {
	const former = 1 << 60
	l := live(t, world{sample: calm, ownBeat: func(at time.Duration) uint64 {
		if at < 5*time.Second {
			return 0
		}
		return former
	}}, 10*time.Second)
	last := uint64(0)
	for _, f := range l.facts {
		if f.beat <= last {
			t.Errorf("at %v beat %d after %d", f.at, f.beat, last)
		}
		last = f.beat
		if f.at >= 6*time.Second && f.beat <= former {
			t.Errorf("at %v it is still outranked: %d", f.at, f.beat)
		}
	}
	if first := l.facts[0].beat; first < uint64(l.start.UnixMilli()) {
		t.Errorf("the first beat, %d, is before the clock", first)
	}
}

// Others count on a Fact a second, and hear news at the beat that makes them:
// each row is what happens at 10.5 s, between two heartbeats.
func TestFactsAreToldInTime(t *testing.T) {
	const news = 10*time.Second + 500*time.Millisecond
	for _, c := range []struct {
		name   string
		before queue.Sample
		after  queue.Sample
		told   bool
	}{
		{"nothing", holding(2000, 0, 0), holding(2000, 0, 0), false},
		{"less than 5 % of the connections", holding(2000, 0, 0), holding(2199, 0, 0), false},
		{"5 % of the connections", holding(2000, 0, 0), holding(2200, 0, 0), true},
		{"5 % of them gone", holding(2000, 0, 0), holding(1800, 0, 0), true},
		{"less than 5 % of the queue", holding(0, 100, 0), holding(0, 149, 0), false},
		{"5 % of the queue", holding(0, 100, 0), holding(0, 150, 0), true},
		{"another status", holding(3999, 0, 0), holding(4000, 0, 0), true},
		{"another reason", holding(4000, 0, 0), holding(4000, 700, 0), true},
	} {
		l := live(t, world{sample: func(at time.Duration) queue.Sample {
			if at < news {
				return c.before
			}
			return c.after
		}}, time.Minute)
		if got := tellings(l.facts, func(f telling) bool { return f.at == news }) == 1; got != c.told {
			t.Errorf("%s: told at once: %v, want %v", c.name, got, c.told)
		}
		last := time.Duration(0)
		for _, f := range l.facts {
			if f.at-last > time.Second {
				t.Errorf("%s: silent from %v to %v", c.name, last, f.at)
			}
			last = f.at
		}
		if n := len(l.facts); n > 61 {
			t.Errorf("%s: %d Facts in a minute, want one a second", c.name, n)
		}
	}
}

// Wishes and grants are what the farm's leave waits for: each is news, as are
// other addresses. What only ages is not.
func TestNews(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Fact)
		want   bool
	}{
		{"nothing", func(*Fact) {}, false},
		{"it grew older", func(f *Fact) { f.Up, f.Steady, f.Arrivals, f.Load = f.Up+Beat, 0, 9, 0.8 }, false},
		{"a wish", func(f *Fact) { f.Wish = balance.Wish{Beat: 7, Load: 0.9} }, true},
		{"a grant", func(f *Fact) { f.Grant = balance.Grant{Node: "ex02", Beat: 7} }, true},
		{"other addresses", func(f *Fact) { f.Addrs = append([]netip.Addr{address(9)}, f.Addrs...) }, true},
	} {
		f := quiet()
		c.change(&f)
		if got := news(quiet(), f); got != c.want {
			t.Errorf("%s: news %v, want %v", c.name, got, c.want)
		}
	}
}

// A real ticker is late by a little, never twice the same. A heartbeat that
// waited for a whole second would then often come only after one and a half.
func TestHeartbeatIsNotLostToALateTick(t *testing.T) {
	l := life{start: epoch}
	n := l.node(t, world{sample: calm}, &bytes.Buffer{})
	var at []time.Time
	n.Tell = func(uint64, []byte) error { return nil }
	mem := memory{}
	for i := range 100 {
		now := epoch.Add(time.Duration(i)*Beat + time.Duration(i*7%10)*time.Millisecond)
		if mem = n.beat(now, mem); mem.toldAt.Equal(now) {
			at = append(at, now)
		}
	}
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < time.Second-10*time.Millisecond || d > time.Second+10*time.Millisecond {
			t.Errorf("a heartbeat after %v, want about a second", d)
		}
	}
	if len(at) != 50 {
		t.Errorf("%d heartbeats in 50 s", len(at))
	}
}

// 64 pools with the longest names make no longer a Fact than one.
func TestManyQueuesFitAPacket(t *testing.T) {
	l := live(t, world{sample: func(at time.Duration) queue.Sample {
		s := calm(at)
		for i := range 64 {
			s.Queues = append(s.Queues, queue.Queue{Name: fmt.Sprintf("%063d", i), Depth: i, Limit: 1000})
		}
		return s
	}}, time.Minute)
	for _, f := range l.facts {
		if f.size > 64 || f.fact.Queue != 63 {
			t.Fatalf("a Fact of %d bytes with a queue of %d, want at most 64 and the worst, 63", f.size, f.fact.Queue)
		}
	}
}

// What this node grants or withdraws must be on its way before anyone acts on
// what is shown.
func TestTellsBeforeItShows(t *testing.T) {
	var order []string
	n := (&life{start: epoch}).node(t, world{sample: calm}, &bytes.Buffer{})
	see := func(what string) {
		if n.View() != nil {
			what += " too late"
		}
		order = append(order, what)
	}
	n.Tell = func(uint64, []byte) error { see("tell"); return nil }
	n.DNS = func(*dnsrr.Table) { see("dns") }
	n.Health = func(health.Report) { see("health") }
	n.beat(epoch, memory{})
	if got, want := strings.Join(order, ", "), "tell, dns, health"; got != want {
		t.Errorf("a beat does %s; want %s", got, want)
	}
}
