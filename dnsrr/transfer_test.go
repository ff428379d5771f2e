package dnsrr

import (
	"encoding/base64"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

func loopback() Options {
	return Options{Transfer: Transfer{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
}

// transferred asks for a zone as a secondary does, and returns its records and
// the number of messages.
func transferred(t *testing.T, tcp string, q *dns.Msg, secrets map[string]string) (rrs []dns.RR, messages int, err error) {
	t.Helper()
	c, err := net.Dial("tcp", tcp)
	if err != nil {
		t.Fatal(err)
	}
	tr := dns.Transfer{Conn: &dns.Conn{Conn: c}, TsigSecret: secrets, ReadTimeout: time.Minute}
	in, err := tr.In(q, "")
	if err != nil {
		return nil, 0, err
	}
	for e := range in {
		if e.Error != nil {
			return rrs, messages, e.Error
		}
		messages++
		rrs = append(rrs, e.RR...)
	}
	return rrs, messages, nil
}

func axfr() *dns.Msg { return new(dns.Msg).SetAxfr("mail.test.") }

// A secondary gets all that is asked for here, weighted names with all their
// addresses, and no reasons, which would be old.
func TestTransferOfASmallZone(t *testing.T) {
	set := farm(func(s *Set) {
		s.Records = records(t, "www CNAME mail.test.", "*.wild 60 TXT w", "a.b TXT x")
		s.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}}
		s.Targets[0].Fair, s.Targets[1].Fair, s.Targets[2].Gone = 1, 0.5, true
	})
	_, tcp := served(t, serverOf(t, set, loopback()))
	rrs, messages, err := transferred(t, tcp, axfr(), nil)
	if err != nil || messages != 1 {
		t.Fatalf("%d messages, %v", messages, err)
	}
	var got []string
	for _, rr := range rrs {
		got = append(got, briefRecord(rr))
	}
	want := []string{
		"mail.test. SOA", "mail.test. A 192.0.2.1", "mail.test. A 192.0.2.2", "mail.test. NS ex01.mail.test.", "mail.test. NS ex02.mail.test.",
		"mail.test. AAAA 2001:db8::1", "mail.test. AAAA 2001:db8::2",
		"_imaps._tcp.mail.test. SRV 0 32768 993 ex01.mail.test.", "_imaps._tcp.mail.test. SRV 0 65535 993 ex02.mail.test.", `a.b.mail.test. TXT "x"`,
		"ex01.mail.test. A 192.0.2.1", "ex01.mail.test. AAAA 2001:db8::1", "ex02.mail.test. A 192.0.2.2", "ex02.mail.test. AAAA 2001:db8::2", "ex03.mail.test. A 192.0.2.3",
		"imap.mail.test. A 192.0.2.1", "imap.mail.test. A 192.0.2.2", "imap.mail.test. AAAA 2001:db8::1", "imap.mail.test. AAAA 2001:db8::2",
		`*.wild.mail.test. TXT "w"`, "www.mail.test. CNAME mail.test.", "mail.test. SOA",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What a secondary is given does not follow the load, or one serial would be
// many zones.
func TestTransferIsByCapacity(t *testing.T) {
	texts := func(change func(*Set)) string {
		set := rich(t, func(s *Set) { each(s, func(g *Target) { g.Fair = 0.5 }) }, change)
		return text(answeredStream(t, serverOf(t, set, loopback()), axfr()))
	}
	calm := texts(func(*Set) {})
	for name, change := range map[string]func(*Set){
		"loads":   func(s *Set) { s.Targets[0].Share, s.Targets[1].Share = 0.9, 0 },
		"reasons": func(s *Set) { each(s, func(g *Target) { g.Why = "full" }) },
		"ages":    func(s *Set) { slices.Reverse(s.Targets) },
		"ttls":    func(s *Set) { s.TTL, s.MaxTTL = 5*time.Second, 20*time.Second },
	} {
		if got := texts(change); got != calm {
			t.Errorf("other %s:\n%s\nwant\n%s", name, got, calm)
		}
	}
	if other := texts(func(s *Set) { s.Targets[0].Fair = 1 }); other == calm {
		t.Error("other capacities, and the same zone")
	}
}

func text(rrs []dns.RR) string {
	var out []string
	for _, rr := range rrs {
		out = append(out, rr.String())
	}
	return strings.Join(out, "\n")
}

// answeredStream is the records of a transfer, without sockets.
func answeredStream(t testing.TB, s *Server, q *dns.Msg) (rrs []dns.RR) {
	t.Helper()
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	for out := s.reply(nil, b, netip.MustParseAddrPort("127.0.0.1:53"), overTCP, noon, true); len(out) > 0; out = out[2+number(out, 0):] {
		rrs = append(rrs, readReply(t, out[2:2+number(out, 0)]).Answer...)
	}
	return rrs
}

// A zone of many messages comes whole; only the first has the question and, if
// the asker has one, an OPT.
func TestTransferOfManyMessages(t *testing.T) {
	s := serverOf(t, many(300), loopback())
	_, tcp := served(t, s)
	rrs, messages, err := transferred(t, tcp, axfr(), nil)
	if want := 1 + 600 + 300 + 600 + 1; err != nil || messages < 3 || len(rrs) != want {
		t.Errorf("%d records in %d messages, %v; want %d", len(rrs), messages, err, want)
	}
	b, err := axfr().SetEdns0(1232, false).Pack()
	if err != nil {
		t.Fatal(err)
	}
	first := true
	for out := s.reply(nil, b, netip.MustParseAddrPort("127.0.0.1:53"), overTCP, noon, true); len(out) > 0; first = false {
		n := number(out, 0)
		m := readReply(t, out[2:2+n])
		if (len(m.Question) == 1) != first || (len(m.Extra) == 1) != first || !m.Authoritative || n > 2*perMessage {
			t.Errorf("a message of %d questions, %d extras, %d octets; the first %v", len(m.Question), len(m.Extra), n, first)
		}
		out = out[2+n:]
	}
}

// A signed zone is signed whole: every set, and a chain of all names that ends
// where it began (RFC 4034, section 4.1.1).
func TestTransferOfASignedZone(t *testing.T) {
	signer := signerOf(t)
	set := rich(t, func(s *Set) { s.Signer, s.TTL, s.MaxTTL = signer, 5*time.Second, 20*time.Second })
	set.Records = records(t, "a 1 TXT short", "b 300 TXT long", "c.d TXT x", "*.w CNAME a")
	rrs := answeredStream(t, serverOf(t, set, loopback()), axfr())
	first, last := rrs[0], rrs[len(rrs)-1]
	if first.Header().Rrtype != dns.TypeSOA || first.String() != last.String() {
		t.Fatalf("%v … %v, want the SOA at both ends", first, last)
	}
	rrs = rrs[:len(rrs)-1]
	checkSigned(t, "the zone", signer, rrs)
	types := map[string][]uint16{}
	next := map[string]string{}
	for _, rr := range rrs {
		h := rr.Header()
		if n, ok := rr.(*dns.NSEC); ok {
			next[h.Name] = n.NextDomain
		}
		if sig, ok := rr.(*dns.RRSIG); ok && sig.OrigTtl != sig.Hdr.Ttl {
			t.Errorf("%s: signed for %d s", sig, sig.OrigTtl)
		}
		if !slices.Contains(types[h.Name], h.Rrtype) {
			types[h.Name] = append(types[h.Name], h.Rrtype)
		}
	}
	at := "mail.test."
	for range len(types) {
		if to := next[at]; canonicalOrder(at, to) >= 0 && to != "mail.test." {
			t.Errorf("%s is followed by %s", at, to)
		}
		at = next[at]
	}
	if at != "mail.test." || len(next) != len(types) {
		t.Errorf("a chain of %d for %d names ends at %q", len(next), len(types), at)
	}
	for _, rr := range rrs {
		if n, ok := rr.(*dns.NSEC); ok {
			if got := slices.Sorted(slices.Values(types[n.Hdr.Name])); !slices.Equal(n.TypeBitMap, got) {
				t.Errorf("%s says %v and has %v", n.Hdr.Name, n.TypeBitMap, got)
			}
		}
	}
}

// There is no history: who is behind gets the whole, and who is not the SOA
// alone (RFC 1995, sections 2 and 4), by serials that go round.
func TestIncrementalTransfers(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) { s.Serial = 5 }), loopback())
	whole := len(answeredStream(t, s, axfr()))
	for _, tt := range []struct {
		serial uint32
		want   int
	}{{5, 1}, {6, 1}, {4, whole}, {1<<32 - 1, whole}, {1<<31 + 4, 1}, {1<<31 + 6, whole}} {
		q := new(dns.Msg).SetIxfr("mail.test.", tt.serial, ".", ".")
		if got := len(answeredStream(t, s, q)); got != tt.want {
			t.Errorf("serial %d over TCP: %d records, want %d", tt.serial, got, tt.want)
		}
		if got, want := brief(toldTo(t, s, q, overUDP, netip.MustParseAddrPort("127.0.0.1:53"))), "NOERROR aa; mail.test. SOA"; got != want {
			t.Errorf("serial %d over UDP: %s, want %s", tt.serial, got, want)
		}
	}
	q := new(dns.Msg).SetIxfr("mail.test.", 5, ".", ".")
	q.Ns = nil
	if got := len(answeredStream(t, s, q)); got != whole {
		t.Errorf("without a serial: %d records, want all %d", got, whole)
	}
	q = axfr() // what else it has does not make it less
	q.Ns = new(dns.Msg).SetIxfr("mail.test.", 5, ".", ".").Ns
	if got := len(answeredStream(t, s, q)); got != whole {
		t.Errorf("AXFR with a serial: %d records, want all %d", got, whole)
	}
}

func TestWhoMayTransfer(t *testing.T) {
	here := netip.MustParseAddrPort("192.0.2.53:4242")
	for _, tt := range []struct {
		name  string
		q     string
		allow string
		from  string
		want  int
	}{
		{"nobody", "mail.test.", "", "192.0.2.53", dns.RcodeRefused},
		{"of a network", "mail.test.", "192.0.2.0/24", "192.0.2.53", dns.RcodeSuccess},
		{"of it, in IPv6 form", "MAIL.test.", "192.0.2.0/24", "::ffff:192.0.2.53", dns.RcodeSuccess},
		{"of another", "mail.test.", "192.0.2.0/26", "192.0.2.64", dns.RcodeRefused},
		{"of a name that is no zone", "ex01.mail.test.", "192.0.2.0/24", "192.0.2.53", dns.RcodeNotAuth},
		{"of another's zone", "example.", "192.0.2.0/24", "192.0.2.53", dns.RcodeRefused},
	} {
		var o Options
		if tt.allow != "" {
			o.Transfer.Allow = []netip.Prefix{netip.MustParsePrefix(tt.allow)}
		}
		m := toldTo(t, serverOf(t, farm(), o), new(dns.Msg).SetAxfr(tt.q), overTCP, netip.AddrPortFrom(netip.MustParseAddr(tt.from), here.Port()))
		if m.Rcode != tt.want || (len(m.Answer) > 0) != (tt.want == dns.RcodeSuccess) {
			t.Errorf("%s: %s, want code %d", tt.name, brief(m), tt.want)
		}
	}
}

// Signatures of several messages follow from each other, as an independent
// client finds; and of one message, over UDP too.
func TestSignedTransfers(t *testing.T) {
	secret := []byte("between the two of us")
	text := base64.StdEncoding.EncodeToString(secret)
	for _, algorithm := range []string{dns.HmacSHA256, dns.HmacSHA384, dns.HmacSHA512} {
		for _, n := range []int{3, 300} {
			o := Options{Transfer: Transfer{Keys: []TransferKey{{Name: "other.", Algorithm: algorithm, Secret: []byte("x")}, {Name: "Key.", Algorithm: algorithm, Secret: secret}}}}
			_, tcp := served(t, serverOf(t, many(n), o))
			q := axfr().SetTsig("key.", algorithm, 300, time.Now().Unix())
			rrs, messages, err := transferred(t, tcp, q, map[string]string{"key.": text})
			if want := 2 + 5*n; err != nil || len(rrs) != want || (messages > 1) != (n > 3) {
				t.Errorf("%s, %d nodes: %d records in %d messages, %v; want %d", algorithm, n, len(rrs), messages, err, want)
			}
			q = axfr().SetTsig("key.", algorithm, 300, time.Now().Unix())
			if _, _, err := transferred(t, tcp, q, map[string]string{"key.": base64.StdEncoding.EncodeToString([]byte("a guess"))}); err == nil {
				t.Errorf("%s, %d nodes: transferred to who guessed", algorithm, n)
			}
		}
	}
	_, tcp := served(t, serverOf(t, farm(), Options{}))
	if _, _, err := transferred(t, tcp, axfr(), nil); err == nil {
		t.Error("transferred to anybody")
	}
}
