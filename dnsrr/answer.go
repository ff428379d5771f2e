package dnsrr

import (
	"github.com/miekg/dns"
)

// An Asker is what an answer depends on beside the question.
type Asker struct {
	Number uint64 // the asker's next number; by the golden sequence, shares are met at every length
	Minute uint64 // since any epoch; it changes which nodes stand by, never the shares
}

// A draw hands out the Asker for an answer at the apex, and is called only if
// there is one: a number that is not used would be missing from the sequence.
type draw func(six bool) Asker

// picks are the nodes whose addresses were handed out at the apex.
type picks struct {
	n   int
	at  [maxAnswers]int // indices of Table.nodes
	six bool            // they are of IPv6
}

// Answer is the reply to q over UDP or TCP; nil is silence. It depends on
// nothing else, changes neither t nor q, and the reply is the caller's.
func (t *Table) Answer(q *dns.Msg, a Asker, udp bool) *dns.Msg {
	m, _ := t.answer(q, func(bool) Asker { return a }, udp)
	return m
}

func (t *Table) answer(q *dns.Msg, next draw, udp bool) (m *dns.Msg, got picks) {
	if q.Response { // two servers that answer answers never stop (RFC 1035, section 7.3)
		return nil, got
	}
	e := readEDNS(q)
	m = begin(q)
	if m.Rcode = refusal(q, e); m.Rcode == dns.RcodeSuccess {
		got = t.fill(m, next)
	}
	finish(m, e, udp)
	return m, got
}

// begin echoes what a reply repeats: identity, opcode, RD and the question,
// octet for octet. AD, CD, RA and Z stay clear (RFC 4035, section 3.1.6).
func begin(q *dns.Msg) *dns.Msg {
	m := &dns.Msg{Compress: true}
	m.Id, m.Opcode, m.RecursionDesired, m.Response = q.Id, q.Opcode, q.RecursionDesired, true
	if len(q.Question) == 1 {
		m.Question = []dns.Question{q.Question[0]}
	}
	return m
}

// refusal is the code of a message that asks nothing we could look up.
func refusal(q *dns.Msg, e edns) int {
	switch {
	case q.Opcode != dns.OpcodeQuery:
		return refusedOpcode(q.Opcode)
	case len(q.Question) != 1: // RFC 9619
		return dns.RcodeFormatError
	case e.malformed:
		return dns.RcodeFormatError
	case e.version > 0:
		return dns.RcodeBadVers
	}
	return refusedQuestion(q.Question[0])
}

// refusedOpcode: NOTIFY and UPDATE are known and not for us (RFC 1996,
// section 3.10; RFC 2136, section 3.3); the rest is unknown.
func refusedOpcode(op int) int {
	if op == dns.OpcodeNotify || op == dns.OpcodeUpdate {
		return dns.RcodeRefused
	}
	return dns.RcodeNotImplemented
}

// refusedQuestion knows the types and classes that are no data (RFC 6895,
// sections 3.1 and 3.2). Class ANY is taken as IN, of which there is only one.
func refusedQuestion(ask dns.Question) int {
	switch ask.Qtype {
	case dns.TypeNone, dns.TypeOPT, dns.TypeTSIG, dns.TypeTKEY:
		return dns.RcodeFormatError
	case dns.TypeAXFR, dns.TypeIXFR: // the zone differs from answer to answer: there is nothing to transfer
		return dns.RcodeNotImplemented
	}
	switch ask.Qclass {
	case dns.ClassINET, dns.ClassANY:
		return dns.RcodeSuccess
	case 0:
		return dns.RcodeFormatError
	}
	return dns.RcodeRefused
}

// fill answers from t.
func (t *Table) fill(m *dns.Msg, next draw) picks {
	switch {
	case t == nil:
		m.Rcode = dns.RcodeServerFailure
		return picks{}
	case !within(fold(m.Question[0].Name), t.zone): // no way up is shown
		m.Rcode = dns.RcodeRefused
		return picks{}
	}
	m.Authoritative = true
	return t.follow(m, next)
}

// follow looks the name up, and what it is an alias of, while that is in the
// zone (RFC 1034, section 4.3.2). The code is that of the last name (RFC 6604).
func (t *Table) follow(m *dns.Msg, next draw) picks {
	ask := m.Question[0]
	name := ask.Name
	for range maxChain + 1 {
		o := t.names[fold(name)]
		if o == nil {
			m.Rcode = dns.RcodeNameError // nothing is below it either (RFC 8020)
			t.deny(m)
			return picks{}
		}
		if o.alias == nil || ask.Qtype == dns.TypeCNAME {
			return t.data(m, o, name, next)
		}
		m.Answer = append(m.Answer, named(o.alias, name))
		name = o.alias.Target
		if ask.Qtype == dns.TypeANY || !within(fold(name), t.zone) {
			break // ANY stops at an alias (RFC 8482, section 4.2); others know the rest
		}
	}
	return picks{}
}

// data answers with what o has of the type asked for, or denies it.
func (t *Table) data(m *dns.Msg, o *owner, name string, next draw) (got picks) {
	typ := m.Question[0].Qtype
	apex := o == t.names[t.zone]
	before := len(m.Answer)
	switch {
	case typ == dns.TypeANY && len(o.sets) > 0:
		m.Answer = append(m.Answer, t.minimal(name))
	case typ == dns.TypeCNAME && o.alias != nil:
		m.Answer = append(m.Answer, named(o.alias, name))
	case apex && (typ == dns.TypeA || typ == dns.TypeAAAA):
		got = t.weighted(m, name, typ == dns.TypeAAAA, next)
	default:
		for _, rr := range o.sets[typ] {
			m.Answer = append(m.Answer, named(rr, name))
		}
	}
	switch {
	case len(m.Answer) == before:
		t.deny(m)
	case apex && typ == dns.TypeNS:
		m.Extra = t.glue(o.sets[typ])
	}
	return got
}

// weighted answers with the addresses of the nodes that the number leads to.
func (t *Table) weighted(m *dns.Msg, name string, six bool, next draw) (got picks) {
	p := &t.pools[0]
	if six {
		p = &t.pools[1]
	}
	if len(p.members) == 0 {
		return got
	}
	got.six = six
	a := next(six)
	h := t.header(name, familyType(six))
	var room [maxAnswers]int
	for _, i := range p.wheel.pick(room[:0], a.Number, a.Minute) {
		g := &p.members[i]
		rr := address(h, g.addrs[turn(a.Number, len(g.addrs))])
		if listed(m.Answer, rr) { // two nodes that claim one address (RFC 2181, section 5.5)
			continue
		}
		m.Answer = append(m.Answer, rr)
		got.at[got.n] = g.node
		got.n++
	}
	return got
}

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

// deny says for how long a name or type may be believed missing (RFC 2308,
// section 3). The owner repeats the letters of the question.
func (t *Table) deny(m *dns.Msg) {
	asked := m.Question[0].Name
	for _, rr := range t.names[t.zone].sets[dns.TypeSOA] {
		m.Ns = append(m.Ns, named(rr, asked[len(asked)-len(t.zone):]))
	}
}

// glue is the addresses of name servers, all of them: who looks for a server
// must not be sent where the work should go.
func (t *Table) glue(servers []dns.RR) (out []dns.RR) {
	for _, rr := range servers {
		host := rr.(*dns.NS).Ns
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
			for _, a := range t.names[host].sets[typ] {
				out = append(out, dns.Copy(a))
			}
		}
	}
	return out
}

// named copies rr for an owner spelled as asked, so that names in the reply
// compress to the question (0x20).
func named(rr dns.RR, owner string) dns.RR {
	rr = dns.Copy(rr)
	rr.Header().Name = owner
	return rr
}
