package dnsrr

import "github.com/miekg/dns"

// The fast path says from octets, and allocates nothing, what answer.go says:
// it looks up, picks and copies. Whatever is odd it leaves to answer.go, which
// also made the bodies that are copied here. TestFastIsSlow holds both equal.

// plain reports that the question is one for the fast path.
func (r *request) plain() bool {
	return r.question != nil && r.opcode == dns.OpcodeQuery && !r.bad && r.tsig == 0 &&
		!r.edns.malformed && r.edns.version == 0 && r.qclass == dns.ClassINET
}

// fast finds the body of the reply; false leaves it to the other path. room is
// for what is put together.
func (x *exchange) fast(room []byte) (b *body, ok bool) {
	if x.t == nil || !x.r.plain() {
		return nil, false
	}
	name := x.r.owner()
	o := x.t.wire.find(name)
	signed := x.secure() && x.r.edns.dnssec
	six := x.r.qtype == dns.TypeAAAA
	switch {
	case o == nil && !x.t.within(name):
		return &x.t.outside, ordinary(x.r.qtype)
	case o == nil:
		return x.missing(room, name, signed)
	case o.farm != nil && (six || x.r.qtype == dns.TypeA) && len(o.farm.of(six).members) > 0:
		return x.fastWeighted(o, o.farm, room, signed), true
	case o.alias != nil && (six || x.r.qtype == dns.TypeA):
		if f := x.frontOf(o, signed); f != nil && len(f.farm.of(six).members) > 0 {
			return x.fastAliased(o, f, room, signed), true
		}
	}
	return x.kept(o, signed)
}

// within reports that a name is of the zone.
func (t *Table) within(name []byte) bool {
	for at := 0; at < len(name); at += 1 + int(name[at]) {
		if len(name)-at == len(t.zoneWire) {
			return sameName(t.zoneWire, name[at:])
		}
	}
	return false
}

// missing denies a name, unless a wildcard speaks for it or the denial is to be
// signed and has not been yet. The SOA that says for how long is the same for all
// names, but for where in the question it finds the name of the zone.
func (x *exchange) missing(room, name []byte, signed bool) (b *body, ok bool) {
	switch {
	case !ordinary(x.r.qtype):
		return nil, false
	case signed:
		return x.denied(name)
	case len(x.t.denial.soa) == 0 || x.t.wild && x.t.speaksFor(name):
		return nil, false
	}
	b = &x.made
	b.rcode, b.aa, b.counts = dns.RcodeNameError, true, [3]uint16{0, 1, 0}
	b.octets = x.t.denial.append(room, headerLen+len(name)-len(x.t.zoneWire))
	b.asked = len(b.octets)
	return b, true
}

// speaksFor reports that a wildcard stands next to the closest name above one
// that is missing.
func (t *Table) speaksFor(name []byte) bool {
	var room [nameLen + 2]byte
	for at := 1 + int(name[0]); ; at += 1 + int(name[at]) {
		if t.wire.find(name[at:]) != nil {
			return t.wire.find(append(append(room[:0], 1, '*'), name[at:]...)) != nil
		}
	}
}

// ordinary types are of data, and have no rules of their own.
func ordinary(typ uint16) bool {
	if typ == dns.TypeNSEC || typ == dns.TypeRRSIG { // made for who asks
		return false
	}
	return 0 < typ && typ < typeNXNAME && typ != dns.TypeOPT || typ >= dns.TypeANY
}

// A denial is the SOA of a zone as it is packed behind a question, and where in
// it the pointers to the zone's name are.
type denial struct {
	soa      []byte
	pointers []int
}

// denialOf reads the body of a question for the zone itself, in which every
// pointer leads to the first name.
func denialOf(b body) (d denial) {
	d.soa = b.octets
	const data = 12 // after a pointer, a type, a class, a TTL and a length
	at := []int{0, data, 0}
	for i := range at {
		if i == 2 {
			at[i] = at[1] + 2
		}
		for int(d.soa[at[i]])&0xc0 == 0 { // labels of our own, and then the zone
			if d.soa[at[i]] == 0 {
				return denial{}
			}
			at[i] += 1 + int(d.soa[at[i]])
		}
		if number(d.soa, at[i]) != 0xc000|headerLen {
			return denial{}
		}
	}
	d.pointers = at
	return d
}

func (d denial) append(dst []byte, zone int) []byte {
	start := len(dst)
	dst = append(dst, d.soa...)
	for _, at := range d.pointers {
		dst[start+at], dst[start+at+1] = 0xc0|byte(zone>>8), byte(zone)
	}
	return dst
}

// kept is the body of what a name has of a type, made when it is first asked
// for. It serves no longer than its table, which the next decision replaces.
func (x *exchange) kept(o *owner, signed bool) (b *body, ok bool) {
	if !ordinary(x.r.qtype) || signed && o.alias != nil && x.r.edns.compact { // it may lead to nothing, which is told otherwise
		return nil, false
	}
	i := typeSlot(x.r.qtype)
	if i == otherTypes {
		if o.has(x.r.qtype) {
			return nil, false
		}
		i = typeSlot(typeNone) // of no type, and so the place for what is not there
	}
	place := &o.ready[i]
	if signed {
		place = &o.readySigned[i]
	}
	kept := place.Load()
	if kept == nil || signed && x.stale(kept.made) {
		kept = x.prepare()
		place.Store(kept)
	}
	return kept, !kept.own
}

// stale reports that what was signed then is to be signed again: tables are
// replaced all the time, and one that is not must not outlive its signatures.
func (x *exchange) stale(made int64) bool {
	age := x.now.Unix() - made
	return age > 3600 || age < -3600
}

// prepare makes the body of a question by the other path.
func (x *exchange) prepare() *body {
	y := exchange{t: x.t, o: x.o, r: x.r, from: x.from, tr: x.tr, now: x.now}
	y.answer()
	b := y.body()
	b.own = b.rcode == dns.RcodeServerFailure || y.got.n > 0 || y.stream != nil // it depends on who asks
	b.made = x.now.Unix()
	return &b
}

// has reports that a question of the type has an answer, or may have one.
func (o *owner) has(typ uint16) bool {
	return o.alias != nil || len(o.sets[typ]) > 0
}
