package lines

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
)

// ParseAddr reads an IP address as logs have them, IPv6 with a zone if one was
// written ("fe80::1%12", "::1%0"). It is not ok if v is none. It may read up to 16
// bytes of v's array, but nothing of them matters that v does not have. IPv4
// costs no allocation.
func ParseAddr(v []byte) (a netip.Addr, ok bool) {
	if a, ok := parseIPv4(v); ok {
		return a, true
	}
	return parseSlowly(v)
}

// parseSlowly is ParseAddr for IPv6, for what is none, and at the end of an array.
func parseSlowly(v []byte) (a netip.Addr, ok bool) {
	const longest = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%4294967295")
	if cap(v) < window {
		if a, ok = parseIPv4(append(make([]byte, 0, window), v...)); ok {
			return a, true
		}
	}
	if len(v) < len("::") || len(v) > longest {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(string(v))
	return a, err == nil
}

// window is how many bytes parseIPv4 looks at: those of the longest address, and
// what makes them two words.
const window = 16

// parseIPv4 reads four decimal numbers without leading zeros, as [netip.ParseAddr]
// does, where v and what stands behind it in its array make a window. It has no
// branch that depends on where the dots are, which no processor guesses.
func parseIPv4(v []byte) (a netip.Addr, ok bool) {
	if len(v) < len("0.0.0.0") || len(v) > len("255.255.255.255") || cap(v) < window {
		return a, false
	}
	w := (*[window]byte)(v[:window])
	dots := dotted(binary.LittleEndian.Uint64(w[:8])) | dotted(binary.LittleEndian.Uint64(w[8:]))<<8
	dots &= 1<<len(v) - 1
	if bits.OnesCount64(dots) != 3 {
		return a, false
	}

	i := bits.TrailingZeros64(dots)
	dots &= dots - 1
	j, k := bits.TrailingZeros64(dots), 63-bits.LeadingZeros64(dots)
	if k >= window-4 { // a number before it has four digits
		return a, false
	}
	n1, bad1 := octet(binary.LittleEndian.Uint32(w[:4]), i)
	n2, bad2 := octet(binary.LittleEndian.Uint32(w[i+1:i+5]), j-i-1)
	n3, bad3 := octet(binary.LittleEndian.Uint32(w[j+1:j+5]), k-j-1)
	n4, bad4 := octet(binary.LittleEndian.Uint32(w[k+1:k+5]), len(v)-k-1)
	return netip.AddrFrom4([4]byte{byte(n1), byte(n2), byte(n3), byte(n4)}), bad1|bad2|bad3|bad4 == 0
}

// dotted has a bit for each of the eight bytes that is a dot.
func dotted(v uint64) uint64 {
	const lows, dots = 0x7f7f7f7f7f7f7f7f, 0x2e2e2e2e2e2e2e2e
	v ^= dots
	v = ^(((v & lows) + lows) | v | lows)      // the top bit of each that is one
	return (v >> 7) * 0x0102040810204080 >> 56 // those bits side by side
}

// octet is the number in the first n bytes of v. It is bad, not 0, unless they are
// digits, at most three, without a leading zero, of at most 255.
func octet(v uint32, n int) (value, bad uint32) {
	const zeros, tops, top = 0x30303030, 0x80808080, 1 << 31
	shift := uint(32-8*n) & 31
	d := (v - zeros) << shift // the last digit in the top byte
	value = (d>>8&0xff)*100 + (d>>16&0xff)*10 + d>>24
	bad = (d+0x76767676|d)&tops | (255-value)&top | uint32((n-1)|(3-n))&top
	return value, bad | (d>>shift&0xff-1)&uint32(1-n)&top
}
