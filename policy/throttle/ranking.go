package throttle

import (
	"math"
	"slices"
	"time"
)

// A ranking is the first n of those who have used most of some parts.
type ranking struct {
	n     int
	first [parts][]Spender
	floor [parts]int64 // what one must have used to be among them: with a million who have used the same none is looked at twice
}

func newRanking(n int, of []Part) *ranking {
	r := &ranking{n: n}
	for p := range r.floor {
		r.floor[p] = math.MaxInt64 // it is not asked for
	}
	for _, p := range of {
		if n > 0 && p < parts {
			r.floor[p] = 1
		}
	}
	return r
}

// add puts x in his place.
func (r *ranking) add(x Spender) {
	p := x.Part
	if x.Used < r.floor[p] {
		return
	}
	i, _ := slices.BinarySearchFunc(r.first[p], x, bySpent)
	all := slices.Insert(r.first[p], i, x)
	if len(all) >= r.n {
		all = all[:r.n]
		r.floor[p] = all[r.n-1].Used + 1
	}
	r.first[p] = all
}

// rank adds those of block k. False: there is none.
func (s *shard) rank(now time.Duration, k int, r *ranking) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.blocks) {
		return false
	}
	for i := range uint32(perBlock) {
		if r.may(&s.blocks[k][i].Budget, now) {
			s.rankOne(now, uint32(k*perBlock)+i, r)
		}
	}
	return true
}

// may: b may be among the first, as far as that is seen without its policy.
func (r *ranking) may(b *Budget, now time.Duration) bool {
	for i, p := range gaugeParts[b.Component] {
		if int64(b.Held[i]) >= r.floor[p] {
			return true
		}
	}
	for i, p := range rateParts[b.Component] {
		if used := b.Used[i] + times(b.inFlight(p), max(0, now-b.At)); used > 0 && p.limit(used) >= r.floor[p] {
			return true
		}
	}
	return false
}

// rankOne adds the caller with the number n.
func (s *shard) rankOne(now time.Duration, n uint32, r *ranking) {
	c := s.caller(n)
	l, b := s.looked(s.clock.time(now), c), *s.budget(n)
	b.settle(l, now)
	for i, p := range gaugeParts[b.Component] {
		if int64(b.Held[i]) >= r.floor[p] {
			r.add(l.spender(b, now, c, p))
		}
	}
	for i, p := range rateParts[b.Component] {
		if p.limit(b.Used[i]) >= r.floor[p] {
			r.add(l.spender(b, now, c, p))
		}
	}
}
