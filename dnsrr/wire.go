package dnsrr

import (
	"encoding/binary"
)

const (
	headerLen = 12  // RFC 1035, section 4.1.1
	nameLen   = 255 // octets of a name, section 2.3.4
)

// number reads the 16-bit number at an offset that is known to be there.
func number(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }

// skipName returns the offset behind the name at off, which may end in a
// pointer if pointers are allowed. Those lead back, and further back each time,
// so that every name ends (RFC 1035, section 4.1.4), and to 255 octets at most.
func skipName(b []byte, off int, pointers bool) (end int, ok bool) {
	before, size := off, 1
	for off < len(b) {
		n := int(b[off])
		switch {
		case n == 0:
			return max(end, off+1), true
		case n&0xc0 == 0xc0:
			if !pointers || off+2 > len(b) {
				return 0, false
			}
			if end == 0 {
				end = off + 2
			}
			if off = number(b, off) & 0x3fff; off >= before || off < headerLen {
				return 0, false
			}
			before = off
			continue
		case n&0xc0 != 0: // label types that never were (RFC 6891, section 5)
			return 0, false
		}
		if size += 1 + n; size > nameLen {
			return 0, false
		}
		off += 1 + n
	}
	return 0, false
}
