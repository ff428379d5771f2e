package dnsrr

import (
	"slices"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/dnssec"
)

// secure reports that the zone is signed.
func (x *exchange) secure() bool { return x.t != nil && x.t.signer != nil }

// sign is the signatures of a set. They are made for the longest TTL that it may
// have, so that they stay when the farm's TTL changes (RFC 4034, section 3.1.4:
// what is served may be shorter).
func (x *exchange) sign(set []dns.RR) []dns.RR {
	return x.t.signer.Sign(set, max(x.t.longest, set[0].Header().Ttl), x.now)
}

// prove adds the record that says why there is nothing: made for this name
// alone, it needs no chain through the zone, which changes by the second, and
// shows nobody's neighbours (RFC 9824). A missing name is said to exist without
// data, unless the asker knows how to tell the two apart.
func (x *exchange) prove(name string, o *owner) {
	if o == nil && !x.r.edns.compact {
		x.m.Rcode = dns.RcodeSuccess
	}
	x.put(&x.m.Ns, []dns.RR{x.nsec(name, o)})
}

// wantsProof reports that the proof itself is asked for, or its signature: of
// what is here anybody may (RFC 4035, section 3.1), and of what is missing who is
// told that it exists without data, since the proof then lists NSEC and RRSIG.
func (x *exchange) wantsProof(o *owner) bool {
	asked := x.r.qtype == dns.TypeNSEC || x.r.qtype == dns.TypeRRSIG
	return asked && x.secure() && (o != nil || x.r.edns.dnssec)
}

// proof answers with it.
func (x *exchange) proof(o *owner, name string) {
	set := []dns.RR{x.nsec(name, o)}
	if x.r.qtype == dns.TypeRRSIG {
		x.m.Answer = append(x.m.Answer, x.sign(set)...)
		return
	}
	x.put(&x.m.Answer, set)
}

// nsec lives as long as a denial does (RFC 9077).
func (x *exchange) nsec(name string, o *owner) dns.RR {
	var types []uint16
	if o != nil {
		types = o.types()
	}
	// Of weighted names both families may be listed, and the one that is denied
	// now must not be.
	types = slices.DeleteFunc(types, func(t uint16) bool { return t == x.r.qtype })
	return dnssec.Denial(x.t.zone, name, types, o == nil, x.t.ttl)
}

// types lists what may be asked of o, by number. One that is left out would be
// hidden by caches that deny by what they know (RFC 8198).
func (o *owner) types() (out []uint16) {
	if o.alias != nil {
		out = append(out, dns.TypeCNAME)
	}
	if o.farm != nil {
		for i, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
			if o.farm.known[i] {
				out = append(out, typ)
			}
		}
	}
	for typ := range o.sets {
		out = append(out, typ)
	}
	slices.Sort(out)
	return out
}

// addKeys adds the sets of the zone's keys.
func (t *Table) addKeys(s *dnssec.Signer) {
	if t.signer = s; s == nil {
		return
	}
	for _, rr := range slices.Concat(s.Keys().DNSKEY(t.ttl), s.Keys().CDS(t.ttl), s.Keys().CDNSKEY(t.ttl)) {
		t.add(rr)
	}
}
