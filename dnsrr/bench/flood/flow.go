package main

import (
	"encoding/binary"
	"time"
)

const (
	slotBits = 8
	slots    = 1 << slotBits // the most queries of one flow that are under way at once
)

// A flow is one socket of the client's, so one port: what it has asked and was
// not yet answered. Times are since the run began.
type flow struct {
	pending [slots]pending
	free    []uint8
}

// A pending query has its slot in the lower octet of its id, and in the upper
// one how often the slot was used: who answers too late is not taken for another.
type pending struct {
	due   time.Duration // when it was to be sent
	r     uint64        // chose its letters
	turn  uint8
	under bool // way
}

func newFlow() *flow {
	f := &flow{free: make([]uint8, 0, slots)}
	for i := range slots {
		f.free = append(f.free, uint8(slots-1-i))
	}
	return f
}

// underway is how many queries wait for an answer.
func (f *flow) underway() int { return slots - len(f.free) }

// ask takes a slot; false is that none is free.
func (f *flow) ask(due time.Duration, r uint64) (id uint16, ok bool) {
	if len(f.free) == 0 {
		return 0, false
	}
	i := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	p := &f.pending[i]
	*p = pending{due: due, r: r, turn: p.turn + 1, under: true}
	return uint16(p.turn)<<slotBits | uint16(i), true
}

// hear takes what came at a time, and counts it.
func (f *flow) hear(q question, b []byte, at time.Duration, t *tally) {
	if len(b) < headerLen {
		t.Stray++
		return
	}
	id := binary.BigEndian.Uint16(b)
	i := uint8(id)
	p := &f.pending[i]
	if !p.under || p.turn != uint8(id>>slotBits) {
		t.Stray++
		return
	}
	p.under = false
	f.free = append(f.free, i)
	answers, err := q.judge(b, p.r)
	t.answer(at-p.due, len(b), answers, err)
}

// forget gives up on queries that were due before a time.
func (f *flow) forget(before time.Duration, t *tally) {
	for i := range f.pending {
		if p := &f.pending[i]; p.under && p.due < before {
			p.under = false
			f.free = append(f.free, uint8(i))
			t.Lost++
		}
	}
}
