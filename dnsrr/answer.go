package dnsrr

import (
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
)

// An Asker is what an answer depends on beside the question.
type Asker struct {
	Number uint64    // the asker's next number; by the golden sequence, shares are met at every length
	Now    time.Time // its minute says which nodes stand by, never the shares; signatures are of its hour
}

// picks are the nodes whose addresses were handed out by weight.
type picks struct {
	n      int
	at     [maxAnswers]uint16 // indices of Table.nodes
	counts bool               // they stand for a client: one who asks for both families is counted by the IPv4 ones
}

// An exchange is one query and the reply under way.
type exchange struct {
	t      *Table // nil: there is nothing to answer yet
	o      *Options
	r      request
	from   netip.Addr
	tr     transport
	now    time.Time
	asked  *sequences       // where the number comes from
	number uint64           // it, where there are no sequences
	sig    *signature       // of the query; nil = none
	cookie cookie.Judgement // see judged
	looked bool             // at the cookie

	m      *dns.Msg
	stream []*dns.Msg // what is answered instead of m, where one message cannot hold it
	got    picks
	why    uint16 // see body
	text   string
	made   body // what is made for this query alone
	cut    bool // the reply says to come by TCP
}

// Answer is the reply to q over UDP or TCP; nil is silence, or a q that no
// octets can say. It depends on nothing else, changes neither t nor q, and the
// reply is the caller's. A [Server] says more: what its [Options] have.
func (t *Table) Answer(q *dns.Msg, a Asker, udp bool) *dns.Msg {
	b, err := q.Pack()
	if err != nil || silent(b) {
		return nil
	}
	x := exchange{t: t, o: new(Options), tr: overTCP, now: a.Now, number: a.Number}
	x.r.read(b)
	if udp {
		x.tr = overUDP
	}
	x.answer()
	said := x.body()
	m := &dns.Msg{Compress: true}
	if err := m.Unpack(x.append(nil, &said, false)); err != nil { // a bug of ours: what is packed can be read
		return nil
	}
	return m
}

// answer fills the reply, but for its OPT.
func (x *exchange) answer() {
	x.begin()
	if x.m.Rcode = x.refusal(); x.m.Rcode == dns.RcodeSuccess && x.r.question != nil {
		x.fill()
	}
}

// begin makes the reply to the question in small letters, since the letters of
// the asker come back with his octets.
func (x *exchange) begin() {
	x.m = &dns.Msg{Compress: true}
	if x.r.question != nil {
		x.m.Question = []dns.Question{{Name: fold(x.r.name()), Qtype: x.r.qtype, Qclass: x.r.qclass}}
	}
}

// fill answers a question that can be looked up.
func (x *exchange) fill() {
	t := x.t
	switch {
	case x.r.qclass == dns.ClassCHAOS:
		x.m.Rcode = x.introduce()
	case t == nil:
		x.m.Rcode = x.fail(dns.RcodeServerFailure, dns.ExtendedErrorCodeNotReady, "the first decision is not made yet")
	case !within(x.m.Question[0].Name, t.zone): // no way up is shown
		x.refuseOutside()
	case x.r.qtype == dns.TypeAXFR || x.r.qtype == dns.TypeIXFR:
		x.m.Rcode = x.transfer()
	default:
		x.m.Authoritative = true
		x.follow()
	}
}

// refuseOutside: of other zones nothing is known here.
func (x *exchange) refuseOutside() {
	x.m.Rcode = x.fail(dns.RcodeRefused, dns.ExtendedErrorCodeNotAuthoritative, "the zone here is "+x.t.zone)
}

// follow looks the name up, and what it is an alias of, while that is in the
// zone (RFC 1034, section 4.3.2). The code is that of the last name (RFC 6604).
func (x *exchange) follow() {
	t, typ := x.t, x.r.qtype
	name := x.m.Question[0].Name
	for range maxChain + 1 {
		o := t.find(name)
		switch {
		case x.wantsProof(o):
			x.proof(o, name)
			return
		case o == nil: // nothing is below it either (RFC 8020)
			x.deny(name, nil)
			return
		case o.alias == nil || typ == dns.TypeCNAME:
			x.data(o, name)
			return
		}
		alias := named(o.alias, name)
		if listed(x.m.Answer, alias) { // a wildcard that leads to itself
			return
		}
		x.put(&x.m.Answer, []dns.RR{alias})
		name = fold(o.alias.Target)
		if typ == dns.TypeANY || !within(name, t.zone) {
			return // ANY stops at an alias (RFC 8482, section 4.2); others know the rest
		}
	}
}

// data answers with what o has of the type asked for, or denies it.
func (x *exchange) data(o *owner, name string) {
	typ := x.r.qtype
	before := len(x.m.Answer)
	switch {
	case typ == dns.TypeANY && o.some():
		x.put(&x.m.Answer, []dns.RR{x.t.minimal(name)})
	case typ == dns.TypeCNAME && o.alias != nil:
		x.put(&x.m.Answer, []dns.RR{named(o.alias, name)})
	case o.farm != nil && (typ == dns.TypeA || typ == dns.TypeAAAA):
		x.put(&x.m.Answer, x.weighted(o.farm, name))
	default:
		x.put(&x.m.Answer, all(o.sets[typ], name))
	}
	switch {
	case len(x.m.Answer) == before:
		x.deny(name, o)
	case typ == dns.TypeNS:
		x.glue(o.sets[typ])
	}
}

// weighted is the addresses of the nodes that the asker's number leads to.
func (x *exchange) weighted(f *pools, name string) (out []dns.RR) {
	six := x.r.qtype == dns.TypeAAAA
	p := f.of(six)
	if len(p.members) == 0 {
		return nil
	}
	x.got.counts = six == f.onlySix()
	number := x.draw(f.salt, six)
	h := x.t.header(name, familyType(six))
	var room [maxAnswers]int
	for _, i := range p.wheel.pick(room[:0], number, minute(x.now)) {
		g := &p.members[i]
		rr := address(h, g.addrs[turn(number, len(g.addrs))])
		if listed(out, rr) { // two nodes that claim one address (RFC 2181, section 5.5)
			continue
		}
		out = append(out, rr)
		x.got.at[x.got.n] = uint16(g.node)
		x.got.n++
	}
	return out
}

// draw is the number for an answer that is weighted, and is asked for only if
// there is one: a number that is not used would be missing from the sequence.
// Every name that is weighted has sequences of its own, by salt.
func (x *exchange) draw(salt uint64, six bool) uint64 {
	if x.asked == nil {
		return x.number
	}
	return x.asked.next(x.t.agent, salt, x.from, six)
}

// minute is since 1970, for any time.
func minute(now time.Time) uint64 { return uint64(now.Unix() / 60) }

func listed(rrs []dns.RR, rr dns.RR) bool {
	for _, other := range rrs {
		if dns.IsDuplicate(rr, other) {
			return true
		}
	}
	return false
}

// minimal is the one small answer to ANY, which is of no use to an amplifier
// and stays in caches (RFC 8482, section 4.2).
func (t *Table) minimal(name string) dns.RR {
	h := t.header(name, dns.TypeHINFO)
	h.Ttl = max(1, h.Ttl)
	return &dns.HINFO{Hdr: h, Cpu: "RFC8482"}
}

// deny says for how long a name, of which o is nil, or a type of o may be
// believed missing (RFC 2308, section 3).
func (x *exchange) deny(name string, o *owner) {
	if o == nil {
		x.m.Rcode = dns.RcodeNameError
	}
	x.put(&x.m.Ns, x.t.names[x.t.zone].sets[dns.TypeSOA])
	if x.secure() && x.r.edns.dnssec {
		x.prove(name, o)
	}
}

// glue adds the addresses of name servers, all of them: who looks for a server
// must not be sent where the work should go. They are signed like the rest (RFC
// 4035, section 3.1.1).
func (x *exchange) glue(servers []dns.RR) {
	for _, rr := range servers {
		host := rr.(*dns.NS).Ns
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
			x.put(&x.m.Extra, all(x.t.names[host].sets[typ], host))
		}
	}
}

// put adds a set to a section of the reply, and its signatures where the asker
// wants them.
func (x *exchange) put(section *[]dns.RR, set []dns.RR) {
	if len(set) == 0 {
		return
	}
	*section = append(*section, set...)
	if x.r.edns.dnssec && x.secure() {
		*section = append(*section, x.sign(set)...)
	}
}

// named is rr of the owner that was asked for, which a wildcard only stands for.
func named(rr dns.RR, owner string) dns.RR {
	if rr.Header().Name == owner {
		return rr
	}
	rr = dns.Copy(rr)
	rr.Header().Name = owner
	return rr
}

func all(set []dns.RR, owner string) []dns.RR {
	if len(set) == 0 || set[0].Header().Name == owner {
		return set
	}
	out := make([]dns.RR, len(set))
	for i, rr := range set {
		out[i] = named(rr, owner)
	}
	return out
}
