package throttle

import "time"

// A Session is how one MAPI session stands with a [Backoff]: one client's ROPs,
// for all the mailboxes that it has open. It is a value; the zero Session is
// one never seen before.
type Session struct {
	rops    lastMinute
	began   time.Time     // when the period did
	period  time.Duration // 0: none
	told    time.Time     // when an old client last got ServerTooBusy
	failing time.Time     // since when it gets nothing else; zero where it does
}

// Rate is how many ROPs a second the client sent, as a mean over the last
// minute: a burst shorter than that shows as less.
func (s Session) Rate(now time.Time) float64 { return s.rops.sum(now) / time.Minute.Seconds() }

// Left is what is left of the period at the instant now, and 0 where none
// runs. A clock that went back makes it no longer than it was.
func (s Session) Left(now time.Time) time.Duration {
	return min(s.period, max(0, s.period-now.Sub(s.began)))
}

// Rests says whether s may be forgotten at the instant now: from then on it
// would be answered as one never seen before.
func (s Session) Rests(now time.Time) bool { return s.Left(now) == 0 && s.rops.rest(now) }

// refuse answers a ROP that came so long before the period ends.
func (s Session) refuse(now time.Time, left time.Duration, v ClientVersion) (Session, Answer) {
	if v.TakesRopBackoff() {
		return s, Answer{Action: Deny, Wait: wholeMillis(left)}
	}
	if since := now.Sub(s.told); since >= 0 && since < oldRetry {
		s.failing = time.Time{}
		return s, Answer{Action: Delay, Wait: oldRetry - since} // at most one error a second; the ROP itself has to wait all the same
	}
	return s.tooBusy(now, max(left, oldRetry))
}

// tooBusy answers an old client, which will wait for a second whatever is left.
func (s Session) tooBusy(now time.Time, left time.Duration) (Session, Answer) {
	s.period += left - s.Left(now)
	s.told = now
	if s.failing.IsZero() {
		s.failing = now
	}
	return s, Answer{Action: Deny, Wait: wholeMillis(left), TooBusy: true, GivesUp: now.Sub(s.failing) >= oldPatience}
}

// wholeMillis rounds up, so that who obeys does not come too early.
func wholeMillis(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
