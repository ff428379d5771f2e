package throttle

import "time"

// A Swept is what a sweep found.
type Swept struct {
	Released int    // requests that were never done, longer ago than Options.Release
	Evicted  int    // budgets that were clear for a minute, or for any time when there is no room
	Freed    uint64 // things that were held, by callers who have not held again for Options.Lease
	Over     int    // budgets that were refused or delayed, and would still be
	Long     []Long // requests that take longer than expected, each told once
}

// A Long is a request whose charge runs longer than expected. It says that
// something is slow, and not that the caller has done anything wrong, or was
// throttled (document 000, on event 2917).
type Long struct {
	Caller Caller // without a name where the budget is shared
	For    time.Duration
}

// keep is how long a budget is kept that could be given up: who comes back soon
// is found at less cost than he is made.
const keep = time.Minute

// Sweep releases, evicts and tells what became due by now. It is to be called
// about once a second, by one goroutine: the time for which a request is charged
// after a delay begins, for others to see, at the next sweep. It holds no lock
// for longer than 64 budgets or requests take.
func (l *Ledger) Sweep(now time.Time) Swept {
	at, turn := l.clock.since(now), l.sweeps.Add(1)%perBlock
	var out Swept
	for i := range l.shards {
		s := &l.shards[i]
		for k := 0; s.sweepOpen(at, k, &out); k++ {
		}
		for k := 0; s.sweepIdle(at, k, turn, &out); k++ {
		}
	}
	l.over.Store(int64(out.Over))
	return out
}

// sweepOpen looks at the requests of slab k. False: there is no such.
func (s *shard) sweepOpen(now time.Duration, k int, out *Swept) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.open.slabs) {
		return false
	}
	slab := s.open.slabs[k] // which is given back, maybe, with the last of its requests
	if slab == nil {
		return true
	}
	for i := range slab.requests {
		if r := &slab.requests[i]; r.limits != nil {
			s.sweepRequest(now, r, uint32(k*perSlab+i), out)
		}
	}
	return true
}

func (s *shard) sweepRequest(now time.Duration, r *request, slot uint32, out *Swept) {
	if now-r.begun >= s.release(r) {
		s.lost(now, r)
		s.open.give(slot, &s.slabs)
		s.events.released++
		out.Released++
		return
	}
	if r.state == asleep && now >= r.mark+r.wait {
		s.rouse(now, r)
	}
	if took := r.spent + now - r.mark; r.state == running && !r.told && took > s.options.Expect {
		r.told = true
		out.Long = append(out.Long, Long{s.whose(r.budget), took})
	}
}

// release is how long after its beginning r is released.
func (s *shard) release(r *request) time.Duration {
	if r.state == hanging {
		return max(hangs, s.options.Release)
	}
	return s.options.Release
}

// whose the budget with the number n is; nobody's where it is shared.
func (s *shard) whose(n uint32) Caller {
	if own(n) {
		return s.caller(n)
	}
	return Caller{Component: s.budget(n).Component}
}

// sweepIdle looks at the budgets of block k, and judges one of them anew. False:
// there is no such block.
func (s *shard) sweepIdle(now time.Duration, k int, turn uint32, out *Swept) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.blocks) {
		return false
	}
	since := now - keep
	if s.budgets.full() {
		since = now
	}
	for i := range uint32(perBlock) {
		n := uint32(k*perBlock) + i
		if n >= s.next || s.entry(n).size == vacant {
			continue
		}
		out.Freed += s.expire(now, n)
		if i == turn {
			s.review(now, n)
		}
		s.sweepBudget(now, since, n, out)
	}
	return true
}

func (s *shard) sweepBudget(now, since time.Duration, n uint32, out *Swept) {
	switch {
	case s.evict(n, since):
		s.budgets.give(1)
		out.Evicted++
	case s.entry(n).Slow != NoPart:
		if _, over := s.still(now, n); over {
			out.Over++
		}
	}
}
