package dnsrr

import (
	"encoding/binary"
	"errors"

	"github.com/miekg/dns"
)

const (
	headerLen = 12  // RFC 1035, section 4.1.1
	nameLen   = 255 // octets of a name, section 2.3.4
)

var errFormat = errors.New("malformed message")

// silent tells what gets no answer at all: what is no message, and answers,
// since two servers that answer answers never stop.
func silent(b []byte) bool { return len(b) < headerLen || b[2]&0x80 != 0 }

// scan checks that a query is exactly as long as it says, and returns the
// octets of its question, if it is one, as soon as they are sound. It does not
// look into records, but it is the stricter of two readers: the other forgives
// what is cut off or left over.
func scan(b []byte) (question []byte, err error) {
	off, ok := skipQuestions(b)
	if !ok {
		return nil, errFormat
	}
	if number(b, 4) == 1 {
		question = b[headerLen:off]
	}
	for range number(b, 6) + number(b, 8) + number(b, 10) {
		if off, ok = skipRecord(b, off); !ok {
			return question, errFormat
		}
	}
	if off != len(b) {
		return question, errFormat
	}
	return question, nil
}

// number reads the 16-bit number at an offset that is known to be there.
func number(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }

// skipQuestions returns the offset behind the header and all questions.
func skipQuestions(b []byte) (off int, ok bool) {
	if len(b) < headerLen {
		return 0, false
	}
	off = headerLen
	for i := range number(b, 4) {
		off, ok = skipName(b, off, i > 0) // before the first name is nothing to point to
		if off += 4; !ok || off > len(b) {
			return 0, false
		}
	}
	return off, true
}

// skipRecord returns the offset behind the record at off.
func skipRecord(b []byte, off int) (int, bool) {
	off, ok := skipName(b, off, true)
	if !ok || off+10 > len(b) {
		return 0, false
	}
	off += 10 + number(b, off+8)
	return off, off <= len(b)
}

// skipName returns the offset behind the name at off, which may end in a
// pointer if pointers are allowed; where that leads is not followed.
func skipName(b []byte, off int, pointers bool) (int, bool) {
	for start := off; off < len(b) && off-start < nameLen; {
		n := int(b[off])
		switch {
		case n == 0:
			return off + 1, true
		case n&0xc0 == 0xc0 && pointers:
			return off + 2, off+2 <= len(b)
		case n&0xc0 != 0:
			return 0, false
		}
		off += 1 + n
	}
	return 0, false
}

// refuse appends to dst the reply to what could not be read: the header's
// identity, opcode and RD, the question if there is a sound one, and a code.
// An OPT that cannot be read is not answered by one.
func refuse(dst, b, question []byte) (_ []byte, rcode int) {
	opcode := int(b[2] >> 3 & 0xf)
	rcode = dns.RcodeFormatError
	if opcode != dns.OpcodeQuery {
		rcode = refusedOpcode(opcode)
	}
	dst = append(dst, b[0], b[1], 0x80|b[2]&0x79, byte(rcode), 0, 0, 0, 0, 0, 0, 0, 0)
	if question != nil {
		dst[len(dst)-7] = 1
	}
	return append(dst, question...), rcode
}
