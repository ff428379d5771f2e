package throttle

import (
	"sync"
	"sync/atomic"
	"time"
)

// An Ages says how long a policy is kept once it is loaded (document 000):
// unused for Min, and in use for Max at most. 0 < Min <= Max.
type Ages struct {
	Min, Max time.Duration
}

// ExchangeAges are those of Exchange: 5 and 15 minutes.
func ExchangeAges() Ages { return Ages{5 * time.Minute, 15 * time.Minute} }

// noteEvery is how exactly the last use of a policy is known: often enough for
// minutes, and so rarely that its users do not fight for one cache line.
const noteEvery = time.Second

// A Cache gives policies out for a while before it takes a change up, as
// Exchange does, so that one decision after another is by the same policy. It is
// by policy, not by caller: whose policy is which is by the newest [Book] at once.
//
// A Cache is safe for concurrent use. Who asks for Limits waits for nobody but,
// every few minutes, who loads a policy.
type Cache struct {
	ages atomic.Pointer[Ages]
	now  atomic.Pointer[shelf] // the newest Book, and what of it and of those before is loaded

	loading sync.Mutex // held by who puts something on a shelf, or puts up another
}

// A shelf is what can be loaded, by the standings of a Book.
type shelf struct {
	book   *Book
	loaded []atomic.Pointer[loaded]
}

// A loaded is a policy in the cache.
type loaded struct {
	*Effective
	at   time.Time
	used atomic.Int64 // nanoseconds after at: when it was used last, to noteEvery
}

// NewCache makes a Cache of the built-in fallback, which everyone has until
// Publish says more.
func NewCache(a Ages) *Cache {
	b, _ := Compile(File{}) // nothing is in it that could be wrong
	c := &Cache{}
	c.Keep(a)
	c.now.Store(&shelf{b, make([]atomic.Pointer[loaded], len(b.standings))})
	return c
}

// Keep changes how long policies are kept, those that are loaded too.
func (c *Cache) Keep(a Ages) { c.ages.Store(&a) }

// Publish makes b the newest Book. What is loaded stays as it is until it is too
// old; who has another policy by b has it at once.
func (c *Cache) Publish(b *Book) {
	c.loading.Lock()
	defer c.loading.Unlock()
	old := c.now.Load()
	next := &shelf{b, make([]atomic.Pointer[loaded], len(b.standings))}
	for link, i := range b.byLink {
		if was, known := old.book.byLink[link]; known {
			next.loaded[i].Store(old.loaded[was].Load())
		}
	}
	c.now.Store(next)
}

// Reload forgets what is loaded, so that everyone has what the newest Book says
// from now on.
func (c *Cache) Reload() {
	c.loading.Lock()
	defer c.loading.Unlock()
	b := c.now.Load().book
	c.now.Store(&shelf{b, make([]atomic.Pointer[loaded], len(b.standings))})
}

// Limits are what c may at now by his policy, and a use of it. They are never nil and
// not to be written to. It does not allocate while the policy is loaded and the
// name is as [Account] writes it.
func (c *Cache) Limits(now time.Time, who Caller) *Limits {
	s := c.now.Load()
	i, _ := s.book.standing(who.Name)
	l := s.loaded[i].Load()
	if l == nil || !l.fresh(now, *c.ages.Load()) {
		l = c.load(now, who.Name)
	}
	l.note(now)
	return l.Limits(who.Component)
}

// Look are the Limits of who by what is loaded, or if that is too old by the newest
// Book, which the next use will load. It is no use: nothing is loaded by it, or
// kept for longer.
func (c *Cache) Look(now time.Time, who Caller) *Limits {
	s := c.now.Load()
	i, _ := s.book.standing(who.Name)
	if l := s.loaded[i].Load(); l != nil && l.fresh(now, *c.ages.Load()) {
		return l.Limits(who.Component)
	}
	return s.book.standings[i].Limits(who.Component)
}

// load puts what a caller has by the newest Book on the shelf, unless somebody
// else just did.
func (c *Cache) load(now time.Time, caller string) *loaded {
	c.loading.Lock()
	defer c.loading.Unlock()
	s := c.now.Load()
	i, _ := s.book.standing(caller)
	l := s.loaded[i].Load()
	if l == nil || !l.fresh(now, *c.ages.Load()) {
		l = &loaded{Effective: &s.book.standings[i], at: now}
		s.loaded[i].Store(l)
	}
	return l
}

// fresh is the rule: Min after its last use, and Max after it was loaded, a
// policy is too old. A now before that is of somebody who was quicker.
func (l *loaded) fresh(now time.Time, a Ages) bool {
	left, _ := l.left(now, a)
	return left > 0
}

// left is how long the policy is kept from now on if nobody uses it any more,
// and if everybody does.
func (l *loaded) left(now time.Time, a Ages) (unused, used time.Duration) {
	age := now.Sub(l.at)
	used = a.Max - age
	return min(time.Duration(l.used.Load())+a.Min-age, used), used
}

// note says that the policy was used.
func (l *loaded) note(now time.Time) {
	age, last := int64(now.Sub(l.at)), l.used.Load()
	if age-last >= int64(noteEvery) {
		l.used.CompareAndSwap(last, age) // or another's word, as good as ours
	}
}
