package dnsrr

import (
	"encoding/binary"
	"net/netip"
	"sync/atomic"
)

// golden is 2^64 divided by the golden ratio. Of all steps round a circle it
// leaves the smallest gaps at every length, so any run of answers, and not only
// a long one, meets the shares (Knuth, TAOCP 3, 6.4, theorem S).
const golden = 0x9e3779b97f4a7c15

// slots is how many askers are told apart. It is a power of two.
const slots = 1 << 16

// sequences counts the answers of every asker by weighted name, A and AAAA
// apart, so that both walk the same numbers and name the same nodes. Two askers that meet in a slot
// share a count: each then sees a part of the sequence, which evens out as
// chance does and no longer exactly. A count begins again after 2^32 answers.
type sequences struct {
	counts [slots][2]atomic.Uint32
}

// next is the asker's next number for the name of a salt. Agents with other
// names start elsewhere.
func (s *sequences) next(agent, salt uint64, asker netip.Addr, six bool) uint64 {
	id := identify(asker) ^ salt
	family := 0
	if six {
		family = 1
	}
	n := s.counts[id%slots][family].Add(1) - 1
	return mix(id^agent) + uint64(n)*golden
}

// identify hashes an IPv4 address whole and the first 64 bits of an IPv6 one,
// since a host is free to move within its /64 (RFC 4291, section 2.5.4).
func identify(a netip.Addr) uint64 {
	if a = a.Unmap(); a.Is4() {
		b := a.As4()
		return mix(1<<32 | uint64(binary.BigEndian.Uint32(b[:])))
	}
	b := a.As16()
	return mix(binary.BigEndian.Uint64(b[:8]))
}

// hashName hashes a node's name.
func hashName(s string) uint64 {
	h := uint64(len(s))
	for i := range len(s) {
		h = mix(h ^ uint64(s[i]))
	}
	return h
}

// mix is the finisher of SplitMix64: every bit of x moves half of the result.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
