package throttle

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"time"
)

// Options bound a Ledger. Zero fields mean the defaults.
type Options struct {
	Budgets int           // the most callers that have budgets of their own; 100,000. More than 100 million are 100 million
	Open    int           // the most requests open at once, at least 64 a shard, of which there are up to 64; 65,536. One budget has a sixteenth of them at most, or 64
	Release time.Duration // when a request that was never done is released; 10 minutes. One that hangs may do so for an hour
	Expect  time.Duration // how long a request is expected to take at most (event 2917), and what it is charged at most if it is released; 2 minutes
	Lease   time.Duration // when what a caller holds is freed unless he holds again; 24 hours
	Shadow  bool          // decide and count, and refuse or delay nothing
	Seed    maphash.Seed  // of where budgets lie and what tickets look like; its zero value is not allowed

	// Look is asked instead of NewLedger's limits by who only looks, at idle
	// callers and for lists, so that it is no use of a policy; nil: there is no
	// difference.
	Look func(now time.Time, c Caller) *Limits
}

// hangs is how long a request that hangs may be open at least before it is
// released: heartbeats of ActiveSync last up to 59 minutes.
const hangs = time.Hour

func (o Options) filled() Options {
	o.Budgets = min(or(o.Budgets, 100_000), mostBudgets)
	o.Open = or(o.Open, 65_536)
	o.Release = or(o.Release, 10*time.Minute)
	o.Expect = or(o.Expect, 2*time.Minute)
	o.Lease = or(o.Lease, 24*time.Hour)
	return o
}

// mostBudgets is a tenth of what the numbers in all shards are enough for, so
// that no shard, of which some have more than others, is ever at its end.
const mostBudgets = 100_000_000

// each is how many open requests one budget has at most, so that nobody leaves
// none to others, not even with requests that hang and have no limit.
func (o Options) each() uint64 { return uint64(max(64, o.Open/16)) }

func or[T ~int | ~int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// A Ledger holds the budgets of all callers. It is safe for any number of
// goroutines, and bounded: a budget is given up when it is that of a caller never
// seen again, never while something is owed, held or in flight; when there is no
// room newcomers of a component share a budget, as [Full] says.
//
// A request is judged by the policy of when it began, to its end.
type Ledger struct {
	common
	shards []shard
	shift  uint // of a hash, to the number of its shard
	over   atomic.Int64
	sweeps atomic.Uint32 // how many there were
}

// common is what all shards share. None of it is written often.
type common struct {
	options Options
	limits  func(now time.Time, c Caller) *Limits
	look    func(now time.Time, c Caller) *Limits // the same, but no use of them
	each    uint64                                // open requests of one budget at most
	clock   clock
	budgets bounded // how many there are
	slabs   bounded // of requests: how many there are beyond the first of each shard
}

// mostShards is enough for locks to be free when they are wanted, and few enough
// that what each of them holds beside budgets does not count.
const mostShards = 64

// NewLedger is a Ledger without budgets. limits says what a caller may; nil is
// nothing. It is asked before each decision, and Options.Look by who only looks,
// by many goroutines at once, and neither must call the Ledger.
func NewLedger(o Options, limits func(now time.Time, c Caller) *Limits) *Ledger {
	o = o.filled()
	n := min(mostShards, 1<<bits.Len(uint(max(1, o.Budgets/64)-1)))
	l := &Ledger{shards: make([]shard, n), shift: uint(64 - bits.Len(uint(n-1)))}
	l.options, l.limits, l.look, l.each = o, limits, o.Look, o.each()
	if l.look == nil {
		l.look = limits
	}
	l.budgets.most = int64(o.Budgets)
	l.slabs.most = int64(max(0, (o.Open+perSlab-1)/perSlab-n))
	for i := range l.shards {
		s := &l.shards[i]
		s.common, s.soonest, s.sought = &l.common, never, never
		s.open.init(uint32(i), maphash.Comparable(o.Seed, i))
	}
	return l
}

// hash is where a caller's budgets lie, of all components together.
func (s *common) hash(name string) uint64 { return maphash.String(s.options.Seed, name) }

// at is the shard of a hash.
func (l *Ledger) at(hash uint64) *shard {
	return &l.shards[hash>>(l.shift&63)&uint64(len(l.shards)-1)]
}

// Check begins a request, and is its Ticket, which is 0 if it is denied, and in
// shadow mode where no ticket is left. It must be Done. If it never is, it is
// released after Options.Release, and has then been charged for Options.Expect
// since it was last heard of, at Check or Next: of more there is no evidence.
func (l *Ledger) Check(now time.Time, c Caller, a Ask) (Ticket, Verdict) {
	if c.Component >= components {
		return 0, Verdict{}
	}
	at, limits, hash := l.clock.since(now), l.allowed(now, c), l.hash(c.Name)
	s := l.at(hash)

	s.mu.Lock()
	t, v := s.check(at, c, uint32(hash), limits, &a)
	s.mu.Unlock()
	return t, v
}

// allowed is what c may, for who serves him; looked, for who only looks. It is
// nothing where nobody says.
func (s *common) allowed(now time.Time, c Caller) *Limits { return orNothing(s.limits(now, c)) }
func (s *common) looked(now time.Time, c Caller) *Limits  { return orNothing(s.look(now, c)) }

func orNothing(l *Limits) *Limits {
	if l == nil {
		return new(Limits)
	}
	return l
}

// Next judges the next item of a batch before it is begun: what was used so far,
// and cpu, the share of all CPUs in use as in [Ask]. An unknown ticket is denied.
func (l *Ledger) Next(now time.Time, t Ticket, cpu float64) (v Verdict) {
	at := l.clock.since(now)
	l.with(t, func(s *shard, r *request) { v = s.following(at, r, cpu) })
	return v
}

// Enter says that a request's time is time in p from now on: AD, AB or RPC, each
// of which counts once however often it is entered.
func (l *Ledger) Enter(now time.Time, t Ticket, p Part) {
	at := l.clock.since(now)
	l.with(t, func(s *shard, r *request) { s.enters(at, r, p) })
}

// Leave ends what Enter began.
func (l *Ledger) Leave(now time.Time, t Ticket, p Part) {
	at := l.clock.since(now)
	l.with(t, func(s *shard, r *request) { s.leaves(at, r, p) })
}

// Done charges and releases a request. False: the ticket is not known, or not
// any more, and nothing is charged.
func (l *Ledger) Done(now time.Time, t Ticket, cost Cost) bool {
	at := l.clock.since(now)
	s, ok := l.of(t)
	if !ok {
		return false
	}
	s.mu.Lock()
	r := s.open.get(t)
	if r != nil {
		s.done(at, r, &cost)
		s.open.give(t.slot(), &s.slabs)
	}
	s.mu.Unlock()
	return r != nil
}

// with does f to the request of a ticket, if it is open.
func (l *Ledger) with(t Ticket, f func(*shard, *request)) {
	s, ok := l.of(t)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open.get(t); r != nil {
		f(s, r)
	}
}

// of is the shard that gave out t.
func (l *Ledger) of(t Ticket) (*shard, bool) {
	i := t.shard()
	if t == 0 || i >= uint32(len(l.shards)) {
		return nil, false
	}
	return &l.shards[i], true
}

// Hold counts n more of a part that outlives a request: subscriptions, devices,
// cmdlets that wait. All of them or, if the verdict is Deny, none. It is denied as
// Full to whom there is no room to give a budget of his own.
//
// What is held is freed Options.Lease after c's last Hold, whatever that was told:
// a front end that forgets to Free does not fill a gauge for ever. Of none more, n
// = 0, it is a sign of life and nothing else.
func (l *Ledger) Hold(now time.Time, c Caller, p Part, n uint32) Verdict {
	if c.Component >= components {
		return Verdict{}
	}
	at, limits, hash := l.clock.since(now), l.allowed(now, c), l.hash(c.Name)
	s := l.at(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold(at, c, uint32(hash), limits, p, n)
}

// Free gives back n of what Hold has counted, and no more than that.
func (l *Ledger) Free(now time.Time, c Caller, p Part, n uint32) {
	if c.Component >= components {
		return
	}
	at, limits, hash := l.clock.since(now), l.allowed(now, c), l.hash(c.Name)
	s := l.at(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, _, ok := s.lookup(c, uint32(hash)); ok {
		b := s.budget(i)
		b.settle(limits, at)
		b.free(p, n)
		s.idle(i, limits)
	}
}

// Budget is what c stands at, settled; a caller never seen has used nothing.
func (l *Ledger) Budget(now time.Time, c Caller) Budget {
	return l.standing(now, c, l.looked(now, c))
}

// standing is Budget of a caller whose limits are known.
func (l *Ledger) standing(now time.Time, c Caller, limits *Limits) Budget {
	if c.Component >= components {
		return Budget{}
	}
	at, hash := l.clock.since(now), l.hash(c.Name)
	s := l.at(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, _, ok := s.lookup(c, uint32(hash)); ok {
		return limits.Settle(*s.budget(i), at)
	}
	return Budget{At: at, Component: c.Component}
}
