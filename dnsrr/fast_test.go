package dnsrr

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/dnssec"
	"evenkeel/dnsrr/ratelimit"
)

// signer is of one key that signs all, made for the test.
func signer(t testing.TB, zone string) *dnssec.Signer {
	t.Helper()
	k, err := dnssec.Generate(zone, dns.ED25519, true)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := dnssec.NewKeys(zone, []dnssec.Use{{Key: k, State: dnssec.Active}})
	if err != nil {
		t.Fatal(err)
	}
	return dnssec.NewSigner(keys)
}

// every is a farm that has some of everything.
func every(t testing.TB, change ...func(*Set)) Set {
	s := farm(change...)
	s.MaxTTL = 30 * time.Second
	s.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}, {Name: "ex03", Port: 1}}
	s.Targets[0].Lacks = []string{"imap"}
	s.Targets[1].Addrs = append(s.Targets[1].Addrs, addrs("192.0.2.101 192.0.2.2")...)
	s.Records = records(t, "@ MX 10 ex01", "@ TXT one", "www CNAME mail.test.", "old CNAME nobody", "away CNAME a.example.", "hop CNAME www", "svc CNAME IMAP", "mx CNAME ex02",
		"a.b.c TXT x", "*.wild A 192.0.2.9", "*.wild MX 5 ex01", "x.wild TXT here", "h HTTPS 1 . alpn=h2", "c CAA 0 issue \"x\"")
	return s
}

// questions are those that differ in what answers them.
func questions() (out []*dns.Msg) {
	for _, name := range []string{
		"mail.test.", "MaIl.tEsT.", "imap.mail.test.", "_imaps._tcp.mail.test.", "_tcp.mail.test.", "ex01.mail.test.", "EX03.mail.test.",
		"nobody.mail.test.", "a.ex01.MAIL.test.", "_why.mail.test.", "www.mail.test.", "old.mail.test.", "away.mail.test.", "hop.mail.test.", "Svc.mail.test.", "mx.mail.test.", "b.c.mail.test.",
		"z.wild.mail.test.", "q.z.wild.mail.test.", "x.wild.mail.test.", "h.mail.test.", "c.mail.test.", "example.", "test.", ".", `a\.b.mail.test.`,
		"xmail.test.", strings.Repeat("long.", 48) + "mail.test.", "id.server.",
	} {
		for _, typ := range []uint16{
			dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeTXT, dns.TypeMX, dns.TypeSRV, dns.TypeHTTPS, dns.TypeCNAME, dns.TypeCAA,
			dns.TypeDNSKEY, dns.TypeDS, dns.TypeCDS, dns.TypeNSEC, dns.TypeRRSIG, dns.TypeANY, dns.TypeHINFO, 666, typeNXNAME, dns.TypeOPT, dns.TypeAXFR, dns.TypeIXFR, dns.TypeTSIG, dns.TypeTKEY, dns.TypeMAILB, 0,
		} {
			out = append(out, ask(name, typ))
		}
	}
	return out
}

// dress puts onto a question what askers say of themselves.
func dress(q *dns.Msg, how uint16) []byte {
	q = q.Copy()
	q.Id, q.RecursionDesired, q.CheckingDisabled = how, how&1 != 0, how&2 != 0
	if how&4 != 0 {
		o := q.SetEdns0(400+how%1500, how&8 != 0).IsEdns0()
		if how&16 != 0 {
			o.Hdr.Ttl |= flagCO
		}
		for bit, opt := range map[uint16]dns.EDNS0{
			32:  &dns.EDNS0_LOCAL{Code: dns.EDNS0NSID},
			64:  &dns.EDNS0_LOCAL{Code: dns.EDNS0COOKIE, Data: []byte("12345678")},
			128: &dns.EDNS0_LOCAL{Code: dns.EDNS0SUBNET, Data: []byte{0, 1, 24, 0, 192, 0, 2}},
			256: &dns.EDNS0_LOCAL{Code: dns.EDNS0TCPKEEPALIVE},
			512: &dns.EDNS0_LOCAL{Code: 65001, Data: []byte("?")},
		} {
			if how&bit != 0 {
				o.Option = append(o.Option, opt)
			}
		}
	}
	b, err := q.Pack()
	if err != nil {
		panic(err)
	}
	return b
}

// sameAsSlow answers q on both paths, if the fast one takes it.
func sameAsSlow(tab *Table, o *Options, q []byte, number uint64, tr transport) (taken bool, err error) {
	x := exchange{t: tab, o: o, r: parse(q), from: someone.Addr(), tr: tr, now: noon, number: number}
	y := x
	place := make([]byte, 0, 2*ednsSize)
	b, ok := x.fast(x.room(place, false))
	other := y.slow(q)
	if !ok && x.costly() { // it is remembered
		y.remember(other)
		b, ok = x.fast(x.room(place, false))
	}
	if !ok {
		return false, nil
	}
	if b.rcode != other.rcode || x.got != y.got || x.likeness(b) != y.likeness(other) {
		return true, fmt.Errorf("counted as %d %v %x, want %d %v %x", b.rcode, x.got, x.likeness(b), other.rcode, y.got, y.likeness(other))
	}
	fast, slow := x.append(place, b, false), y.append(nil, other, false)
	if bytes.Equal(fast, slow) {
		return true, nil
	}
	m, n := new(dns.Msg), new(dns.Msg)
	if err := m.Unpack(fast); err != nil {
		return true, fmt.Errorf("fast cannot be read: %w", err)
	}
	if err := n.Unpack(slow); err != nil {
		return true, fmt.Errorf("slow cannot be read: %w", err)
	}
	// Pointers may lead to other places that say the same in other letters.
	if a, b := fold(m.String()), fold(n.String()); a != b {
		return true, fmt.Errorf("fast\n%v\nslow\n%v", m, n)
	}
	return true, nil
}

func tables(t testing.TB) []*Table {
	signed := every(t)
	signed.Signer = signer(t, signed.Zone)
	nobody := every(t, func(s *Set) {
		for i := range s.Targets {
			s.Targets[i].Gone = true
		}
	})
	wildless := every(t)
	wildless.Records = records(t, "www CNAME mail.test.")
	return []*Table{compile(t, every(t)), compile(t, signed), compile(t, nobody), compile(t, wildless), compile(t, Set{Zone: "mail.test."})}
}

// The fast path says what the other says, octet for octet once names are
// written out.
func TestFastIsSlow(t *testing.T) {
	tabs := tables(t)
	o := &Options{Identity: "ex01", Version: "1", Cookies: cookie.New([16]byte{1})}
	qs := questions()
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		tab := rapid.IntRange(0, len(tabs)-1).Draw(t, "table")
		how := rapid.Uint16().Draw(t, "how")
		number := rapid.Uint64().Draw(t, "number")
		for i, q := range qs {
			ok, err := sameAsSlow(tabs[tab], o, dress(q, how), number, transport(i)%transports)
			if err != nil {
				t.Fatalf("%v: %v", q.Question[0], err)
			}
			if ok {
				taken++
			}
		}
	})
	if taken == 0 {
		t.Error("nothing took the fast path")
	}
}

func FuzzFastIsSlow(f *testing.F) {
	tabs := tables(f)
	o := &Options{Identity: "ex01", Version: "1", Cookies: cookie.New([16]byte{1})}
	for i, q := range questions() {
		f.Add(dress(q, uint16(i*1021)), uint64(i)*golden, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, q []byte, number uint64, udp bool) {
		if silent(q) {
			return
		}
		tr := overTCP
		if udp {
			tr = overUDP
		}
		for i, tab := range tabs {
			if _, err := sameAsSlow(tab, o, q, number, tr); err != nil {
				t.Fatalf("table %d: %v", i, err)
			}
		}
	})
}

// What is asked most takes the fast path, and allocates nothing there.
func TestFastPathAllocatesNothing(t *testing.T) {
	set := every(t)
	set.Signer = signer(t, set.Zone)
	for _, tt := range []struct {
		name, ask string
		typ       uint16
		how       uint16
	}{
		{"the farm", "mail.test.", dns.TypeA, 0},
		{"in odd letters, with EDNS, a cookie, NSID and a subnet", "MaIl.TEst.", dns.TypeAAAA, 4 | 32 | 64 | 128},
		{"signed", "mail.test.", dns.TypeA, 4 | 8},
		{"a service", "imap.mail.test.", dns.TypeA, 4},
		{"its SRV", "_imaps._tcp.mail.test.", dns.TypeSRV, 4},
		{"a node", "ex01.mail.test.", dns.TypeA, 4},
		{"SOA", "mail.test.", dns.TypeSOA, 4},
		{"NS", "mail.test.", dns.TypeNS, 4},
		{"keys", "mail.test.", dns.TypeDNSKEY, 4 | 8},
		{"no such type", "ex03.mail.test.", dns.TypeAAAA, 4},
		{"no such type, signed", "mail.test.", dns.TypeHTTPS, 4 | 8},
		{"a type nobody knows", "mail.test.", 666, 4},
		{"a type nobody knows, signed", "mail.test.", 666, 4 | 8},
		{"an alias of the farm", "www.mail.test.", dns.TypeA, 4},
		{"an alias of the farm, signed", "WWW.mail.test.", dns.TypeAAAA, 4 | 8},
		{"an alias of nothing, signed", "old.mail.test.", dns.TypeA, 4 | 8},
		{"an alias of others', signed", "away.mail.test.", dns.TypeMX, 4 | 8},
		{"no such name, signed", "nobody.mail.test.", dns.TypeA, 4 | 8},
		{"no such name, signed and understood", "no.such.mail.test.", dns.TypeA, 4 | 8 | 16},
		{"another zone", "example.", dns.TypeA, 4},
	} {
		var s Server
		s.Publish(compile(t, set))
		s.Configure(Options{Identity: "ex01", Cookies: cookie.New([16]byte{1})})
		q := dress(ask(tt.ask, tt.typ), tt.how)
		room := make([]byte, 0, 2*ednsSize)
		first := slices.Clone(s.reply(room, q, someone, overUDP, noon, false))
		for range 1000 {
			s.reply(room, q, someone, overUDP, noon, false) // all sets are signed once
		}
		if n := testing.AllocsPerRun(100, func() { s.reply(room, q, someone, overUDP, noon, false) }); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
		if len(first) == 0 {
			t.Errorf("%s: silence", tt.name)
		}
	}
	wildless := every(t)
	wildless.Records = Records{}
	var s Server
	s.Publish(compile(t, wildless))
	q := dress(ask("nobody.mail.test.", dns.TypeA), 4)
	room := make([]byte, 0, 2*ednsSize)
	if n := testing.AllocsPerRun(100, func() { s.reply(room, q, someone, overUDP, noon, false) }); n != 0 {
		t.Errorf("no such name: %v allocations", n)
	}
}

// A table that is not replaced does not hand out signatures that have ended.
func TestKeptSignaturesAreMadeAnew(t *testing.T) {
	set := every(t)
	set.Signer = signer(t, set.Zone)
	tab := compile(t, set)
	for _, typ := range []uint16{dns.TypeA, dns.TypeSOA} {
		for _, at := range []time.Time{noon, noon.AddDate(0, 0, 10), noon} {
			var s Server
			s.Publish(tab)
			m := new(dns.Msg)
			if err := m.Unpack(s.reply(nil, dress(ask("mail.test.", typ), 4|8), someone, overTCP, at, false)); err != nil {
				t.Fatal(err)
			}
			sig := m.Answer[len(m.Answer)-1].(*dns.RRSIG)
			if !sig.ValidityPeriod(at) {
				t.Errorf("%s at %v: %v", dns.Type(typ), at, sig)
			}
		}
	}
}

// Names that nobody made cost a signature each, and so are limited before.
func TestInventedNamesAreLimitedBeforeTheyCost(t *testing.T) {
	set := every(t)
	set.Signer = signer(t, set.Zone)
	var s Server
	s.Publish(compile(t, set))
	s.Configure(Options{Limiter: ratelimit.New(ratelimit.Options{PerSecond: 10, Start: noon})})
	answered := 0
	for i := range 100 {
		name := fmt.Sprintf("n%d.mail.test.", i)
		if i%2 == 0 {
			name = fmt.Sprintf("n%d.wild.mail.test.", i)
		}
		if len(s.reply(nil, dress(ask(name, dns.TypeA), 4|8), someone, overUDP, noon, false)) > 0 {
			answered++
		}
	}
	if answered == 0 || answered > 20 {
		t.Errorf("%d of 100 answered, want some ten", answered)
	}
}
