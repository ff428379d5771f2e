package throttle

import "time"

// A Ticket stands for an open request. It is opaque, is not found by counting,
// and is not given twice; 0 is none.
type Ticket uint64

// A ticket is a check word, the number of its shard and a slot there.
const (
	slotBits  = 26
	shardBits = 32 - slotBits // as many as mostShards needs
)

func (t Ticket) shard() uint32 { return uint32(t) >> slotBits }
func (t Ticket) slot() uint32  { return uint32(t) & (1<<slotBits - 1) }

// A request is what is known of a ticket.
type request struct {
	limits *Limits       // by which it began; nil: the slot is unused
	begun  time.Duration // when it was let in
	mark   time.Duration // when this item of it was let in
	wait   time.Duration // how long after mark it is charged, if it is asleep
	spent  time.Duration // what items before this one took
	check  uint32        // the ticket's word
	budget uint32        // whose it is; of an unused slot: the number + 1 of the next
	find   uint32        // items it holds
	in     uint8         // bits: what it has entered
	state  state
	told   bool // that it takes long
}

type state uint8

const (
	running state = iota // charged
	asleep               // waits out a delay, and is not charged
	hanging              // is never charged
)

// requests are the slots of a shard, in slabs that are never moved and never
// given back.
type requests struct {
	slabs  []*[perSlab]request
	first  uint32 // the number + 1 of the first unused slot
	n      int    // how many are open
	shard  uint32
	secret uint64 // makes the check words
	count  uint64 // how many were given out
}

const perSlab = 64

func (q *requests) init(shard uint32, secret uint64) { q.shard, q.secret = shard, secret }

// spare: there is a slot, if need be in a slab that more may be taken for. Each
// shard has one slab at least.
func (q *requests) spare(more *bounded) bool {
	if q.first > 0 {
		return true
	}
	if len(q.slabs) > 0 && (len(q.slabs)*perSlab >= 1<<slotBits || !more.take()) {
		return false
	}
	base := uint32(len(q.slabs) * perSlab)
	slab := new([perSlab]request)
	for i := range slab {
		slab[i].budget = base + uint32(i) + 2
	}
	slab[perSlab-1].budget = 0
	q.slabs, q.first = append(q.slabs, slab), base+1
	return true
}

func (q *requests) slot(i uint32) *request { return &q.slabs[i/perSlab][i%perSlab] }

// take is an unused slot, which there must be, and the ticket for it. The slot is
// zero but for its check word.
func (q *requests) take() (*request, Ticket) {
	i := q.first - 1
	r := q.slot(i)
	q.first, r.budget = r.budget, 0
	q.n++
	q.count++
	r.check = word(q.secret + q.count)
	return r, Ticket(r.check)<<32 | Ticket(q.shard<<slotBits|i)
}

// word scatters x over 32 bits, so that the next is not guessed from the last.
// It is not 0.
func word(x uint64) uint32 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return uint32(x>>32) | 1
}

// get is the open request of t, or nil.
func (q *requests) get(t Ticket) *request {
	i := t.slot()
	if i/perSlab >= uint32(len(q.slabs)) {
		return nil
	}
	r := q.slot(i)
	if r.limits == nil || r.check != uint32(t>>32) {
		return nil
	}
	return r
}

// give gives slot i back.
func (q *requests) give(i uint32) {
	*q.slot(i) = request{budget: q.first}
	q.first = i + 1
	q.n--
}
