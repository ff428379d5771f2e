package dnsrr

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// Whatever nodes lack: a service is answered from those that live, have a share
// and carry it; from all that live and carry it if none of them has a share; as
// the apex if nobody carries it; and never from nobody while somebody lives.
func TestAnyServiceIsAnsweredWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawFarm(t)
		s.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}, {Name: "smtp"}}
		for i := range s.Targets {
			s.Targets[i].Lacks = rapid.SampledFrom([][]string{nil, nil, {"IMAP"}, {"smtp"}, {"imap", "smtp"}, {"pop"}}).Draw(t, "lacks")
		}
		tab, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		a := Asker{rapid.Uint64().Draw(t, "number"), noon}
		there := carriers(s, "imap")
		for _, six := range []bool{false, true} {
			var may []netip.Addr
			for _, g := range there {
				may = append(may, family(g.Addrs, six)...)
			}
			m := tab.Answer(ask("imap.mail.test.", familyType(six)), a, true)
			if m.Rcode != dns.RcodeSuccess || (len(m.Answer) == 0) != (len(may) == 0) {
				t.Fatalf("%s, while %v may be answered", brief(m), may)
			}
			checkMembers(t, m, may)
		}
		m := tab.Answer(ask("_imaps._tcp.mail.test.", dns.TypeSRV), a, false)
		if len(m.Answer) != len(there) {
			t.Fatalf("%s, want %d nodes", brief(m), len(there))
		}
		for i, rr := range m.Answer {
			if srv := rr.(*dns.SRV); srv.Weight == 0 || !slices.ContainsFunc(there, func(g Target) bool { return tab.nameOf(g) == srv.Target }) {
				t.Fatalf("record %d: %v", i, srv)
			}
		}
	})
}

// carriers says in plain words who stands for a service.
func carriers(s Set, name string) []Target {
	only := func(gs []Target, keep func(Target) bool) (out []Target) {
		for _, g := range gs {
			if keep(g) {
				out = append(out, g)
			}
		}
		return out
	}
	live := only(s.Targets, func(g Target) bool { return !g.Gone && len(g.Addrs) > 0 })
	carry := only(live, func(g Target) bool {
		return !slices.ContainsFunc(g.Lacks, func(l string) bool { return strings.EqualFold(l, name) })
	})
	if len(carry) == 0 {
		carry = live
	}
	if shared := only(carry, func(g Target) bool { return g.Share > 0 }); len(shared) > 0 {
		return shared
	}
	return carry
}

// Shares count anew among those that carry the service, and A and AAAA name the
// same nodes in the same order.
func TestSharesOfAService(t *testing.T) {
	set := farm(func(s *Set) {
		s.Services = []Service{{Name: "imap"}}
		s.Targets = []Target{
			{Name: "a", Share: 0.1, Addrs: addrs("192.0.2.1 2001:db8::1")}, {Name: "b", Share: 0.3, Addrs: addrs("192.0.2.2 2001:db8::2")},
			{Name: "c", Share: 0.6, Addrs: addrs("192.0.2.3 2001:db8::3"), Lacks: []string{"imap"}},
		}
	})
	s := serverOf(t, set, Options{})
	got := map[string]int{}
	for i := range 1000 {
		four, six := told(t, s, ask("imap.mail.test.", dns.TypeA), overUDP), told(t, s, ask("imap.mail.test.", dns.TypeAAAA), overUDP)
		x, y := lastDigits(four), lastDigits(six)
		if x != y {
			t.Fatalf("answer %d: A names %s, AAAA %s", i, x, y)
		}
		got[x[:1]]++
	}
	for node, want := range map[string]int{"1": 250, "2": 750, "3": 0} {
		if math.Abs(float64(got[node]-want)) > 3 {
			t.Errorf("node %s: %d of 1000, want %d", node, got[node], want)
		}
	}
}

func lastDigits(m *dns.Msg) (out string) {
	for _, rr := range m.Answer {
		text := rr.String()
		out += text[len(text)-1:]
	}
	return out
}

// What is asked of one name leaves no hole in the sequence of another, whatever
// the order in which names and families are asked.
func TestSequencesAreByName(t *testing.T) {
	set := farm(func(s *Set) {
		s.Services = []Service{{Name: "imap"}, {Name: "smtp"}}
		s.Targets = s.Targets[:2]
		s.Targets[0].Share = 3
		s.Answers = 1
	})
	alone := func(name string, typ uint16) (out []string) {
		s := serverOf(t, set, Options{})
		for range 60 {
			out = append(out, lastDigits(told(t, s, ask(name, typ), overUDP)))
		}
		return out
	}
	type question struct {
		name string
		typ  uint16
	}
	all := []question{{"mail.test.", dns.TypeA}, {"imap.mail.test.", dns.TypeA}, {"mail.test.", dns.TypeAAAA}, {"smtp.mail.test.", dns.TypeAAAA}, {"imap.mail.test.", dns.TypeAAAA}}
	mixed := map[question][]string{}
	s := serverOf(t, set, Options{})
	for i := range 60 {
		for j := range all {
			q := all[(i*7+j*3)%len(all)] // another order each round
			mixed[q] = append(mixed[q], lastDigits(told(t, s, ask(q.name, q.typ), overUDP)))
		}
	}
	starts := map[string]bool{}
	for _, q := range all {
		want := alone(q.name, q.typ)
		if !slices.Equal(mixed[q], want) {
			t.Errorf("%s %s among others %v\nand alone %v", q.name, dns.Type(q.typ), mixed[q], want)
		}
		starts[strings.Join(want, "")] = true
	}
	if len(starts) != 3 {
		t.Errorf("%d sequences, want one a name", len(starts))
	}
}

// A node that has the name of a service, or of its SRV records, keeps its own.
func TestNodesHideServices(t *testing.T) {
	tab := compile(t, farm(func(s *Set) {
		s.Services = []Service{{Name: "EX02", Port: 1, SRV: []string{"ex01"}}, {Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}}
		s.Records = records(t, "imap A 203.0.113.1", "imap TXT kept", "_imaps._tcp SRV 0 0 1 ex01", "_imaps._tcp TXT kept")
		s.Targets = s.Targets[:2]
		s.Targets[0].Share = 0
	}))
	for _, tt := range []struct {
		name string
		typ  uint16
		want string
	}{
		{"ex02.mail.test.", dns.TypeA, "NOERROR aa; ex02.mail.test. A 192.0.2.2"},
		{"ex01.mail.test.", dns.TypeA, "NOERROR aa; ex01.mail.test. A 192.0.2.1"},
		{"ex01.mail.test.", dns.TypeSRV, "NOERROR aa; ex01.mail.test. SRV 0 65535 1 ex01.mail.test."},
		{"imap.mail.test.", dns.TypeA, "NOERROR aa; imap.mail.test. A 192.0.2.1"},
		{"imap.mail.test.", dns.TypeTXT, `NOERROR aa; imap.mail.test. TXT "kept"`},
		{"_imaps._tcp.mail.test.", dns.TypeSRV, "NOERROR aa; _imaps._tcp.mail.test. SRV 0 65535 993 ex01.mail.test."},
		{"_imaps._tcp.mail.test.", dns.TypeTXT, `NOERROR aa; _imaps._tcp.mail.test. TXT "kept"`},
	} {
		if got := brief(tab.Answer(ask(tt.name, tt.typ), Asker{}, true)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if got, want := tab.Hidden(), []string{"_imaps._tcp.mail.test.", "ex02.mail.test.", "imap.mail.test."}; !slices.Equal(got, want) {
		t.Errorf("hidden %v, want %v", got, want)
	}
}

func TestCompileRefusesServices(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    []Service
		want string
	}{
		{"no label", []Service{{Name: "a.b"}}, `service "a.b"`},
		{"an underscore", []Service{{Name: "_imap"}}, "underscore"},
		{"twice", []Service{{Name: "imap"}, {Name: "IMAP"}}, "listed twice"},
		{"a name of SRV twice", []Service{{Name: "a", Port: 1, SRV: []string{"_x._tcp"}}, {Name: "b", Port: 1, SRV: []string{"_X._tcp"}}}, "listed twice"},
		{"SRV without a port", []Service{{Name: "a", SRV: []string{"_x._tcp"}}}, "without a port"},
		{"SRV with a dot at the end", []Service{{Name: "a", Port: 1, SRV: []string{"_x._tcp."}}}, "final dot"},
		{"SRV that is no name", []Service{{Name: "a", Port: 1, SRV: []string{"_x. _tcp"}}}, "not a letter"},
		{"SRV where reasons are", []Service{{Name: "a", Port: 1, SRV: []string{"_Why"}}}, "explains"},
		{"too many", make([]Service, 33), "more than 32"},
	} {
		if _, err := Compile(farm(func(s *Set) { s.Services = tt.s })); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A set of SRV records that is too long for UDP is whole over TCP.
func TestManyNodesOfAService(t *testing.T) {
	set := many(100)
	set.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}}
	s := serverOf(t, set, Options{})
	q := ask("_imaps._tcp.mail.test.", dns.TypeSRV)
	if got, want := brief(told(t, s, q, overUDP)), "NOERROR aa tc"; got != want {
		t.Errorf("over UDP: %s, want %s", got, want)
	}
	if got := len(told(t, s, q, overTCP).Answer); got != 100 {
		t.Errorf("over TCP: %d records, want 100", got)
	}
}

// The weights of any shares are in proportion, within the rounding of one unit.
func TestWeightsOfAnyShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Float64Range(1e-9, 1).Draw(t, "share")
		most := rapid.Float64Range(share, 1).Draw(t, "most")
		got := weightOf(share, most)
		if want := 65535 * share / most; got == 0 || math.Abs(float64(got)-want) > 0.5 && got != 1 {
			t.Fatalf("%d, want %v", got, want)
		}
	})
	if got := fmt.Sprint(weightOf(1, 1), weightOf(1e-300, 1), weightOf(0.5, 1)); got != "65535 1 32768" {
		t.Error(got)
	}
}
