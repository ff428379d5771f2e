package throttle

import (
	"testing"
	"time"
)

// TH-02: over MaxConcurrency the new request fails, at once and with nothing to
// wait for but the end of another; those that are open stay.
func TestConcurrency(t *testing.T) {
	l := bucket(300000, 900000, 3000000)
	l.Max[gaugeConcurrency] = 27
	b := Budget{Component: EWS}
	for range 27 {
		b, _ = l.Check(b, 0, quiet())
	}
	b, v := l.Check(b, 0, quiet())
	if want := (Verdict{Action: Deny, Part: Concurrency, Limit: 27}); v != want || v.Part.String() != "MaxConcurrency" {
		t.Errorf("the 28th: got %+v (%v), want %+v", v, v.Part, want)
	}
	if b.Held[gaugeConcurrency] != 27 || b.Open != 27 {
		t.Errorf("open are %d, charged %d", b.Held[gaugeConcurrency], b.Open)
	}
	b = l.Done(b, 0, quiet(), 0, 0, Cost{})
	if _, v = l.Check(b, 0, quiet()); v.Action != Allow {
		t.Errorf("when one has ended: got %+v", v)
	}
}

// What hangs has a limit of its own, and costs nothing.
func TestHanging(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	l.Max[gaugeConcurrency] = 0
	hang := Ask{Hanging: true, CPU: -1}
	b := Budget{Component: EWS}
	var v Verdict
	for range 4 {
		b, v = l.Check(b, 0, hang)
	}
	if want := (Verdict{Action: Deny, Part: Hanging, Limit: 3}); v != want || b.Held[gaugeHanging] != 3 {
		t.Errorf("the fourth: got %+v, %v", v, b)
	}
	b = l.Settle(b, time.Hour)
	b = l.Done(b, time.Hour, hang, 0, 0, Cost{})
	if b.Used != [rates]int64{} || b.Held[gaugeHanging] != 2 {
		t.Errorf("after an hour: %+v", b)
	}
}

// What Hold counts outlives a request.
func TestHold(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	b, v := l.Hold(Budget{Component: EWS}, Subscriptions, 20)
	if v.Action != Allow || b.Held[gaugeOwn] != 20 {
		t.Errorf("20 subscriptions: %+v, %v", v, b)
	}
	if b, v = l.Hold(b, Subscriptions, 1); v != (Verdict{Part: Subscriptions, Limit: 20}) || b.Held[gaugeOwn] != 20 {
		t.Errorf("the 21st: %+v, %v", v, b)
	}
	if b, v = l.Hold(l.Free(b, Subscriptions, 1), Subscriptions, 1); v.Action != Allow {
		t.Errorf("after one was freed: %+v", v)
	}
	if b = l.Free(b, Subscriptions, 99); b.Held[gaugeOwn] != 0 {
		t.Errorf("more freed than held: %v", b)
	}
	if _, v = l.Hold(b, Devices, 1); v.Action != Deny {
		t.Errorf("EWS has no devices: %+v", v)
	}
}

// What is counted over time is refused unless all of it is there.
func TestSpend(t *testing.T) {
	l := open()
	l.Rate[0] = Rate{Cap: 30 * one, Refill: 30 * one, Per: time.Minute}
	l.Rate[1] = Rate{Cap: 10_000 * one, Refill: 10_000 * one, Per: 24 * time.Hour}
	b := Budget{Component: Submission}
	send := func(now time.Duration, n, to uint32) (v Verdict) {
		b, v = l.Check(b, now, Ask{Spend: Spend{Messages: n, Recipients: to}, CPU: -1})
		if v.Action != Deny {
			b = l.Done(b, now, Ask{}, 0, 0, Cost{})
		}
		return v
	}
	for _, tt := range []struct {
		name  string
		now   time.Duration
		n, to uint32
		want  Verdict
	}{
		{"30 messages a minute", 0, 30, 30, Verdict{Action: Allow, Would: Allow}},
		{"one more: in 2 s", 0, 1, 1, Verdict{Part: Messages, Wait: 2*time.Second + 1, Limit: 30}},
		{"in 2 s", 2*time.Second + 1, 1, 1, Verdict{Action: Allow, Would: Allow}},
		{"too many recipients, which take longer", 6 * time.Second, 1, 10_000, Verdict{Part: Recipients, Limit: 10_000}},
	} {
		got := send(tt.now, tt.n, tt.to)
		if tt.want.Part == Recipients && got.Part == Recipients && got.Wait > 0 {
			got.Wait = 0
		}
		if got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What is used without a limit is counted, and fades: who works without a pause
// comes to a minute for each of his requests, and to five of LocalTime, and half
// of that is forgotten in as good as 42 s.
func TestUnlimitedIsCounted(t *testing.T) {
	l := open()
	for _, threads := range []uint32{1, 10} {
		b := l.Settle(Budget{Component: EWS, Open: threads}, time.Hour)
		n := time.Duration(threads)
		if got := time.Duration(b.Used[rateCAS]); got.Round(ms) != n*time.Minute {
			t.Errorf("%d without a pause: %v of CAS", threads, got)
		}
		if got := time.Duration(b.Used[rateLocal]); got.Round(time.Second) != n*5*time.Minute {
			t.Errorf("%d without a pause: %v of LocalTime", threads, got)
		}
		b.Open = 0
		if got := time.Duration(l.Settle(b, time.Hour+41589*ms).Used[rateCAS]); got.Round(10*ms) != n*30*time.Second {
			t.Errorf("42 s after %d: %v of CAS", threads, got)
		}
		if got := l.Clear(b); got != time.Hour {
			t.Errorf("what has no limit is owed until %v", got)
		}
	}
	b := l.Settle(Budget{Component: EWS, Open: 1}, time.Minute)
	if got := time.Duration(b.Used[rateCAS]).Round(time.Second); got != 38*time.Second {
		t.Errorf("one for a minute: %v", got)
	}
}

// In components that count messages or cmdlets where others measure time a
// request that is open uses none of them up.
func TestOpenUsesTimeAlone(t *testing.T) {
	l := open()
	l.Rate[0] = Rate{Cap: 100 * one, Refill: 100 * one, Per: 24 * time.Hour}
	l.Rate[1] = l.Rate[0]
	for c := range components {
		b := l.Settle(Budget{Component: c, Open: 7, In: [3]uint16{7, 7, 7}}, time.Hour)
		for i, p := range rateParts[c] {
			if p != NoPart && (b.Used[i] > 0) != p.timed() {
				t.Errorf("%v: 7 open for an hour use up %d of %v", c, b.Used[i], p)
			}
		}
	}
}

// Numbers at their end do not wrap: neither more than can be counted is, nor less
// than nothing is left.
func TestCountsAtTheirEnd(t *testing.T) {
	l, all := open(), Ask{Find: Unlimited, CPU: -1}
	b, _ := l.Check(Budget{Component: EWS}, 0, Ask{Find: 5, CPU: -1})
	b, _ = l.Check(b, 0, all)
	if b.Held[gaugeFind] != Unlimited {
		t.Errorf("held are %d items", b.Held[gaugeFind])
	}
	b = l.Done(b, 0, all, Unlimited, 0, Cost{})
	b = l.Done(b, 0, Ask{}, 5, 0, Cost{})
	b = l.Done(b, 0, Ask{}, 5, 0, Cost{})
	if b.Held != [gauges]uint32{} {
		t.Errorf("held are %v, after more was given back than was held", b.Held)
	}
	b.Held[gaugeConcurrency], b.Held[gaugeOwn] = Unlimited, Unlimited
	b, _ = l.Check(b, 0, quiet())
	if b, _ = l.Hold(b, Subscriptions, 1); b.Held[gaugeConcurrency] != Unlimited || b.Held[gaugeOwn] != Unlimited {
		t.Errorf("held are %v", b.Held)
	}
}

// Requests are ended by Done, so that Free gives back none of what they hold; nor
// does Hold count any.
func TestHoldIsOfWhatLasts(t *testing.T) {
	l := open()
	for c := range components {
		for p := range parts {
			b := Budget{Component: c, Held: [gauges]uint32{5, 5, 5, 5}}
			lasts := c.gauge(p) == gaugeOwn
			held, v := l.Hold(b, p, 1)
			if (v.Action == Allow) != lasts || (held.Held != b.Held) != lasts {
				t.Errorf("%v of %v: %+v, %v", p, c, v, held.Held)
			}
			if freed := l.Free(b, p, 1); (freed.Held != b.Held) != lasts {
				t.Errorf("%v of %v: freed to %v", p, c, freed.Held)
			}
		}
	}
	l.Max[gaugeOwn] = 3 // a policy that was tightened
	if b, v := l.Hold(Budget{Component: EAS, Held: [gauges]uint32{gaugeOwn: 5}}, Devices, 0); v.Action != Allow || b.Held[gaugeOwn] != 5 {
		t.Errorf("none more, of 5 with room for 3: %+v", v)
	}
}

// One that hangs is charged what it did, and not that it was there.
func TestHangingIsCharged(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	l.Rate[rateLocal] = Rate{Cap: int64(time.Hour)}
	hang, cost := Ask{Hanging: true, CPU: -1}, Cost{AD: 1, AB: 2, RPC: 3, Time: time.Hour}
	b, _ := l.Check(Budget{Component: EWS}, 0, hang)
	b = l.Done(b, 0, hang, 0, 0, cost)
	if want := [rates]int64{rateAD: 1, rateAB: 2, rateRPC: 3}; b.Used != want || b.Last != 0 {
		t.Errorf("got %+v, want %v", b, want)
	}
	ledger := ledgerOf(l, Options{})
	ledger.Done(day, first(ledger.Check(day, john, hang)), cost)
	if got := ledger.Budget(day, john); got != b {
		t.Errorf("the ledger has %+v, want %+v", got, b)
	}
}
