package cookie

import (
	"encoding/binary"
	"math/bits"
)

// A key is a secret as SipHash takes it: two words, the lowest octet first.
type key struct{ k0, k1 uint64 }

// A state is SipHash's: four words.
type state struct{ v0, v1, v2, v3 uint64 }

// sip is SipHash-2-4 of m (Aumasson and Bernstein, 2012): two rounds a word,
// four at the end.
func (k key) sip(m []byte) uint64 {
	s := state{
		k.k0 ^ 0x736f6d6570736575,
		k.k1 ^ 0x646f72616e646f6d,
		k.k0 ^ 0x6c7967656e657261,
		k.k1 ^ 0x7465646279746573,
	}
	last := uint64(len(m)) << 56
	for ; len(m) >= 8; m = m[8:] {
		s.absorb(binary.LittleEndian.Uint64(m))
	}
	for i, b := range m {
		last |= uint64(b) << (8 * i)
	}
	s.absorb(last)
	s.v2 ^= 0xff
	for range 4 {
		s.round()
	}
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

func (s *state) absorb(word uint64) {
	s.v3 ^= word
	s.round()
	s.round()
	s.v0 ^= word
}

func (s *state) round() {
	s.v0 += s.v1
	s.v2 += s.v3
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 = bits.RotateLeft64(s.v0, 32)
	s.v2 += s.v1
	s.v0 += s.v3
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 = bits.RotateLeft64(s.v2, 32)
}
