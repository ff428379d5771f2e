package dnsrr

import (
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// perMessage is how many octets of records a message of a transfer holds: far
// below what TCP can frame, so that a signature still fits.
const perMessage = 16 << 10

// transfer answers AXFR and IXFR, or says why not. Over TCP the zone follows in
// x.stream.
func (x *exchange) transfer() int {
	switch {
	case x.m.Question[0].Name != x.t.zone:
		return x.fail(dns.RcodeNotAuth, dns.ExtendedErrorCodeNotAuthoritative, "the zone here is "+x.t.zone)
	case !x.mayTransfer():
		return x.fail(dns.RcodeRefused, dns.ExtendedErrorCodeProhibited, "transfers are for the secondaries")
	case x.tr == overTCP:
		x.stream = x.transferred()
		return dns.RcodeSuccess
	case x.r.qtype == dns.TypeAXFR: // RFC 5936, section 4.2: over TCP alone
		return dns.RcodeNotImplemented
	}
	// Over UDP the SOA says all: come by TCP if yours is older (RFC 1995, section 2).
	x.m.Authoritative = true
	x.m.Answer = all(x.t.names[x.t.zone].sets[dns.TypeSOA], x.m.Question[0].Name)
	return dns.RcodeSuccess
}

// mayTransfer reports that the asker showed a key, or comes from an address
// that needs none.
func (x *exchange) mayTransfer() bool {
	if x.sig != nil && x.sig.key != nil && x.sig.error == 0 {
		return true
	}
	return slices.ContainsFunc(x.o.Transfer.Allow, func(p netip.Prefix) bool { return p.Contains(x.from.Unmap()) })
}

// transferred is the zone as messages (RFC 5936, section 2.2). Of changes there
// is no history: who asks for them gets the whole, or the SOA alone if his is not
// older (RFC 1995, section 4).
func (x *exchange) transferred() (out []*dns.Msg) {
	t := x.t.still()
	soa := t.names[t.zone].sets[dns.TypeSOA]
	rrs := slices.Clone(soa)
	if x.r.qtype == dns.TypeAXFR || !x.r.has || older(x.r.serial, x.t.serial) {
		rrs = slices.Concat(soa, t.snapshot(x.now), soa)
	}
	var m *dns.Msg
	room := 0
	for _, rr := range rrs {
		if n := dns.Len(rr); m == nil || room < n {
			m = &dns.Msg{Compress: true}
			m.Id, m.Response, m.Authoritative, m.RecursionDesired = x.r.id, true, true, x.r.rd
			if out = append(out, m); len(out) == 1 { // section 2.2.1, in the asker's letters
				m.Question = []dns.Question{{Name: x.r.name(), Qtype: x.r.qtype, Qclass: x.r.qclass}}
				m.Extra = x.own()
			}
			room = perMessage
		}
		m.Answer = append(m.Answer, rr)
		room -= dns.Len(rr)
	}
	return out
}

// older compares serials, which go round (RFC 1982).
func older(a, b uint32) bool { return int32(b-a) > 0 }

// snapshot is the zone's records but for the SOA, by canonical order of names,
// for who cannot weigh. Weighted names have all addresses of their nodes; why is
// left out. A signed zone is signed whole, with a chain of its own, and for the
// very TTLs that it has (RFC 4034, section 3.1.4).
func (t *Table) snapshot(now time.Time) (out []dns.RR) {
	names := t.ordered()
	for i, name := range names {
		sets := t.whole(name)
		if t.signer != nil {
			sets = append(sets, []dns.RR{t.link(name, names[(i+1)%len(names)], sets)})
		}
		for _, set := range sets {
			if set[0].Header().Rrtype != dns.TypeSOA { // which is in front and at the end
				out = append(out, set...)
			}
			if t.signer != nil {
				out = append(out, t.signer.Sign(set, set[0].Header().Ttl, now)...)
			}
		}
	}
	return out
}

// still is t by capacity and for the longest TTL, since the load of now will be
// another when a secondary is asked, and one serial must be one zone.
func (t *Table) still() *Table {
	s := t.set
	s.TTL = max(s.TTL, s.MaxTTL)
	s.Targets = slices.Clone(s.Targets)
	for i, g := range s.Targets {
		s.Targets[i].Share = g.Fair
	}
	still, err := Compile(s)
	if err != nil { // a bug of ours: what compiled once compiles again
		return t
	}
	return still
}

// ordered lists the names that have records, by canonical order (RFC 4034,
// section 6.1), and so with the apex first.
func (t *Table) ordered() (out []string) {
	for name := range t.names {
		if len(t.whole(name)) > 0 {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, canonicalOrder)
	return out
}

// whole is all sets of a name.
func (t *Table) whole(name string) (out [][]dns.RR) {
	o := t.names[name]
	if name == whyLabel+"."+t.zone {
		return nil
	}
	for _, typ := range o.types() {
		set := o.sets[typ]
		switch {
		case typ == dns.TypeCNAME:
			set = []dns.RR{o.alias}
		case o.farm != nil && (typ == dns.TypeA || typ == dns.TypeAAAA):
			set = t.every(name, typ == dns.TypeAAAA)
		}
		if len(set) > 0 {
			out = append(out, set)
		}
	}
	return out
}

// every is all addresses of one family that a weighted name may answer with.
func (t *Table) every(name string, six bool) (out []dns.RR) {
	h := t.header(name, familyType(six))
	for _, g := range t.names[name].farm.of(six).members {
		for _, a := range g.addrs {
			if rr := address(h, a); !listed(out, rr) {
				out = append(out, rr)
			}
		}
	}
	return out
}

// link is the NSEC of a name in the chain of a snapshot.
func (t *Table) link(name, next string, sets [][]dns.RR) dns.RR {
	types := []uint16{dns.TypeRRSIG, dns.TypeNSEC}
	for _, set := range sets {
		types = append(types, set[0].Header().Rrtype)
	}
	slices.Sort(types)
	return &dns.NSEC{Hdr: t.header(name, dns.TypeNSEC), NextDomain: next, TypeBitMap: types}
}
