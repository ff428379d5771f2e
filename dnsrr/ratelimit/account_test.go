package ratelimit

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

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

// Who makes room for another leaves him no debt.
func TestANewAccountIsFull(t *testing.T) {
	const second = 10
	l, r := lawOf(second), new(row)
	for tag := range uint64(ways) {
		for range second - 1 { // so that one more is limited
			r.charge(l, tag, 0, 1)
		}
	}
	for n := range second {
		if limited, _ := r.charge(l, 99, 0, 1); limited {
			t.Fatalf("limited after %d", n)
		}
	}
}
