package sim

import (
	"cmp"
	"slices"
)

// A mixture answers with nested sets, whose members meet the shares exactly:
// with p1 >= p2 >= ... it is the k first with probability k*(p_k - p_(k+1)).
// dnsrr has it in whole numbers; here it is short.
type mixture struct {
	order []int16
	upto  []float64 // upto[k-1]: the numbers below lead to the first k
}

func (m *mixture) compile(shares []float64) {
	m.order, m.upto = m.order[:0], m.upto[:0]
	for i, p := range shares {
		if p > 0 {
			m.order = append(m.order, int16(i))
		}
	}
	slices.SortStableFunc(m.order, func(a, b int16) int { return cmp.Compare(shares[b], shares[a]) })
	sum := 0.0
	for k, i := range m.order {
		next := 0.0
		if k+1 < len(m.order) {
			next = shares[m.order[k+1]]
		}
		sum += float64(k+1) * (shares[i] - next)
		m.upto = append(m.upto, sum)
	}
}

// pick appends at most most members of a set, the first by x in [0, 1).
func (m *mixture) pick(dst []int16, x float64, most int) []int16 {
	if len(m.order) == 0 {
		return dst
	}
	x *= m.upto[len(m.upto)-1]
	i, _ := slices.BinarySearch(m.upto, x)
	for i < len(m.upto)-1 && m.upto[i] <= x { // the border belongs to the next; equal shares make an empty interval
		i++
	}
	before := 0.0
	if i > 0 {
		before = m.upto[i-1]
	}
	k := i + 1
	first := min(k-1, int(float64(k)*(x-before)/(m.upto[i]-before)))
	for j := range min(k, most) {
		dst = append(dst, m.order[(first+j)%k])
	}
	return dst
}
