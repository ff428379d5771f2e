package throttle

import (
	"math"
	"math/bits"
	"time"
)

// A Budget is one caller's standing. It is a value, and says what was used, so
// that the zero Budget of a component is a caller never seen, under any policy:
// a policy that changes keeps what was used, and judges it anew.
//
// Instants are given since any one beginning, the same for all calls, before
// which there are none. An instant before the last one earns nothing and charges
// nothing.
type Budget struct {
	At     time.Duration // when the rest was true
	Locked time.Duration // when a lock-out by [Limits.Cutoff] ends; 0 where there was none

	Used [rates]int64   // by rate, never negative: ns, or 1e9 for each of what is counted
	Held [gauges]uint32 // by gauge

	Open uint32    // requests in flight that are charged: not those that hang, or wait out a delay
	Last uint32    // what the last request, or item of a batch, cost, in µs
	In   [3]uint16 // of those in flight, how many are in AD, in AB, in RPC

	Component Component // says what the slots hold
	Slow      Part      // what the last verdict was about, where it was not Allow
}

// lockOut is how long a caller is locked out before he is judged anew. Observed,
// not documented: event 4023 and back-off hints of 299984, 299912 and 297749 ms.
const lockOut = 5 * time.Minute

// longest is the longest delay for a part of a minute (Exchange team, 2010-08-27),
// and positive is where such a budget is positive again: Exchange counts in
// whole milliseconds.
const (
	longest  = time.Minute
	positive = time.Millisecond
)

// Settle brings b up to now: it charges what is in flight, and forgets what is
// refilled.
func (l *Limits) Settle(b Budget, now time.Duration) Budget {
	b.settle(l, now)
	return b
}

func (b *Budget) settle(l *Limits, now time.Duration) {
	d := now - b.At
	if d <= 0 {
		return
	}
	b.At = now
	var f fading
	for i, p := range rateParts[b.Component] {
		n := b.inFlight(p)
		if p == NoPart || b.Used[i] == 0 && n == 0 {
			continue
		}
		if r := &l.Rate[i]; r.Unlimited {
			b.Used[i] = f.faded(p, b.Used[i], n, d)
		} else {
			b.Used[i] = max(0, l.capped(i, p, b.Used[i]+times(n, d)-r.refilled(d)))
		}
	}
}

// inFlight is how many requests use up p now. It goes by the part, since a slot
// may hold what is time in one component, and a count in another.
func (b *Budget) inFlight(p Part) uint32 {
	switch p {
	case CAS, LocalTime:
		return b.Open
	case AD:
		return uint32(b.In[0])
	case AB:
		return uint32(b.In[1])
	case RPC:
		return uint32(b.In[2])
	}
	return 0
}

// inPart is the place of p in Budget.In, or -1. That inFlight has the places too
// saves a thirtieth of a decision.
func inPart(p Part) int {
	switch p {
	case AD:
		return 0
	case AB:
		return 1
	case RPC:
		return 2
	}
	return -1
}

// times is n·d, at most most.
func times(n uint32, d time.Duration) int64 {
	if n <= 1 {
		return int64(n) * min(int64(d), most)
	}
	hi, lo := bits.Mul64(uint64(n), uint64(d))
	if hi > 0 || lo > most {
		return most
	}
	return int64(lo)
}

// capped is used, or the most that is remembered: of a part of a minute what
// clears in a minute, since no delay is to be longer.
func (l *Limits) capped(i int, p Part, used int64) int64 {
	r := &l.Rate[i]
	if p.minute() && !r.Unlimited {
		return min(used, max(r.Cap, r.Cap+r.refilled(longest)-int64(positive)))
	}
	return min(used, most)
}

// minute: p is time that a policy of 2010 gives by the minute.
func (p Part) minute() bool { return p >= AD && p <= RPC }

// charge adds d to the time of whole requests.
func (b *Budget) charge(l *Limits, d time.Duration) {
	b.add(l, rateCAS, CAS, int64(d))
	b.add(l, rateLocal, LocalTime, int64(d))
}

// add adds n to what was used of p, if slot i holds it.
func (b *Budget) add(l *Limits, i int, p Part, n int64) {
	if n > 0 && rateParts[b.Component][i] == p {
		b.Used[i] = max(0, l.capped(i, p, b.Used[i]+min(n, most)))
	}
}

// forgive takes d off what was used of p, if slot i holds it: the last that was
// charged.
func (b *Budget) forgive(l *Limits, i int, p Part, d time.Duration) {
	if d <= 0 || rateParts[b.Component][i] != p {
		return
	}
	left := int64(d)
	if l.Rate[i].Unlimited {
		left = new(fading).faded(p, 0, 1, d)
	}
	b.Used[i] = max(0, b.Used[i]-left)
}

// take counts n more in the gauge in slot i, as far as there are numbers, and is
// how many it has counted; give takes n of them off, and no more than there are.
func (b *Budget) take(i int, n uint32) uint32 {
	n = min(n, Unlimited-b.Held[i])
	b.Held[i] += n
	return n
}

func (b *Budget) give(i int, n uint32) { b.Held[i] -= min(n, b.Held[i]) }

// requests is how many are open, those that hang too.
func (b *Budget) requests() uint64 {
	return uint64(b.Held[gaugeConcurrency]) + uint64(b.Held[gaugeHanging])
}

// cost notes what a request or an item has cost, for the next delay. One that
// took no time was not served: who gives up while he waits is not let off.
func (b *Budget) cost(d time.Duration) {
	if d <= 0 {
		return
	}
	b.Last = uint32(min(d/time.Microsecond, math.MaxUint32))
}

// busy: something is held or in flight.
func (b *Budget) busy() bool {
	return b.Held != [gauges]uint32{} || b.Open != 0
}

// Clear is the instant from which b owes no more than the Budget of a caller never
// seen, if nothing happens before. It is math.MaxInt64 while anything is held or
// in flight, or is never refilled. What was used without a limit is no debt, and
// may be forgotten then.
func (l *Limits) Clear(b Budget) time.Duration { return b.clear(l) }

func (b *Budget) clear(l *Limits) time.Duration {
	if b.busy() {
		return math.MaxInt64
	}
	var d time.Duration
	for i, p := range rateParts[b.Component] {
		if r := &l.Rate[i]; p != NoPart && b.Used[i] > 0 && !r.Unlimited {
			d = max(d, r.until(b.Used[i]))
		}
	}
	if d == most {
		return math.MaxInt64
	}
	return max(b.At+d, b.Locked)
}
