package throttle

import (
	"hash/maphash"
	"strconv"
	"testing"
	"time"
)

// A budget is given up when nothing is owed, and not before; and what it was, it
// is again.
func TestEviction(t *testing.T) {
	limits := minutes(50, 90, 50, 60)
	l := ledgerOf(limits, Options{})
	l.Done(day, first(l.Check(day, john, quiet())), Cost{RPC: 36 * time.Second})
	for at := time.Duration(0); at < 2*time.Minute; at += time.Second {
		if got := l.Sweep(day.Add(at)); got.Evicted != 0 {
			t.Fatalf("after %v", at)
		}
	}
	if got := l.Sweep(day.Add(2*time.Minute + 2*time.Second)); got.Evicted != 1 || l.Stats().Budgets != 0 {
		t.Errorf("got %+v", got)
	}

	l.Hold(day.Add(time.Hour), john, Subscriptions, 1)
	if got := l.Sweep(day.Add(999 * time.Hour)); got.Evicted != 0 {
		t.Error("given up, with a subscription")
	}
	l.Free(day.Add(999*time.Hour), john, Subscriptions, 1)
	if got := l.Sweep(day.Add(1000 * time.Hour)); got.Evicted != 1 {
		t.Error("kept, with nothing")
	}
}

// A policy that changes while a budget is idle does not make it forget: it is
// asked again before a budget is given up.
func TestEvictionAsksAgain(t *testing.T) {
	limits := bucket(1000, 3600000, -1)
	l := NewLedger(Options{Seed: maphash.MakeSeed()}, func(time.Time, Caller) *Limits { return limits })
	l.Done(day, first(l.Check(day, john, quiet())), Cost{Time: time.Minute})
	limits = bucket(1000, 36000, -1) // a hundredth
	if got := l.Sweep(day.Add(3 * time.Minute)); got.Evicted != 0 || usedTime(l, day.Add(3*time.Minute), john) != 58200*ms {
		t.Errorf("got %+v, %v", got, usedTime(l, day.Add(3*time.Minute), john))
	}
	if got := l.Sweep(day.Add(101*time.Minute + time.Second)); got.Evicted != 1 {
		t.Errorf("later: %+v", got)
	}
}

// When there is no room newcomers share a budget, nothing is forgotten, and they
// have their own as soon as there is room.
func TestFull(t *testing.T) {
	l := ledgerOf(stillLimits(), Options{Budgets: 64})
	charge := func(i int) Verdict {
		tk, v := l.Check(day, Caller{strconv.Itoa(i), EWS}, quiet())
		if !l.Done(day, tk, Cost{Time: time.Second}) {
			t.Fatal(i)
		}
		return v
	}
	for i := range 64 {
		if v := charge(i); v.Part != NoPart {
			t.Fatalf("%d: %+v", i, v)
		}
	}
	for i := 64; i < 300; i++ {
		if v := charge(i); v.Action != Allow || v.Part != Full {
			t.Fatalf("%d: %+v", i, v)
		}
	}
	var sum time.Duration
	for i := range l.shards {
		for n := range l.shards[i].next {
			sum += time.Duration(l.shards[i].budget(n).Used[rateLocal])
		}
		sum += time.Duration(l.shards[i].shared[EWS].Used[rateLocal])
	}
	if s := l.Stats(); sum != 300*time.Second || s.Budgets != 64 || s.Full != 236 {
		t.Errorf("%v in all, %+v", sum, s)
	}
	if v := l.Hold(day, Caller{"new", EWS}, Subscriptions, 1); v.Action != Deny || v.Part != Full {
		t.Errorf("nobody who has no budget holds anything: %+v", v)
	}
	charge(300) // 237 s of 300
	for range 64 {
		charge(301)
	}
	if v := charge(302); v.Action != Delay || v.Part != LocalTime {
		t.Errorf("the shared budget has limits too: %+v", v)
	}
}

// A place that is clear is given on, though no sweep has come by.
func TestPlacesAreGivenOn(t *testing.T) {
	l := ledgerOf(minutes(50, 90, 50, 60), Options{Budgets: 64})
	for round := range 5 {
		now := day.Add(time.Duration(round) * time.Hour)
		for i := range 64 {
			tk, v := l.Check(now, Caller{strconv.Itoa(round*1000 + i), EWS}, quiet())
			if v.Part != NoPart {
				t.Fatalf("round %d, %d: %+v", round, i, v)
			}
			l.Done(now, tk, Cost{Time: 10 * time.Minute})
		}
		tk, v := l.Check(now, Caller{"late", EWS}, quiet())
		if l.Done(now, tk, Cost{}); v.Part != Full {
			t.Fatalf("round %d: %+v", round, v)
		}
	}
	if s := l.Stats(); s.Evicted != 64*4 || s.Budgets != 64 {
		t.Errorf("got %+v", s)
	}
}

// A budget that is clear is kept for a minute, unless there is no room.
func TestKept(t *testing.T) {
	for room, want := range map[int]int{65: 0, 64: 64} {
		l := ledgerOf(bucket(1000, 3600000, -1), Options{Budgets: room})
		for i := range 64 {
			l.Done(day, first(l.Check(day, Caller{strconv.Itoa(i), EWS}, quiet())), Cost{Time: time.Second})
		}
		if got := l.Sweep(day.Add(2 * time.Second)); got.Evicted != want {
			t.Errorf("room for %d: %d given up, want %d", room, got.Evicted, want)
		}
	}
}

// A search for a place that found none is not the end: the next one is when a
// place is clear, whoever has it.
func TestPlacesAreLookedForAgain(t *testing.T) {
	l := ledgerOf(bucket(1000, 3600000, -1), Options{Budgets: 64})
	for i := range 64 {
		d := time.Duration(20+i%32) * time.Second
		if i == 17 {
			d = 10 * time.Second
		}
		l.Done(day, first(l.Check(day, Caller{strconv.Itoa(i), EWS}, quiet())), Cost{Time: d})
	}
	for _, tt := range []struct {
		at   time.Duration
		want Part
	}{{0, Full}, {9 * time.Second, Full}, {12 * time.Second, NoPart}, {12 * time.Second, Full}, {22 * time.Second, NoPart}} {
		tk, v := l.Check(day.Add(tt.at), Caller{tt.at.String() + tt.want.String(), EWS}, quiet())
		cost := Cost{}
		if v.Part == NoPart {
			cost.Time = 100 * time.Second
		}
		if l.Done(day.Add(tt.at), tk, cost); v.Part != tt.want {
			t.Errorf("at %v: %+v", tt.at, v)
		}
	}
}

// Requests that cannot be remembered are refused.
func TestCrowded(t *testing.T) {
	l := ledgerOf(open(), Options{Budgets: 64, Open: 128})
	for i := range 128 {
		if tk, v := l.Check(day, Caller{strconv.Itoa(i % 3), EWS}, quiet()); tk == 0 || v.Action != Allow {
			t.Fatalf("got %+v", v)
		}
	}
	tk, v := l.Check(day, john, quiet())
	if want := (Verdict{Part: Full, Wait: time.Second, Limit: 128}); tk != 0 || v != want {
		t.Errorf("got %+v, want %+v", v, want)
	}
	if s := l.Stats(); s.Open != 128 || s.Crowded != 1 {
		t.Errorf("got %+v", s)
	}
}
