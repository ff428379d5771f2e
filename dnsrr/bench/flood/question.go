package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	headerLen = 12
	flagQR    = 0x80 // of the third octet
	maskRcode = 0x0f // of the fourth
)

// A question is a query as it goes out, but for its id and its letters. All
// queries of a run have one length.
type question struct {
	octets  []byte
	name    int  // octets of the name, behind the header
	letters bool // each query has its own mix of capital and small ones
}

// EDNS is what stands behind the question.
type edns struct {
	dnssec bool
	cookie bool // a client's, eight octets
}

func (e edns) asked() bool { return e.dnssec || e.cookie }

// newQuestion asks for the addresses (A) of a name.
func newQuestion(name string, e edns, letters bool) (q question, err error) {
	q.letters = letters
	q.octets = []byte{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if len(label) < 1 || len(label) > 63 {
			return q, fmt.Errorf("name %q: a label has 1 to 63 octets", name)
		}
		q.octets = append(append(q.octets, byte(len(label))), label...)
	}
	q.octets = append(q.octets, 0)
	if q.name = len(q.octets) - headerLen; q.name > 255 {
		return q, fmt.Errorf("name %q: longer than 255 octets", name)
	}
	q.octets = append(q.octets, 0, 1, 0, 1) // A, IN
	if e.asked() {
		q.octets[11] = 1
		q.octets = e.append(q.octets)
	}
	return q, nil
}

// append adds the OPT record (RFC 6891, section 6.1.2), with a client's cookie
// if there is one (RFC 7873, section 4).
func (e edns) append(b []byte) []byte {
	var flags byte
	if e.dnssec {
		flags = 0x80
	}
	b = append(b, 0, 0, 41, 1232>>8, 1232&0xff, 0, 0, flags, 0)
	if !e.cookie {
		return append(b, 0, 0)
	}
	return append(b, 0, 12, 0, 10, 0, 8, 'e', 'v', 'e', 'n', 'k', 'e', 'e', 'l')
}

// put writes a query into b, which has its length. The bits of r choose letters.
func (q question) put(b []byte, id uint16, r uint64) {
	copy(b, q.octets)
	binary.BigEndian.PutUint16(b, id)
	if !q.letters {
		return
	}
	for i, c := range b[headerLen : headerLen+q.name] {
		b[headerLen+i] = q.letter(i, c, r)
	}
}

// The ways in which a datagram is no answer to a query of ours.
var (
	errShort    = errors.New("shorter than the question")
	errQuery    = errors.New("not a reply")
	errQuestion = errors.New("of another question, or in other letters")
	errRcode    = errors.New("not NOERROR")
)

// judge reads the reply to a query that was put with r: how many records answer.
func (q question) judge(b []byte, r uint64) (answers int, err error) {
	switch {
	case len(b) < headerLen+q.name+4:
		return 0, errShort
	case b[2]&flagQR == 0:
		return 0, errQuery
	case b[3]&maskRcode != 0:
		return 0, errRcode
	}
	for i, c := range q.octets[headerLen : headerLen+q.name+4] {
		if b[headerLen+i] != q.letter(i, c, r) {
			return 0, errQuestion
		}
	}
	return int(binary.BigEndian.Uint16(b[6:])), nil
}

// letter is octet i of the question, which is c in the template.
func (q question) letter(i int, c byte, r uint64) byte {
	if q.letters && i < q.name && 'a' <= c|0x20 && c|0x20 <= 'z' && r>>(i%64)&1 == 1 {
		return c ^ 0x20
	}
	return c
}
