package dnsrr

import (
	"math/bits"
	"net/netip"
	"sync/atomic"

	"github.com/miekg/dns"
)

// The fast path says from octets, and allocates nothing, what answer.go says:
// it looks up, picks and copies. Whatever is odd it leaves to answer.go, which
// also made the bodies that are copied here. TestFastIsSlow holds both equal.

// plain reports that the question is one for the fast path.
func (r *request) plain() bool {
	return r.question != nil && r.opcode == dns.OpcodeQuery && !r.bad && r.tsig == 0 &&
		!r.edns.malformed && r.edns.version == 0 && r.qclass == dns.ClassINET
}

// fast finds the body of the reply; false leaves it to the other path. records
// is room for what is put together.
func (x *exchange) fast(records []byte) (b body, ok bool) {
	if x.t == nil || !x.r.plain() {
		return b, false
	}
	var room [nameLen]byte
	name := x.r.folded(room[:0])
	o := x.t.wire[string(name)]
	signed := x.secure() && x.r.edns.dnssec
	six := x.r.qtype == dns.TypeAAAA
	switch {
	case o == nil && !x.t.within(name):
		return x.t.outside, ordinary(x.r.qtype)
	case o == nil:
		return x.missing(records, name, signed)
	case o.farm != nil && (six || x.r.qtype == dns.TypeA) && len(o.farm.of(six).members) > 0:
		return x.fastWeighted(o, records, six, signed)
	}
	return x.kept(o, signed)
}

// within reports that a folded name is of the zone.
func (t *Table) within(name []byte) bool {
	for at := 0; at < len(name); at += 1 + int(name[at]) {
		if len(name)-at == len(t.zoneWire) {
			return string(name[at:]) == t.zoneWire
		}
	}
	return false
}

// missing denies a name, unless a wildcard speaks for it or the denial is to be
// signed. The SOA that says for how long is the same for all names, but for
// where in the question it finds the name of the zone.
func (x *exchange) missing(records, name []byte, signed bool) (b body, ok bool) {
	if signed || len(x.t.denial.soa) == 0 || !ordinary(x.r.qtype) || x.t.wild && x.t.speaksFor(name) {
		return b, false
	}
	b = body{rcode: dns.RcodeNameError, aa: true, counts: [3]uint16{0, 1, 0}}
	b.octets = x.t.denial.append(records, headerLen+len(name)-len(x.t.zoneWire))
	b.asked = len(b.octets)
	return b, true
}

// speaksFor reports that a wildcard stands next to the closest name above one
// that is missing.
func (t *Table) speaksFor(name []byte) bool {
	var room [nameLen + 2]byte
	for at := 1 + int(name[0]); ; at += 1 + int(name[at]) {
		if t.wire[string(name[at:])] != nil {
			return t.wire[string(append(append(room[:0], 1, '*'), name[at:]...))] != nil
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
func (x *exchange) kept(o *owner, signed bool) (b body, ok bool) {
	if signed && o.alias != nil { // which may lead to nothing, and how that is said depends on who asks
		return b, false
	}
	if !ordinary(x.r.qtype) {
		return b, false
	}
	i := typeSlot(x.r.qtype)
	if i == otherTypes {
		if signed || o.has(x.r.qtype) {
			return b, false
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
	return *kept, !kept.own
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
	b.own = b.rcode == dns.RcodeServerFailure || b.got.n > 0 || y.stream != nil // it depends on who asks
	b.made = x.now.Unix()
	return &b
}

// has reports that a question of the type has an answer, or may have one.
func (o *owner) has(typ uint16) bool {
	return o.alias != nil || len(o.sets[typ]) > 0
}

// fastWeighted picks, as weighted does.
func (x *exchange) fastWeighted(o *owner, records []byte, six, signed bool) (b body, ok bool) {
	f := o.farm
	p := f.of(six)
	number := x.draw(f.salt, six)
	var room [maxAnswers]int
	var set handful
	for _, i := range p.wheel.pick(room[:0], number, minute(x.now)) {
		set.add(p, i, turn(number, len(p.members[i].addrs)))
	}
	for _, c := range set.of[:set.n] {
		records = append(records, p.members[c.member].packed[c.addr]...)
		b.got.at[b.got.n] = p.members[c.member].node
		b.got.n++
	}
	b.got.counts = six == f.onlySix()
	b.aa, b.counts[0] = true, uint16(set.n)
	if signed {
		sigs := p.signatures(x, set)
		records, b.counts[0] = append(records, sigs.octets...), b.counts[0]+sigs.n
	}
	b.octets, b.asked, b.like = records, len(records), o.like
	return b, true
}

// A handful is the addresses of one answer, in their order.
type handful struct {
	n  int
	of [maxAnswers]choice
}

type choice struct{ member, addr uint16 }

// add takes an address once, though two nodes claim it (RFC 2181, section 5.5).
func (h *handful) add(p *pool, member, addr int) {
	if p.claimed && h.has(p, p.members[member].addrs[addr]) {
		return
	}
	h.of[h.n] = choice{uint16(member), uint16(addr)}
	h.n++
}

func (h *handful) has(p *pool, a netip.Addr) bool {
	for _, c := range h.of[:h.n] {
		if p.members[c.member].addrs[c.addr] == a {
			return true
		}
	}
	return false
}

// A signedSet is a handful and the records that sign it.
type signedSet struct {
	set    handful
	n      uint16
	octets []byte
	made   int64 // see stale
}

// signedSets are places for them: a power of two, as many as n nodes have
// handfuls by and large.
type signedSets []atomic.Pointer[signedSet]

func newSignedSets(n int) signedSets {
	return make(signedSets, 1<<bits.Len(uint(min(max(n*n, 16), 4096)-1)))
}

// signatures is those of a handful, remembered for as long as its table lives.
func (p *pool) signatures(x *exchange, set handful) *signedSet {
	h := uint64(set.n)
	for _, c := range set.of[:set.n] {
		h = mix(h ^ uint64(c.member)<<16 ^ uint64(c.addr))
	}
	last := uint64(len(p.signed) - 1)
	place := &p.signed[h&last]
	for i := range uint64(4) { // two that meet must not push each other out again and again
		at := &p.signed[(h+i)&last]
		kept := at.Load()
		if kept == nil {
			place = at
			break
		}
		if kept.set == set && !x.stale(kept.made) {
			return kept
		}
		if kept.set == set {
			place = at
			break
		}
	}
	kept := p.prepare(x, set)
	place.Store(kept)
	return kept
}

func (p *pool) prepare(x *exchange, set handful) *signedSet {
	var rrs []dns.RR
	name := fold(x.r.name())
	for _, c := range set.of[:set.n] {
		rrs = append(rrs, address(x.t.header(name, x.r.qtype), p.members[c.member].addrs[c.addr]))
	}
	sigs := x.sign(rrs)
	m := &dns.Msg{Compress: true, Question: []dns.Question{{Name: name, Qtype: x.r.qtype, Qclass: dns.ClassINET}}, Answer: sigs}
	b, err := bodyOf(m)
	if err != nil { // a bug of ours
		return &signedSet{set: set, made: x.now.Unix()}
	}
	return &signedSet{set, uint16(len(sigs)), b.octets, x.now.Unix()}
}
