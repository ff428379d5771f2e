package throttle

import "time"

// A Session is how one MAPI session stands with a [Backoff]: one client's ROPs,
// for all the mailboxes that it has open. It is a value; the zero Session is
// one never seen before.
type Session struct {
	rops   lastMinute
	began  time.Time     // when the period did
	period time.Duration // 0: none. Of an old client, all that it is ahead of its pace
	told   time.Time     // when an old client last got ServerTooBusy
}

// Left is what is left of the period at the instant now, and 0 where none
// runs. A clock that went back makes it no longer than it was.
func (s Session) Left(now time.Time) time.Duration {
	return min(s.period, max(0, s.period-now.Sub(s.began)))
}

// Rests says whether s may be forgotten at the instant now: from then on it
// would be answered as one never seen before.
func (s Session) Rests(now time.Time) bool { return s.Left(now) == 0 && s.rops.rest(now) }

// What an Outlook of 2003 or before does with [ServerTooBusy] (document 003).
const (
	oldRetry = time.Second  // it waits so long, so it cannot be asked for less
	oldAgain = 2 * oldRetry // until then it has come again, and is not refused twice
	oldHold  = time.Minute  // the longest that a request of it is held
)

// judge answers a client that takes [RopBackoff]. The request begins a period, if
// it does not come in one; of one, so much is told at most.
func (s Session) judge(now time.Time, period, most time.Duration) (Session, Answer) {
	if left := s.Left(now); left > 0 {
		return s, answer(Deny, wholeMillis(min(left, most)))
	}
	s.began, s.period = now, period
	return s, answer(Allow, 0)
}

// judgeOld answers an old client. What is served, now or later, puts it so much
// further ahead.
func (s Session) judgeOld(now time.Time, period time.Duration) (Session, Answer) {
	left := s.Left(now)
	early := left - oldRetry
	if period == 0 || early <= 0 {
		s.began, s.period = now, left+period
		return s, answer(Allow, 0)
	}

	since := now.Sub(s.told)
	if since < 0 || since >= oldAgain || early > oldHold {
		s.told = now
		return s, Answer{Action: Deny, Would: Deny, Wait: oldRetry, TooBusy: true}
	}
	s.began, s.period = now, left+period
	return s, answer(Delay, early)
}

func answer(a Action, wait time.Duration) Answer { return Answer{Action: a, Would: a, Wait: wait} }

// wholeMillis rounds up, so that who obeys does not come too early.
func wholeMillis(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
