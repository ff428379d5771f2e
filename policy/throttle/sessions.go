package throttle

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// SessionOptions are what [NewSessions] wants to know.
type SessionOptions struct {
	Rules  Backoff
	Most   int          // sessions that are told apart; the others of a shard share one. At least 1
	Shadow bool         // decide and count, and refuse or hold nothing
	Seed   maphash.Seed // of the spread over shards
}

// Sessions are the MAPI sessions of this node, bounded in number. It is safe
// for any number of goroutines, and judges known sessions without allocating.
type Sessions struct {
	shadow bool
	seed   maphash.Seed
	rules  atomic.Pointer[Backoff]
	known  bounded // sessions, in all shards
	shards [sessionShards]sessionShard

	mu      sync.Mutex // guards the next
	latency Latency
}

// sessionShards is enough that two cores seldom meet at one.
const sessionShards = 16

// A sessionShard is the sessions whose names hash to it.
type sessionShard struct {
	mu     sync.Mutex // guards all below
	known  map[string]*Session
	shared Session   // of all that found no room
	swept  time.Time // last, for room
	stats  SessionStats
}

// NewSessions makes an empty set. It starts nothing: who owns it calls
// [Sessions.Sweep] every minute or so.
func NewSessions(o SessionOptions) *Sessions {
	s := &Sessions{shadow: o.Shadow, seed: o.Seed}
	s.known.most = int64(max(1, o.Most))
	for i := range s.shards {
		s.shards[i].known = map[string]*Session{}
	}
	s.Publish(o.Rules)
	return s
}

// Publish makes b the rules from now on. Periods that run go on, unless b
// turns them off.
func (s *Sessions) Publish(b Backoff) { s.rules.Store(&b) }

// ROPs answers a request of the session id, which has n of them; see
// [Backoff.Judge]. In shadow mode it allows all, and counts and remembers what it
// would have answered.
func (s *Sessions) ROPs(now time.Time, id string, n int, latency time.Duration, v ClientVersion) Answer {
	rules := s.rules.Load()
	sh := &s.shards[maphash.String(s.seed, id)%sessionShards]
	sh.mu.Lock()
	defer sh.mu.Unlock()

	one := s.find(sh, now, id)
	next, a := rules.Judge(*one, now, n, latency, v)
	*one = next
	sh.stats.count(a, n)
	if s.shadow {
		return Answer{Action: Allow, Would: a.Action}
	}
	return a
}

// find returns the session id of sh, which is locked: a new one where there is
// room, else the one that is shared, so that nobody escapes by opening many.
func (s *Sessions) find(sh *sessionShard, now time.Time, id string) *Session {
	if one, ok := sh.known[id]; ok {
		return one
	}
	if !s.known.take() && !(s.makeRoom(sh, now) && s.known.take()) {
		sh.stats.Shared++
		return &sh.shared
	}
	one := new(Session)
	sh.known[strings.Clone(id)] = one // the caller's may be part of a whole request
	return one
}

// makeRoom forgets sessions of sh that rest, once a second at most: a flood of
// names must not make each of them look through all.
func (s *Sessions) makeRoom(sh *sessionShard, now time.Time) bool {
	if since := now.Sub(sh.swept); since >= 0 && since < time.Second {
		return false
	}
	sh.swept = now
	return s.sweep(sh, now) > 0
}

// Sweep forgets the sessions that rest, and returns how many. None is answered
// differently for it; see [Session.Rests].
func (s *Sessions) Sweep(now time.Time) (n int) {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		n += s.sweep(sh, now)
		sh.mu.Unlock()
	}
	return n
}

func (s *Sessions) sweep(sh *sessionShard, now time.Time) (n int) {
	for id, one := range sh.known {
		if one.Rests(now) {
			delete(sh.known, id)
			n++
		}
	}
	sh.stats.Evicted += uint64(n)
	s.known.give(n)
	return n
}

// Took notes how long one RPC request took.
func (s *Sessions) Took(now time.Time, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = s.latency.See(now, d)
}

// Latency is the average of what [Sessions.Took] noted in the last minute, for
// nodes that have no better source.
func (s *Sessions) Latency(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latency.Mean(now)
}
