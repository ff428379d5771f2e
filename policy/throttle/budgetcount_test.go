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

// What is used without a limit is counted, for at most an hour of it, and
// forgotten at a second a second.
func TestUnlimitedIsCounted(t *testing.T) {
	l := open()
	b, v := l.Check(Budget{Component: EWS, Open: 9}, 0, quiet())
	b = l.Settle(b, time.Minute)
	if got := time.Duration(b.Used[rateCAS]); v.Action != Allow || got != 9*time.Minute {
		t.Errorf("ten threads for a minute: %v", got)
	}
	if b = l.Settle(b, time.Hour); b.Used[rateCAS] != int64(time.Hour) {
		t.Errorf("for an hour: %v", b)
	}
	if l.Clear(Budget{Component: EWS, Used: b.Used}) != time.Hour {
		t.Errorf("clear at %v", l.Clear(b))
	}
}
