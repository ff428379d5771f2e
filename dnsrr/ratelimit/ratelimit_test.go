package ratelimit

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

var (
	begin = time.Unix(1_800_000_000, 0)
	home  = netip.MustParseAddr("192.0.2.7")
)

// ask asks n times at one instant, and tells how many passed, were to be
// truncated and were dropped.
func ask(l *Limiter, n int, from netip.Addr, kind uint64, at time.Duration) string {
	var got [3]int
	for range n {
		got[l.Take(from, kind, begin.Add(at))]++
	}
	return fmt.Sprintf("%d %d %d", got[Pass], got[Truncate], got[Drop])
}

// A flood and what follows: each step goes on from the one before.
func TestAFlood(t *testing.T) {
	l := New(Options{PerSecond: 100, Slip: 2, Start: begin})
	for _, step := range []struct {
		name string
		at   time.Duration
		n    int
		want string // passed, truncated, dropped
	}{
		{"what a second earns", 0, 100, "100 0 0"},
		{"one more", 0, 1, "0 0 1"},
		{"every second one slips through", 0, 10, "0 5 5"},
		{"before the debt is paid", 110 * time.Millisecond, 1, "0 1 0"},
		{"paid, and one reply earned", 130 * time.Millisecond, 1, "1 0 0"},
		{"a debt that would be of a minute", 130 * time.Millisecond, 6000, "0 3000 3000"},
		{"is of fifteen seconds", 13 * time.Second, 1, "0 0 1"},
		{"and those with what may be held", Window, 100, "86 7 7"},
		{"full again", 40 * time.Second, 101, "100 1 0"},
		{"and never more than full", time.Hour, 101, "100 0 1"},
	} {
		if got := ask(l, step.n, home, 1, step.at); got != step.want {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
}

func TestSlip(t *testing.T) {
	for slip, want := range map[int]string{-1: "10 0 60", 0: "10 0 60", 1: "10 60 0", 2: "10 30 30", 3: "10 20 40", 15: "10 4 56", 99: "10 4 56"} {
		l := New(Options{PerSecond: 10, Slip: slip, Start: begin})
		if got := ask(l, 70, home, 1, 0); got != want {
			t.Errorf("slip %d: got %s, want %s", slip, got, want)
		}
	}
}

// Whose account it is: neighbours share one, and kinds have their own.
func TestWhoSharesAnAccount(t *testing.T) {
	const full, empty = "1 0 0", "0 0 1"
	for _, c := range []struct {
		name, a, b string
		kind       uint64
		want       string
	}{
		{"the same", "192.0.2.7", "192.0.2.7", 1, empty},
		{"a /24", "192.0.2.0", "192.0.2.255", 1, empty},
		{"mapped", "192.0.2.7", "::ffff:192.0.2.8", 1, empty},
		{"the next /24", "192.0.2.255", "192.0.3.0", 1, full},
		{"another kind", "192.0.2.7", "192.0.2.7", 2, full},
		{"a /56", "2001:db8:0:ff::1", "2001:db8::2", 1, empty},
		{"the next /56", "2001:db8:0:ff::1", "2001:db8:0:100::1", 1, full},
		{"a zone", "fe80::1%eth0", "fe80::2%eth1", 1, empty},
		{"the other family", "0.0.2.7", "::2", 1, full},
	} {
		l := New(Options{PerSecond: 5, Start: begin})
		ask(l, 100, netip.MustParseAddr(c.a), 1, 0)
		if got := ask(l, 1, netip.MustParseAddr(c.b), c.kind, 0); got != c.want {
			t.Errorf("%s: after %s, %s has %s, want %s", c.name, c.a, c.b, got, c.want)
		}
	}
}

func TestNoLimit(t *testing.T) {
	exempt := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/28"), netip.MustParsePrefix("fe80::/10")}
	l := New(Options{PerSecond: 1, Exempt: exempt, Start: begin})
	exempt[0] = netip.Prefix{} // the caller's is not ours
	for name, c := range map[string]struct {
		l    *Limiter
		from string
		want string
	}{
		"exempt":            {l, "192.0.2.7", "1000 0 0"},
		"exempt and mapped": {l, "::ffff:192.0.2.7", "1000 0 0"},
		"exempt and zoned":  {l, "fe80::1%eth0", "1000 0 0"},
		"its neighbour":     {l, "192.0.2.16", "1 0 999"},
		"off":               {New(Options{}), "192.0.2.7", "1000 0 0"},
		"below off":         {New(Options{PerSecond: -5}), "192.0.2.7", "1000 0 0"},
		"nil":               {nil, "192.0.2.7", "1000 0 0"},
	} {
		if got := ask(c.l, 1000, netip.MustParseAddr(c.from), 1, 0); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A step of the wall clock: who was not limited is not for long, and who was
// has a new account.
func TestTheClockSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		used int
		step time.Duration
		want string
	}{
		{"forward", 1000, time.Hour, "1 0 0"},
		{"back an hour, who was limited", 1000, -time.Hour, "1 0 0"},
		{"back an hour, who was not", 1, -time.Hour, "1 0 0"},
		{"back before the start, 1970", 1, -begin.Sub(time.Unix(0, 0)) - time.Hour, "1 0 0"},
		{"back 5 s, who was not", 1, -5 * time.Second, "0 0 1"},
		{"and once they have passed again", 1, 0, "1 0 0"},
	} {
		l := New(Options{PerSecond: 10})
		ask(l, c.used, home, 1, 0)
		if got := ask(l, 1, home, 1, c.step); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// Who asks as a resolver does, the same once a TTL, is never limited, however
// many networks flood at the same time.
func TestFloodsOfOthersLimitNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(Options{PerSecond: rapid.IntRange(1, 300).Draw(t, "per second"), Slip: 2, Seed: rapid.Uint64().Draw(t, "seed"), Start: begin})
		flood := netip.MustParseAddr("198.18.0.1").As4()
		now, n, spread := begin, uint32(0), rapid.Uint32Range(1, 1<<16).Draw(t, "networks")
		for range 10 {
			for range 1000 {
				n = n*1664525 + 1013904223
				flood[1], flood[2] = byte(n>>16%spread>>8), byte(n>>16%spread)
				l.Take(netip.AddrFrom4(flood), uint64(n>>30), now)
			}
			if got := l.Take(home, 7, now); got != Pass {
				t.Fatalf("after %v of flood: %v", now.Sub(begin), got)
			}
			now = now.Add(5 * time.Second)
		}
	})
}

// Whoever asks at the same time, all that an account holds passes, and hardly
// more.
func TestManyAtOnce(t *testing.T) {
	const askers, each, second = 8, 20_000, 80_000
	l := New(Options{PerSecond: second, Slip: 2, Start: begin})
	var passed atomic.Uint64
	passed.Add(1)
	l.Take(home, 1, begin) // or two might open the account at once
	var wg sync.WaitGroup
	for range askers {
		wg.Go(func() {
			for range each {
				if l.Take(home, 1, begin) == Pass {
					passed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	// What is contended 16 times in a row passes uncounted.
	if got := passed.Load(); got < second || got > second+second/1000 {
		t.Errorf("%d passed, want %d", got, second)
	}
}

func TestMemory(t *testing.T) {
	if got := unsafe.Sizeof([rows]row{}); got != 512<<10 {
		t.Errorf("%d octets, the package says 512 KiB", got)
	}
	l := New(Options{PerSecond: 1, Slip: 2, Exempt: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Start: begin})
	if n := testing.AllocsPerRun(100, func() { l.Take(home, 1, begin) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// An account that is not used while its time runs once round is at its start.
func TestTimeRunsRound(t *testing.T) {
	round := time.Duration(1<<untilBits/(MaxPerSecond*perReply)) * time.Second
	for _, after := range []time.Duration{round / 2, round - time.Minute, round + time.Minute, 3*round/2 + time.Second} {
		l := New(Options{PerSecond: MaxPerSecond, Start: begin})
		l.Take(home, 1, begin)
		if got := ask(l, MaxPerSecond+1, home, 1, after); got != fmt.Sprintf("%d 0 1", MaxPerSecond) {
			t.Errorf("after %v: %s", after, got)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	for _, networks := range []uint32{1, 1 << 16} {
		b.Run(fmt.Sprintf("networks=%d", networks), func(b *testing.B) {
			l := New(Options{PerSecond: DefaultPerSecond, Slip: DefaultSlip, Start: begin})
			b.ReportAllocs()
			n := uint32(0)
			for b.Loop() {
				n++
				m := n % networks
				l.Take(netip.AddrFrom4([4]byte{10, byte(m >> 8), byte(m), 1}), 1, begin.Add(time.Duration(n)*time.Microsecond))
			}
		})
	}
}
