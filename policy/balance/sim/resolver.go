package sim

import "slices"

// A cache is a Resolver while the play goes on.
type cache struct {
	Resolver
	set   []int16 // the answer, in the order it came
	until instant // when it must ask again
	turn  int     // of the rotation
	asked uint64
}

// candidates are the nodes that a client tries now, the first one first.
// The slice is good until the next call.
func (w *world) candidates(me *client) []int16 {
	if w.lb != nil {
		return w.lb.pick(w, me)
	}
	if me.pins && w.now < me.pinned && me.pin != me.avoid {
		return append(w.scratch[:0], me.pin)
	}
	set := w.lookUp(me)
	if me.pins && len(set) > 0 {
		me.pin, me.pinned = set[0], w.now+at(w.sc.Clients.PinFor)
	}
	return set
}

// lookUp asks the client's resolver.
func (w *world) lookUp(me *client) []int16 {
	r := &w.caches[me.resolver]
	if w.now >= r.until {
		w.ask(r, uint64(me.resolver))
	}
	set := append(w.scratch[:0], r.set...)
	if len(set) > 1 && !r.Fixed {
		r.turn++
		k := r.turn % len(set)
		set = append(append(w.scratch[:0], r.set[k:]...), r.set[:k]...)
	}
	if me.sorts {
		slices.Sort(set)
	}
	return set
}

// ask takes an answer from one of the agents: any, and if it is dead the next
// that lives. Where none does, there is no answer.
func (w *world) ask(r *cache, id uint64) {
	r.asked++
	r.set = r.set[:0]
	n := uint64(w.named)
	first := w.draw(ofAgent, id, r.asked) % n
	for k := range n {
		if a := &w.agents[(first+k)%n]; a.alive && len(a.plan.Nodes) > 0 {
			ttl := a.answer(w, r, id)
			if r.Most > 0 {
				ttl = min(ttl, r.Most)
			}
			r.until = w.now + max(1, at(max(ttl, r.Least)))
			w.looked++
			return
		}
	}
}

// An urn gives each of its members as often as its share says.
type urn []float64 // running sums, the last is 1

func newUrn(rs []Resolver) urn {
	u, sum := make(urn, len(rs)), 0.0
	for i, r := range rs {
		sum += r.Share
		u[i] = sum
	}
	for i := range u {
		u[i] /= sum
	}
	return u
}

func (u urn) pick(x float64) uint16 {
	i, _ := slices.BinarySearch(u, x)
	return uint16(min(i, len(u)-1))
}
