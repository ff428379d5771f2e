package dnsrr

import (
	"encoding/binary"

	"github.com/miekg/dns"
)

// A request is all of a query that its reply may depend on, read in place: it
// is valid for as long as the octets are.
type request struct {
	id     uint16
	opcode int
	rd     bool
	bad    bool // not as long as it says, or not made as RFC 1035 says

	questions     int
	question      []byte // its octets as sent, where there is exactly one, and sound
	qtype, qclass uint16

	has    bool   // an SOA in the authority section tells which zone the asker has (RFC 1995, section 3)
	serial uint32 // of it

	edns edns
	tsig int // where the record that signs all before it begins (RFC 8945); 0 = none
}

// silent tells what gets no answer at all: what is no message, and answers,
// since two servers that answer answers never stop.
func silent(b []byte) bool { return len(b) < headerLen || b[2]&0x80 != 0 }

// read reads a query that is not silent. What is wrong is said by bad, and
// what was read until then stays: a reply repeats it.
func (r *request) read(b []byte) {
	head := binary.BigEndian.Uint64(b)
	r.id, r.opcode, r.rd = uint16(head>>48), int(head>>43&0xf), head>>40&1 != 0
	r.questions = int(head >> 16 & 0xffff)
	counts := [sections]int{int(head & 0xffff), number(b, 8), number(b, 10)}
	off, ok := r.readQuestions(b)
	for section, count := range counts {
		for ; ok && count > 0; count-- {
			off, ok = r.readRecord(b, off, section)
		}
	}
	r.bad = !ok || off != len(b)
}

// readQuestions returns the offset behind the questions.
func (r *request) readQuestions(b []byte) (off int, ok bool) {
	off = headerLen
	for i := range r.questions {
		off, ok = skipName(b, off, i > 0) // before the first name is nothing to point to
		if off += 4; !ok || off > len(b) {
			return 0, false
		}
	}
	if r.questions == 1 {
		r.question = b[headerLen:off]
		r.qtype, r.qclass = uint16(number(b, off-4)), uint16(number(b, off-2))
	}
	return off, true
}

// The sections behind the questions.
const (
	authority  = 1
	additional = 2
	sections   = 3
)

// readRecord returns the offset behind the record at off. Of all records only
// these say something here: OPT and TSIG, both in the additional section alone
// (RFC 6891, section 6.1.1; RFC 8945, section 5.1), and the SOA of an IXFR.
func (r *request) readRecord(b []byte, off, section int) (end int, ok bool) {
	data, ok := skipName(b, off, true)
	if !ok || data+10 > len(b) {
		return 0, false
	}
	end = data + 10 + number(b, data+8)
	if end > len(b) || r.tsig > 0 { // nothing may follow a signature
		return 0, false
	}
	switch typ := uint16(number(b, data)); {
	case (typ == dns.TypeOPT || typ == dns.TypeTSIG) && section != additional:
		return 0, false
	case typ == dns.TypeOPT:
		r.edns.read(b[off:data], b[data:data+10], b[data+10:end])
	case typ == dns.TypeTSIG:
		r.tsig = off
	case typ == dns.TypeSOA && section == authority:
		r.readSerial(b[:end], data+10)
	}
	return end, true
}

// readSerial takes the serial out of the data of an SOA.
func (r *request) readSerial(b []byte, off int) {
	off, ok := skipName(b, off, true)
	if ok {
		off, ok = skipName(b, off, true)
	}
	if ok && off+4 <= len(b) {
		r.has, r.serial = true, binary.BigEndian.Uint32(b[off:])
	}
}

// name is the name asked for, as text in the letters of the question.
func (r *request) name() string {
	s, _, err := dns.UnpackDomainName(r.question, 0)
	if err != nil {
		return "." // a bug of ours: what skipName admits can be read
	}
	return s
}

// owner is the octets of the name asked for. A question has no pointers.
func (r *request) owner() []byte { return r.question[:len(r.question)-4] }
