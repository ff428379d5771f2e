package diagnose

import (
	"net/netip"

	"evenkeel/queue/maillog"
)

// A hitter is one who asks much.
type hitter struct {
	key  uint64
	n    int64   // requests
	over int64   // thereof, at most, of others that had the place before
	ms   float64 // of its requests, since it has the place
	name []byte
	addr netip.Addr // from which it asked
	seen mark       // of who is told with a line

	protocol maillog.Protocol // of most requests
	votes    int64            // for it: those of it less the others
}

func (h *hitter) least() int64 { return h.n - h.over }

const (
	sets = 32 // of places; a name has its set
	ways = 4  // places in a set
)

// hitters finds those who ask most among any number, by space-saving within
// small sets: who asks for a good part of all is among them, and who asks
// seldom loses his place to another.
type hitters struct {
	n     int64   // of all
	ms    float64 // of all
	names tally
	at    [sets][ways]hitter
}

// add counts a request. Without a place, who asks is not told with a line, and how
// many there are is not counted.
func (h *hitters) add(key uint64, name []byte, addr netip.Addr, ms float64, p *place) {
	h.n++
	h.ms += ms
	if p != nil {
		h.names.add(key)
	}
	e := h.of(key)
	e.hit(name, addr, ms, p)
}

// fold adds what was counted in a stretch of time.
func (h *hitters) fold(o *hitters) {
	h.n += o.n
	h.ms += o.ms
	o.each(func(_ string, x *hitter) {
		e := h.of(x.key)
		e.n += x.least()
		e.ms += x.ms
		e.name, e.addr = append(e.name[:0], x.name...), x.addr
	})
}

// of is the place of a key. Who has the least loses his to a new one.
func (h *hitters) of(key uint64) *hitter {
	set := &h.at[key>>58&(sets-1)]
	least := 0
	for i := range set {
		if set[i].key == key && set[i].n > 0 {
			return &set[i]
		}
		if set[i].n < set[least].n {
			least = i
		}
	}
	e := &set[least]
	e.key, e.over, e.ms, e.votes = key, e.n, 0, 0
	return e
}

// hit counts. The name is kept once it may matter: most lose their place before.
func (e *hitter) hit(name []byte, addr netip.Addr, ms float64, p *place) {
	e.n++
	e.ms += ms
	if n := e.n - e.over; n >= 8 && n&(n-1) == 0 || n == 1 && e.over == 0 {
		e.name, e.addr = append(e.name[:0], name...), addr
		if p != nil {
			e.seen.set(p)
		}
	}
	if p != nil {
		e.vote(p.protocol)
	}
}

// vote finds the protocol that more than half of the requests have, if one has.
func (e *hitter) vote(p maillog.Protocol) {
	switch {
	case e.votes == 0:
		e.protocol, e.votes = p, 1
	case e.protocol == p:
		e.votes++
	default:
		e.votes--
	}
}

// top is who asked most, by the least that they can have asked.
func (h *hitters) top(value func(*hitter) float64) *hitter {
	var best *hitter
	for i := range h.at {
		for j := range h.at[i] {
			e := &h.at[i][j]
			if e.n > 0 && e.least() > 0 && (best == nil || value(e) > value(best)) {
				best = e
			}
		}
	}
	return best
}

// reset empties, and keeps the memory.
func (h *hitters) reset() {
	h.n, h.ms, h.names = 0, 0, tally{}
	for i := range h.at {
		for j := range h.at[i] {
			e := &h.at[i][j]
			e.n, e.over, e.ms, e.key, e.votes = 0, 0, 0, 0, 0
		}
	}
}
