package throttle

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever a client sends: after a ROP that began a period none is served
// before its end, what is told is whole milliseconds up to the cap, an old
// client gets one error a second at most, and the same question has the same answer.
func TestBackoffLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Backoff{
			Factor: rapid.Uint32Range(0, MaxFactor).Draw(t, "factor"),
			Target: 100 * time.Millisecond,
			Cap:    2 * time.Second,
		}
		v := rapid.SampledFrom([]ClientVersion{outlook2003, outlook2007}).Draw(t, "version")
		l := lawful{b: b, v: v}
		s := Session{rops: lastMinute{}.add(rpc0, 3000)} // busy
		at := rpc0
		for range 200 {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(400*time.Millisecond)).Draw(t, "wait")))
			latency := time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "latency"))
			next, a := b.Judge(s, at, latency, v)
			if again, a2 := b.Judge(s, at, latency, v); again != next || a2 != a {
				t.Fatalf("judged twice: %+v and %+v", a, a2)
			}
			if complaint := l.see(at, a, next); complaint != "" {
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

func (l *lawful) see(at time.Time, a Answer, s Session) string {
	switch {
	case a.Action == Allow:
		if at.Before(l.end) {
			return fmt.Sprintf("served %s before the period ends", l.end.Sub(at))
		}
		l.end = at.Add(s.Left(at))
		return ""
	case a.Action == Deny && (a.Wait < time.Millisecond || a.Wait > l.b.Cap || a.Wait%time.Millisecond != 0):
		return fmt.Sprintf("told to wait for %s", a.Wait)
	case a.TooBusy && (l.v == outlook2007 || at.Sub(l.told) < time.Second):
		return fmt.Sprintf("an error to %v, %s after the last", l.v, at.Sub(l.told))
	case a.TooBusy:
		l.told = at
	}
	return ""
}
