package diagnose

import (
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
)

// hash is one number for bytes, the same in every run, so that a report is. It
// is not meant to withstand who chooses the bytes: all that a collision does is
// to count two names as one.
func hash(seed uint64, b []byte) uint64 {
	h := seed ^ uint64(len(b))*0x9e3779b97f4a7c15
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
	}
	var rest uint64
	for i, c := range b {
		rest |= uint64(c) << (8 * i)
	}
	return mix(h ^ rest)
}

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return hi ^ lo
}

func hashAddr(a netip.Addr) uint64 {
	b := a.As16()
	return hash(uint64(a.BitLen()), b[:])
}

// A tally estimates how many distinct things there were: exact to a few percent
// up to some thousands, and not more than about 20,000 in any case.
type tally struct{ bits [64]uint64 }

func (t *tally) add(h uint64) { t.bits[h>>6&63] |= 1 << (h & 63) }

// count is by linear counting: with m places of which z are empty, the most
// likely number is m ln(m/z).
func (t *tally) count() int {
	const m = 64 * 64
	empty := m
	for _, w := range t.bits {
		empty -= bits.OnesCount64(w)
	}
	return int(m*math.Log(float64(m)/float64(max(1, empty))) + 0.5)
}

func (t *tally) join(o *tally) {
	for i := range t.bits {
		t.bits[i] |= o.bits[i]
	}
}
