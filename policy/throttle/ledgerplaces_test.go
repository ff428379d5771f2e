package throttle

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Many goroutines at fixed instants: what they charge is there to the nanosecond,
// and nothing that they held is left.
func TestChargesSum(t *testing.T) {
	l := ledgerOf(stillLimits(), Options{Budgets: 64})
	const workers, rounds, callers = 8, 2000, 100 // more than there is room for
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				c := Caller{strconv.Itoa((i*7 + w) % callers), EWS}
				tk, _ := l.Check(day, c, Ask{Find: 1, CPU: -1})
				if i%100 == 0 {
					l.Sweep(day)
					l.Top(day, 3, LocalTime)
					l.Throttled(day, 3)
				}
				l.Done(day, tk, Cost{Time: time.Duration(i + 1)})
			}
		})
	}
	wg.Wait()
	var sum int64
	var held [gauges]uint32
	see := func(b *Budget) {
		sum += b.Used[rateLocal]
		for i := range held {
			held[i] += b.Held[i]
		}
	}
	for i := range l.shards {
		for n := range l.shards[i].next {
			see(l.shards[i].budget(n))
		}
		see(&l.shards[i].shared[EWS])
	}
	if want := int64(workers * rounds * (rounds + 1) / 2); sum != want || held != [gauges]uint32{} {
		t.Errorf("charged %d, want %d; held %v", sum, want, held)
	}
	if s := l.Stats(); s.Budgets != 64 || s.Open != 0 {
		t.Errorf("got %+v", s)
	}
}

// The places of budgets and names against a plain map: callers come and go in any
// order, and each finds his own.
func TestPlacesAreModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := bucket(1000, 3600000, -1)         // a second's debt is gone in a second
		l := ledgerOf(limits, Options{Budgets: 64}) // one shard, and more room than it thinks
		l.budgets.most = 5000
		want := map[string]time.Duration{}
		now, n := day, 0
		long := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 5).Draw(t, "lengths")
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			for range rapid.IntRange(0, 800).Draw(t, "more") {
				n++
				name := strconv.Itoa(n) + string(make([]byte, long[n%len(long)]))
				d := time.Duration(1 + n*7919%300*int(time.Second))
				l.Done(now, first(l.Check(now, Caller{name, EWS}, quiet())), Cost{Time: d})
				want[name] = d
			}
			later := time.Duration(rapid.IntRange(0, 100).Draw(t, "later")) * time.Second
			now = now.Add(later)
			l.Sweep(now)
			for name, d := range want {
				if d -= later; d <= 0 {
					delete(want, name)
					continue
				}
				want[name] = d
				if got := usedTime(l, now, Caller{name, EWS}); got != d {
					t.Fatalf("%q: %v, want %v", name, got, d)
				}
			}
		}
		for i := range l.shards {
			live, chunks := 0, 0
			for _, c := range l.shards[i].names.chunks {
				if c != nil {
					live, chunks = live+int(c.live), chunks+1
				}
			}
			if most := 2*(live/(nameBytes-mostName)+1) + 1; chunks > most {
				t.Fatalf("%d bytes of names in %d chunks", live, chunks)
			}
		}
		now = now.Add(time.Hour)
		l.Sweep(now)
		if s := l.Stats(); s.Budgets != 0 {
			t.Fatalf("%d are left", s.Budgets)
		}
		for i := range l.shards {
			for _, c := range l.shards[i].names.chunks {
				if c != nil && c.live != 0 {
					t.Fatalf("%d bytes of names are left", c.live)
				}
			}
		}
	})
}
