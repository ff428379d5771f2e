package dnsrr

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Q5: a type that nobody here knows is a type that is not there.
func TestQ5UnknownTypesAreNodata(t *testing.T) {
	s := serverOf(t, rich(t), Options{})
	has := []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeMX, dns.TypeANY}
	odd := []uint16{dns.TypeNone, dns.TypeOPT, dns.TypeTSIG, dns.TypeTKEY, dns.TypeAXFR, dns.TypeIXFR, typeNXNAME}
	for typ := range uint16(1100) {
		if slices.Contains(has, typ) || slices.Contains(odd, typ) {
			continue
		}
		if got, want := brief(told(t, s, ask("mail.test.", typ), overUDP)), "NOERROR aa; au mail.test. SOA"; got != want {
			t.Errorf("type %d: %s, want %s", typ, got, want)
		}
	}
	if got := brief(told(t, s, ask("mail.test.", 65280), overUDP)); got != "NOERROR aa; au mail.test. SOA" {
		t.Errorf("a private type: %s", got)
	}
}

func TestQ6TypesThatAreNoData(t *testing.T) {
	open := Options{Transfer: Transfer{Allow: []netip.Prefix{netip.PrefixFrom(someone.Addr(), 32)}}}
	for _, tt := range []struct {
		name string
		typ  uint16
		o    Options
		want string
	}{
		{"none", dns.TypeNone, Options{}, "FORMERR"},
		{"OPT", dns.TypeOPT, Options{}, "FORMERR"},
		{"TSIG", dns.TypeTSIG, Options{}, "FORMERR"},
		{"TKEY", dns.TypeTKEY, Options{}, "FORMERR"},
		{"NXNAME", typeNXNAME, Options{}, "FORMERR"},
		{"AXFR of a stranger", dns.TypeAXFR, Options{}, "REFUSED"},
		{"IXFR of a stranger", dns.TypeIXFR, Options{}, "REFUSED"},
		{"AXFR over UDP", dns.TypeAXFR, open, "NOTIMP"},
		{"IXFR over UDP", dns.TypeIXFR, open, "NOERROR aa; mAil.test. SOA"},
	} {
		if got := brief(told(t, serverOf(t, farm(), tt.o), ask("mAil.test.", tt.typ), overUDP)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// N1: denials carry the SOA of the apex, and live as long as an answer, also
// where answers may live longer at other times.
func TestN1DenialsCarryTheSOA(t *testing.T) {
	for _, longest := range []time.Duration{0, time.Second, time.Minute} {
		s := serverOf(t, rich(t, func(s *Set) { s.MaxTTL = longest }), Options{})
		for name, typ := range map[string]uint16{
			"mail.test.": dns.TypeTXT, "nobody.mail.test.": dns.TypeA, "b.c.mail.test.": dns.TypeA,
			"ex03.mail.test.": dns.TypeAAAA, "imap.mail.test.": dns.TypeMX, "x.wild.mail.test.": dns.TypeMX, "old.mail.test.": dns.TypeA,
		} {
			m := told(t, s, ask(name, typ), overUDP)
			if len(m.Ns) != 1 {
				t.Fatalf("%s: %s", name, brief(m))
			}
			soa, ok := m.Ns[0].(*dns.SOA)
			if !ok || soa.Hdr.Name != "mail.test." || min(soa.Hdr.Ttl, soa.Minttl) != 20 {
				t.Errorf("%s, at most %v: %v, want the SOA for 20 s", name, longest, m.Ns[0])
			}
		}
	}
}

func TestN2WhatIsAboveANameExists(t *testing.T) {
	s := serverOf(t, rich(t), Options{})
	for name, want := range map[string]int{
		"a.b.c.mail.test.": 0, "b.c.mail.test.": 0, "c.mail.test.": 0, "x.c.mail.test.": 3, "x.a.b.c.mail.test.": 3, "a.b.mail.test.": 3,
		"_tcp.mail.test.": 0, "_udp.mail.test.": 3, "x._imaps._tcp.mail.test.": 3, "_why.mail.test.": 0, "x._why.mail.test.": 3,
		"x.ex01.mail.test.": 3, "x.imap.mail.test.": 3,
	} {
		if got := told(t, s, ask(name, dns.TypeA), overUDP).Rcode; got != want {
			t.Errorf("%s: code %d, want %d", name, got, want)
		}
	}
}

// N3: a resolver that asks for one label after the other must not be told that
// there is nothing below (RFC 9156).
func TestN3EveryStepOnTheWayExists(t *testing.T) {
	s := serverOf(t, rich(t), Options{})
	for _, name := range []string{"_imaps._tcp.mail.test.", "a.b.c.mail.test.", "deep.host.wild.mail.test.", "imap.mail.test."} {
		for at := name; at != "test."; at = parent(at) {
			for _, typ := range []uint16{dns.TypeA, dns.TypeNS} {
				if got := told(t, s, ask(at, typ), overUDP).Rcode; got != dns.RcodeSuccess {
					t.Errorf("%s %s: code %d", at, dns.Type(typ), got)
				}
			}
		}
	}
}

// N4: one family alone is no reason to deny the name (RFC 4074).
func TestN4OneFamilyAlone(t *testing.T) {
	for _, as := range []string{"192.0.2.1", "2001:db8::1"} {
		s := serverOf(t, farm(func(s *Set) {
			s.Targets = []Target{{Name: "ex01", Addrs: addrs(as), Share: 1}}
			s.Services = []Service{{Name: "imap"}}
		}), Options{})
		for _, name := range []string{"mail.test.", "ex01.mail.test.", "imap.mail.test."} {
			for _, six := range []bool{false, true} {
				want := "NOERROR aa; au mail.test. SOA"
				if netip.MustParseAddr(as).Is6() == six {
					want = fmt.Sprintf("NOERROR aa; %s %s %s", name, dns.Type(familyType(six)), as)
				}
				if got := brief(told(t, s, ask(name, familyType(six)), overUDP)); got != want {
					t.Errorf("only %s: %s, want %s", as, got, want)
				}
			}
		}
	}
}

// N5: caches keep a failure; nothing of the farm is one.
func TestN5NoStateOfTheFarmIsAFailure(t *testing.T) {
	for name, change := range map[string]func(*Set){
		"nobody":      func(s *Set) { s.Targets = nil },
		"all dead":    func(s *Set) { each(s, func(g *Target) { g.Gone = true }) },
		"no share":    func(s *Set) { each(s, func(g *Target) { g.Share = 0 }) },
		"no address":  func(s *Set) { each(s, func(g *Target) { g.Addrs = nil }) },
		"no service":  func(s *Set) { each(s, func(g *Target) { g.Lacks = []string{"IMAP", "smtp"} }) },
		"no lifetime": func(s *Set) { s.TTL = 0 },
	} {
		for _, sign := range []bool{false, true} {
			set := rich(t, change)
			if sign {
				set.Signer = signerOf(t)
			}
			s := serverOf(t, set, Options{})
			for _, q := range []string{"mail.test.", "imap.mail.test.", "smtp.mail.test.", "_imaps._tcp.mail.test.", "_why.mail.test."} {
				for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeSRV, dns.TypeNS, dns.TypeANY, dns.TypeTXT} {
					if m := told(t, s, secureAsk(q, typ), overUDP); m.Rcode != dns.RcodeSuccess || len(m.Answer)+len(m.Ns) == 0 {
						t.Errorf("%s: %s %s: %s", name, q, dns.Type(typ), brief(m))
					}
				}
			}
		}
	}
}

func each(s *Set, change func(*Target)) {
	s.Targets = slices.Clone(s.Targets)
	for i := range s.Targets {
		change(&s.Targets[i])
	}
}

func TestR1OneTTLAndNoRecordTwice(t *testing.T) {
	tab := compile(t, rich(t, func(s *Set) {
		s.Targets[0].Addrs = addrs("192.0.2.1 192.0.2.2 2001:db8::1") // shared with another node
		s.Signer = signerOf(t)
	}))
	for name := range tab.names {
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSRV, dns.TypeTXT, dns.TypeDNSKEY, dns.TypeCDS, dns.TypeANY} {
			m := tab.Answer(secureAsk(name, typ), Asker{Now: noon}, false)
			sets, _ := setsOf(slices.Concat(m.Answer, m.Extra))
			for _, set := range sets {
				for i, rr := range set {
					if rr.Header().Ttl != set[0].Header().Ttl || rr.Header().Ttl > maxTTL || listed(set[:i], rr) {
						t.Errorf("%s %s: %v in %v", name, dns.Type(typ), rr, set)
					}
				}
			}
		}
	}
}

func TestR2AliasesAreFollowedInTheZone(t *testing.T) {
	s := serverOf(t, rich(t, func(s *Set) { s.Targets = s.Targets[:1] }), Options{})
	for _, tt := range []struct {
		name string
		typ  uint16
		want string
	}{
		{"www.mail.test.", dns.TypeA, "NOERROR aa; www.mail.test. CNAME mail.test.; mail.test. A 192.0.2.2"},
		{"www.mail.test.", dns.TypeCNAME, "NOERROR aa; www.mail.test. CNAME mail.test."},
		{"www.mail.test.", dns.TypeTXT, "NOERROR aa; www.mail.test. CNAME mail.test.; au mail.test. SOA"},
		{"old.mail.test.", dns.TypeA, "NXDOMAIN aa; old.mail.test. CNAME nobody.mail.test.; au mail.test. SOA"},
		{"away.mail.test.", dns.TypeA, "NOERROR aa; away.mail.test. CNAME www.example."},
		{"x.alias.mail.test.", dns.TypeA, "NOERROR aa; x.alias.mail.test. CNAME www.mail.test.; www.mail.test. CNAME mail.test.; mail.test. A 192.0.2.2"},
		{"www.mail.test.", dns.TypeANY, "NOERROR aa; www.mail.test. CNAME mail.test."},
	} {
		if got := brief(told(t, s, ask(tt.name, tt.typ), overUDP)); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.name, dns.Type(tt.typ), got, tt.want)
		}
	}
}

// A wildcard's alias may name a node that has left, and so itself.
func TestR2AWildcardThatLeadsToItselfEnds(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) { s.Records = records(t, "* CNAME ex09") }), Options{})
	want := "NOERROR aa; x.mail.test. CNAME ex09.mail.test.; ex09.mail.test. CNAME ex09.mail.test."
	if got := brief(told(t, s, ask("x.mail.test.", dns.TypeA), overUDP)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// R3: the examples of RFC 4592, section 2.2.1, by their structure, but for names
// below an asterisk, which are not taken.
func TestR3WildcardsStandForWhatIsNotThere(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) {
		s.Records = records(t, "*.example TXT wild", "*.example MX 10 ex01", "host1.example A 203.0.113.1",
			"_ssh._tcp.host1.example SRV 0 0 22 ex01", "_ssh._tcp.host2.example SRV 0 0 22 ex01")
	}), Options{})
	const nodata, missing = "NOERROR aa; au mail.test. SOA", "NXDOMAIN aa; au mail.test. SOA"
	for _, tt := range []struct {
		name string
		typ  uint16
		want string
	}{
		{"host3.example", dns.TypeMX, "NOERROR aa; host3.example.mail.test. MX 10 ex01.mail.test."},
		{"host3.example", dns.TypeA, nodata},
		{"foo.bar.example", dns.TypeTXT, `NOERROR aa; foo.bar.example.mail.test. TXT "wild"`},
		{"host1.example", dns.TypeMX, nodata},
		{"_telnet._tcp.host1.example", dns.TypeSRV, missing},
		{"host.host1.example", dns.TypeTXT, missing},
		{"host2.example", dns.TypeTXT, nodata},
		{"ghost.*.example", dns.TypeMX, missing},
		{"*.example", dns.TypeTXT, `NOERROR aa; *.example.mail.test. TXT "wild"`},
		{"example", dns.TypeTXT, nodata},
	} {
		if got := brief(told(t, s, ask(tt.name+".mail.test.", tt.typ), overUDP)); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.name, dns.Type(tt.typ), got, tt.want)
		}
	}
}

func TestR4AnyIsOneSmallRecord(t *testing.T) {
	s := serverOf(t, rich(t), Options{})
	for name, want := range map[string]string{
		"mail.test.":             `NOERROR aa; mail.test. HINFO "RFC8482" ""`,
		"ex01.mail.test.":        `NOERROR aa; ex01.mail.test. HINFO "RFC8482" ""`,
		"imap.mail.test.":        `NOERROR aa; imap.mail.test. HINFO "RFC8482" ""`,
		"_imaps._tcp.mail.test.": `NOERROR aa; _imaps._tcp.mail.test. HINFO "RFC8482" ""`,
		"x.wild.mail.test.":      `NOERROR aa; x.wild.mail.test. HINFO "RFC8482" ""`,
		"_tcp.mail.test.":        "NOERROR aa; au mail.test. SOA",
		"nobody.mail.test.":      "NXDOMAIN aa; au mail.test. SOA",
		"example.":               "REFUSED",
	} {
		for _, tr := range []transport{overUDP, overTCP} {
			q := ask(name, dns.TypeANY)
			m := told(t, s, q, tr)
			if got := brief(m); got != want || m.Len() > q.Len()+100 {
				t.Errorf("%s over %s: %s of %d octets, want %s", name, tr, got, m.Len(), want)
			}
		}
	}
}

// R5: the weights of SRV are the shares, as exactly as 16 bits can have them, of
// one priority; who has a share is never of weight 0, who has none is not there.
func TestR5ServiceWeightsAreTheShares(t *testing.T) {
	shares := []float64{1, 0.5, 1.0 / 3, 1e-9, 0}
	set := farm(func(s *Set) {
		s.Targets = nil
		for i, p := range shares {
			s.Targets = append(s.Targets, Target{Name: fmt.Sprintf("ex%d", i), Share: p, Addrs: addrs(fmt.Sprintf("192.0.2.%d", i+1))})
		}
		s.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp", "_IMAP._tcp"}}}
	})
	for _, name := range []string{"_imaps._tcp.mail.test.", "_imap._tcp.mail.test."} {
		m := told(t, serverOf(t, set, Options{}), ask(name, dns.TypeSRV), overUDP)
		if len(m.Answer) != 4 {
			t.Fatalf("%s, want those with a share", brief(m))
		}
		for i, rr := range m.Answer {
			srv := rr.(*dns.SRV)
			want := max(1, math.Round(65535*shares[i]))
			if float64(srv.Weight) != want || srv.Priority != 0 || srv.Port != 993 || srv.Target != fmt.Sprintf("ex%d.mail.test.", i) {
				t.Errorf("%v, want weight %v", srv, want)
			}
		}
	}
}
