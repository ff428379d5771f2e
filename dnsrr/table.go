// Package dnsrr answers for a zone with weighted round robin over DNS.
//
// A [Set] says what to answer; [Compile] makes a [Table] of it, which never
// changes and knows every answer; a [Server] holds the current one and talks
// to the network.
//
// Start with [Compile] and [Table.Answer]; pick.go holds the law by which
// shares become answers, answer.go the rules of the protocol.
package dnsrr

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/dnssec"
)

// A Set is all that a zone answers, before compiling.
type Set struct {
	Zone    string        // fully qualified, any case
	Agent   string        // this agent's node name; with the asker it starts the sequence
	TTL     time.Duration // of every record; 0..2^31-1 s, cut to whole seconds
	MaxTTL  time.Duration // the longest that TTL may become: signatures are made for it; 0 = TTL
	Answers int           // 0 = auto, as many addresses as exact shares allow, up to 8; 1..8 = at most so many
	Serial  uint32        // of the SOA; must never fall (RFC 1982)
	Targets []Target      // one a node, any order, at most 1024
	Records Records       // further records; those with a TTL of their own keep it

	Services []Service      // protocols with names of their own, at most 32
	Signer   *dnssec.Signer // of the same zone; nil = it is not signed
}

// A Service is a protocol that is judged apart. NAME.<zone> answers like the
// apex, from the nodes that carry it; each name of SRV has one record a node
// (RFC 2782), weighted by the same shares.
type Service struct {
	Name string   // one DNS label, unique in any case, no leading underscore
	Port uint16   // of the SRV records
	SRV  []string // relative to the zone, such as _imaps._tcp (RFC 6186)
}

// A Target is one node. NODE.<zone> answers with its addresses, unweighted.
type Target struct {
	Name  string       // one DNS label, unique in any case, no leading underscore
	Addrs []netip.Addr // an answer holds one of each family; those of one node share its share
	Share float64      // of all new work, 0..1; only the proportions matter, they need not sum to 1
	Gone  bool         // dead: never answered at the apex, not an NS
	Fair  float64      // its share by capacity alone, as Share, which a secondary is given
	Lacks []string     // services that it does not carry now
	Why   string       // its string of _why.<zone> TXT, cut at 255 octets; empty is left out
}

// A Table is a compiled [Set]. It is safe for any number of readers, because
// it has no writers. A nil Table knows nothing yet, and answers SERVFAIL.
type Table struct {
	zone    string // folded
	agent   uint64 // hash of the name
	serial  uint32
	ttl     uint32 // s
	longest uint32 // s, what ttl may become
	names   map[string]*owner
	nodes   []string
	set     Set // what it was made of

	wire     index // names
	zoneWire []byte
	wild     bool // there are wildcards
	outside  body // of what is not in the zone
	denial   denial
	absent   *absences // nil: nothing is signed
	hidden   []string
	signer   *dnssec.Signer
}

// A pool is the nodes that have addresses of one family, and their wheel.
type pool struct {
	wheel   wheel
	members []member
	packed  addressRecords // of all members, one after the other
	claimed bool           // two nodes claim one address
	signed  signedSets     // nil: nothing is signed
}

type member struct {
	node  int // index in Table.nodes
	addrs []netip.Addr
	first int // of addrs, in packed
}

// Compile builds a Table. It refuses what a server could not answer well, all
// mistakes joined: an unusable zone or TTL, nodes that are no label or listed
// twice, shares that are negative or no number, addresses that no client could
// use, records of another zone.
//
// A and AAAA are each weighed among the nodes that have that family. Nodes
// without a share are not answered, unless no node that lives has one: then
// all of those are, evenly. A family that no node with a share has is NODATA.
func Compile(s Set) (*Table, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	targets := slices.Clone(s.Targets)
	slices.SortFunc(targets, func(a, b Target) int { return strings.Compare(fold(a.Name), fold(b.Name)) })
	t := &Table{
		zone:    fold(s.Zone),
		agent:   hashName(fold(s.Agent)),
		serial:  s.Serial,
		ttl:     uint32(s.TTL / time.Second),
		longest: uint32(max(s.TTL, s.MaxTTL) / time.Second),
		names:   make(map[string]*owner, 2*len(targets)+len(s.Records.rrs)+2*len(s.Services)+2),
		set:     s,
	}
	t.addApex(s, targets)
	for _, g := range targets {
		t.addNode(g)
	}
	for _, v := range s.Services {
		t.addService(v, targets, s.Answers)
	}
	t.addKeys(s.Signer)
	t.addRecords(s.Records)
	slices.Sort(t.hidden)
	t.hidden = slices.Compact(t.hidden)
	return t, t.addWire()
}

// Zone returns the zone that t answers for, in small letters.
func (t *Table) Zone() string { return t.zone }

// Hidden returns, sorted, the names that stand for something else than was said:
// of static A, AAAA, CNAME and SRV records that the name of a node or a service
// hides, and of services that the name of a node hides. Nodes come and go, and
// must not make the zone unusable. Whoever publishes t should say so, once.
func (t *Table) Hidden() []string { return slices.Clone(t.hidden) }

// addApex adds what the zone says of itself, and the parent of _why. The SOA
// names the lowest node, dead or not, so that equal serials mean equal SOAs.
func (t *Table) addApex(s Set, sorted []Target) {
	mname := t.zone
	if len(sorted) > 0 {
		mname = t.nameOf(sorted[0])
	}
	t.add(&dns.SOA{
		Hdr: t.header(t.zone, dns.TypeSOA), Ns: mname, Mbox: "hostmaster." + t.zone, Serial: s.Serial,
		Refresh: 14400, Retry: 3600, Expire: 604800, // a secondary is told by NOTIFY, and checkers ask for such values
		Minttl: t.longest, // a denial lives as long as the SOA that comes with it, and no longer (RFC 2308, section 5)
	})
	t.exist(t.zone).farm = t.weigh(t.zone, sorted, living(sorted), s.Answers, 0)
	for _, g := range sorted {
		if !g.Gone && len(g.Addrs) > 0 {
			t.add(&dns.NS{Hdr: t.header(t.zone, dns.TypeNS), Ns: t.nameOf(g)})
		}
	}
	t.exist(whyLabel + "." + t.zone)
}

// addNode adds the node's own name, and its line of _why.
func (t *Table) addNode(g Target) {
	own := t.nameOf(g)
	t.nodes = append(t.nodes, g.Name)
	t.exist(own).node = true
	for _, six := range []bool{false, true} {
		for _, a := range family(g.Addrs, six) {
			t.add(address(t.header(own, familyType(six)), a))
		}
	}
	if g.Why != "" {
		h := t.header(whyLabel+"."+t.zone, dns.TypeTXT)
		h.Ttl = min(h.Ttl, whyTTL)
		t.add(&dns.TXT{Hdr: h, Txt: []string{escape(g.Why)}})
	}
}

// escape is text as one string of a TXT record, cut to what that holds.
func escape(text string) string {
	return strings.ReplaceAll(text[:min(255, len(text))], `\`, `\\`)
}

// addRecords adds the static ones, but for those that the name of a node or a
// service hides.
func (t *Table) addRecords(r Records) {
	for _, rr := range r.rrs {
		h := rr.Header()
		if o := t.names[h.Name]; o != nil && o.hides(h.Rrtype) {
			t.hidden = append(t.hidden, h.Name)
			continue
		}
		rr = dns.Copy(rr)
		if h := rr.Header(); h.Ttl == unsetTTL {
			h.Ttl = t.ttl
		}
		t.add(rr)
	}
}

// addWire prepares what answers octets with octets.
func (t *Table) addWire() error {
	t.wire = newIndex(len(t.names))
	if t.signer != nil {
		t.absent = newAbsences()
	}
	var room [256]byte
	for name, o := range t.names {
		n, err := dns.PackDomainName(name, room[:], 0, nil, false)
		if err != nil {
			return fmt.Errorf("name %q: %w", name, err)
		}
		octets := bytes.Clone(room[:n])
		t.wire.put(octets, o)
		t.wild = t.wild || name[0] == '*'
		if name == t.zone {
			t.zoneWire = octets
		}
	}
	x := exchange{t: t, m: &dns.Msg{Compress: true, Question: []dns.Question{{Name: t.zone, Qtype: dns.TypeNone}}}}
	x.refuseOutside()
	t.outside = x.body()
	x.m.Ns = t.names[t.zone].sets[dns.TypeSOA]
	t.denial = denialOf(x.body())
	return nil
}

func (t *Table) nameOf(g Target) string { return fold(g.Name) + "." + t.zone }

func (t *Table) header(name string, typ uint16) dns.RR_Header {
	return dns.RR_Header{Name: name, Rrtype: typ, Class: dns.ClassINET, Ttl: t.ttl}
}
