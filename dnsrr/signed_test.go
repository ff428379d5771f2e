package dnsrr

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/dnssec"
)

// signerOf makes a signer of mail.test. with one key for all.
func signerOf(t testing.TB) *dnssec.Signer {
	t.Helper()
	key, err := dnssec.Generate("mail.test.", dnssec.P256, true)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := dnssec.NewKeys("mail.test.", []dnssec.Use{{Key: key, State: dnssec.Active}})
	if err != nil {
		t.Fatal(err)
	}
	return dnssec.NewSigner(keys)
}

// rich is the farm with two services and static records of many kinds.
func rich(t testing.TB, change ...func(*Set)) Set {
	t.Helper()
	s := farm(func(s *Set) {
		s.Records = records(t,
			"@ MX 10 ex01",
			"www CNAME mail.test.", "old CNAME nobody", "away CNAME www.example.",
			"a.b.c TXT x",
			"*.wild TXT w", "*.wild A 203.0.113.7", "deep.host.wild TXT d", "*.alias CNAME www",
		)
		s.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}, {Name: "smtp"}}
	})
	for _, c := range change {
		c(&s)
	}
	return s
}

// serverOf publishes a set.
func serverOf(t testing.TB, set Set, o Options) *Server {
	t.Helper()
	s := new(Server)
	s.Configure(o)
	s.Publish(compile(t, set))
	return s
}

// octetsOf is the reply to octets over UDP.
func octetsOf(s *Server, b []byte) []byte { return s.reply(nil, b, someone, overUDP, noon, false) }

// told asks s, octets to octets, and reads the one reply.
func told(t testing.TB, s *Server, q *dns.Msg, tr transport) *dns.Msg {
	t.Helper()
	return toldTo(t, s, q, tr, someone)
}

func toldTo(t testing.TB, s *Server, q *dns.Msg, tr transport, from netip.AddrPort) *dns.Msg {
	t.Helper()
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	m := new(dns.Msg)
	if err := m.Unpack(s.reply(nil, b, from, tr, noon, false)); err != nil {
		t.Fatalf("%v: %v", q.Question, err)
	}
	return m
}

// secureAsk is a question with DO.
func secureAsk(name string, typ uint16) *dns.Msg { return ask(name, typ).SetEdns0(1232, true) }

// setsOf sorts the records of a section into sets and their signatures.
func setsOf(rrs []dns.RR) (sets [][]dns.RR, sigs []*dns.RRSIG) {
	for _, rr := range rrs {
		if sig, ok := rr.(*dns.RRSIG); ok {
			sigs = append(sigs, sig)
			continue
		}
		h := rr.Header()
		i := slices.IndexFunc(sets, func(set []dns.RR) bool {
			return set[0].Header().Rrtype == h.Rrtype && fold(set[0].Header().Name) == fold(h.Name)
		})
		if h.Rrtype == dns.TypeOPT {
			continue
		}
		if i < 0 {
			sets, i = append(sets, nil), len(sets)
		}
		sets[i] = append(sets[i], rr)
	}
	return sets, sigs
}

// checkSigned holds that every set of a reply has a signature that a validator
// accepts, and that no signature is without a set.
func checkSigned(t testing.TB, what string, s *dnssec.Signer, sections ...[]dns.RR) {
	t.Helper()
	key := s.Keys().DNSKEY(0)[0].(*dns.DNSKEY)
	for _, rrs := range sections {
		sets, sigs := setsOf(rrs)
		for _, set := range sets {
			h := set[0].Header()
			good := slices.ContainsFunc(sigs, func(sig *dns.RRSIG) bool {
				return sig.TypeCovered == h.Rrtype && fold(sig.Hdr.Name) == fold(h.Name) && sig.Verify(key, set) == nil &&
					sig.ValidityPeriod(noon) && sig.Hdr.Ttl == h.Ttl && h.Ttl <= sig.OrigTtl
			})
			if !good {
				t.Errorf("%s: %s %s has no good signature among %v", what, h.Name, dns.Type(h.Rrtype), sigs)
			}
		}
		if len(sigs) != len(sets) {
			t.Errorf("%s: %d sets and %d signatures", what, len(sets), len(sigs))
		}
	}
}

// denied is the one NSEC of a reply.
func denied(t testing.TB, what string, m *dns.Msg) *dns.NSEC {
	t.Helper()
	var found []*dns.NSEC
	for _, rr := range m.Ns {
		if n, ok := rr.(*dns.NSEC); ok {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d NSEC in %s, want 1", what, len(found), brief(m))
	}
	return found[0]
}
