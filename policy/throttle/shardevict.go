package throttle

import "time"

// idle notes when the budget with the number n is clear, if nothing is held of
// it or in flight.
func (s *shard) idle(n uint32, l *Limits) {
	if !own(n) {
		return
	}
	if e := s.entry(n); !e.busy() {
		e.clear = seconds(e.Budget.clear(l))
		s.soonest, s.sought = min(s.soonest, e.clear), min(s.sought, e.clear)
	}
}

// past: the second t is not after now.
func past(t uint32, now time.Duration) bool { return time.Duration(t)*time.Second <= now }

// expire frees what is held by the budget with the number n if its lease is over,
// and is how much that was.
func (s *shard) expire(now time.Duration, n uint32) uint64 {
	e := s.entry(n)
	held := e.Held[gaugeOwn]
	if held == 0 || !past(e.lease, now) {
		return 0
	}
	l := s.looked(s.clock.time(now), s.caller(n))
	e.settle(l, now)
	e.give(gaugeOwn, held)
	s.idle(n, l)
	return uint64(held)
}

// review judges anew when the budget with the number n is clear, if that is long
// from now: by a policy that was changed since it may be soon, and would be never
// where nothing was refilled.
func (s *shard) review(now time.Duration, n uint32) {
	if e := s.entry(n); !e.busy() && !past(e.clear, now+long) {
		s.idle(n, s.looked(s.clock.time(now), s.caller(n)))
	}
}

const long = time.Hour

// seconds is d in seconds, rounded up; from 136 years on: never.
func seconds(d time.Duration) uint32 {
	if d > (never-1)*time.Second {
		return never
	}
	return uint32((max(0, d) + time.Second - 1) / time.Second)
}

// caller is whose the budget with the number n is. It allocates.
func (s *shard) caller(n uint32) Caller {
	e := s.entry(n)
	return Caller{string(s.text(e)), e.Component}
}

// mostLooks is how many budgets a newcomer looks at for a place at most, since
// others wait for the lock. Who comes next goes on from there.
const mostLooks = 256

// evictOne gives up one budget that is clear at now, so that another can have
// its place. False: none was found.
func (s *shard) evictOne(now time.Duration) bool {
	for range min(s.next, mostLooks) {
		if !past(s.soonest, now) {
			return false
		}
		if s.evict(s.hand, now) {
			return true
		}
		if e := s.entry(s.hand); e.size != vacant && !e.busy() {
			s.sought = min(s.sought, e.clear)
		}
		if s.hand++; s.hand >= s.next {
			s.hand, s.soonest, s.sought = 0, s.sought, never
		}
	}
	return false
}

// evict gives up the budget with the number n, if there is one, if it is clear at
// now by the policy of now, which may not be the one by which that was noted.
func (s *shard) evict(n uint32, now time.Duration) bool {
	if n >= s.next {
		return false
	}
	e := s.entry(n)
	if e.size == vacant || !past(e.clear, now) || e.busy() {
		return false
	}
	c := s.caller(n)
	if at := e.Budget.clear(s.looked(s.clock.time(now), c)); at > now {
		e.clear = seconds(at)
		return false
	}
	_, at, _ := s.lookup(c, uint32(s.hash(c.Name)))
	s.remove(at)
	s.give(n)
	s.events.evicted++
	return true
}

// give gives back the place with the number n, and the name.
func (s *shard) give(n uint32) {
	e := s.entry(n)
	p, long := e.at()
	*e = entry{size: vacant}
	e.setLink(s.unused)
	s.unused = n + 1
	if long && s.names.drop(p) {
		s.compact(p.chunk())
	}
}

// compact moves the names that are still needed out of a chunk. A name says by
// the index whose it is, so that none has to carry that.
func (s *shard) compact(chunk uint32) {
	from := place(chunk << nameShift)
	for p := from; ; {
		text, behind, ok := s.names.next(p)
		if !ok {
			break
		}
		s.rename(string(text), p)
		p = behind
	}
	s.names.release(from)
}

// rename moves name from p, unless it is nobody's there.
func (s *shard) rename(name string, p place) {
	for at := s.home(uint32(s.hash(name))); s.index[at] != 0; at++ {
		n := s.index[at]&noBudget - 1
		if at, long := s.entry(n).at(); long && at == p {
			s.named(s.entry(n), name)
			return
		}
		if at+1 == len(s.index) {
			at = -1
		}
	}
}
