package dnsrr

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// farm is three nodes of one share; ex03 has no IPv6. More may be changed.
func farm(change ...func(*Set)) Set {
	s := Set{
		Zone: "mail.test.", Agent: "ex01", TTL: 20 * time.Second, Serial: 7,
		Targets: []Target{
			{Name: "ex02", Addrs: addrs("192.0.2.2 2001:db8::2"), Share: 1, Why: `ex02 state=up why=a\b"c`},
			{Name: "EX01", Addrs: addrs("192.0.2.1 2001:db8::1"), Share: 1, Why: "ex01 state=up"},
			{Name: "ex03", Addrs: addrs("192.0.2.3"), Share: 1},
		},
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func addrs(s string) (out []netip.Addr) {
	for f := range strings.FieldsSeq(s) {
		out = append(out, netip.MustParseAddr(f))
	}
	return out
}

func records(t testing.TB, lines ...string) Records {
	t.Helper()
	r, err := ParseRecords("mail.test.", lines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compile(t testing.TB, s Set) *Table {
	t.Helper()
	tab, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func ask(name string, typ uint16) *dns.Msg { return new(dns.Msg).SetQuestion(name, typ) }

// brief writes what matters of a reply: code, aa, tc and each record as
// owner, type and data.
func brief(m *dns.Msg) string {
	if m == nil {
		return "silence"
	}
	out := []string{dns.RcodeToString[m.Rcode]}
	if m.Rcode == dns.RcodeBadVers {
		out[0] = "BADVERS"
	}
	if m.Authoritative {
		out[0] += " aa"
	}
	if m.Truncated {
		out[0] += " tc"
	}
	for i, rrs := range [][]dns.RR{m.Answer, m.Ns, m.Extra} {
		for _, rr := range rrs {
			out = append(out, []string{"", "au ", "ad "}[i]+briefRecord(rr))
		}
	}
	return strings.Join(out, "; ")
}

func briefRecord(rr dns.RR) string {
	h := rr.Header()
	switch rr := rr.(type) {
	case *dns.SOA:
		return h.Name + " SOA"
	case *dns.OPT:
		return fmt.Sprintf("OPT v%d size %d do %v options %d", rr.Version(), rr.UDPSize(), rr.Do(), len(rr.Option))
	}
	return h.Name + " " + dns.Type(h.Rrtype).String() + " " + strings.TrimPrefix(rr.String(), h.String())
}

func TestAnswers(t *testing.T) {
	tab := compile(t, farm(func(s *Set) {
		s.Records = records(t,
			"@ MX 10 ex01",
			"_autodiscover._tcp SRV 0 0 443 ex01",
			"autodiscover 60 CNAME mail.test.",
			"www CNAME autodiscover",
			"old CNAME nobody",
			"away CNAME www.example.",
			"spf TXT hello",
		)
	}))
	const soa = "au mail.test. SOA"
	for _, tt := range []struct {
		name, ask string
		typ       uint16
		want      string
	}{
		{"the farm", "mail.test.", dns.TypeA, "NOERROR aa; mail.test. A 192.0.2.1; mail.test. A 192.0.2.2; mail.test. A 192.0.2.3"},
		{"the part of it that has IPv6", "mail.test.", dns.TypeAAAA, "NOERROR aa; mail.test. AAAA 2001:db8::1; mail.test. AAAA 2001:db8::2"},
		{"letters as asked (0x20)", "mAIl.TeSt.", dns.TypeAAAA, "NOERROR aa; mAIl.TeSt. AAAA 2001:db8::1; mAIl.TeSt. AAAA 2001:db8::2"},
		{"the servers, and all their addresses", "mail.test.", dns.TypeNS, "NOERROR aa; mail.test. NS ex01.mail.test.; mail.test. NS ex02.mail.test.; mail.test. NS ex03.mail.test.; " +
			"ad ex01.mail.test. A 192.0.2.1; ad ex01.mail.test. AAAA 2001:db8::1; ad ex02.mail.test. A 192.0.2.2; ad ex02.mail.test. AAAA 2001:db8::2; ad ex03.mail.test. A 192.0.2.3"},
		{"the authority", "mail.test.", dns.TypeSOA, "NOERROR aa; mail.test. SOA"},
		{"static beside", "mail.test.", dns.TypeMX, "NOERROR aa; mail.test. MX 10 ex01.mail.test."},
		{"one node", "Ex01.mail.test.", dns.TypeA, "NOERROR aa; Ex01.mail.test. A 192.0.2.1"},
		{"a node without the family: never NXDOMAIN, that would hide A too", "ex03.mail.test.", dns.TypeAAAA, "NOERROR aa; " + soa},
		{"a type nobody knows", "mail.test.", 300, "NOERROR aa; " + soa},
		{"HTTPS", "mail.test.", dns.TypeHTTPS, "NOERROR aa; " + soa},
		{"KEY", "mail.test.", dns.TypeKEY, "NOERROR aa; " + soa},
		{"TXT of the apex", "mail.test.", dns.TypeTXT, "NOERROR aa; " + soa},
		{"why", "_why.mail.test.", dns.TypeTXT, `NOERROR aa; _why.mail.test. TXT "ex01 state=up"; _why.mail.test. TXT "ex02 state=up why=a\\b\"c"`},
		{"nothing else of why", "_why.mail.test.", dns.TypeA, "NOERROR aa; " + soa},
		{"no such name, the letters of the zone as asked", "nobody.MAIL.test.", dns.TypeA, "NXDOMAIN aa; au MAIL.test. SOA"},
		{"nothing below a node", "a.ex01.mail.test.", dns.TypeA, "NXDOMAIN aa; " + soa},
		{"a service", "_autodiscover._tcp.mail.test.", dns.TypeSRV, "NOERROR aa; _autodiscover._tcp.mail.test. SRV 0 0 443 ex01.mail.test."},
		{"on the way to it (RFC 8020, 9156)", "_tcp.mail.test.", dns.TypeA, "NOERROR aa; " + soa},
		{"ANY of what is only on the way", "_tcp.mail.test.", dns.TypeANY, "NOERROR aa; " + soa},
		{"an alias of the farm", "autodiscover.mail.test.", dns.TypeAAAA, "NOERROR aa; autodiscover.mail.test. CNAME mail.test.; mail.test. AAAA 2001:db8::1; mail.test. AAAA 2001:db8::2"},
		{"an alias of an alias", "WWW.mail.test.", dns.TypeMX, "NOERROR aa; WWW.mail.test. CNAME autodiscover.mail.test.; autodiscover.mail.test. CNAME mail.test.; mail.test. MX 10 ex01.mail.test."},
		{"an alias without the type", "www.mail.test.", dns.TypeTXT, "NOERROR aa; www.mail.test. CNAME autodiscover.mail.test.; autodiscover.mail.test. CNAME mail.test.; " + soa},
		{"the alias itself", "www.mail.test.", dns.TypeCNAME, "NOERROR aa; www.mail.test. CNAME autodiscover.mail.test."},
		{"ANY of an alias", "www.mail.test.", dns.TypeANY, "NOERROR aa; www.mail.test. CNAME autodiscover.mail.test."},
		{"an alias of nothing (RFC 6604)", "old.mail.test.", dns.TypeA, "NXDOMAIN aa; old.mail.test. CNAME nobody.mail.test.; " + soa},
		{"an alias that leads out", "away.mail.test.", dns.TypeA, "NOERROR aa; away.mail.test. CNAME www.example."},
		{"ANY", "mail.test.", dns.TypeANY, `NOERROR aa; mail.test. HINFO "RFC8482" ""`},
		{"ANY of a node", "ex01.mail.test.", dns.TypeANY, `NOERROR aa; ex01.mail.test. HINFO "RFC8482" ""`},
		{"ANY of nobody", "nobody.mail.test.", dns.TypeANY, "NXDOMAIN aa; " + soa},
		{"ANY of a stranger", "example.", dns.TypeANY, "REFUSED"},
		{"a stranger", "example.", dns.TypeA, "REFUSED"},
		{"the parent", "test.", dns.TypeNS, "REFUSED"},
		{"a neighbour that ends alike", "xmail.test.", dns.TypeA, "REFUSED"},
		{"a label with a dot in it", `x\.mail.test.`, dns.TypeA, "REFUSED"},
		{"a label that ends in a backslash", `x\\.mail.test.`, dns.TypeA, "NXDOMAIN aa; " + soa},
		{"a letter that only Unicode folds", "\u212Aail.test.", dns.TypeA, "REFUSED"},
		{"the root", ".", dns.TypeNS, "REFUSED"},
		{"transfer", "mail.test.", dns.TypeAXFR, "REFUSED"},
		{"transfer of changes", "mail.test.", dns.TypeIXFR, "REFUSED"},
		{"OPT is no question", "mail.test.", dns.TypeOPT, "FORMERR"},
		{"nor TSIG", "mail.test.", dns.TypeTSIG, "FORMERR"},
		{"nor nothing", "mail.test.", dns.TypeNone, "FORMERR"},
	} {
		for _, udp := range []bool{true, false} {
			if got := brief(tab.Answer(ask(tt.ask, tt.typ), Asker{}, udp)); got != tt.want {
				t.Errorf("%s, udp %v:\n got %s\nwant %s", tt.name, udp, got, tt.want)
			}
		}
	}
}

// What a query's header, class and OPT do to the reply, and nothing else.
func TestProtocol(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Targets = s.Targets[:1] }))
	const a = "; mail.test. A 192.0.2.2"
	const opt = "; ad OPT v0 size 1232 do false options 0"
	edns := func(m *dns.Msg, size uint16) *dns.OPT { return m.SetEdns0(size, false).IsEdns0() }
	for _, tt := range []struct {
		name   string
		change func(*dns.Msg)
		want   string
	}{
		{"plain", func(*dns.Msg) {}, "NOERROR aa" + a},
		{"TC set", func(m *dns.Msg) { m.Truncated = true }, "NOERROR aa" + a},
		{"an answer", func(m *dns.Msg) { m.Response = true }, "silence"},
		{"IQUERY", func(m *dns.Msg) { m.Opcode = dns.OpcodeIQuery }, "NOTIMP"},
		{"an opcode from the future", func(m *dns.Msg) { m.Opcode = 15; edns(m, 4096) }, "NOTIMP" + opt},
		{"NOTIFY", func(m *dns.Msg) { m.Opcode = dns.OpcodeNotify }, "REFUSED"},
		{"UPDATE", func(m *dns.Msg) { m.Opcode = dns.OpcodeUpdate }, "REFUSED"},
		{"no question", func(m *dns.Msg) { m.Question = nil }, "FORMERR"},
		{"two questions", func(m *dns.Msg) { m.Question = append(m.Question, m.Question[0]) }, "FORMERR"},
		{"class ANY", func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassANY }, "NOERROR aa" + a},
		{"class CH", func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassCHAOS }, "REFUSED"},
		{"class HS", func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassHESIOD }, "REFUSED"},
		{"class 0", func(m *dns.Msg) { m.Question[0].Qclass = 0 }, "FORMERR"},
		{"EDNS", func(m *dns.Msg) { edns(m, 4096) }, "NOERROR aa" + a + opt},
		{"EDNS and an error", func(m *dns.Msg) { edns(m, 4096); m.Question[0].Name = "example." }, "REFUSED; ad OPT v0 size 1232 do false options 1"},
		{"DO", func(m *dns.Msg) { edns(m, 4096).SetDo() }, "NOERROR aa" + a + "; ad OPT v0 size 1232 do true options 0"},
		{"EDNS version 1", func(m *dns.Msg) { edns(m, 4096).SetVersion(1) }, "BADVERS" + opt},
		{"two OPT", func(m *dns.Msg) { edns(m, 4096); edns(m, 4096) }, "FORMERR" + opt},
		{"an OPT that has a name", func(m *dns.Msg) { edns(m, 4096).Hdr.Name = "mail.test." }, "FORMERR" + opt},
		{"options", func(m *dns.Msg) {
			o := edns(m, 4096)
			o.Option = append(o.Option, &dns.EDNS0_LOCAL{Code: 30000, Data: []byte("foo")}, &dns.EDNS0_NSID{Code: dns.EDNS0NSID})
		}, "NOERROR aa" + a + opt},
	} {
		q := ask("mail.test.", dns.TypeA)
		tt.change(q)
		if got := brief(tab.Answer(q, Asker{}, true)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// RFC 1035 and 4035: what is copied from a query, and what must not be.
func TestHeader(t *testing.T) {
	q := ask("mAiL.test.", dns.TypeA)
	q.AuthenticatedData, q.CheckingDisabled, q.RecursionAvailable, q.Zero, q.Authoritative = true, true, true, true, true
	for _, rd := range []bool{true, false} {
		q.RecursionDesired = rd
		got := compile(t, farm()).Answer(q, Asker{}, true).MsgHdr
		want := dns.MsgHdr{Id: q.Id, Response: true, Authoritative: true, RecursionDesired: rd}
		if got != want {
			t.Errorf("header %+v, want %+v", got, want)
		}
	}
}

// A denial must not outlive an answer: clients would fail for longer than the
// farm does (RFC 2308).
func TestDenialsLiveAsLongAsAnswers(t *testing.T) {
	tab := compile(t, farm())
	for _, q := range []*dns.Msg{ask("mail.test.", dns.TypeMX), ask("nobody.mail.test.", dns.TypeA)} {
		soa := tab.Answer(q, Asker{}, true).Ns[0].(*dns.SOA)
		if soa.Hdr.Ttl != 20 || soa.Minttl != 20 {
			t.Errorf("SOA ttl %d, minimum %d, want 20 and 20", soa.Hdr.Ttl, soa.Minttl)
		}
	}
}

// ANY must be of no use to who forges a sender's address.
func TestAnyIsSmall(t *testing.T) {
	tab := compile(t, farm())
	for _, name := range []string{"mail.test.", "ex01.mail.test.", "nobody.mail.test.", "example."} {
		q := ask(name, dns.TypeANY)
		if got, most := tab.Answer(q, Asker{}, true).Len(), q.Len()+100; got > most {
			t.Errorf("%s: %d octets, want at most %d", name, got, most)
		}
	}
}

// An answer to ANY that no cache keeps would be asked for again and again
// (RFC 8482, section 4.2), whatever the farm's own TTL.
func TestAnyIsKept(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.TTL = 0 }))
	if got := tab.Answer(ask("mail.test.", dns.TypeANY), Asker{}, true).Answer[0].Header().Ttl; got == 0 {
		t.Error("ttl 0, want more")
	}
}

// Of a reply nothing is shared with the table: a caller may do with it as he
// likes.
func TestRepliesAreTheCallers(t *testing.T) {
	tab := compile(t, farm())
	for _, typ := range []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeMX} {
		before := brief(tab.Answer(ask("mail.test.", typ), Asker{}, true))
		m := tab.Answer(ask("mail.test.", typ), Asker{}, true)
		for _, rr := range slices.Concat(m.Answer, m.Ns, m.Extra) {
			rr.Header().Name = "spoilt."
			if a, ok := rr.(*dns.A); ok {
				a.A[0] = 0
			}
		}
		if after := brief(tab.Answer(ask("mail.test.", typ), Asker{}, true)); after != before {
			t.Errorf("%s: %s, was %s", dns.Type(typ), after, before)
		}
	}
}

func TestNothingPublishedIsServfail(t *testing.T) {
	var none *Table
	for want, q := range map[string]*dns.Msg{
		"SERVFAIL": ask("mail.test.", dns.TypeA),
		"SERVFAIL; ad OPT v0 size 1232 do false options 1": ask("mail.test.", dns.TypeA).SetEdns0(4096, false),
	} {
		if got := brief(none.Answer(q, Asker{}, true)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
