package sim

import (
	"slices"
	"time"
)

// answer writes an answer for the resolver into r.set, and says how long it lives.
func (a *agent) answer(w *world, r *cache, id uint64) time.Duration {
	count := uint64(a.counts[id])
	a.counts[id]++
	me := uint64(a.index)
	x := w.draw(ofAnswer, me<<32|id, count)
	switch w.rule.form {
	case nested:
		ttl := a.ours(w, r, x, mix(w.seed^me<<32^id)+count*golden)
		a.covered += ttl
		return ttl
	case single:
		r.set = take(r.set, a.shares, unit(x))
	case shedding:
		r.set = a.shed(r.set, x)
	case multi:
		r.set = a.several(r.set, x)
	case whole:
		r.set = a.all(r.set, x)
	case pair:
		r.set = a.emptier(r.set, x)
	}
	return w.steady()
}

// ours is the answer of our law.
func (a *agent) ours(w *world, r *cache, chance, walk uint64) time.Duration {
	x, most := unit(walk), w.most
	if !w.rule.has(sequence) {
		x = unit(chance)
	}
	if !w.rule.has(sets) {
		most = 1
	}
	r.set = a.pick(r.set, x, most)
	if !w.rule.has(adaptive) {
		return w.sc.TTL.Max
	}
	return a.plan.TTL
}

// take appends one address, by its share.
func take(dst []int16, shares []float64, x float64) []int16 {
	sum := 0.0
	for _, p := range shares {
		sum += p
	}
	last := int16(-1)
	for i, p := range shares {
		if p <= 0 {
			continue
		}
		last = int16(i)
		if x -= p / sum; x < 0 {
			break
		}
	}
	if last < 0 {
		return dst
	}
	return append(dst, last)
}

// shed drops each node by its load and takes one of the others by its share. If
// it drops all, it drops none.
func (a *agent) shed(dst []int16, r uint64) []int16 {
	kept, left := slices.Clone(a.shares), false
	for i, n := range a.plan.Nodes {
		if unit(mix(r+uint64(i))) < dropped(load(n)) {
			kept[i] = 0
		}
		left = left || kept[i] > 0
	}
	if !left {
		kept = a.shares
	}
	return take(dst, kept, unit(mix(^r)))
}

// several takes each address with the odds of its share against the largest,
// from a random place on.
func (a *agent) several(dst []int16, r uint64) []int16 {
	largest := 0.0
	for _, p := range a.shares {
		largest = max(largest, p)
	}
	n := len(a.shares)
	for k := range n {
		i := (k + int(r%uint64(n))) % n
		if a.shares[i] > 0 && unit(mix(r+uint64(i))) < a.shares[i]/largest {
			dst = append(dst, int16(i))
		}
	}
	return dst
}

// all gives every address, from a random place on.
func (a *agent) all(dst []int16, r uint64) []int16 {
	n := len(a.shares)
	for k := range n {
		if i := (k + int(r%uint64(n))) % n; a.shares[i] > 0 {
			dst = append(dst, int16(i))
		}
	}
	return dst
}

// emptier takes two by their shares, and the less loaded of them.
func (a *agent) emptier(dst []int16, r uint64) []int16 {
	two := take(take(dst, a.shares, unit(r)), a.shares, unit(mix(r)))
	if len(two) < 2 {
		return two
	}
	if load(a.plan.Nodes[two[1]]) < load(a.plan.Nodes[two[0]]) {
		two[0] = two[1]
	}
	return two[:1]
}
