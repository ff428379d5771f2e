package throttle

// requests are the slots of a shard, in slabs. A slab without a request is given
// back, so that none is kept from other shards; but the last of a shard stays.
type requests struct {
	slabs  []*slab  // nil: given back
	gone   []uint32 // the numbers of those
	room   *slab    // the first of those that have an unused slot
	spared *slab    // one that was given back: who is about as many as a slab holds comes and goes
	n      int      // how many requests are open
	shard  uint32
	secret uint64 // makes the check words
	count  uint32 // how many were given out
}

// A slab is some slots, the unused of which are in a list, as are the slabs that
// have any.
type slab struct {
	requests   [perSlab]request
	number     uint32
	used       uint8
	first      uint8 // the place + 1 of the first unused slot
	prev, next *slab
}

const perSlab = 64

func (q *requests) init(shard uint32, secret uint64) { q.shard, q.secret = shard, secret }

// spare: there is a slot, if need be in a slab that more may be taken for. Each
// shard has one slab at least.
func (q *requests) spare(more *bounded) bool {
	if q.room != nil {
		return true
	}
	if live := len(q.slabs) - len(q.gone); live > 0 && (live*perSlab >= 1<<slotBits || !more.take()) {
		return false
	}
	q.add()
	return true
}

// add makes a slab of unused slots.
func (q *requests) add() {
	s := q.spared
	if q.spared = nil; s == nil {
		s = new(slab)
		for i := range perSlab - 1 {
			s.requests[i].next = uint8(i + 2)
		}
		s.first = 1
	}
	if k := len(q.gone); k > 0 {
		s.number, q.gone = q.gone[k-1], q.gone[:k-1]
		q.slabs[s.number] = s
	} else {
		s.number = uint32(len(q.slabs))
		q.slabs = append(q.slabs, s)
	}
	q.link(s)
}

// link puts s first among the slabs with an unused slot, and unlink takes it out.
func (q *requests) link(s *slab) {
	if s.prev, s.next = nil, q.room; s.next != nil {
		s.next.prev = s
	}
	q.room = s
}

func (q *requests) unlink(s *slab) {
	if s.next != nil {
		s.next.prev = s.prev
	}
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		q.room = s.next
	}
	s.prev, s.next = nil, nil
}

// take is an unused slot, which there must be, and the ticket for it. The slot is
// zero but for its check word.
func (q *requests) take() (*request, Ticket) {
	s := q.room
	i := s.first - 1
	r := &s.requests[i]
	s.first, r.next = r.next, 0
	s.used++
	if s.first == 0 {
		q.unlink(s)
	}
	q.n++
	r.check = q.word()
	return r, Ticket(r.check)<<32 | Ticket(q.shard<<slotBits|s.number*perSlab+uint32(i))
}

// word is the next check word, and not 0. It is a permutation of the count, of
// four rounds each of which mixes one half into the other: no word comes twice
// before all have come, and the next is not guessed from the last.
func (q *requests) word() uint32 {
	for {
		q.count++
		l, r := uint16(q.count>>16), uint16(q.count)
		for i := range uint64(4) {
			l, r = r, l^q.mixed(r, i)
		}
		if w := uint32(l)<<16 | uint32(r); w != 0 {
			return w
		}
	}
}

// mixed scatters one half of a word, in a round.
func (q *requests) mixed(half uint16, round uint64) uint16 {
	return uint16((q.secret ^ uint64(half) ^ round<<32) * 0xd6e8feb86659fd93 >> 48)
}

// get is the open request of t, or nil.
func (q *requests) get(t Ticket) *request {
	k, i := t.slot()/perSlab, t.slot()%perSlab
	if k >= uint32(len(q.slabs)) || q.slabs[k] == nil {
		return nil
	}
	r := &q.slabs[k].requests[i]
	if r.limits == nil || r.check != uint32(t>>32) {
		return nil
	}
	return r
}

// give gives slot i back, and its slab, to more, if nothing is left in it.
func (q *requests) give(i uint32, more *bounded) {
	s := q.slabs[i/perSlab]
	s.requests[i%perSlab] = request{next: s.first}
	if s.first == 0 {
		q.link(s)
	}
	s.first = uint8(i%perSlab) + 1
	s.used--
	q.n--
	if s.used > 0 || len(q.slabs)-len(q.gone) == 1 {
		return
	}
	q.unlink(s)
	q.slabs[s.number], q.spared = nil, s
	q.gone = append(q.gone, s.number)
	more.give(1)
}
