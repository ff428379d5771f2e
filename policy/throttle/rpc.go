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
// 40 a second, at 100 ms only 10. Each ROP beyond that is served too, and
// begins a period in which the next one is not.
type Backoff struct {
	Factor uint32        // what Exchange's registry calls "RPC Throttling Factor": thousandths of the latency that a period lasts, 0 to 5000; 0 turns it off
	Target time.Duration // the average latency from which clients are judged
	Cap    time.Duration // the longest period
}

// The registry's range, and what holds where it has no value (document 003).
const (
	MaxFactor     = 5000
	DefaultFactor = 1000
)

// maxCap keeps the arithmetic far from overflow.
const maxCap = time.Hour

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

// An Answer is what becomes of one ROP.
type Answer struct {
	Action  Action        // Allow: run it; Delay: run it after Wait; Deny: do not
	Wait    time.Duration // of a Deny, what is left of the period, in whole milliseconds; of a Delay, how long to hold the ROP
	TooBusy bool          // of a Deny: the client is too old for [RopBackoff], and is to get [ServerTooBusy]
	GivesUp bool          // it has got nothing else for a minute: such a client now ends its session by itself
}

// What an Outlook of 2003 or before does with [ServerTooBusy] (document 003).
const (
	oldRetry    = time.Second // it waits so long, so it cannot be asked for less
	oldPatience = time.Minute // it ends its session after so long of the same
)

// Judge answers one ROP of the session s at the instant now. The latency is
// the node's average, of all clients; see [Latency].
//
// ROPs that are refused count as well: what is judged is how much the client
// asks. Where one is refused, those behind it in the same buffer are not run,
// and not judged (MS-OXCROPS 3.2.4.2).
func (b Backoff) Judge(s Session, now time.Time, latency time.Duration, v ClientVersion) (Session, Answer) {
	s.rops = s.rops.add(now, 1)
	if left := s.Left(now); left > 0 && b.Factor > 0 {
		return s.refuse(now, left, v)
	}
	s.period, s.failing = 0, time.Time{}

	if !b.free(s.rops.sum(now), latency) {
		s.began, s.period = now, b.Period(latency)
	}
	return s, Answer{Action: Allow}
}
