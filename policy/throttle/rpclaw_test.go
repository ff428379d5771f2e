package throttle

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever a client sends: of a new one no request is served before the period ends
// that the last one began; what is told is whole milliseconds up to the cap of each ROP; an old
// client has no error within two seconds of the last, unless a minute of ROPs is
// held; no request is held for longer; and the same question has the same answer.
func TestBackoffLaw(t *testing.T) {
	waits := []time.Duration{0, time.Millisecond, 400 * time.Millisecond}
	rapid.Check(t, func(t *rapid.T) {
		b := Backoff{
			Factor: rapid.SampledFrom([]uint32{0, 1, 500, DefaultFactor, 2000, MaxFactor}).Draw(t, "factor"),
			Target: 100 * time.Millisecond,
			Cap:    2 * time.Second,
		}
		v := rapid.SampledFrom([]ClientVersion{outlook2003, outlook2007}).Draw(t, "version")
		longest := rapid.SampledFrom(waits).Draw(t, "longest wait")
		l := lawful{b: b, v: v}
		s := Session{rops: lastMinute{}.add(rpc0, 3000)} // busy
		at := rpc0
		for range 200 {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "wait")))
			latency := rapid.SampledFrom([]time.Duration{0, 99 * time.Millisecond, 100 * time.Millisecond, time.Second, 3 * time.Second}).Draw(t, "latency")
			n := rapid.SampledFrom([]int{1, 2, 7, 100}).Draw(t, "ROPs")
			next, a := b.Judge(s, at, n, latency, v)
			if again, a2 := b.Judge(s, at, n, latency, v); again != next || a2 != a {
				t.Fatalf("judged twice: %+v and %+v", a, a2)
			}
			if complaint := l.see(at, n, a, s, next); complaint != "" {
				t.Fatal(complaint)
			}
			s = next
		}
	})
}

// lawful watches the answers of one session.
type lawful struct {
	b         Backoff
	v         ClientVersion
	end, told time.Time // of the period; of the last error
}

func (l *lawful) see(at time.Time, n int, a Answer, before, after Session) string {
	old := l.v == outlook2003
	switch {
	case a.Would != a.Action:
		return fmt.Sprintf("it would be %s", a.Would)
	case a.Action != Deny && old:
		if a.Action == Delay && (a.Wait <= 0 || a.Wait > time.Minute) {
			return fmt.Sprintf("held for %s", a.Wait)
		}
	case a.Action != Deny:
		if at.Before(l.end) || a.Action == Delay {
			return fmt.Sprintf("served %s before the period ends", l.end.Sub(at))
		}
		l.end = at.Add(after.Left(at))
	case a.TooBusy != old:
		return "in the words of the other generation"
	case a.Wait < time.Millisecond || a.Wait > time.Duration(n)*l.b.Cap || old && a.Wait != time.Second || a.Wait%time.Millisecond != 0:
		return fmt.Sprintf("told to wait for %s", a.Wait)
	case old && at.Sub(l.told) < 2*time.Second && before.Left(at) <= time.Minute+time.Second:
		return fmt.Sprintf("an error %s after the last", at.Sub(l.told))
	case old:
		l.told = at
	}
	return ""
}

// Whenever an old client sends: its requests begin in the order in which they were
// sent, a period for each of the ROPs apart but for the second that it may be ahead.
func TestBackoffLawOfTurns(t *testing.T) {
	waits := []time.Duration{0, 100 * time.Millisecond, time.Second, 5 * time.Second}
	rapid.Check(t, func(t *rapid.T) {
		latency := rapid.SampledFrom([]time.Duration{100 * time.Millisecond, 333 * time.Millisecond, time.Second, 3 * time.Second}).Draw(t, "latency")
		longest := rapid.SampledFrom(waits).Draw(t, "longest wait")
		b, s, at := DefaultBackoff(), Session{}, rpc0
		var due, last time.Time // when all that was served would be done at the client's pace
		for range 200 {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "wait")))
			var a Answer
			n := rapid.SampledFrom([]int{1, 2, 7, 100}).Draw(t, "ROPs")
			s.rops = s.rops.add(at, 1e6) // it is never free
			s, a = b.Judge(s, at, n, latency, outlook2003)
			if a.Action == Deny {
				continue
			}
			begins := at.Add(a.Wait)
			if due.Sub(begins) > time.Second || begins.Before(last) {
				t.Fatalf("begins %s ahead of its pace, %s after the last one", due.Sub(begins), begins.Sub(last))
			}
			if last = begins; due.Before(begins) {
				due = begins
			}
			due = due.Add(time.Duration(n) * b.Period(latency))
		}
	})
}
