package throttle

import (
	"encoding/binary"
	"math"
	"sync"
	"time"
)

// A shard is a part of the budgets, with a lock of its own. Budgets lie in blocks
// without a pointer, and what leads to them is an index of numbers: a million
// budgets are no work for the garbage collector, and no block is ever moved.
type shard struct {
	mu sync.Mutex // guards all below
	*common

	index  []uint32 // open addressing: 8 bits of the hash, and 24 of the budget's number + 1; 0 = empty
	live   int      // how many are in it
	blocks []*block
	next   uint32 // the first number that was never given
	unused uint32 // the number + 1 of the first that was given back; each has the next in place of its name
	names  names

	soonest uint32                // no idle budget is clear before this second
	sought  uint32                // nor any of those that were looked at since the hand began anew before this one
	hand    uint32                // where the last search for one ended
	shared  *[components]Budget   // of those for whom there is no room
	open    requests              // tickets
	counted [components]*verdicts // what was decided
	events  events

	_ [cacheLine]byte // what lies behind is written by others
}

const (
	cacheLine = 64
	perBlock  = 64
	tagBits   = 8
	noBudget  = 1<<(32-tagBits) - 1 // a number that no budget of a shard has; below it, by component, are the shared ones
	never     = math.MaxUint32      // seconds, rounded up
)

// A block is some budgets, as large as a step of the allocator.
type block [perBlock]entry

// An entry is a budget, and what the shard keeps of it: in one place, since who
// looks for a budget waits for memory and for little else.
type entry struct {
	clear uint32         // when it is that of a caller never seen, in s, if it is idle
	lease uint32         // when what is held is freed, in s, if anything is
	hash  uint16         // of the name, without the bits that the index has
	size  uint8          // of the name, in bytes; elsewhere: it is too long; vacant: the entry is unused
	name  [mostHere]byte // the name; where it is too long its place, and where the entry is unused the next such
	Budget
}

const (
	mostHere  = 45 // as long as SIDs of a domain are
	elsewhere = mostHere + 1
	vacant    = mostHere + 2
)

// link is the number that stands in place of a name.
func (e *entry) link() uint32     { return binary.LittleEndian.Uint32(e.name[:]) }
func (e *entry) setLink(n uint32) { binary.LittleEndian.PutUint32(e.name[:], n) }

// at is where the name lies; false: in the entry.
func (e *entry) at() (place, bool) { return place(e.link()), e.size == elsewhere }

// text is the name, for as long as the shard is not changed.
func (s *shard) text(e *entry) []byte {
	if p, ok := e.at(); ok {
		return s.names.text(p)
	}
	return e.name[:e.size]
}

// named gives e a name.
func (s *shard) named(e *entry, name string) {
	if len(name) > mostHere {
		e.size = elsewhere
		e.setLink(uint32(s.names.put(name)))
		return
	}
	e.size = uint8(copy(e.name[:], name))
}

// entry is what lies at the number n of an own budget.
func (s *shard) entry(n uint32) *entry {
	return &s.blocks[n/perBlock][n%perBlock]
}

// budget is the one with the number n, or a shared one.
func (s *shard) budget(n uint32) *Budget {
	if !own(n) {
		return &s.shared[noBudget-1-n]
	}
	return &s.entry(n).Budget
}

// own: n is the number of a caller's own budget.
func own(n uint32) bool { return n < noBudget-uint32(components) }

// Of a hash 24 bits are used, the lowest of which are a budget's tag in the index.
const hashBits = 16 + tagBits

// home is where the search for a hash begins.
func (s *shard) home(hash uint32) int {
	return int(uint64(hash&(1<<hashBits-1)) * uint64(len(s.index)) >> hashBits)
}

// homeOf is the home of what a slot of the index names.
func (s *shard) homeOf(slot uint32) int {
	n := slot&noBudget - 1
	return s.home(uint32(s.entry(n).hash)<<tagBits | slot>>(32-tagBits))
}

func tagged(hash, n uint32) uint32 { return hash<<(32-tagBits) | (n + 1) }

// lookup is the number of c's budget, and where the index names it.
func (s *shard) lookup(c Caller, hash uint32) (n uint32, at int, ok bool) {
	if len(s.index) == 0 {
		return noBudget, 0, false
	}
	for at = s.home(hash); s.index[at] != 0; at++ {
		slot := s.index[at]
		if n = slot&noBudget - 1; slot == tagged(hash, n) && s.is(n, c) {
			return n, at, true
		}
		if at+1 == len(s.index) {
			at = -1
		}
	}
	return noBudget, 0, false
}

// known is c's budget, or that of a caller never seen.
func (s *shard) known(c Caller, hash uint32) *Budget {
	if n, _, ok := s.lookup(c, hash); ok {
		return s.budget(n)
	}
	return &Budget{Component: c.Component}
}

// is: the budget with the number n is c's.
func (s *shard) is(n uint32, c Caller) bool {
	e := s.entry(n)
	return string(s.text(e)) == c.Name && e.Component == c.Component
}

// place is the number of c's budget, which is made where there is none. Where
// there is no room for one it is that of the shared budget of his component.
func (s *shard) place(c Caller, hash uint32, now time.Duration) uint32 {
	if n, _, ok := s.lookup(c, hash); ok {
		return n
	}
	if len(c.Name) > mostName || s.next >= noBudget-uint32(components)-1 || !s.budgets.take() && !s.evictOne(now) {
		return s.share(c.Component)
	}
	n := s.number()
	e := s.entry(n)
	*e = entry{Budget: Budget{Component: c.Component}, hash: uint16(hash >> tagBits)}
	s.named(e, c.Name)
	s.insert(hash, n)
	return n
}

// share is the number of the budget that those of c share for whom there is no
// room.
func (s *shard) share(c Component) uint32 {
	if s.shared == nil {
		s.shared = new([components]Budget)
	}
	s.shared[c].Component = c
	s.events.full++
	return noBudget - 1 - uint32(c)
}

// number gives out a place in a block.
func (s *shard) number() uint32 {
	if s.unused > 0 {
		n := s.unused - 1
		s.unused = s.entry(n).link()
		return n
	}
	n := s.next
	if s.next++; n%perBlock == 0 {
		s.blocks = append(s.blocks, new(block))
	}
	return n
}

// insert names n in the index, which is kept at most seven eighths full, and
// grows by a quarter: more empty places cost more memory than they save time.
func (s *shard) insert(hash, n uint32) {
	if s.live++; s.live*8 > len(s.index)*7 {
		s.rehash(max(16, len(s.index)*5/4))
	}
	s.enter(s.home(hash), tagged(hash, n))
}

// enter puts slot into the first empty place from at.
func (s *shard) enter(at int, slot uint32) {
	for s.index[at] != 0 {
		if at++; at == len(s.index) {
			at = 0
		}
	}
	s.index[at] = slot
}

func (s *shard) rehash(size int) {
	old := s.index
	s.index = make([]uint32, size)
	for _, slot := range old {
		if slot != 0 {
			s.enter(s.homeOf(slot), slot)
		}
	}
}

// remove takes the name at place at out of the index, and closes the gap: each
// that follows moves up unless it is nearer to its home than the gap.
func (s *shard) remove(at int) {
	s.live--
	size := len(s.index)
	for gap := at; ; {
		if at++; at == size {
			at = 0
		}
		slot := s.index[at]
		if slot == 0 {
			s.index[gap] = 0
			return
		}
		home := s.homeOf(slot)
		if (at-home+size)%size >= (at-gap+size)%size {
			s.index[gap], gap = slot, at
		}
	}
}
