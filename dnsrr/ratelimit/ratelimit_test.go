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
	if got, want := l.Stats(), (Stats{Truncated: 3014, Dropped: 3015}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
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
	if got := (*Limiter)(nil).Stats(); got != (Stats{}) {
		t.Errorf("nil counts %+v", got)
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

// A ledger is the plainest limiter: one balance an account, in fractions of a
// reply, and no bound to how many accounts there are.
type ledger struct {
	perSecond, slip int64
	balance         map[string]int64 // in quarters of a reply
	seen            map[string]time.Time
	limited         map[string]int64
}

func (g *ledger) take(account string, now time.Time) Verdict {
	most := 4 * g.perSecond
	balance := most
	if last, ok := g.seen[account]; ok {
		earned := now.Sub(last) * time.Duration(most) / time.Second // whole quarters: the test sees to it
		balance = min(most, g.balance[account]+int64(earned))
	}
	balance -= 4
	g.seen[account], g.balance[account] = now, max(balance, most-15*most)
	if balance >= 0 {
		return Pass
	}
	if g.limited[account]++; g.slip > 0 && g.limited[account]%g.slip == 0 {
		return Truncate
	}
	return Drop
}

func TestAsThePlainLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond := rapid.SampledFrom([]int64{1, 5, 25, 250}).Draw(t, "per second")
		slip := rapid.Int64Range(0, 4).Draw(t, "slip")
		g := ledger{perSecond, slip, map[string]int64{}, map[string]time.Time{}, map[string]int64{}}
		l := New(Options{PerSecond: int(perSecond), Slip: int(slip), Seed: rapid.Uint64().Draw(t, "seed"), Start: begin})
		quarter := time.Second / time.Duration(4*perSecond)
		now := begin
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			wait := rapid.OneOf(rapid.Int64Range(0, 8), rapid.Int64Range(0, 80*perSecond)).Draw(t, "wait")
			now = now.Add(time.Duration(wait) * quarter)
			net, kind := rapid.IntRange(0, 1).Draw(t, "network"), rapid.Uint64Range(0, 1).Draw(t, "kind")
			from := netip.AddrFrom4([4]byte{10, 0, byte(net), rapid.Byte().Draw(t, "host")})
			for n := range rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 1000)).Draw(t, "queries") {
				got, want := l.Take(from, kind, now), g.take(fmt.Sprint(net, kind), now)
				if got != want {
					t.Fatalf("step %d, query %d: got %v, want %v", i, n, got, want)
				}
			}
		}
	})
}

// Who asks as a resolver does, the same once a TTL, is never limited, however
// many networks flood at the same time.
func TestFloodsOfOthersLimitNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(Options{PerSecond: rapid.IntRange(1, 300).Draw(t, "per second"), Slip: 2, Seed: rapid.Uint64().Draw(t, "seed"), Start: begin})
		flood := netip.MustParseAddr("198.18.0.1").As4()
		now, n, spread := begin, uint32(0), rapid.Uint32Range(1, 1<<16).Draw(t, "networks")
		for range 20 {
			for range 2000 {
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

// In a full row those who are limited stay so, and who comes next passes.
func TestAFullRow(t *testing.T) {
	const second = 10
	l, r := lawOf(second), new(row)
	take := func(tag uint64, now int64) bool { limited, _ := r.charge(l, tag, now, 1); return limited }
	for tag := range uint64(ways) {
		for range 40 {
			take(tag, 0)
		}
	}
	for range 100 {
		if take(99, 0) {
			t.Fatal("the ninth is limited, without an account")
		}
	}
	for tag := range uint64(ways) {
		if !take(tag, 0) {
			t.Errorf("account %d was lost", tag)
		}
	}
	later := l.second*4 + l.second/2
	take(3, later) // limited no longer, like all others, and the last that is used
	take(99, later)
	for range 2 * second {
		take(3, later)
	}
	if !take(3, later) {
		t.Error("the account that was used last made room")
	}
}

// Whoever asks at the same time, no more passes than what an account holds, and
// not one less, and every limited one is counted.
func TestManyAtOnce(t *testing.T) {
	const askers, each, second = 8, 5000, 1000
	l := New(Options{PerSecond: second, Slip: 2, Start: begin})
	var passed atomic.Uint64
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
	// An account may be opened twice at the first moment, and what is contended
	// 16 times in a row passes: both are rare, and err towards passing.
	if got := passed.Load(); got < second || got > second+second/2 {
		t.Errorf("%d passed, want %d", got, second)
	}
	if s := l.Stats(); passed.Load()+s.Truncated+s.Dropped != askers*each {
		t.Errorf("%d passed and %+v: not %d", passed.Load(), s, askers*each)
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
