package dnsrr

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

const (
	maxAnswers = 8    // addresses in one answer: eight AAAA and an OPT fit in 512 octets
	turns      = 60   // orders of the ring, one a minute
	fine       = 48   // bits that the largest share is counted in
	maxMembers = 1024 // so that sums of shares stay below 2^64 with room to spare
)

// A wheel turns a number into a run of members, each as often as its share
// says. It is safe for any number of readers, because it has no writers.
//
// The weight is in the set of members, never in their order, since resolvers
// and clients reorder. With shares p1 >= p2 >= ... >= pn and S_k the k members
// of largest share, S_k is answered with probability k*(p_k - p_(k+1)). These
// sum to 1, and whoever takes any one of S_k evenly meets every share exactly.
type wheel struct {
	size  int      // members in a run at most
	order []int    // members by falling share; S_k is order[:k]
	sets  []nested // their intervals follow each other and cover all numbers
	guide []uint16 // by the upper bits of a number: the set that the first such number is in
	rings []ring   // empty when every set is answered whole
}

// A nested set is the members order[:size], for the numbers from first on.
type nested struct {
	first, width uint64 // width 0 is 2^64: all numbers
	size         int
	twice        []int // the members and once more, so that every turn of them is a run; nil = there are too many
}

// A ring is an order of all ranks. Left out those above k, it is one of S_k.
type ring struct {
	ranks []uint16 // by place
	place []uint16 // by rank
}

// newWheel returns the wheel of members 0..len(shares)-1 that answers with at
// most size of them. Only the proportions of the shares matter; a member
// whose share is not above zero is never picked. Shares are finite, and at
// most maxMembers of them.
func newWheel(shares []float64, size int) wheel {
	w := wheel{size: size}
	for i, p := range shares {
		if p > 0 {
			w.order = append(w.order, i)
		}
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	w.sets = divide(whole(shares, w.order))
	for i, s := range w.sets {
		if s.size <= size {
			w.sets[i].twice = slices.Concat(w.order[:s.size], w.order[:s.size])
		}
	}
	w.guide = newGuide(w.sets)
	if len(w.order) > size {
		w.rings = newRings(len(w.order))
	}
	return w
}

// whole counts the shares in units of the largest, in the given order. From
// here on all is exact.
func whole(shares []float64, order []int) []uint64 {
	out := make([]uint64, len(order))
	for rank, i := range order {
		part := shares[i] / shares[order[0]]
		out[rank] = max(1, uint64(math.Round(part*(1<<fine))))
	}
	return out
}

// divide gives each nested set its interval of the 2^64 numbers.
// Shares fall, and none is zero.
func divide(shares []uint64) []nested {
	var total, before uint64
	for _, p := range shares {
		total += p
	}
	var out []nested
	for i, p := range shares {
		next := uint64(0)
		if i+1 < len(shares) {
			next = shares[i+1]
		}
		if p == next {
			continue // the set is never answered
		}
		first, _ := bits.Div64(before, 0, total)
		out = append(out, nested{first: first, size: i + 1})
		before += uint64(i+1) * (p - next)
	}
	for i := range out {
		end := uint64(0) // 2^64, which the subtraction understands
		if i+1 < len(out) {
			end = out[i+1].first
		}
		out[i].width = end - out[i].first
	}
	return out
}

// pick appends to dst the members that the number r leads to in the given
// minute, the one to be used first in front. The first depends on r alone; the
// minute changes who stands by. Nothing is appended only if the wheel is empty.
func (w *wheel) pick(dst []int, r, minute uint64) []int {
	if len(w.sets) == 0 {
		return dst
	}
	i := int(w.guide[r>>guideShift(len(w.guide))])
	for i+1 < len(w.sets) && w.sets[i+1].first <= r {
		i++
	}
	s := &w.sets[i]
	rank := s.rank(r)
	if s.twice != nil {
		return append(dst, s.twice[rank:rank+s.size]...)
	}
	return w.run(dst, &w.rings[minute%turns], rank, s.size)
}

// newGuide has a place for every set or more, so that the way from there is
// short.
func newGuide(sets []nested) []uint16 {
	if len(sets) == 0 {
		return nil
	}
	guide := make([]uint16, 1<<bits.Len(uint(len(sets))))
	i := 0
	for at := range guide {
		for i+1 < len(sets) && sets[i+1].first <= uint64(at)<<guideShift(len(guide)) {
			i++
		}
		guide[at] = uint16(i)
	}
	return guide
}

// guideShift leaves of a number as many bits as lead to one of n places.
func guideShift(n int) int { return 64 - bits.TrailingZeros(uint(n)) }

// rank is where r falls in the interval, as one of size equal parts.
func (s *nested) rank(r uint64) int {
	hi, lo := bits.Mul64(r-s.first, uint64(s.size))
	if s.width == 0 {
		return int(hi)
	}
	q, _ := bits.Div64(hi, lo, s.width)
	return int(q)
}

// run walks the ring of S_k from rank on. Whatever the order of the ring, each
// member is in w.size of the k runs, and first in one. Who is not of S_k is
// written too, and the next over him: which ones they are cannot be foreseen,
// and would be the dearer branch.
func (w *wheel) run(dst []int, g *ring, rank, k int) []int {
	var out [maxAnswers]int
	at := int(g.place[rank])
	for n := 0; n < w.size; {
		rank := int(g.ranks[at])
		out[n&(maxAnswers-1)] = w.order[rank]
		if rank < k {
			n++
		}
		if at++; at == len(g.ranks) {
			at = 0
		}
	}
	return append(dst, out[:w.size]...)
}

// newRings shuffles n ranks, once for every turn. The orders are the same on
// every node and at every start.
func newRings(n int) []ring {
	out := make([]ring, turns)
	seed := uint64(0)
	for t := range out {
		g := ring{make([]uint16, n), make([]uint16, n)}
		for i := range n {
			seed++
			j, _ := bits.Mul64(mix(seed), uint64(i+1)) // 0..i
			g.ranks[i] = g.ranks[j]
			g.ranks[j] = uint16(i)
		}
		for place, rank := range g.ranks {
			g.place[rank] = uint16(place)
		}
		out[t] = g
	}
	return out
}

// turn picks one of n by other bits of r than those that pick leans on: it
// reads r backwards, and the last bits of the golden sequence alternate.
func turn(r uint64, n int) int {
	i, _ := bits.Mul64(bits.Reverse64(r), uint64(n))
	return int(i)
}
