package dnssec

import (
	"sync"
	"time"

	"github.com/miekg/dns"
)

const shards = 16 // more than there are goroutines that answer

// A cache keeps signatures by what is signed. Each shard has two generations:
// when the young one is full it becomes the old one, and what nobody asks for
// until that happens again is forgotten. So what is asked for again stays, and
// there is never more than twice the limit.
type cache struct {
	limit  int // entries of a generation of a shard
	shards [shards]shard
}

type shard struct {
	mu         sync.RWMutex // guards the next line
	young, old map[string]*entry
}

// An entry is the signatures of one set. Of those who meet a new one, the first
// signs and the others wait for it.
type entry struct {
	at       time.Time // when it was first asked for
	once     sync.Once // guards the writing of the next line
	validity           // zero where signing failed, so that it is tried again
	sigs     []dns.RRSIG
}

// find returns the entry of a key that serves at now, and lets sign fill in what
// is new. Of an entry that is new itself, signing may have failed.
func (c *cache) find(key []byte, digest uint64, now time.Time, sign func(*entry)) *entry {
	s := &c.shards[digest%shards]
	var unfit *entry
	for {
		e, mine := s.entry(key, unfit, now, c.limit)
		e.once.Do(func() { sign(e) })
		if mine || e.serves(now) {
			return e
		}
		unfit = e
	}
}

// entry returns what there is for a key, or else a new entry, which is mine.
// Another one takes the place of unfit.
func (s *shard) entry(key []byte, unfit *entry, now time.Time, limit int) (e *entry, mine bool) {
	s.mu.RLock()
	e = s.young[string(key)]
	s.mu.RUnlock()
	if e != nil && e != unfit {
		return e, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e = s.young[string(key)]; e != nil && e != unfit {
		return e, false
	}
	if e = s.old[string(key)]; e == nil || e == unfit {
		e, mine = &entry{at: now}, true
	}
	s.keep(string(key), e, limit)
	return e, mine
}

// keep puts e into the young generation. mu is held.
func (s *shard) keep(key string, e *entry, limit int) {
	if len(s.young) >= limit {
		s.old, s.young = s.young, nil
	}
	if s.young == nil {
		s.young = make(map[string]*entry)
	}
	s.young[key] = e
}
