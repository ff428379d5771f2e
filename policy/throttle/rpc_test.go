package throttle

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var (
	rpc0        = time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)
	outlook2007 = ClientVersion{12, 0, 4228, 0} // 2007, the first that knows RopBackoff
	outlook2003 = ClientVersion{11, 0, 8000, 0} // 2003
)

// The formula of document 003, and the values that it and its readers give for it.
func TestBackoffPeriod(t *testing.T) {
	for _, tt := range []struct {
		latency time.Duration
		factor  uint32
		want    time.Duration
	}{
		{50 * time.Millisecond, 2000, 100 * time.Millisecond}, // the document's example
		{50 * time.Millisecond, 1000, 50 * time.Millisecond},  // and what it was before
		{100 * time.Millisecond, 1000, 100 * time.Millisecond},
		{100 * time.Millisecond, 0, 0}, // turned off
		{3 * time.Second, 1000, 2 * time.Second},
		{2 * time.Second, 1000, 2 * time.Second},
		{400 * time.Millisecond, 5000, 2 * time.Second},
		{1<<63 - 1, 5000, 2 * time.Second}, // does not overflow
		{0, 1000, 0},
		{-time.Second, 1000, 0},
	} {
		b := DefaultBackoff()
		b.Factor = tt.factor
		if got := b.Period(tt.latency); got != tt.want {
			t.Errorf("latency %s, factor %d: period %s, want %s", tt.latency, tt.factor, got, tt.want)
		}
	}
}

// Document 003: the factor is 1000 where nothing is set, from 0 to 5000; the
// latency should be under 100 ms; the longest period is 2000 ms.
func TestBackoffValid(t *testing.T) {
	if got, want := DefaultBackoff(), (Backoff{1000, 100 * time.Millisecond, 2000 * time.Millisecond}); got != want {
		t.Errorf("by default %+v, want %+v", got, want)
	}
	for _, tt := range []struct {
		b    Backoff
		want string
	}{
		{Backoff{}, ""},
		{DefaultBackoff(), ""},
		{Backoff{Factor: 5000, Cap: time.Hour}, ""},
		{Backoff{Factor: 5001}, "factor 5001: at most 5000"},
		{Backoff{Target: -1}, "target -1ns: negative"},
		{Backoff{Cap: -1}, "cap -1ns: not from 0 to 1h0m0s"},
		{Backoff{Cap: time.Hour + 1}, "not from 0 to 1h0m0s"},
	} {
		got := fmt.Sprint(tt.b.Valid())
		if tt.want == "" && got != "<nil>" || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s, want %q", tt.b, got, tt.want)
		}
	}
}

// Document 003: at 25 ms 40 ROPs a second are free (40 · 25 = 1000 ms), at
// 100 ms only 10; a low latency frees any number.
func TestBackoffFree(t *testing.T) {
	strict := Backoff{Factor: 1000, Cap: 2 * time.Second} // judged at any latency
	for _, tt := range []struct {
		b       Backoff
		persec  float64
		latency time.Duration
		want    bool
	}{
		{strict, 40, 25 * time.Millisecond, true},
		{strict, 40.1, 25 * time.Millisecond, false},
		{DefaultBackoff(), 40, 25 * time.Millisecond, true},
		{DefaultBackoff(), 10, 100 * time.Millisecond, true},
		{DefaultBackoff(), 10.1, 100 * time.Millisecond, false},
		{DefaultBackoff(), 40, 100 * time.Millisecond, false},
		{DefaultBackoff(), 1e6, 100*time.Millisecond - 1, true},
		{DefaultBackoff(), 5, 200 * time.Millisecond, true},
		{DefaultBackoff(), 5.1, 200 * time.Millisecond, false},
	} {
		if got := tt.b.free(tt.persec*60, tt.latency); got != tt.want {
			t.Errorf("%g/s at %s, target %s: free %v, want %v", tt.persec, tt.latency, tt.b.Target, got, tt.want)
		}
	}
}

// sendROPs judges one ROP each interval from at on, for so long, whatever it is
// answered, and counts what became of them and how many were served by the end.
func sendROPs(b Backoff, s Session, at time.Time, length, every, latency time.Duration, v ClientVersion) (_ Session, n SessionStats, served int) {
	for end := at.Add(length); at.Before(end); at = at.Add(every) {
		var a Answer
		s, a = b.Judge(s, at, 1, latency, v)
		n.count(a, 1)
		if a.Action != Deny && at.Add(a.Wait).Before(end) {
			served++
		}
	}
	return s, n, served
}

// Document 003's example as a story: 40 ROPs a second are fine at 25 ms; at
// 100 ms the same client gets 10 through, until the latency is below 100 again.
func TestBackoffFollowsLatency(t *testing.T) {
	const every = time.Second / 40
	var s Session
	at := rpc0
	for i, step := range []struct {
		length, latency time.Duration
		served          int
	}{
		{2 * time.Minute, 25 * time.Millisecond, 2 * 60 * 40},
		{time.Minute, 100 * time.Millisecond, 60 * 10},
		{10 * time.Second, 200 * time.Millisecond, 10 * 5},
		{time.Minute, 99 * time.Millisecond, 60 * 40}, // at once
	} {
		var served int
		s, _, served = sendROPs(DefaultBackoff(), s, at, step.length, every, step.latency, outlook2007)
		if served != step.served {
			t.Errorf("step %d, %s at %s: %d ROPs served, want %d", i+1, step.length, step.latency, served, step.served)
		}
		at = at.Add(step.length)
	}
}

// Document 003: a short burst is not held back while the latency is low; nor
// is one of a client that was quiet for the rest of the minute.
func TestBackoffForgivesBursts(t *testing.T) {
	_, n, _ := sendROPs(DefaultBackoff(), Session{}, rpc0, time.Second, time.Millisecond, 99*time.Millisecond, outlook2007)
	if n.Backoffs() != 0 {
		t.Errorf("1000 ROPs in a second at 99 ms: %d refused, want none", n.Backoffs())
	}
	_, n, _ = sendROPs(DefaultBackoff(), Session{}, rpc0, time.Second, time.Second/40, 100*time.Millisecond, outlook2007)
	if n.Backoffs() != 0 {
		t.Errorf("40 ROPs in a second after a minute of none, at 100 ms: %d refused, want none", n.Backoffs())
	}
	_, n, _ = sendROPs(DefaultBackoff(), Session{}, rpc0, 16*time.Second, time.Second/40, 100*time.Millisecond, outlook2007)
	if n.Backoffs() == 0 {
		t.Error("40 ROPs a second for 16 s are over 10 a second as a mean of the minute, and none is refused")
	}
}

// Document 003: what is sent is what is left of the period; who comes too
// early is told the rest anew; the entry leaves when the period ends.
func TestBackoffTellsTheRest(t *testing.T) {
	b := DefaultBackoff()
	s, _, _ := sendROPs(b, Session{}, rpc0, time.Minute, time.Second/40, 25*time.Millisecond, outlook2007)
	at := rpc0.Add(time.Minute)
	for _, tt := range []struct {
		after time.Duration
		want  Answer
	}{
		{0, answer(Allow, 0)}, // begins the period, and is served
		{0, answer(Deny, 100*time.Millisecond)},
		{30 * time.Millisecond, answer(Deny, 70*time.Millisecond)},
		{30*time.Millisecond + 1, answer(Deny, 70*time.Millisecond)}, // granularity is 1 ms, and never too early
		{99999 * time.Microsecond, answer(Deny, time.Millisecond)},
		{100 * time.Millisecond, answer(Allow, 0)},
		{150 * time.Millisecond, answer(Deny, 50*time.Millisecond)},
		{-time.Hour, answer(Deny, 100*time.Millisecond)}, // a clock set back makes it no longer than it was
	} {
		var got Answer
		s, got = b.Judge(s, at.Add(tt.after), 1, 100*time.Millisecond, outlook2007)
		if got != tt.want {
			t.Errorf("after %s: %+v, want %+v", tt.after, got, tt.want)
		}
	}

	b.Factor = 0
	if _, got := b.Judge(s, at.Add(150*time.Millisecond), 1, 100*time.Millisecond, outlook2007); got.Action != Allow {
		t.Errorf("turned off while a period runs: %+v, want allow", got)
	}
}

// Document 003: about 50 refusals a second for an Outlook 2007 that goes on.
func TestBackoffRateOfRefusals(t *testing.T) {
	busy, _, _ := sendROPs(DefaultBackoff(), Session{}, rpc0, time.Minute, time.Second/60, 25*time.Millisecond, outlook2007)
	const every = time.Second/60 + 1 // six of them are no less than a period
	if _, n, served := sendROPs(DefaultBackoff(), busy, rpc0.Add(time.Minute), time.Second, every, 100*time.Millisecond, outlook2007); n.RopBackoffs != 50 || served != 10 {
		t.Errorf("60 ROPs in a second from Outlook 2007: %d backoffs and %d served, want 50 and 10", n.RopBackoffs, served)
	}
}

// At 100 ms the 600th ROP of a minute is free, and the 601st begins a period.
func TestBackoffBegins(t *testing.T) {
	for _, tt := range []struct {
		before int64
		want   time.Duration
	}{{599, 0}, {600, 100 * time.Millisecond}} {
		s := Session{rops: lastMinute{}.add(rpc0, tt.before)}
		s, a := DefaultBackoff().Judge(s, rpc0, 1, 100*time.Millisecond, outlook2007)
		if a.Action != Allow || s.Left(rpc0) != tt.want {
			t.Errorf("after %d in the minute: %+v and a period of %s, want allow and %s", tt.before, a, s.Left(rpc0), tt.want)
		}
	}
}
