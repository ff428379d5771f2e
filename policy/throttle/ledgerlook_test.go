package throttle

import (
	"hash/maphash"
	"strconv"
	"testing"
	"time"
)

// Who looks at callers uses no policy: it is loaded again 5 minutes after its last
// use, whatever is swept and listed.
func TestLooksAreNoUse(t *testing.T) {
	c := NewCache(ExchangeAges())
	l := NewLedger(Options{Seed: maphash.MakeSeed(), Look: c.Look}, c.Limits)
	l.Hold(day, Caller{"a", EWS}, Subscriptions, 1)
	for range 27 {
		tk, _ := l.Check(day, john, quiet())
		l.Done(day, tk, Cost{Time: time.Hour})
	}
	if _, v := l.Check(day, john, quiet()); v.Action != Deny { // is in the list from now on
		t.Fatalf("got %+v", v)
	}
	for at := time.Duration(0); at < 5*time.Minute; at += time.Second {
		now := day.Add(at)
		l.Sweep(now)
		if got := l.Throttled(now, 9); len(got) != 1 {
			t.Fatalf("throttled %+v", got)
		}
		l.Top(now, 9, LocalTime)
		l.Snapshot(now, john)
		l.Budget(now, john)
		if e := c.Explain(now, "x"); !e.Loaded || *e.Unused > (5*time.Minute-at).Seconds() {
			t.Fatalf("%v after the last use: kept for %v s more", at, *e.Unused)
		}
	}
	l.Sweep(day.Add(5 * time.Minute))
	if e := c.Explain(day.Add(5*time.Minute), "x"); e.Loaded {
		t.Errorf("5 minutes after its last use the policy is there: %+v", e)
	}
}

// To look is to see what a use would have: what is loaded while it is fresh, then
// what is new, and neither loads it.
func TestLook(t *testing.T) {
	ann := Caller{"ann", EWS}
	c := NewCache(ExchangeAges())
	c.Publish(bookOf(t, 1))
	if got := concurrencyOf(c.Look(start, ann)); got != 51 {
		t.Errorf("never used: got %d, want 51", got)
	}
	c.Publish(bookOf(t, 2))
	if got := concurrencyOf(c.Look(start, ann)); got != 52 {
		t.Errorf("it was loaded by a look: got %d, want 52", got)
	}
	c.Limits(start, ann)
	c.Publish(bookOf(t, 3))
	for at, want := range map[time.Duration]uint32{5*time.Minute - 1: 52, 5 * time.Minute: 53} {
		if got := concurrencyOf(c.Look(start.Add(at), ann)); got != want {
			t.Errorf("after %v: got %d, want %d", at, got, want)
		}
	}
}

// A budget that is never clear is looked at now and then, since its policy may
// have changed.
func TestNeverClearIsReviewed(t *testing.T) {
	limits := bucket(300000, 0, 3000000)
	l := NewLedger(Options{Budgets: 1, Seed: maphash.MakeSeed()}, func(time.Time, Caller) *Limits { return limits })
	l.Done(day, first(l.Check(day, john, quiet())), Cost{Time: time.Second})
	now := day.Add(time.Hour)
	for range 200 {
		if got := l.Sweep(now); got.Evicted != 0 {
			t.Fatal("given up, and it owes for ever")
		}
	}
	limits = bucket(300000, 900000, 3000000)
	evicted := 0
	for range perBlock {
		evicted += l.Sweep(now).Evicted
	}
	if _, v := l.Check(now, Caller{"new", EWS}, quiet()); evicted != 1 || v.Part != NoPart {
		t.Errorf("%d given up; a newcomer: %+v", evicted, v)
	}
}

// A newcomer looks at so many budgets and at no more, and who comes next goes on:
// in the end the one that is clear is found.
func TestNewcomersLookAround(t *testing.T) {
	const room = 10 * mostLooks
	asked := 0
	cost := func(c Caller) int64 { // how long each owes; all are noted as clear at once
		if c.Name == strconv.Itoa(room-1) {
			return 3600000
		}
		return 1
	}
	loose := true
	l := NewLedger(Options{Budgets: 64, Seed: maphash.MakeSeed()}, func(_ time.Time, c Caller) *Limits {
		asked++
		if loose {
			return bucket(1000, 3600000, -1)
		}
		return bucket(1000, cost(c), -1)
	})
	l.budgets.most = room // one shard
	for i := range room {
		l.Done(day, first(l.Check(day, Caller{strconv.Itoa(i), EWS}, quiet())), Cost{Time: 500 * ms})
	}
	loose = false
	now, found := day.Add(time.Minute), 0
	for i := range 2 * room / mostLooks {
		asked = 0
		if _, v := l.Check(now, Caller{"new" + strconv.Itoa(i), EWS}, quiet()); v.Part == NoPart {
			found++
		}
		if asked > mostLooks+1 {
			t.Fatalf("newcomer %d: asked for %d policies under the lock", i, asked)
		}
	}
	if found != 1 {
		t.Errorf("of the one place that is clear %d were found", found)
	}
	asked = 0
	if l.Check(now, Caller{"last", EWS}, quiet()); asked > 1 {
		t.Errorf("all were looked at, and %d are again", asked-1)
	}
}

// There are no more budgets than shards have numbers for.
func TestMostBudgets(t *testing.T) {
	if got := (Options{Budgets: 1 << 40}).filled().Budgets; got != 100_000_000 || got/mostShards > noBudget/10 {
		t.Errorf("room for %d", got)
	}
}

// Where nobody says what is allowed nothing is.
func TestNoLimitsAtAll(t *testing.T) {
	l := NewLedger(Options{Seed: maphash.MakeSeed()}, func(time.Time, Caller) *Limits { return nil })
	for c := range components + 1 {
		for _, hangs := range []bool{false, true} {
			if tk, v := l.Check(day, Caller{"x", c}, Ask{Hanging: hangs, CPU: -1}); tk != 0 || v.Action != Deny {
				t.Errorf("%v, hanging %t: %+v", c, hangs, v)
			}
		}
		if v := l.Hold(day, Caller{"x", c}, Subscriptions, 1); v.Action != Deny {
			t.Errorf("%v holds: %+v", c, v)
		}
		l.Free(day, Caller{"x", c}, Subscriptions, 1)
		l.Snapshot(day, Caller{"x", c})
	}
}
