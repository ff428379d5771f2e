package cookie

import (
	"encoding/binary"
	"math/bits"
)

// A key is a secret as SipHash takes it: two words, the lowest octet first.
type key struct{ k0, k1 uint64 }

// sip is SipHash-2-4 of m (Aumasson and Bernstein, 2012): two rounds a word,
// four at the end. The four words of its state are variables, since those stay
// in registers.
func (k key) sip(m []byte) uint64 {
	v0, v1 := k.k0^0x736f6d6570736575, k.k1^0x646f72616e646f6d
	v2, v3 := k.k0^0x6c7967656e657261, k.k1^0x7465646279746573
	last := uint64(len(m)) << 56
	for ; len(m) >= 8; m = m[8:] {
		w := binary.LittleEndian.Uint64(m)
		v0, v1, v2, v3 = round(v0, v1, v2, v3^w)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0 ^= w
	}
	for i, b := range m {
		last |= uint64(b) << (8 * i)
	}
	v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	v0, v2 = v0^last, v2^0xff
	for range 4 {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

func round(v0, v1, v2, v3 uint64) (_, _, _, _ uint64) {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v1
	v0 += v3
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
