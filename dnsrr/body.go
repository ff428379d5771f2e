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
	own    bool      // it depends on who asks, and cannot be kept
	counts [3]uint16 // of answers, authorities and additional records
	octets []byte    // these records
	asked  int       // octets of the first two sections: the rest is not missed if it does not fit
	why    uint16    // of RFC 8914, where the code alone says too little; 0 = none
	text   string    // what it is about
	like   uint64    // hash of what answers it
	made   int64     // when it was signed, in seconds since 1970
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
	b.why, b.text = x.why, x.text
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

// compose writes the reply behind dst: what a query says of itself comes back,
// octet for octet (identity, opcode, the question, and RD, which means something
// in queries alone), and AD, CD, RA and Z stay clear (RFC 4035, section 3.1.6).
// A reply fits in limit octets: what was not asked for goes first and in
// silence, then all goes and TC says to come by TCP (RFC 2181, section 9). The
// records may stand in their place already.
func (x *exchange) compose(dst []byte, b *body, limit int) []byte {
	var head [headerLen]byte
	start := len(dst)
	dst = append(append(dst, head[:]...), x.r.question...)
	front, parts := len(dst), [...]int{len(b.octets), b.asked, 0}
	for cut, n := range parts {
		if last := cut == len(parts)-1; front-start+n <= limit || last {
			dst = x.appendOPT(append(dst[:front], b.octets[:n]...), b)
			if len(dst)-start <= limit || last {
				x.cut = b.head(dst[start:], &x.r, cut)
				break
			}
		}
	}
	return dst
}

// head writes the header of a reply that was cut so many times to fit, and tells
// whether it says to come by TCP.
func (b *body) head(dst []byte, r *request, cut int) (tc bool) {
	counts, tc := b.counts, b.tc
	if cut > 0 {
		counts[2] = 0
	}
	if cut > 1 {
		counts, tc = [3]uint16{}, true
	}
	flags := flagQR | uint16(r.opcode)<<11 | uint16(b.rcode&0xf)
	flags |= flagIf(b.aa, flagAA) | flagIf(tc, flagTC) | flagIf(r.rd && r.opcode == dns.OpcodeQuery, flagRD)
	asked, extra := flagIf(r.question != nil, 1), counts[2]+flagIf(r.edns.present, 1)
	binary.BigEndian.PutUint64(dst, uint64(r.id)<<48|uint64(flags)<<32|uint64(asked)<<16|uint64(counts[0]))
	binary.BigEndian.PutUint32(dst[8:], uint32(counts[1])<<16|uint32(extra))
	return tc
}

func flagIf(set bool, bit uint16) uint16 {
	if set {
		return bit
	}
	return 0
}
