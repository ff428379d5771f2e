package dnsrr

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/dnssec"
)

// D1: who wants signatures gets one of every set, and who does not gets none.
func TestD1EverySetIsSigned(t *testing.T) {
	signer := signerOf(t)
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signer; s.MaxTTL = time.Minute }), Options{})
	for _, tt := range []struct {
		name string
		typ  uint16
	}{
		{"mail.test.", dns.TypeA}, {"mAil.Test.", dns.TypeAAAA}, {"mail.test.", dns.TypeNS}, {"mail.test.", dns.TypeSOA},
		{"mail.test.", dns.TypeMX}, {"mail.test.", dns.TypeDNSKEY}, {"mail.test.", dns.TypeCDS}, {"mail.test.", dns.TypeCDNSKEY},
		{"mail.test.", dns.TypeANY}, {"mail.test.", dns.TypeDS}, {"mail.test.", dns.TypeTXT}, {"mail.test.", dns.TypeNSEC},
		{"ex01.mail.test.", dns.TypeA}, {"ex01.mail.test.", dns.TypeDS}, {"ex03.mail.test.", dns.TypeAAAA},
		{"imap.mail.test.", dns.TypeA}, {"_imaps._tcp.mail.test.", dns.TypeSRV}, {"_tcp.mail.test.", dns.TypeA},
		{"www.mail.test.", dns.TypeAAAA}, {"WWW.mail.test.", dns.TypeTXT}, {"old.mail.test.", dns.TypeA}, {"away.mail.test.", dns.TypeA},
		{"x.wild.mail.test.", dns.TypeTXT}, {"x.wild.mail.test.", dns.TypeMX}, {"*.wild.mail.test.", dns.TypeTXT},
		{"x.alias.mail.test.", dns.TypeA}, {"nobody.mail.test.", dns.TypeA}, {"nobody.mail.test.", dns.TypeNSEC},
		{"_why.mail.test.", dns.TypeTXT}, {"_why.mail.test.", dns.TypeA}, {"b.c.mail.test.", dns.TypeANY},
	} {
		what := tt.name + " " + dns.Type(tt.typ).String()
		m := told(t, s, secureAsk(tt.name, tt.typ), overTCP)
		if len(m.Answer)+len(m.Ns) == 0 || m.Rcode != dns.RcodeSuccess || m.AuthenticatedData {
			t.Errorf("%s: %s", what, brief(m))
		}
		checkSigned(t, what, signer, m.Answer, m.Ns, m.Extra)
		for _, q := range []*dns.Msg{ask(tt.name, tt.typ), ask(tt.name, tt.typ).SetEdns0(1232, false)} {
			m := told(t, s, q, overTCP)
			if _, sigs := setsOf(slices.Concat(m.Answer, m.Ns, m.Extra)); len(sigs) > 0 {
				t.Errorf("%s: %d signatures that nobody asked for", what, len(sigs))
			}
		}
	}
	if m := told(t, serverOf(t, rich(t), Options{}), secureAsk("mail.test.", dns.TypeA), overUDP); len(m.Answer) != 3 || !m.IsEdns0().Do() {
		t.Errorf("a zone without keys: %s", brief(m))
	}
}

// Proofs and signatures are records like any other to who asks for them (RFC
// 4035, section 3.1), and never proof against themselves.
func TestD1ProofsThatAreAskedFor(t *testing.T) {
	signer := signerOf(t)
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signer }), Options{})
	for _, tt := range []struct {
		name string
		q    *dns.Msg
		code int
		n    int
	}{
		{"NSEC", ask("mail.test.", dns.TypeNSEC), dns.RcodeSuccess, 1},
		{"NSEC, with DO", secureAsk("mail.test.", dns.TypeNSEC), dns.RcodeSuccess, 2},
		{"RRSIG", ask("mail.test.", dns.TypeRRSIG), dns.RcodeSuccess, 1},
		{"RRSIG, with DO", secureAsk("_tcp.mail.test.", dns.TypeRRSIG), dns.RcodeSuccess, 1},
		{"NSEC of an alias", secureAsk("www.mail.test.", dns.TypeNSEC), dns.RcodeSuccess, 2},
		{"NSEC of what is missing", ask("nobody.mail.test.", dns.TypeNSEC), dns.RcodeNameError, 0},
		{"the same, with DO", secureAsk("nobody.mail.test.", dns.TypeNSEC), dns.RcodeSuccess, 2},
		{"RRSIG of what is missing, with DO", secureAsk("nobody.mail.test.", dns.TypeRRSIG), dns.RcodeSuccess, 1},
	} {
		m := told(t, s, tt.q, overUDP)
		if m.Rcode != tt.code || len(m.Answer) != tt.n || (len(m.Ns) == 0) != (tt.n > 0) {
			t.Errorf("%s: %s, want code %d and %d records", tt.name, brief(m), tt.code, tt.n)
		}
	}
	if got := brief(told(t, serverOf(t, rich(t), Options{}), secureAsk("mail.test.", dns.TypeNSEC), overUDP)); got != "NOERROR aa; au mail.test. SOA; ad OPT v0 size 1232 do true options 0" {
		t.Errorf("a zone without keys: %s", got)
	}
}

// D2: signatures are of the longest TTL, so that they stay the same while the
// farm's TTL goes up and down.
func TestD2SignaturesOutliveTheTTL(t *testing.T) {
	signer := signerOf(t)
	var last string
	for _, ttl := range []time.Duration{0, 5 * time.Second, time.Minute} {
		s := serverOf(t, farm(func(s *Set) { s.TTL, s.MaxTTL, s.Signer = ttl, time.Minute, signer }), Options{})
		m := told(t, s, secureAsk("mail.test.", dns.TypeA), overUDP)
		_, sigs := setsOf(m.Answer)
		if len(sigs) != 1 || sigs[0].OrigTtl != 60 || sigs[0].Hdr.Ttl != uint32(ttl/time.Second) {
			t.Fatalf("ttl %v: %v", ttl, sigs)
		}
		if last != "" && sigs[0].Signature != last {
			t.Errorf("ttl %v: signed anew", ttl)
		}
		last = sigs[0].Signature
		checkSigned(t, ttl.String(), signer, m.Answer)
	}
}

// D3: every subset of the farm that is handed out is signed, whatever its order.
func TestD3SubsetsAreSigned(t *testing.T) {
	signer := signerOf(t)
	s := serverOf(t, farm(func(s *Set) { s.Answers, s.Signer = 2, signer; s.Targets[0].Share = 3 }), Options{})
	seen := map[string]bool{}
	for range 40 {
		m := told(t, s, secureAsk("mail.test.", dns.TypeA), overUDP)
		checkSigned(t, "a subset", signer, m.Answer)
		sets, _ := setsOf(m.Answer)
		seen[fmt.Sprint(sets[0])] = true
	}
	if len(seen) < 3 {
		t.Errorf("only %d answers: %v", len(seen), seen)
	}
}

// D4: one record denies, made for the name; it lists all that the name may
// answer with but what is denied, and marks what is missing (RFC 9824).
func TestD4DenialsAreCompact(t *testing.T) {
	signer := signerOf(t)
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signer }), Options{})
	always := []uint16{dns.TypeRRSIG, dns.TypeNSEC}
	for _, tt := range []struct {
		name, owner string
		typ         uint16
		types       []uint16 // beside RRSIG and NSEC
	}{
		{"mail.test.", "mail.test.", dns.TypeTXT, []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeMX, dns.TypeAAAA, dns.TypeDNSKEY, dns.TypeCDS, dns.TypeCDNSKEY}},
		{"mail.test.", "mail.test.", dns.TypeDS, []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeMX, dns.TypeAAAA, dns.TypeDNSKEY, dns.TypeCDS, dns.TypeCDNSKEY}},
		{"ex03.mail.test.", "ex03.mail.test.", dns.TypeAAAA, []uint16{dns.TypeA}},
		{"imap.mail.test.", "imap.mail.test.", dns.TypeMX, []uint16{dns.TypeA, dns.TypeAAAA}},
		{"_imaps._tcp.mail.test.", "_imaps._tcp.mail.test.", dns.TypeA, []uint16{dns.TypeSRV}},
		{"_why.mail.test.", "_why.mail.test.", dns.TypeA, []uint16{dns.TypeTXT}},
		{"_tcp.mail.test.", "_tcp.mail.test.", dns.TypeA, nil},
		{"x.wild.mail.test.", "x.wild.mail.test.", dns.TypeMX, []uint16{dns.TypeA, dns.TypeTXT}},
		{"www.mail.test.", "mail.test.", dns.TypeTXT, []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeMX, dns.TypeAAAA, dns.TypeDNSKEY, dns.TypeCDS, dns.TypeCDNSKEY}},
		{"old.mail.test.", "nobody.mail.test.", dns.TypeA, []uint16{typeNXNAME}},
		{"nobody.mail.test.", "nobody.mail.test.", dns.TypeA, []uint16{typeNXNAME}},
	} {
		m := told(t, s, secureAsk(tt.name, tt.typ), overUDP)
		n := denied(t, tt.name, m)
		want := slices.Sorted(slices.Values(slices.Concat(always, tt.types)))
		if m.Rcode != dns.RcodeSuccess || n.Hdr.Name != tt.owner || n.NextDomain != `\000.`+tt.owner || !slices.Equal(n.TypeBitMap, want) || n.Hdr.Ttl != 20 {
			t.Errorf("%s %s: %s", tt.name, dns.Type(tt.typ), brief(m))
		}
		checkSigned(t, tt.name, signer, m.Answer, m.Ns)
	}
}

// D4: who knows the two apart is told that a name is missing.
func TestD4CompactAnswersOK(t *testing.T) {
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signerOf(t) }), Options{})
	for _, tt := range []struct {
		name  string
		flags string // of the OPT
		want  string
	}{
		{"nobody.mail.test.", "00000000", "NXDOMAIN"}, {"nobody.mail.test.", "00004000", "NXDOMAIN"},
		{"nobody.mail.test.", "00008000", "NOERROR"}, {"nobody.mail.test.", "0000c000", "NXDOMAIN"},
		{"old.mail.test.", "00008000", "NOERROR"}, {"old.mail.test.", "0000c000", "NXDOMAIN"},
		{"_tcp.mail.test.", "0000c000", "NOERROR"},
	} {
		b := packet(0, [4]uint16{one, 0, 0, 1}, tt.name, "0001 0001 00 0029 04d0 "+tt.flags+" 0000")
		if got := code(octetsOf(s, b)); got != tt.want {
			t.Errorf("%s, flags %s: %s, want %s", tt.name, tt.flags, got, tt.want)
		}
	}
}

// D4: a family that the farm has at other times is not denied by what is said of
// another type.
func TestD4WhatMayComeIsListed(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) {
		s.Signer = signerOf(t)
		each(s, func(g *Target) { g.Gone = true })
	}), Options{})
	m := told(t, s, secureAsk("mail.test.", dns.TypeMX), overUDP)
	if got := denied(t, "MX", m).TypeBitMap; !slices.Contains(got, dns.TypeA) || !slices.Contains(got, dns.TypeAAAA) {
		t.Errorf("types %v, want both families", got)
	}
	m = told(t, s, secureAsk("mail.test.", dns.TypeA), overUDP)
	if got := denied(t, "A", m).TypeBitMap; slices.Contains(got, dns.TypeA) || !slices.Contains(got, dns.TypeAAAA) {
		t.Errorf("types %v, want all but A", got)
	}
}

// D5: what a wildcard stands for is signed as a name of its own, so that it needs
// no proof that nothing is closer; a wildcard itself has a label less.
func TestD5Wildcards(t *testing.T) {
	signer := signerOf(t)
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signer }), Options{})
	for name, want := range map[string]uint8{"x.wild.mail.test.": 4, "x.y.wild.mail.test.": 5, "*.wild.mail.test.": 3} {
		m := told(t, s, secureAsk(name, dns.TypeTXT), overUDP)
		_, sigs := setsOf(m.Answer)
		if len(sigs) != 1 || sigs[0].Labels != want || len(m.Ns) > 0 {
			t.Errorf("%s: %s, want %d labels", name, brief(m), want)
		}
		checkSigned(t, name, signer, m.Answer)
	}
}

// What is cut off because of signatures is still a reply: with the question, our
// OPT, DO and TC; and addresses of servers go first, before anything is cut.
func TestSignedRepliesThatDoNotFit(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) { s.Signer = signerOf(t) }), Options{})
	for _, tt := range []struct {
		typ     uint16
		size    uint16
		tc      bool
		answers int
		extras  int // beside the OPT
	}{
		{dns.TypeNS, 1232, false, 4, 10}, {dns.TypeNS, 512, false, 4, 0},
		{dns.TypeDNSKEY, 512, false, 2, 0}, {dns.TypeAAAA, 512, false, 3, 0},
	} {
		m := told(t, s, ask("mail.test.", tt.typ).SetEdns0(tt.size, true), overUDP)
		if m.Truncated != tt.tc || len(m.Answer) != tt.answers || len(m.Extra) != tt.extras+1 || !m.IsEdns0().Do() {
			t.Errorf("%s, size %d: %s", dns.Type(tt.typ), tt.size, brief(m))
		}
	}
	s = serverOf(t, many(64), Options{})
	if got, want := brief(told(t, s, secureAsk("mail.test.", dns.TypeNS), overUDP)), "NOERROR aa tc; ad OPT v0 size 1232 do true options 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Keys of another zone would make signatures that nobody believes.
func TestKeysOfAnotherZoneAreRefused(t *testing.T) {
	key, err := dnssec.Generate("other.test.", dnssec.P256, true)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := dnssec.NewKeys("other.test.", []dnssec.Use{{Key: key, State: dnssec.Active}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(farm(func(s *Set) { s.Signer = dnssec.NewSigner(keys) })); err == nil {
		t.Error("compiled")
	}
}
