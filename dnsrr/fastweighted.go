package dnsrr

import (
	"encoding/binary"
	"net/netip"

	"github.com/miekg/dns"
)

// fastWeighted picks from a farm, as weighted does, and puts the addresses behind
// records. It answers for o, which need not be the farm's own name.
func (x *exchange) fastWeighted(o *owner, f *pools, records []byte, signed bool) *body {
	six := x.r.qtype == dns.TypeAAAA
	p := f.of(six)
	number := x.draw(f.salt, six)
	var room [maxAnswers]int
	var set handful
	for _, i := range p.wheel.pick(room[:0], number, minute(x.now)) {
		m, at := &p.members[i], 0
		if n := len(m.addrs); n > 1 {
			at = turn(number, n)
		}
		if p.claimed && set.has(p, m.addrs[at]) { // two nodes claim it (RFC 2181, section 5.5)
			continue
		}
		records = p.packed.append(records, m.first+at)
		x.got.at[set.n] = uint16(m.node)
		set.of[set.n] = choice{uint16(i), uint16(at)}
		set.n++
	}
	x.got.n, x.got.counts = set.n, six == f.onlySix()
	b := &x.made
	b.aa, b.counts[0], b.like = true, uint16(set.n), o.like
	if signed {
		sigs := p.signatures(x, f.name, set)
		records, b.counts[0] = append(records, sigs.octets...), b.counts[0]+sigs.n
	}
	b.octets, b.asked = records, len(records)
	return b
}

// A handful is the addresses of one answer, in their order.
type handful struct {
	n  int
	of [maxAnswers]choice
}

type choice struct{ member, addr uint16 }

func (h *handful) has(p *pool, a netip.Addr) bool {
	for _, c := range h.of[:h.n] {
		if p.members[c.member].addrs[c.addr] == a {
			return true
		}
	}
	return false
}

// addressRecords are those of one family, of one length each and owned by
// the name of the question.
type addressRecords struct {
	n, size int // of records, and of octets in each
	octets  []byte
}

// Octets of a record: a pointer, type, class, TTL, length and address.
const (
	recordLen = 2 + 2 + 2 + 4 + 2
	len4      = recordLen + 4
	len6      = recordLen + 16
)

func (r *addressRecords) add(addrs []netip.Addr, ttl uint32) {
	for _, a := range addrs {
		b := binary.BigEndian.AppendUint16(r.octets, 0xc000|headerLen)
		b = binary.BigEndian.AppendUint16(b, familyType(a.Is6()))
		b = binary.BigEndian.AppendUint16(b, dns.ClassINET)
		b = binary.BigEndian.AppendUint32(b, ttl)
		b = binary.BigEndian.AppendUint16(b, uint16(a.BitLen()/8))
		r.octets = append(b, a.AsSlice()...)
		r.n, r.size = r.n+1, recordLen+a.BitLen()/8
	}
}

// append writes the i-th behind dst.
func (r *addressRecords) append(dst []byte, i int) []byte {
	at, end := len(dst), len(dst)+r.size
	if end > cap(dst) {
		return append(dst, r.octets[i*r.size:(i+1)*r.size]...)
	}
	dst = dst[:end]
	if r.size == len4 { // of a known size, and so moved at once
		*(*[len4]byte)(dst[at:]) = [len4]byte(r.octets[i*len4:])
	} else {
		*(*[len6]byte)(dst[at:]) = [len6]byte(r.octets[i*len6:])
	}
	return dst
}
