package throttle

import (
	"testing"
	"time"
)

// Document 000, on EWSFindCountLimit.
func TestFindCount(t *testing.T) {
	l := open()
	l.Max[gaugeFind] = 1000
	find := func(b Budget, n uint32, paged bool) (Budget, Verdict) {
		return l.Check(b, 0, Ask{Find: n, Paged: paged, CPU: -1})
	}
	one := Budget{Component: EWS}
	if _, v := find(one, 1000, false); v.Action != Allow || v.Find != 1000 {
		t.Errorf("1000 of 1000: %+v", v)
	}
	want := Verdict{Action: Deny, Part: FindCount, Limit: 1000} // PolicyLimit
	if b, v := find(one, 1001, false); v != want || b.Held != one.Held {
		t.Errorf("1001 of 1000, without pages: got %+v, want %+v", v, want)
	}

	b, _ := find(one, 10, false)
	b, _ = find(b, 10, false)
	if b.Held[gaugeFind] != 20 {
		t.Errorf("two of 10 at once charge %d, want 20", b.Held[gaugeFind])
	}
	for _, left := range []uint32{10, 0} {
		if b = l.Done(b, 0, Ask{}, 10, 0, Cost{}); b.Held[gaugeFind] != left {
			t.Errorf("one has returned: %d, want %d", b.Held[gaugeFind], left)
		}
	}

	l.Max[gaugeFind] = 1 // New-ThrottlingPolicy -EWSFindCountLimit 1; there are 6 messages
	b, v := find(one, 6, true)
	if v.Action != Allow || v.Find != 1 || b.Held[gaugeFind] != 1 {
		t.Errorf("6 in pages of a limit of 1: %+v", v)
	}
	if _, v = find(b, 6, true); v.Action != Deny || v.Part != FindCount || v.Find != 0 {
		t.Errorf("a page of nothing: %+v", v)
	}
}

// Document 000, on CPUStartPercent.
func TestCPU(t *testing.T) {
	l := open()
	for _, tt := range []struct {
		start, cpu float64
		want       time.Duration
		delayed    bool
	}{
		{0.75, 0.7499, 0, false},
		{0.75, 0.75, 0, true}, // a yield
		{0.75, 0.80, 100 * ms, true},
		{0.75, 0.875, 250 * ms, true},
		{0.75, 1, 500 * ms, true},
		{0.75, 1.2, 500 * ms, true}, // never more
		{0.75, -1, 0, false},        // not known
		{0, 0, 0, true},
		{0, 0.5, 250 * ms, true},
		{1, 0.99, 0, false},
		{1, 1, 0, true}, // no division by nothing: a yield
		{-1, 1, 0, false},
	} {
		l.CPUStart = tt.start
		got, delayed := l.Sleep(tt.cpu)
		if got.Round(time.Microsecond) != tt.want || delayed != tt.delayed {
			t.Errorf("from %v at %v: got %v, %t, want %v, %t", tt.start, tt.cpu, got, delayed, tt.want, tt.delayed)
		}
	}
}

// A batch of 100 items is checked 100 times, and sleeps for 50 s at most
// (document 000).
func TestCPUBatch(t *testing.T) {
	l := open()
	l.CPUStart = 0.75
	b, v := l.Check(Budget{Component: EWS}, 0, Ask{CPU: 1})
	slept := v.Wait
	for range 99 {
		b = l.Wake(b, slept, slept)
		b, v = l.Next(b, slept, 0, 1)
		slept += v.Wait
	}
	if slept != 50*time.Second || v.Part != CPU || v.Limit != 75 {
		t.Errorf("slept %v, last %+v", slept, v)
	}
}

// John is slowed where Jane is not: the start is of each policy. A service
// account is slowed whatever its policy says.
func TestCPUByPolicy(t *testing.T) {
	john, jane := open(), open()
	john.CPUStart, jane.CPUStart = 0.5, 0.9
	_, forJohn := john.Check(Budget{Component: EWS}, 0, Ask{CPU: 0.75})
	_, forJane := jane.Check(Budget{Component: EWS}, 0, Ask{CPU: 0.75})
	if forJohn.Wait != 250*ms || forJane.Action != Allow {
		t.Errorf("John %+v, Jane %+v", forJohn, forJane)
	}
	jane.CPUStart, jane.ServiceAccount = -1, true
	if d, ok := jane.Sleep(0.875); d != 250*ms || !ok {
		t.Errorf("service account: %v, %t", d, ok)
	}
	for start, want := range map[float64]time.Duration{0.9: 250 * ms, 0.75: 250 * ms, 0.5: 375 * ms, 0: 437500 * time.Microsecond} {
		jane.CPUStart = start
		if d, _ := jane.Sleep(0.875); d != want {
			t.Errorf("service account, from %v: %v, want %v", start, d, want)
		}
	}
}

// One verdict of several reasons: refusals before delays, of each the longest,
// and of those that are as long the part that is listed first.
func TestOneVerdict(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	l.CPUStart = 0.75
	over := func(slots map[int]time.Duration) Budget {
		b := Budget{Component: EWS}
		for i, d := range slots {
			b.Used[i] = l.Rate[i].Cap + int64(d)
		}
		return b
	}
	full := over(map[int]time.Duration{rateCAS: time.Second})
	full.Held[gaugeConcurrency] = 10
	for _, tt := range []struct {
		name string
		b    Budget
		ask  Ask
		want Part
		act  Action
	}{
		{"a refusal comes before a delay", full, Ask{CPU: 1}, Concurrency, Deny},
		{"the longer delay", over(map[int]time.Duration{rateAD: time.Second, rateRPC: 9 * time.Second}), Ask{CPU: 1}, RPC, Delay},
		{"the longer delay is the node's", over(map[int]time.Duration{rateAD: 0}), Ask{CPU: 1}, CPU, Delay},
		{"as long: the first", over(map[int]time.Duration{rateAD: time.Second, rateAB: time.Second}), Ask{CPU: -1}, AD, Delay},
		{"too much is found", full, Ask{Find: 2000, CPU: -1}, Concurrency, Deny},
	} {
		if _, got := l.Check(tt.b, 0, tt.ask); got.Part != tt.want || got.Action != tt.act {
			t.Errorf("%s: got %+v, want %v of %v", tt.name, got, tt.act, tt.want)
		}
	}

	out := bucket(300000, 900000, 3000000)
	out.Max[gaugeConcurrency] = 1
	b := Budget{Component: EWS, Locked: time.Minute, Used: [rates]int64{rateLocal: int64(time.Hour)}}
	b.Held[gaugeConcurrency] = 1
	if _, got := out.Check(b, 0, quiet()); got.Part != LocalTime || got.Wait != time.Minute {
		t.Errorf("who is locked out is not told to come when a request has ended: %+v", got)
	}
}

// Nothing allows nothing.
func TestZeroLimits(t *testing.T) {
	var l Limits
	for c := range components {
		for _, a := range []Ask{quiet(), {Hanging: true, CPU: -1}, {Spend: Spend{1, 1, 1, 1, 1, 1}, CPU: -1}} {
			if _, v := l.Check(Budget{Component: c}, 0, a); v.Action != Deny {
				t.Errorf("%v, %+v: %+v", c, a, v)
			}
		}
	}
}

// Every part has a place in every component that has it, and no two share one.
func TestSlots(t *testing.T) {
	for c := range components {
		seen := map[[2]int]Part{}
		for p := range parts {
			for kind, i := range [2]int{c.gauge(p), c.rate(p)} {
				if i < 0 {
					continue
				}
				if q, taken := seen[[2]int{kind, i}]; taken {
					t.Errorf("%v: %v and %v share a place", c, p, q)
				}
				seen[[2]int{kind, i}] = p
			}
		}
		if _, ok := seen[[2]int{}]; !ok && c != Compliance && c != Submission {
			t.Errorf("%v has no limit of requests at once", c)
		}
	}
	if EAS.gauge(Devices) != gaugeOwn || EWS.gauge(Devices) != -1 || components.rate(CAS) != -1 || EWS.rate(NoPart) != -1 {
		t.Error("places of single parts")
	}
}
