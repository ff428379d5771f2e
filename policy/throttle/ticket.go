package throttle

import "time"

// A Ticket stands for an open request. It is opaque, is not found by counting,
// and is given again at the earliest when its shard, of which a Ledger has up to 64,
// has begun four billion requests since; 0 is none.
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
	budget uint32        // whose it is
	find   uint32        // items it holds
	in     uint8         // bits: what it has entered
	state  state
	told   bool  // that it takes long
	next   uint8 // of an unused slot: the place + 1 of the next in its slab

	entered [3]time.Duration // when it entered what in says
}

type state uint8

const (
	running state = iota // charged
	asleep               // waits out a delay, and is not charged
	hanging              // is never charged
)
