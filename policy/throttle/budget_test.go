package throttle

import (
	"fmt"
	"testing"
	"time"
)

const ms = time.Millisecond

// minutes is a policy of 2010: percent of a minute for AD, CAS, AB and RPC, 600
// ms each (document 000's log: 30000/54000/30000/36000), 10 connections, 1000
// items and 20 subscriptions.
func minutes(ad, cas, ab, rpc int64) *Limits {
	l := open()
	for i, percent := range map[int]int64{rateAD: ad, rateCAS: cas, rateAB: ab, rateRPC: rpc} {
		x := percent * 600 * int64(ms)
		l.Rate[i] = Rate{Cap: x, Refill: x, Per: time.Minute}
	}
	l.Max, l.Minute = [gauges]uint32{10, 3, 20, 1000}, true
	return l
}

// bucket is a policy of 2013 and later, in ms as Exchange states it.
func bucket(burst, recharge, cutoff int64) *Limits {
	l := open()
	l.Rate[rateLocal] = Rate{Cap: burst * int64(ms), Refill: recharge * int64(ms), Per: time.Hour}
	l.Cutoff, l.MaxDelay, l.Multiplier = time.Duration(cutoff)*ms, time.Minute, 5
	return l
}

// quiet is a request where the load of the node is not known.
func quiet() Ask { return Ask{CPU: -1} }

// Document 000, the log line: a call of 17156.25 ms by a caller who had nothing
// open before and three requests after. Its own time alone would be 17156.25 -
// 0.9·17156.25 = 1715 ms; the three were open for 15378.125 ms of it together.
func TestDocument000Line(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	b := Budget{Component: EWS}
	at := func(left float64) time.Duration { return time.Duration((17156.25 - left) * float64(ms)) }
	line := func() string { return l.snapshot(b).String() }
	if got, want := line(), "Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:0,Sub:20/0"; got != want {
		t.Errorf("Init>> got  %s\n        want %s", got, want)
	}
	for _, left := range []float64{17156.25, 5378.125, 5000, 5000} {
		b, _ = l.Check(b, at(left), quiet())
	}
	b = l.Done(b, at(0), quiet(), 0, at(0), Cost{RPC: 15625 * time.Microsecond})
	if got, want := line(), "Conn:3,AD:30000/30000/0%,CAS:54000/36907/28%,AB:30000/30000/0%,RPC:36000/35985/0%,FC:1000/0,Hash:0,Sub:20/0"; got != want {
		t.Errorf("End>> got  %s\n       want %s", got, want)
	}
}

// What a caller of 2010 who is over his minute is told (Exchange team,
// 2010-08-27; learn.microsoft.com, EWS throttling).
func TestMinute(t *testing.T) {
	sp1, rtm := minutes(50, 90, 50, 60), minutes(50, 90, 50, 60)
	rtm.Reject = true
	for _, tt := range []struct {
		name string
		used time.Duration
		sp1  Verdict
		wait time.Duration // of the first version's refusal
	}{
		{"something is left", 54*time.Second - 1, Verdict{Action: Allow}, 0},
		{"nothing is left: until 1 ms is, 60000/54000 ms", 54 * time.Second, Verdict{Action: Delay, Part: CAS, Wait: 1111112, Limit: 54000}, 1111112},
		{"18 s over: 20 s and a little", 72 * time.Second, Verdict{Action: Delay, Part: CAS, Wait: 20*time.Second + 1111112, Limit: 54000}, 20*time.Second + 1111112},
		{"never longer than a minute", 400 * time.Second, Verdict{Action: Delay, Part: CAS, Wait: time.Minute, Limit: 54000}, time.Minute},
	} {
		b := Budget{Component: EWS}
		b.charge(sp1, tt.used)
		_, got := sp1.Check(b, 0, quiet())
		if tt.sp1.Would = tt.sp1.Action; got != tt.sp1 {
			t.Errorf("SP1, %s: got %+v, want %+v", tt.name, got, tt.sp1)
		}
		want := Verdict{Action: Deny, Part: CAS, Wait: tt.wait, Limit: 54000}
		if tt.wait == 0 {
			want = Verdict{Action: Allow, Would: Allow}
		}
		if _, got := rtm.Check(b, 0, quiet()); got != want {
			t.Errorf("RTM, %s: got %+v, want %+v", tt.name, got, want)
		}
		if after, v := sp1.Check(b, tt.sp1.Wait, quiet()); v.Action != Allow {
			t.Errorf("SP1, %s: after the wait %+v of %+v", tt.name, v, after)
		}
	}
}

// A batch is checked for each of its items, and only what works is charged: 90 %
// of a minute and one thread last nine minutes, then each item waits.
func TestMinuteBatch(t *testing.T) {
	l := minutes(50, 90, 50, 60)
	b, v := l.Check(Budget{Component: EWS}, 0, quiet())
	now := time.Duration(0)
	for v.Wait == 0 && now < time.Hour {
		now += time.Second
		b, v = l.Next(b, now, time.Second, -1)
	}
	if now != 9*time.Minute || v.Action != Delay || v.Part != CAS || v.Wait != 1111112 || b.Open != 0 {
		t.Errorf("after %v: %+v, %+v", now, v, b)
	}
	now += v.Wait
	b = l.Wake(b, now, now)
	if b, v = l.Next(b, now, 0, -1); v.Action != Allow || b.Open != 1 {
		t.Errorf("after the wait: %+v, %+v", v, b)
	}
}

// Balances that Exchange has logged: they come out to the tenth of a millisecond,
// which says that wall time is charged, while it runs, and that the recharge
// runs beside it.
func TestBalancesLogged(t *testing.T) {
	for _, tt := range []struct {
		name            string
		burst, recharge int64
		open, more      time.Duration // of a request; time charged beyond that it was open
		want            string
	}{
		{"EWS, July 2017: 24.61 ms used in one tick of 15.625", 300000, 900000, 15625 * time.Microsecond, (24610 - 15625) * time.Microsecond, "299979.3"},
		{"EAS, August 2016: a request still open after 0.3264871 s", 240000, 360000, 3264871 * 100, 0, "239706.2"},
	} {
		l := bucket(tt.burst, tt.recharge, 3000000)
		b, _ := l.Check(Budget{Component: EWS}, time.Hour, quiet())
		b = l.Settle(b, time.Hour+tt.open)
		b.charge(l, tt.more)
		left := float64(l.Rate[rateLocal].Cap-b.Used[rateLocal]) / float64(ms)
		if got := fmt.Sprintf("%.1f", left); got != tt.want {
			t.Errorf("%s: %s left, want %s", tt.name, got, tt.want)
		}
	}
}

// The life of an EWS caller of 2013 (300000/900000/3000000): what one thread
// drains, micro-delays below zero, five minutes out at the cutoff, 3 h 20 min
// back to zero and 20 min more to a full burst.
func TestBucket(t *testing.T) {
	l := bucket(300000, 900000, 3000000)
	start := Budget{Component: EWS}
	for _, tt := range []struct {
		name    string
		balance time.Duration
		last    time.Duration
		want    Verdict
	}{
		{"at zero", 0, time.Second, Verdict{Action: Allow}},
		{"below zero: as slow as he recharges, a fourth", -1, 2 * time.Second, Verdict{Action: Delay, Part: LocalTime, Wait: 8 * time.Second, Limit: 300000}},
		{"the delay has a limit", -1, time.Hour, Verdict{Action: Delay, Part: LocalTime, Wait: time.Minute, Limit: 300000}},
		{"nothing is known of the last request: a yield", -1, 0, Verdict{Action: Delay, Part: LocalTime, Limit: 300000}},
		{"just before the cutoff", -3000*time.Second + 1, time.Second, Verdict{Action: Delay, Part: LocalTime, Wait: 4 * time.Second, Limit: 300000}},
		{"at the cutoff (event 4023: for 5 minutes)", -3000 * time.Second, time.Second, Verdict{Action: Deny, Part: LocalTime, Wait: 5 * time.Minute, Limit: 3000000}},
	} {
		b := start
		b.Used[rateLocal] = l.Rate[rateLocal].Cap - int64(tt.balance)
		b.cost(tt.last)
		tt.want.Would = tt.want.Action
		if _, got := l.Check(b, 0, quiet()); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}

	b := start
	b.Used[rateLocal] = int64(3300 * time.Second)
	b, v := l.Check(b, 0, quiet())
	b, v = l.Check(b, 16*ms, quiet())
	if v.Wait != 299984*ms {
		t.Errorf("16 ms later he is told %v, want 299984 ms", v.Wait)
	}
	if b, v = l.Check(b, 5*time.Minute, quiet()); v.Action != Delay || b.Used[rateLocal] != int64(3225*time.Second) {
		t.Errorf("after five minutes he is judged anew: got %+v, %v", v, b)
	}
	b = Budget{Component: EWS, Used: [rates]int64{rateLocal: int64(4000 * time.Second)}}
	b, _ = l.Check(b, 0, quiet())
	if _, v = l.Check(b, 5*time.Minute, quiet()); v.Action != Deny || v.Wait != 5*time.Minute {
		t.Errorf("and if he still owes too much he is out again: got %+v", v)
	}
	b = start
	b.Used[rateLocal] = int64(3300 * time.Second)
	if got := l.Rate[rateLocal].until(int64(3000 * time.Second)); got.Round(time.Second) != 3*time.Hour+20*time.Minute {
		t.Errorf("to zero: %v", got)
	}
	if got := l.Clear(b); got.Round(time.Second) != 3*time.Hour+40*time.Minute {
		t.Errorf("to a full burst: %v", got)
	}
}

// Recharge sustains a part of a thread: EWS and RCA a fourth, EAS and OWA half,
// POP and IMAP a sixth, and 2160000 an hour 0.6.
func TestSustained(t *testing.T) {
	for recharge, want := range map[int64]float64{900000: 0.25, 1800000: 0.5, 600000: 1.0 / 6, 2160000: 0.6} {
		l := bucket(0, recharge, -1)
		b := Budget{Component: EWS, Open: 1, Used: [rates]int64{rateLocal: 1}}
		b = l.Settle(b, time.Hour)
		if got := 1 - float64(b.Used[rateLocal])/float64(time.Hour); got-want > 1e-9 || want-got > 1e-9 {
			t.Errorf("%d: %v threads, want %v", recharge, got, want)
		}
	}
}

// A lock-out is an instant, which eviction and reload must not forget: not even
// where all that was used is back before it ends.
func TestLockOutOutlastsRecharge(t *testing.T) {
	l := bucket(1000, 3600000*1000, 0)
	b := Budget{Component: EAS, Used: [rates]int64{rateLocal: int64(time.Second)}}
	b, v := l.Check(b, 0, quiet())
	if v.Action != Deny || l.Clear(b) != 5*time.Minute {
		t.Errorf("got %+v, clear at %v", v, l.Clear(b))
	}
	if b, v = l.Check(b, 5*time.Minute-1, quiet()); v.Action != Deny || v.Wait != 1 {
		t.Errorf("before the end: %+v", v)
	}
	if _, v = l.Check(b, 5*time.Minute, quiet()); v.Action != Allow {
		t.Errorf("at the end: %+v", v)
	}
}
