package throttle

import (
	"testing"
	"time"
)

// A front end that crashes does not lock its users out: of a request that nobody
// ends no more is charged in the end than is expected, while it runs all of it.
func TestNeverDone(t *testing.T) {
	l := ledgerOf(bucket(300000, 0, 3000000), Options{})
	for range 20 {
		l.Check(day, john, quiet())
	}
	before := day.Add(10*time.Minute - 1)
	l.Sweep(before)
	if _, v := l.Check(before, john, quiet()); v.Action != Deny || v.Wait != lockOut {
		t.Errorf("while they run: %+v", v)
	}
	now := day.Add(10 * time.Minute)
	l.Sweep(now)
	if got := usedTime(l, now, john); got != 40*time.Minute {
		t.Errorf("20 were never done: charged %v, want 2 minutes each", got)
	}
	now = before.Add(lockOut)
	if _, v := l.Check(now, john, quiet()); v.Action != Delay || v.Wait != time.Minute {
		t.Errorf("when his lock-out has ended: %+v, want to be slowed", v)
	}
}

// What a front end has told of a request, it is charged: up to the last item of
// a batch, and for a part that was left. So is what it held given back, and no
// more than that.
func TestNeverDoneIsChargedWhatWasTold(t *testing.T) {
	limits := minutes(100, 100, 100, 100)
	for i := range limits.Rate {
		limits.Rate[i] = Rate{Cap: int64(time.Hour)}
	}
	l := ledgerOf(limits, Options{Expect: time.Minute})
	at := func(d time.Duration) time.Time { return day.Add(d) }
	tk, _ := l.Check(day, john, quiet())
	l.Enter(day, tk, AB)
	l.Leave(at(2*time.Minute), tk, AB)
	l.Enter(at(3*time.Minute), tk, RPC)
	l.Next(at(4*time.Minute), tk, -1)
	l.Enter(at(9*time.Minute+30*time.Second), tk, AD)
	l.Sweep(at(10 * time.Minute))
	b := l.Budget(at(10*time.Minute), john)
	if want := [rates]int64{rateAD: 30e9, rateCAS: 5 * 60e9, rateAB: 2 * 60e9, rateRPC: 60e9, rateLocal: 5 * 60e9}; b.Used != want || b.Last != 60e6 {
		t.Errorf("got %v and %d µs, want %v", b.Used, b.Last, want)
	}
	if b.Open != 0 || b.In != [3]uint16{} || b.Held != [gauges]uint32{} {
		t.Errorf("left are %+v", b)
	}
}

// What is gone already is not given back a second time.
func TestNeverDoneGivesBackOnce(t *testing.T) {
	l := ledgerOf(bucket(300000, 1800000, -1), Options{Expect: time.Minute})
	l.Check(day, john, quiet()) // 600 s, half of which is recharged
	l.Sweep(day.Add(10 * time.Minute))
	if got := usedTime(l, day.Add(10*time.Minute), john); got != 0 {
		t.Errorf("used %v", got)
	}
}

// An unlimited rate keeps of a request that was never done what is left of the
// time that is expected.
func TestNeverDoneUnlimited(t *testing.T) {
	l := ledgerOf(open(), Options{})
	l.Check(day, john, quiet())
	tk, _ := l.Check(day, Caller{"anna", EWS}, quiet())
	l.Done(day.Add(2*time.Minute), tk, Cost{})
	now := day.Add(10 * time.Minute)
	want := usedTime(l, now, Caller{"anna", EWS})
	l.Sweep(now)
	got := usedTime(l, now, john)
	if d := got - want; d < -10 || d > 10 || want < 10*time.Second {
		t.Errorf("%v are left, want %v, as of one who ended after 2 minutes", got, want)
	}
}

// One that hangs may do so for an hour, or for as long as others may be open.
func TestHangingIsReleased(t *testing.T) {
	for release, want := range map[time.Duration]time.Duration{time.Minute: time.Hour, 2 * time.Hour: 2 * time.Hour} {
		l := ledgerOf(open(), Options{Release: release})
		l.Check(day, john, Ask{Hanging: true, CPU: -1})
		if got := l.Sweep(day.Add(want - 1)); got.Released != 0 {
			t.Errorf("others may %v: released before %v", release, want)
		}
		if got := l.Sweep(day.Add(want)); got.Released != 1 {
			t.Errorf("others may %v: not released after %v", release, want)
		}
	}
}

// What is held is freed a day after the last word of who holds it, and so does
// not keep a budget for ever.
func TestLease(t *testing.T) {
	const lease = 24 * time.Hour
	limits := bucket(300000, 900000, 3000000)
	limits.Max[gaugeOwn] = 20
	l := ledgerOf(limits, Options{})
	at := func(d time.Duration) time.Time { return day.Add(d) }
	l.Hold(day, john, Subscriptions, 20)
	if got := l.Sweep(at(lease - time.Second)); got.Freed != 0 {
		t.Errorf("before the day is over: %+v", got)
	}
	if v := l.Hold(at(lease-time.Second), john, Subscriptions, 0); v.Action != Allow {
		t.Errorf("a sign of life: %+v", v)
	}
	if got := l.Sweep(at(2*lease - 2*time.Second)); got.Freed != 0 || l.Budget(at(2*lease), john).Held[gaugeOwn] != 20 {
		t.Errorf("after a sign of life: %+v", got)
	}
	if got := l.Sweep(at(2*lease - time.Second)); got.Freed != 20 || l.Budget(at(2*lease), john).Held[gaugeOwn] != 0 {
		t.Errorf("a day after it: %+v", got)
	}
	if got := l.Sweep(at(2*lease + keep)); got.Evicted != 1 {
		t.Errorf("and then: %+v", got)
	}

	short := ledgerOf(limits, Options{Lease: time.Hour})
	short.Hold(day, john, Subscriptions, 20)
	short.Hold(at(time.Minute), john, Subscriptions, 1) // denied, and heard
	if short.Sweep(at(time.Hour)).Freed != 0 || short.Sweep(at(time.Hour+time.Minute)).Freed != 20 {
		t.Error("an hour is not an hour")
	}
}

// A caller who was never seen is as good before the first instant as after it.
func TestBeforeTheFirst(t *testing.T) {
	l := ledgerOf(bucket(300000, 900000, 3000000), Options{})
	l.Sweep(day)
	for _, back := range []time.Duration{1, time.Hour, 400 * 24 * time.Hour} {
		if _, v := l.Check(day.Add(-back), Caller{back.String(), EWS}, quiet()); v.Action != Allow {
			t.Errorf("%v before: %+v", back, v)
		}
	}
}
