package throttle

import (
	"fmt"
	"time"
)

// A Backoff is the rules by which a mailbox server holds back a client that
// sends it too many remote operations (ROPs), as Exchange 2007 has them
// (document 003). The zero Backoff holds nobody back.
//
// A client is free while the average RPC latency is below Target, or while its
// ROPs a second times that latency are no more than a second: at 25 ms that is
// 40 a second, at 100 ms only 10. A request beyond that is served too, and begins
// a period for each of its ROPs, in which the next one is not: what is served
// then is a ROP a period, of any client and in requests of any size. How the
// others are answered depends on what the client understands; see
// [Backoff.Judge].
type Backoff struct {
	Factor uint32        // what Exchange's registry calls "RPC Throttling Factor": thousandths of the latency that a period lasts, 0 to 5000; 0 turns it off
	Target time.Duration // the average latency from which clients are judged
	Cap    time.Duration // the longest period of one ROP
}

// The registry's range, and what holds where it has no value (document 003).
const (
	MaxFactor     = 5000
	DefaultFactor = 1000
)

// Both keep their product, and so the arithmetic, from overflow.
const (
	maxCap   = time.Hour
	mostROPs = 1_000_000
)

// DefaultBackoff are the values of a fresh Exchange 2007: a period lasts as
// long as the latency, at most 2 s, and clients are judged from 100 ms.
func DefaultBackoff() Backoff {
	return Backoff{Factor: DefaultFactor, Target: 100 * time.Millisecond, Cap: 2 * time.Second}
}

// Valid says what is wrong with b, and nil where nothing is.
func (b Backoff) Valid() error {
	switch {
	case b.Factor > MaxFactor:
		return fmt.Errorf("rpc backoff: factor %d: at most %d", b.Factor, MaxFactor)
	case b.Target < 0:
		return fmt.Errorf("rpc backoff: target %s: negative", b.Target)
	case b.Cap < 0 || b.Cap > maxCap:
		return fmt.Errorf("rpc backoff: cap %s: not from 0 to %s", b.Cap, maxCap)
	}
	return nil
}

// Period is how long a client is held back at an average latency: latency
// times factor / 1000, at most Cap.
func (b Backoff) Period(latency time.Duration) time.Duration {
	if b.Factor == 0 || latency <= 0 {
		return 0
	}
	if latency > b.Cap*1000/time.Duration(b.Factor) { // before the product can overflow
		return b.Cap
	}
	return latency * time.Duration(b.Factor) / 1000
}

// free says whether so many ROPs in a minute ask for no period.
func (b Backoff) free(rops float64, latency time.Duration) bool {
	return latency < b.Target || rops*latency.Seconds() <= time.Minute.Seconds()
}

// An Answer is what becomes of the ROPs of one request.
type Answer struct {
	Action  Action        // Allow: run them; Delay: run them after Wait; Deny: run none of them
	Would   Action        // what Action would be if answers were enforced: differs from it in shadow mode alone
	Wait    time.Duration // of a Deny, when to come again, in whole milliseconds; of a Delay, how long to hold the request, at most a minute
	TooBusy bool          // of a Deny: the client is too old for [RopBackoff], and is to get [ServerTooBusy]
}

// Judge answers a request of the session s at the instant now, which has n ROPs:
// at least 1, and of more than a million a million count. The latency is the
// node's average, of all clients; see [Latency]. A request is run whole or not at
// all, and so it is judged once: all of its ROPs begin when the first may, and
// each puts what comes next a period further off.
//
// Who takes [RopBackoff] is refused until the period ends, and told what is
// left of it, n times Cap at most. Older clients know no shorter wait than a
// second, and so are judged by the second: they may be as far ahead of their
// pace. Beyond that they get [ServerTooBusy], at most once in two seconds, so
// that who comes again after one is not refused again; what they send
// nevertheless is held until its turn. What would have to be held for over a
// minute is refused, whatever was told before: who has so much under way waits
// for no answers.
//
// ROPs that are refused count as well: what is judged is how much the client
// asks.
func (b Backoff) Judge(s Session, now time.Time, n int, latency time.Duration, v ClientVersion) (Session, Answer) {
	n = max(1, min(n, mostROPs))
	s.rops = s.rops.add(now, int64(n))
	if b.Factor == 0 {
		s.period = 0
	}
	var period time.Duration
	if !b.free(s.rops.sum(now), latency) {
		period = time.Duration(n) * b.Period(latency)
	}

	if v.TakesRopBackoff() {
		return s.judge(now, period, time.Duration(n)*b.Cap)
	}
	return s.judgeOld(now, period)
}
