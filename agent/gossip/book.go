package gossip

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"
)

const (
	// keep is how long a node that is no member and says nothing is remembered.
	keep = 24 * time.Hour
	// maxNames bounds the book, and so the state sent by push/pull, against a
	// peer that makes names up.
	maxNames = 4096
)

// A book is all that is known of the farm, and the rules of what is believed.
// It is told the time and asks no one; its owner locks it.
type book struct {
	own     string
	addr    netip.AddrPort // this node's, as peers use it
	told    rumour         // the newest own Fact; beat 0 = none yet
	ownBeat uint64         // see [Cluster.OwnBeat]
	left    bool

	entries map[string]*entry // everyone else
	clashes map[string]clash  // names that two machines use
}

func newBook(own string) *book {
	return &book{own: own, entries: map[string]*entry{}, clashes: map[string]clash{}}
}

// An entry is what is known of one other node.
type entry struct {
	fact   rumour // beat 0 = none yet
	bye    rumour // the last goodbye; beat 0 = none
	addr   netip.AddrPort
	member bool
	joined bool      // was a member at some time
	since  time.Time // when member last changed
}

// left: the last that was heard of it, by beat, is a goodbye.
func (e *entry) left() bool { return !e.member && e.bye.beat > e.fact.beat }

// An outcome says what became of a word.
type outcome int

const (
	fresh outcome = iota // believed, and worth passing on
	stale                // no news: an older beat, or the same once more
	held                 // of a name that two machines use
	echo                 // of this node's own name: never believed
	full                 // of one name too many
	outcomes
)

// hear believes a word or not. A fresh one comes back as the rumour to pass on.
func (b *book) hear(w word, now time.Time) (rumour, outcome, error) {
	switch {
	case w.kind == kindClash:
		return b.hearClash(w, now)
	case w.beat == 0:
		return rumour{}, stale, errMalformed
	case string(w.name) == b.own:
		b.hearOwn(w.beat)
		return rumour{}, echo, nil
	case b.clashing(string(w.name), now):
		return rumour{}, held, nil
	}
	r, o := b.hearOther(w, now)
	return r, o, nil
}

// hearOwn notes what a former self said. What this process told comes back all
// the time and is no news.
func (b *book) hearOwn(beat uint64) {
	if beat > b.told.beat {
		b.ownBeat = max(b.ownBeat, beat)
	}
}

// hearOther: the higher beat wins, a goodbye being a beat like any other.
func (b *book) hearOther(w word, now time.Time) (rumour, outcome) {
	e := b.entries[string(w.name)]
	switch {
	case e == nil && w.age >= keep:
		return rumour{}, stale // forgotten here, and not to be learnt again from who has not yet
	case e == nil && len(b.entries) >= maxNames:
		return rumour{}, full
	case e == nil:
		e = b.entry(string(w.name))
	case w.beat <= max(e.fact.beat, e.bye.beat):
		return rumour{}, stale
	}
	r := rumour{w.kind, string(w.name), w.beat, now.Add(-w.age), slices.Clone(w.body)}
	if w.kind == kindBye {
		e.bye = r
	} else {
		e.fact = r
	}
	return r, fresh
}

func (b *book) entry(name string) *entry {
	e := b.entries[name]
	if e == nil {
		e = &entry{}
		b.entries[name] = e
	}
	return e
}

// tell makes fact the newest own one, and returns it as the rumour to send.
func (b *book) tell(beat uint64, fact []byte, now time.Time) (rumour, error) {
	switch {
	case len(fact) > MaxFact:
		return rumour{}, fmt.Errorf("tell: %w: %d bytes, at most %d", ErrTooLarge, len(fact), MaxFact)
	case beat <= b.told.beat:
		return rumour{}, fmt.Errorf("tell: %w: %d after %d", ErrOldBeat, beat, b.told.beat)
	case b.left:
		return rumour{}, fmt.Errorf("tell: %w", ErrLeft)
	case b.clashing(b.own, now):
		return rumour{}, fmt.Errorf("tell: %w", ErrConflict)
	}
	b.told = rumour{kindFact, b.own, beat, now, slices.Clone(fact)}
	return b.told, nil
}

// goodbye marks this node as gone, and returns the rumour that says so. It
// outranks all that was ever heard of this node, until its next self outranks it.
func (b *book) goodbye(now time.Time) (rumour, error) {
	if b.clashing(b.own, now) {
		b.left = true
		return rumour{}, fmt.Errorf("leave: %w, so nothing is said under it", ErrConflict)
	}
	b.left = true
	return rumour{kindBye, b.own, max(b.told.beat, b.ownBeat) + 1, now, nil}, nil
}

// appendState appends all that may be said: the own Fact, and the last of
// everyone else, dead or alive. Names that clash are left out.
func (b *book) appendState(buf []byte, now time.Time) []byte {
	buf = append(buf, version)
	if b.told.beat > 0 && !b.clashing(b.own, now) {
		buf = appendFramed(buf, b.told, now)
	}
	for name, e := range b.entries {
		if b.clashing(name, now) {
			continue
		}
		if e.fact.beat > 0 {
			buf = appendFramed(buf, e.fact, now)
		}
		if e.bye.beat > e.fact.beat {
			buf = appendFramed(buf, e.bye, now)
		}
	}
	return buf
}

// join and leave are membership, as memberlist sees it.
func (b *book) join(name string, addr netip.AddrPort, now time.Time) {
	if name == b.own {
		b.addr = addr
		return
	}
	e := b.entry(name)
	e.member, e.joined, e.addr, e.since = true, true, addr, now
}

func (b *book) leave(name string, now time.Time) {
	if e := b.entries[name]; e != nil {
		e.member, e.since = false, now
	}
}

// forget drops who is no member and silent for too long, and conflicts that
// are over.
func (b *book) forget(now time.Time) {
	maps.DeleteFunc(b.entries, func(_ string, e *entry) bool {
		return !e.member && now.Sub(e.since) >= keep &&
			now.Sub(e.fact.born) >= keep && now.Sub(e.bye.born) >= keep
	})
	maps.DeleteFunc(b.clashes, func(_ string, c clash) bool { return c.over(now) })
}

func (b *book) heard() []Heard {
	out := make([]Heard, 0, len(b.entries))
	for name, e := range b.entries {
		out = append(out, Heard{
			Name: name, Member: e.member, Left: e.left(),
			Beat: e.fact.beat, Born: e.fact.born, Fact: e.fact.body,
		})
	}
	slices.SortFunc(out, func(a, b Heard) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (b *book) members() []Member {
	out := []Member{{b.own, b.addr, stateWord(!b.left, b.left)}}
	for name, e := range b.entries {
		if e.joined {
			out = append(out, Member{name, e.addr, stateWord(e.member, e.left())})
		}
	}
	slices.SortFunc(out, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func stateWord(member, left bool) string {
	switch {
	case member:
		return "alive"
	case left:
		return "left"
	}
	return "failed"
}

// alive counts the members, this node among them.
func (b *book) alive() int {
	n := 1
	for _, e := range b.entries {
		if e.member {
			n++
		}
	}
	return n
}
