package throttle

import (
	"hash/maphash"
	"slices"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// ledgerOf is a Ledger where all callers have the same policy.
func ledgerOf(l *Limits, o Options) *Ledger {
	o.Seed = maphash.MakeSeed()
	return NewLedger(o, func(time.Time, Caller) *Limits { return l })
}

var john = Caller{"CONTOSO\\john", EWS}

// usedTime is what c has used of the time of whole requests.
func usedTime(l *Ledger, now time.Time, c Caller) time.Duration {
	return time.Duration(l.Budget(now, c).Used[rateLocal])
}

// still limits forget nothing, so that sums are exact.
func stillLimits() *Limits {
	l := bucket(300000, 0, -1)
	l.MaxDelay = 0 // who waits is not charged, and here all are
	return l
}

// A request that hangs is seen before it ends, by others of the same caller too.
func TestInFlightIsCharged(t *testing.T) {
	l := ledgerOf(bucket(300000, 900000, 3000000), Options{})
	l.Check(day, john, quiet())
	now := day.Add(400 * time.Second) // 400 s, less a fourth: just at the end of the burst
	if got := usedTime(l, now, john); got != 300*time.Second {
		t.Errorf("used %v", got)
	}
	if _, v := l.Check(now.Add(time.Second), john, quiet()); v.Action != Delay || v.Part != LocalTime {
		t.Errorf("got %+v", v)
	}
	if _, v := l.Check(now.Add(4001*time.Second), john, quiet()); v.Action != Deny || v.Wait != 5*time.Minute {
		t.Errorf("at the cutoff: %+v", v)
	}
	if _, v := l.Check(now, Caller{john.Name, EAS}, quiet()); v.Action != Allow {
		t.Errorf("in another component: %+v", v)
	}
}

// Who was told to wait is charged from when the wait is over; who did not wait
// is charged from when he asked. A sweep on the way changes when it is seen, and
// not how much.
func TestWaitIsNotCharged(t *testing.T) {
	for _, tt := range []struct {
		name string
		done time.Duration
		want time.Duration
	}{
		{"served after the wait", 3 * time.Second, 2 * time.Second},
		{"ended with the wait", time.Second, 0},
		{"did not wait", 999 * ms, 999 * ms},
	} {
		for _, swept := range []bool{false, true} {
			limits := stillLimits()
			limits.MaxDelay = time.Second
			l := ledgerOf(limits, Options{})
			l.Done(day.Add(time.Second), first(l.Check(day, john, quiet())), Cost{Time: 301 * time.Second})
			asked := day.Add(time.Second)
			tk, v := l.Check(asked, john, quiet())
			if v.Action != Delay || v.Wait != time.Second {
				t.Fatalf("%s: %+v", tt.name, v)
			}
			for at := time.Duration(0); swept && at < tt.done; at += 100 * ms {
				l.Sweep(asked.Add(at))
			}
			l.Done(asked.Add(tt.done), tk, Cost{})
			if got := usedTime(l, asked.Add(tt.done), john) - 301*time.Second; got != tt.want {
				t.Errorf("%s, swept %t: charged %v, want %v", tt.name, swept, got, tt.want)
			}
		}
	}
}

func first(t Ticket, _ Verdict) Ticket { return t }

// A batch is charged while its items are worked on.
func TestBatch(t *testing.T) {
	limits := stillLimits()
	limits.CPUStart = 0.75
	l := ledgerOf(limits, Options{})
	tk, _ := l.Check(day, john, quiet())
	now := day
	for range 10 {
		now = now.Add(time.Second)
		v := l.Next(now, tk, 1)
		if v.Wait != 500*ms || v.Part != CPU {
			t.Fatalf("got %+v", v)
		}
		now = now.Add(v.Wait)
	}
	l.Done(now, tk, Cost{})
	if got := usedTime(l, now, john); got != 10*time.Second {
		t.Errorf("charged %v", got)
	}
	if s := l.Stats(); s.Sleeps != 10 || s.Slept != 5*time.Second || s.CPUSleeps != 10 || s.CPUSlept != 5*time.Second || s.Open != 0 {
		t.Errorf("got %+v", s)
	}
	if v := l.Next(now, tk, 0); v != (Verdict{}) {
		t.Errorf("of a ticket that is done: %+v", v)
	}
}

// Time in AD and RPC is charged while a request is there, and what the front end
// says at the end beside it.
func TestParts(t *testing.T) {
	limits := minutes(50, 90, 50, 60)
	for i := range limits.Rate {
		limits.Rate[i].Refill = 0
	}
	limits.Rate[rateLocal].Unlimited = false
	limits.Rate[rateLocal].Cap = int64(time.Hour)
	l := ledgerOf(limits, Options{})
	tk, _ := l.Check(day, john, quiet())
	l.Enter(day, tk, AD)
	l.Enter(day, tk, AD) // once
	l.Enter(day, tk, Messages)
	l.Leave(day.Add(2*time.Second), tk, AD)
	l.Leave(day.Add(3*time.Second), tk, AD)
	l.Enter(day.Add(3*time.Second), tk, RPC)
	l.Done(day.Add(4*time.Second), tk, Cost{AB: 10 * time.Second, RPC: time.Second})
	got := l.Budget(day.Add(4*time.Second), john)
	if want := [rates]int64{2e9, 10e9, 10e9, 2e9, 10e9, 0}; got.Used != want || got.In != [3]uint16{} {
		t.Errorf("got %v, want %v", got.Used, want)
	}
}

// A ticket is good once, and no other number is one.
func TestTickets(t *testing.T) {
	l := ledgerOf(stillLimits(), Options{Budgets: 1})
	seen := map[Ticket]bool{}
	var last Ticket
	for range 1000 {
		tk, _ := l.Check(day, john, quiet())
		if tk == 0 || seen[tk] || tk == last+1 || tk>>32 == last>>32 {
			t.Fatalf("%x after %x", tk, last)
		}
		seen[tk], last = true, tk
		for _, other := range []Ticket{0, tk + 1, tk ^ 1<<63, tk ^ 1<<31, ^tk} {
			if l.Done(day, other, Cost{}) {
				t.Fatalf("%x is no ticket", other)
			}
		}
		if !l.Done(day, tk, Cost{}) || l.Done(day, tk, Cost{}) {
			t.Fatal("a ticket is good once")
		}
	}
}

// What is never done is released; what takes long is told once, and what hangs
// not at all (event 2917).
func TestSweepReleases(t *testing.T) {
	l := ledgerOf(stillLimits(), Options{Release: 10 * time.Minute, Expect: 166134 * ms}) // 2.7689 minutes
	tk, _ := l.Check(day, john, quiet())
	l.Check(day, john, Ask{Hanging: true, CPU: -1})
	var long []Long
	for at := time.Duration(0); at < 10*time.Minute; at += time.Second {
		got := l.Sweep(day.Add(at))
		if got.Released != 0 {
			t.Fatalf("at %v: %+v", at, got)
		}
		long = append(long, got.Long...)
	}
	if want := (Long{john, 167 * time.Second}); len(long) != 1 || long[0] != want {
		t.Errorf("told %v, want %v", long, want)
	}
	if got := l.Sweep(day.Add(10 * time.Minute)); got.Released != 1 || l.Done(day, tk, Cost{}) {
		t.Errorf("after the time: %+v", got)
	}
	if b := l.Budget(day.Add(10*time.Minute), john); b.Held[gaugeConcurrency] != 0 || b.Used[rateLocal] != int64(166134*ms) {
		t.Errorf("got %+v", b)
	}
	if got := l.Sweep(day.Add(time.Hour)); got.Released != 1 || l.Stats().Released != 2 || l.Stats().Open != 0 {
		t.Errorf("what hangs: %+v", got)
	}
}

// In shadow mode all is decided and counted, and nothing refused, delayed or cut.
func TestShadow(t *testing.T) {
	limits := minutes(50, 90, 50, 60)
	limits.Max = [gauges]uint32{1, 1, 0, 1}
	l := ledgerOf(limits, Options{Shadow: true})
	l.Check(day, john, quiet())
	tk, v := l.Check(day, john, Ask{Find: 6, Paged: true, CPU: -1})
	if want := (Verdict{Action: Allow, Part: Concurrency, Limit: 1, Find: 6, Would: Deny}); v != want || tk == 0 {
		t.Errorf("got %+v, want %+v", v, want)
	}
	if v := l.Hold(day, john, Subscriptions, 1); v.Action != Allow || v.Would != Deny {
		t.Errorf("got %+v", v)
	}
	if b := l.Budget(day, john); b.Held != [gauges]uint32{2, 0, 1, 6} || b.Open != 2 {
		t.Errorf("got %+v", b)
	}
	s := l.Stats()
	if want := []Decisions{{EWS, Deny, Concurrency, 1}, {EWS, Deny, Subscriptions, 1}, {EWS, Allow, NoPart, 1}}; !slices.Equal(s.Decisions, want) || s.Slept != 0 {
		t.Errorf("got %+v", s)
	}
}

// A clock that is set back earns nothing and charges nothing.
func TestClockBack(t *testing.T) {
	l := ledgerOf(stillLimits(), Options{})
	tk, _ := l.Check(day, john, quiet())
	l.Check(day.Add(time.Second), john, quiet())
	if got := usedTime(l, day.Add(-time.Hour), john); got != time.Second {
		t.Errorf("used %v", got)
	}
	l.Sweep(day.Add(-time.Hour))
	l.Done(day.Add(-time.Hour), tk, Cost{})
	if got := usedTime(l, day.Add(time.Second), john); got != time.Second {
		t.Errorf("used %v", got)
	}
	if b := l.Budget(day.Add(3*time.Second), john); b.Used[rateLocal] != int64(3*time.Second) || b.Open != 1 {
		t.Errorf("got %+v", b)
	}
}

// Names are compared byte by byte, whatever their length; who has none is one
// caller, and who has too long a one shares.
func TestNames(t *testing.T) {
	l := ledgerOf(open(), Options{})
	for _, n := range []int{0, 1, 48, 49, 50, 51, 255, 256, 1024} {
		for _, last := range []string{"a", "b"} {
			c := Caller{strings.Repeat("x", max(0, n-1)) + last[:min(1, n)], EWS}
			if _, v := l.Check(day, c, quiet()); v.Part != NoPart {
				t.Errorf("%d bytes: %+v", n, v)
			}
		}
	}
	if got := l.Stats().Budgets; got != 17 {
		t.Errorf("%d budgets", got)
	}
	if _, v := l.Check(day, Caller{strings.Repeat("x", 1025), EWS}, quiet()); v.Part != Full {
		t.Errorf("got %+v", v)
	}
	if _, v := l.Check(day, Caller{"x", components}, quiet()); v.Action != Deny {
		t.Errorf("no component: %+v", v)
	}
}

// A decision for a caller that is known costs no memory.
func TestNoAllocation(t *testing.T) {
	l := ledgerOf(usual(), Options{})
	now := day
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Second)
		tk, _ := l.Check(now, john, Ask{CPU: 0.9, Find: 10, Paged: true})
		l.Enter(now, tk, AD)
		l.Leave(now, tk, AD)
		l.Next(now, tk, 0.9)
		l.Hold(now, john, Subscriptions, 1)
		l.Free(now, john, Subscriptions, 1)
		l.Done(now, tk, Cost{AD: time.Millisecond})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A front end that cannot say when a request ends says at once what it is taken
// to cost: that is what the caller's next delay is measured by.
func TestCostSaidAtOnceSlows(t *testing.T) {
	l := ledgerOf(bucket(1000, 900000, 3000000), Options{})
	var v Verdict
	for range 2 {
		var tk Ticket
		tk, v = l.Check(day, john, quiet())
		l.Done(day, tk, Cost{Time: 2 * time.Second})
	}
	if v.Action != Delay || v.Part != LocalTime || v.Wait != 8*time.Second {
		t.Errorf("2 s at once and 1 s of burst: got %+v, want a delay of 8 s, as he recharges", v)
	}
}
