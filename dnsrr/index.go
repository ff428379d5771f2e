package dnsrr

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An index finds owners by names as they were asked for, in whatever letters,
// without writing them anew in small ones. It has no writers once it is made. The
// names in it are the farm's own, and at least half of its places are free, so
// whoever chooses what to ask for cannot make the search long.
type index struct{ places []place }

type place struct {
	hash uint64
	name []byte // as in a question, in small letters
	o    *owner // nil: free
}

// newIndex has room for n names.
func newIndex(n int) index {
	return index{make([]place, 2<<bits.Len(uint(n)))}
}

// put adds a name that is not there yet.
func (x index) put(name []byte, o *owner) {
	h := hashOctets(0, name)
	last := uint64(len(x.places) - 1)
	for at := h & last; ; at = (at + 1) & last {
		if p := &x.places[at]; p.o == nil {
			*p = place{h, name, o}
			return
		}
	}
}

// find returns the owner of a name; nil: there is none.
func (x index) find(name []byte) *owner {
	h := hashOctets(0, name)
	last := uint64(len(x.places) - 1)
	for at := h & last; ; at = (at + 1) & last {
		p := &x.places[at]
		if p.o == nil || p.hash == h && sameName(p.name, name) {
			return p.o
		}
	}
}

const word = 8 // octets that are read at once

// hashOctets is alike for names that differ in their letters' size alone.
func hashOctets(seed uint64, b []byte) uint64 {
	h, last := uint64(len(b))^golden^seed, small(tail(b))
	for ; len(b) > 2*word; b = b[2*word:] {
		h = fuse(h^small(binary.LittleEndian.Uint64(b)), small(binary.LittleEndian.Uint64(b[word:])))
	}
	if len(b) > word {
		h ^= small(binary.LittleEndian.Uint64(b))
	}
	return fuse(h, last)
}

// fuse makes one word of two.
func fuse(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b^0xbf58476d1ce4e5b9)
	return hi ^ lo
}

// tail is the last word of b, some of which may have been in the one before.
func tail(b []byte) (w uint64) {
	if len(b) >= word {
		return binary.LittleEndian.Uint64(b[len(b)-word:])
	}
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	return w
}

// sameName compares a name in small letters with any, as ASCII (RFC 4343,
// section 3). The length of a label is below 'A', and so is no letter.
func sameName(a, b []byte) bool {
	if len(a) != len(b) || tail(a) != small(tail(b)) {
		return false
	}
	for ; len(a) > word && len(b) > word; a, b = a[word:], b[word:] {
		if binary.LittleEndian.Uint64(a) != small(binary.LittleEndian.Uint64(b)) {
			return false
		}
	}
	return true
}

// folded is a copy of a name in small letters.
func folded(name []byte) []byte {
	b := bytes.Clone(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return b
}

// small makes A-Z small in eight octets at once: of each that is below 128, the
// upper bit of the sums says whether it is beyond 'A' and beyond 'Z'.
func small(w uint64) uint64 {
	const each = 0x0101010101010101
	low := w & (0x7f * each)
	upper := (low + (0x80-'A')*each) &^ (low + (0x7f-'Z')*each) &^ w & (0x80 * each)
	return w | upper>>2
}
