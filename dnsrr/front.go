package dnsrr

import (
	"encoding/binary"

	"github.com/miekg/dns"
)

// A front is the aliases that stand before the addresses of a farm in the answer
// for a name that leads there.
type front struct {
	farm   *pools // nil: they lead elsewhere
	octets []byte // the aliases, signed if asked for
	n      uint16 // of these records
	at     int    // where in the reply the farm's name is
	made   int64  // see stale
}

// fastAliased puts the addresses of the farm behind the aliases that lead there.
func (x *exchange) fastAliased(o *owner, f *front, room []byte, signed bool) *body {
	records := append(room, f.octets...)
	b := x.fastWeighted(o, f.farm, records, signed)
	rename(b.octets[len(records):], f.at)
	b.counts[0] += f.n
	return b
}

// frontOf is what the name of an alias has before the addresses, made when it is
// first asked for; nil: it does not lead to a farm.
func (x *exchange) frontOf(o *owner, signed bool) *front {
	place := &o.fronts[indexOf(signed)]
	f := place.Load()
	if f == nil || signed && x.stale(f.made) {
		f = x.newFront()
		place.Store(f)
	}
	if f.farm == nil {
		return nil
	}
	return f
}

// newFront has the other path answer, and leaves the addresses out.
func (x *exchange) newFront() *front {
	y := exchange{t: x.t, o: x.o, r: x.r, from: x.from, tr: x.tr, now: x.now}
	y.answer()
	f := &front{made: x.now.Unix()}
	var last *dns.CNAME
	for i, rr := range y.m.Answer {
		if alias, ok := rr.(*dns.CNAME); ok {
			last, f.n = alias, uint16(i+1)
		} else if sig, ok := rr.(*dns.RRSIG); ok && sig.TypeCovered == dns.TypeCNAME {
			f.n = uint16(i + 1)
		}
	}
	if last == nil || !within(fold(last.Target), x.t.zone) {
		return f
	}
	end := x.t.find(fold(last.Target))
	if end == nil || end.farm == nil {
		return f
	}
	y.m.Answer, y.m.Ns = y.m.Answer[:f.n], nil
	b := y.body()
	f.octets, f.at = b.octets, lastTarget(b.octets, headerLen+len(x.r.question))
	if f.at <= maxPointer {
		f.farm = end.farm
	}
	return f
}

// maxPointer is as far as a pointer leads (RFC 1035, section 4.1.4).
const maxPointer = 1<<14 - 1

// lastTarget is where in a reply the name is that the last alias leads to.
// Records begin at start, and were packed by us.
func lastTarget(records []byte, start int) (at int) {
	for off := 0; off < len(records); {
		data := ownerEnd(records, off) + 10
		if number(records, data-10) == int(dns.TypeCNAME) {
			at = start + data
			if records[data]&0xc0 == 0xc0 { // a name that was there before
				at = number(records, data) & maxPointer
			}
		}
		off = data + number(records, data-2)
	}
	return at
}

// ownerEnd is behind the name at off.
func ownerEnd(b []byte, off int) int {
	for b[off] != 0 {
		if b[off]&0xc0 == 0xc0 {
			return off + 2
		}
		off += 1 + int(b[off])
	}
	return off + 1
}

// rename has records, each of which is owned by a pointer, be owned by the name
// at a place.
func rename(records []byte, at int) {
	for off := 0; off < len(records); off += 2 + 10 + number(records, off+10) {
		binary.BigEndian.PutUint16(records[off:], 0xc000|uint16(at))
	}
}
