package dnsrr

import (
	"encoding/binary"

	"github.com/miekg/dns"
)

// A body is a reply without what is the asker's own: identity, question, OPT.
// It never changes, and may stand behind any question of the same name, in
// whatever letters, since its pointers lead to places and not to letters.
type body struct {
	rcode  int
	aa, tc bool
	counts [3]uint16 // of answers, authorities and additional records
	octets []byte    // these records
	asked  int       // octets of the first two sections: the rest is not missed if it does not fit
	why    uint16    // of RFC 8914, where the code alone says too little; 0 = none
	text   string    // what it is about
	got    picks
	own    bool   // it depends on who asks, and cannot be kept
	like   uint64 // hash of what answers it
	made   int64  // when it was signed, in seconds since 1970
}

// bodyOf packs a reply that says nothing of the asker but his question, in small
// letters.
func bodyOf(m *dns.Msg) (body, error) {
	b := body{rcode: m.Rcode, aa: m.Authoritative, tc: m.Truncated}
	b.counts = [3]uint16{uint16(len(m.Answer)), uint16(len(m.Ns)), uint16(len(m.Extra))}
	plain := *m
	plain.Rcode = 0 // the upper bits would want an OPT
	start, err := packedLen(&dns.Msg{MsgHdr: plain.MsgHdr, Question: m.Question})
	if err != nil {
		return b, err
	}
	packed, err := plain.Pack()
	if err != nil {
		return b, err
	}
	b.octets, b.asked = packed[start:], len(packed)-start
	if len(m.Extra) > 0 {
		plain.Extra = nil
		end, err := packedLen(&plain)
		if err != nil {
			return b, err
		}
		b.asked = end - start
	}
	return b, nil
}

// body is the reply under way.
func (x *exchange) body() body {
	b, err := bodyOf(x.m)
	if err != nil { // a bug of ours: nothing that compiles can fail to pack
		return body{rcode: dns.RcodeServerFailure}
	}
	b.why, b.text, b.got = x.why, x.text, x.got
	if b.aa && b.counts[0] > 0 && x.r.qclass != dns.ClassCHAOS {
		if o := x.t.find(x.m.Question[0].Name); o != nil {
			b.like = o.like
		}
	}
	return b
}

func packedLen(m *dns.Msg) (int, error) {
	b, err := m.Pack()
	return len(b), err
}

// Bits of the header's second half (RFC 1035, section 4.1.1).
const (
	flagQR = 1 << 15
	flagAA = 1 << 10
	flagTC = 1 << 9
	flagRD = 1 << 8
)

// append writes the reply to r behind dst: what a query says of itself comes
// back, octet for octet (identity, opcode, the question, and RD, which means
// something in queries alone), and AD, CD, RA and Z stay clear (RFC 4035, section
// 3.1.6). The option record is added as it
// is. A reply fits in limit octets: what was not asked for goes first and in
// silence, then all goes and TC says to come by TCP (RFC 2181, section 9).
func (b *body) append(dst []byte, r *request, opt []byte, limit int) []byte {
	records, counts, tc := b.octets, b.counts, b.tc
	fixed := headerLen + len(r.question) + len(opt)
	if fixed+len(records) > limit {
		records, counts[2] = records[:b.asked], 0
	}
	if fixed+len(records) > limit {
		records, counts, tc = nil, [3]uint16{}, true
	}
	flags := flagQR | uint16(r.opcode)<<11 | uint16(b.rcode&0xf)
	flags |= flagIf(b.aa, flagAA) | flagIf(tc, flagTC) | flagIf(r.rd && r.opcode == dns.OpcodeQuery, flagRD)
	dst = binary.BigEndian.AppendUint16(dst, r.id)
	dst = binary.BigEndian.AppendUint16(dst, flags)
	dst = binary.BigEndian.AppendUint16(dst, flagIf(r.question != nil, 1))
	dst = binary.BigEndian.AppendUint16(dst, counts[0])
	dst = binary.BigEndian.AppendUint16(dst, counts[1])
	dst = binary.BigEndian.AppendUint16(dst, counts[2]+flagIf(len(opt) > 0, 1))
	dst = append(dst, r.question...)
	dst = append(dst, records...)
	return append(dst, opt...)
}

func flagIf(set bool, bit uint16) uint16 {
	if set {
		return bit
	}
	return 0
}
