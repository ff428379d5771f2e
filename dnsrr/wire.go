package dnsrr

import (
	"encoding/binary"
)

const (
	headerLen   = 12  // RFC 1035, section 4.1.1
	nameLen     = 255 // octets of a name, section 2.3.4
	maxPointers = 127 // in one name: as many as it can have labels, each behind a pointer of its own
)

// number reads the 16-bit number at an offset that is known to be there.
func number(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }

// skipName returns the offset behind the name at off, which may end in a
// pointer if pointers are allowed. Those lead back, and further back each time,
// so that every name ends (RFC 1035, section 4.1.4), and to 255 octets at most.
// Pointers to nothing but pointers end too: without that, a message of 64 KiB
// could have thousands of names that each lead through thousands of them.
func skipName(b []byte, off int, pointers bool) (end int, ok bool) {
	before, size, followed := off, 1, 0
	for off < len(b) {
		n := int(b[off])
		switch {
		case n == 0:
			return max(end, off+1), true
		case n&0xc0 == 0xc0:
			if followed++; !pointers || off+2 > len(b) || followed > maxPointers {
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
