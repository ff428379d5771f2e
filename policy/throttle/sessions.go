package throttle

import (
	"cmp"
	"hash/maphash"
	"slices"
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
	most   int64
	shadow bool
	seed   maphash.Seed
	rules  atomic.Pointer[Backoff]
	known  atomic.Int64 // sessions in all shards
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
	s := &Sessions{most: int64(max(1, o.Most)), shadow: o.Shadow, seed: o.Seed}
	for i := range s.shards {
		s.shards[i].known = map[string]*Session{}
	}
	s.Publish(o.Rules)
	return s
}

// Publish makes b the rules from now on. Periods that run go on, unless b
// turns them off.
func (s *Sessions) Publish(b Backoff) { s.rules.Store(&b) }

// ROP answers one ROP of the session id; see [Backoff.Judge]. In shadow mode
// it allows all, and counts and remembers what it would have answered.
func (s *Sessions) ROP(now time.Time, id string, latency time.Duration, v ClientVersion) Answer {
	rules := s.rules.Load()
	sh := &s.shards[maphash.String(s.seed, id)%sessionShards]
	sh.mu.Lock()
	defer sh.mu.Unlock()

	one := s.find(sh, now, id)
	next, a := rules.Judge(*one, now, latency, v)
	*one = next
	sh.stats.count(a)
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
	if !s.take() && !(s.makeRoom(sh, now) && s.take()) {
		sh.stats.Shared++
		return &sh.shared
	}
	one := new(Session)
	sh.known[strings.Clone(id)] = one // the caller's may be part of a whole request
	return one
}

// take takes a place for one more session, if there is one.
func (s *Sessions) take() bool {
	if s.known.Add(1) <= s.most {
		return true
	}
	s.known.Add(-1)
	return false
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
	s.known.Add(int64(-n))
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

// A HeldSession is one that is held back now.
type HeldSession struct {
	ID   string        // empty for those that share one
	Rate float64       // ROPs a second over the last minute
	Left time.Duration // of the period
}

// Held tells who is held back at the instant now, the busiest first, at most n.
func (s *Sessions) Held(now time.Time, n int) []HeldSession {
	var out []HeldSession
	for i := range s.shards {
		out = s.shards[i].held(now, out)
	}
	slices.SortFunc(out, func(a, b HeldSession) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.ID, b.ID))
	})
	return slices.Clip(out[:max(0, min(n, len(out)))])
}

func (sh *sessionShard) held(now time.Time, out []HeldSession) []HeldSession {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if left := sh.shared.Left(now); left > 0 {
		out = append(out, HeldSession{"", sh.shared.Rate(now), left})
	}
	for id, one := range sh.known {
		if left := one.Left(now); left > 0 {
			out = append(out, HeldSession{id, one.Rate(now), left})
		}
	}
	return out
}
