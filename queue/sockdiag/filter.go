package sockdiag

import "encoding/binary"

// The kernel's filter language (linux/inet_diag.h, net/ipv4/inet_diag.c):
// instructions of 4 bytes {code, yes, no}, of which a comparison takes two, the
// port in the no of the second. yes and no say how many bytes to go on; a
// socket passes when that ends exactly at the end of the program, and is left
// out when it ends 4 bytes behind it.
const (
	opJump = 1
	opGE   = 2 // local port at least
	opLE   = 3 // local port at most

	opLen      = 4
	compareLen = 2 * opLen
	rangeLen   = 2 * compareLen
	termLen    = rangeLen + opLen
)

// maxTerms bounds the ranges of a filter. The kernel walks them one by one for
// every socket, and checks the program in their square; beyond this the caller
// sees all ports and has to choose himself.
const maxTerms = 64

// A span is a range of ports, both ends in it.
type span struct{ lo, hi uint16 }

// spans joins neighbours. Ports are sorted.
func spans(ports []uint16) []span {
	var out []span
	for _, p := range ports {
		if n := len(out); n > 0 && p > 0 && out[n-1].hi == p-1 {
			out[n-1].hi = p
			continue
		}
		out = append(out, span{p, p})
	}
	return out
}

// appendFilter adds the attribute that lets only local ports pass, or nothing
// when there are none or too many.
func appendFilter(b []byte, ports []uint16) []byte {
	all := spans(ports)
	if len(all) == 0 || len(all) > maxTerms {
		return b
	}
	left := termLen*len(all) - opLen // the last range needs no jump over others
	b = binary.NativeEndian.AppendUint16(b, uint16(attrLen+left))
	b = binary.NativeEndian.AppendUint16(b, attrBytecode)
	for _, s := range all {
		b = appendTerm(b, s, left)
		left -= termLen
	}
	return b
}

// appendTerm adds "in s, or go on behind me". left is the length of the
// program from here on; no jump leads back.
func appendTerm(b []byte, s span, left int) []byte {
	b = appendCompare(b, opGE, s.lo, termLen)
	b = appendCompare(b, opLE, s.hi, termLen-compareLen)
	if left == rangeLen {
		return b // a last no ends 4 bytes behind the program: left out
	}
	return appendOp(b, opJump, opLen, uint16(left-rangeLen)) // passed: over all others
}

func appendCompare(b []byte, code byte, port uint16, no uint16) []byte {
	return appendOp(appendOp(b, code, compareLen, no), 0, 0, port)
}

func appendOp(b []byte, code, yes byte, no uint16) []byte {
	return binary.NativeEndian.AppendUint16(append(b, code, yes), no)
}
