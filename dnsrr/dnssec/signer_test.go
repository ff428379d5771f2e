package dnssec

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// verify holds that a set has one signature by each key that ought to make one,
// and that each is good at now.
func verify(t failer, k *Keys, set, sigs []dns.RR, now time.Time) {
	t.Helper()
	signers := k.signersOf(set[0].Header().Rrtype)
	if len(sigs) != len(signers) {
		t.Fatalf("%d signatures by %v of %v", len(sigs), signers, set)
	}
	for i, key := range signers {
		sig := sigs[i].(*dns.RRSIG)
		if err := sig.Verify(key.public, set); err != nil {
			t.Fatalf("%v by %v of %v: %v", sig, key, set, err)
		}
		switch h := set[0].Header(); {
		case sig.Hdr.Name != h.Name || sig.Hdr.Ttl != h.Ttl:
			t.Fatalf("%v is not like the set's %v", sig.Hdr, h)
		case !sig.ValidityPeriod(now) || !sig.ValidityPeriod(now.Add(remaining)):
			t.Fatalf("%v does not hold at %v and for two days", sig, now)
		}
	}
}

func keysOf(t testing.TB, uses ...Use) *Keys {
	t.Helper()
	k, err := NewKeys(zone, uses)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// pair is the plainest signer.
func pair(t testing.TB) *Signer {
	t.Helper()
	return NewSigner(keysOf(t, Use{generate(t, P256, true), Active}, Use{generate(t, P256, false), Active}))
}

func records(t failer, lines ...string) (set []dns.RR) {
	t.Helper()
	for _, line := range lines {
		rr, err := dns.NewRR(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		set = append(set, rr)
	}
	return set
}

func addresses(n int) (set []dns.RR) {
	for i := range n {
		a := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		set = append(set, &dns.A{Hdr: dns.RR_Header{Name: zone, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 30}, A: a.AsSlice()})
	}
	return set
}

func TestSignEverySet(t *testing.T) {
	csk := generate(t, P256, true)
	for _, s := range []*Signer{
		pair(t),
		NewSigner(keysOf(t, Use{csk, Active})),
		NewSigner(keysOf(t, Use{generate(t, Ed25519, true), Active}, Use{generate(t, Ed25519, false), Active})),
		NewSigner(keysOf(t, Use{generate(t, P256, true), Active}, Use{generate(t, Ed25519, true), Active})),
	} {
		for _, set := range [][]dns.RR{
			records(t, "mail.example. 30 A 192.0.2.1"),
			records(t, "MAIL.example. 30 A 192.0.2.2", "MAIL.example. 30 A 192.0.2.1"),
			records(t, "ex01.mail.example. 30 AAAA 2001:db8::1"),
			records(t, "mail.example. 30 NS EX02.mail.example.", "mail.example. 30 NS ex01.mail.example."),
			records(t, "mail.example. 30 SOA ex01.mail.example. Hostmaster.mail.example. 1 2 3 4 5"),
			records(t, "mail.example. 0 MX 10 MAIL.Example."),
			records(t, "_imaps._tcp.mail.example. 30 SRV 0 1 993 Mail.example."),
			records(t, `_why.mail.example. 30 TXT "state=up" "Share=0.3"`, `_why.mail.example. 30 TXT ""`),
			records(t, "autodiscover.mail.example. 30 CNAME Mail.Example."),
			records(t, "mail.example. 30 HINFO RFC8482 \"\""),
			records(t, `mail.example. 30 CAA 0 issue "CA.example"`),
			records(t, `mail.example. 30 NAPTR 1 1 "S" "x" "" A.mail.example.`),
			records(t, `mail.example. 30 HTTPS 1 . alpn=h2`),
			records(t, `mail.example. 30 TYPE65530 \# 2 4142`),
			records(t, `*a.mail.example. 30 A 192.0.2.1`),
			records(t, `*.mail.example. 30 A 192.0.2.1`),
			records(t, `a\.\000.mail.example. 30 MX 1 a.mail.example.`),
			records(t, "mail.example. 30 A 192.0.2.1", "mail.example. 30 A 192.0.2.1"),
			s.Keys().DNSKEY(30), s.Keys().CDS(30), s.Keys().CDNSKEY(30),
			{Denial(zone, "x.mail.example.", nil, true, 30)},
			{Denial(zone, "X.mail.example.", []uint16{dns.TypeTXT}, false, 30)},
		} {
			clean := slices.Clone(set)
			for i := range clean {
				clean[i] = dns.Copy(set[i])
			}
			for range 2 { // the second is remembered
				verify(t, s.Keys(), set, s.Sign(set, 60, noon), noon)
			}
			for i := range set {
				if *set[i].Header() != *clean[i].Header() || set[i].String() != clean[i].String() {
					t.Errorf("%v was changed to %v", clean[i], set[i])
				}
			}
		}
	}
}

// A name's spelling is nothing to a validator, and an asterisk makes a wildcard
// only where it is all of a label (RFC 4592, section 2.1.1).
func TestSignWhatIsSpelledOddly(t *testing.T) {
	s := pair(t)
	odd, plain := records(t, `\065.mail.example. 30 MX 1 \066.mail.example.`), records(t, "a.mail.example. 30 MX 1 b.mail.example.")
	sigs := s.Sign(odd, 60, noon)
	for _, sig := range sigs {
		sig.Header().Name = plain[0].Header().Name
	}
	verify(t, s.Keys(), plain, sigs, noon)
	for owner, want := range map[string]uint8{"*a.mail.example.": 3, "*.mail.example.": 2, "a.*.mail.example.": 4, `\*.mail.example.`: 2} {
		sigs := s.Sign(records(t, owner+" 30 A 192.0.2.1"), 60, noon)
		if got := sigs[0].(*dns.RRSIG).Labels; got != want {
			t.Errorf("%s: %d labels, want %d", owner, got, want)
		}
	}
}

func TestSignRefuses(t *testing.T) {
	s := pair(t)
	long := &dns.TXT{Hdr: dns.RR_Header{Name: zone, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{strings.Repeat("x", 300)}}
	for promise, set := range map[string][]dns.RR{
		"nothing":        nil,
		"no data":        {long},
		"no record":      {nil},
		"unlike names":   records(t, "a.mail.example. 30 A 192.0.2.1", "mail.example. 30 A 192.0.2.2"),
		"names as long":  records(t, "a.mail.example. 30 A 192.0.2.1", "b.mail.example. 30 A 192.0.2.2"),
		"unlike types":   records(t, "mail.example. 30 A 192.0.2.1", "mail.example. 30 AAAA 2001:db8::1"),
		"unlike classes": records(t, "mail.example. 30 A 192.0.2.1", "mail.example. 30 CH A 192.0.2.1"),
	} {
		for range 2 {
			if got := s.Sign(set, 60, noon); len(got) != 0 {
				t.Errorf("%s: %v", promise, got)
			}
		}
	}
}

// Any records in any order under any letter case, with any TTL up to the
// original: what was remembered for one is good for the other.
func TestAnySetVerifies(t *testing.T) {
	signers := []*Signer{pair(t), NewSigner(keysOf(t, Use{generate(t, Ed25519, true), Active}))}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(signers).Draw(t, "signer")
		original := rapid.Uint32Range(0, 3600).Draw(t, "original")
		owner := rapid.StringMatching(`([A-Za-z*][A-Za-z0-9_*-]{0,9}\.){0,3}`).Draw(t, "owner") + zone
		data := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9]{0,20}`), 1, 9, rapid.ID).Draw(t, "data")
		now := noon.Add(time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).Draw(t, "now")))
		for range 3 {
			ttl := rapid.Uint32Range(0, original).Draw(t, "ttl")
			name := rapid.SampledFrom([]string{owner, strings.ToUpper(owner), strings.ToLower(owner)}).Draw(t, "case")
			var set []dns.RR
			for _, d := range rapid.Permutation(data).Draw(t, "order") {
				set = append(set, &dns.TXT{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: ttl}, Txt: []string{d}})
			}
			sigs := s.Sign(set, original, now)
			verify(t, s.Keys(), set, sigs, now)
			if got := sigs[0].(*dns.RRSIG).OrigTtl; got != original {
				t.Fatalf("original TTL %d, want %d", got, original)
			}
		}
	})
}

// Even where the caller hands out more than the original, that stands.
func TestTheOriginalTTLIsTheCallers(t *testing.T) {
	set := addresses(1)
	if got := pair(t).Sign(set, 0, noon)[0].(*dns.RRSIG); got.OrigTtl != 0 || got.Hdr.Ttl != set[0].Header().Ttl {
		t.Errorf("got %v, want an original TTL of 0", got)
	}
}

// made counts signatures: what is remembered is the same to the octet, and P-256
// never makes the same one twice.
func made(seen map[string]bool, sigs []dns.RR) int {
	for _, sig := range sigs {
		seen[sig.(*dns.RRSIG).Signature] = true
	}
	return len(seen)
}

func TestOneSignatureForOneSet(t *testing.T) {
	s, seen := pair(t), map[string]bool{}
	set := addresses(3)
	for i, c := range []struct {
		promise  string
		change   func()
		original uint32
		after    time.Duration
		want     int
	}{
		{"the first", func() {}, 60, 0, 1},
		{"again", func() {}, 60, time.Hour, 1},
		{"in another order", func() { slices.Reverse(set) }, 60, time.Hour, 1},
		{"under another case", func() {
			set = records(t, "MAIL.example. 5 A 192.0.2.0", "MAIL.example. 5 A 192.0.2.1", "MAIL.example. 5 A 192.0.2.2")
		}, 60, time.Hour, 1},
		{"with another TTL", func() { set = addresses(3); set[0].Header().Ttl = 1; set[1].Header().Ttl = 1; set[2].Header().Ttl = 1 }, 60, time.Hour, 1},
		{"another original TTL", func() {}, 61, time.Hour, 2},
		{"one record less", func() { set = set[:2] }, 60, time.Hour, 3},
		{"another owner", func() { set = records(t, "m.mail.example. 5 A 192.0.2.0", "m.mail.example. 5 A 192.0.2.1") }, 60, time.Hour, 4},
		{"half a week later", func() { set = addresses(3) }, 60, 84 * time.Hour, 4},
		{"a week later", func() {}, 60, 7 * 24 * time.Hour, 5},
		{"again", func() {}, 60, 7 * 24 * time.Hour, 5},
		{"half an hour back", func() {}, 60, 7*24*time.Hour - 30*time.Minute, 5},
		{"a day back", func() {}, 60, 6 * 24 * time.Hour, 6},
	} {
		c.change()
		sigs := s.Sign(set, c.original, noon.Add(c.after))
		verify(t, s.Keys(), set, sigs, noon.Add(c.after))
		if got := made(seen, sigs); got != c.want {
			t.Errorf("step %d: %s: %d signatures so far, want %d", i, c.promise, got, c.want)
		}
	}
}

// A clock that jumps about never gets a signature that does not hold yet, nor
// one that is about to end.
func TestAnyClockIsServed(t *testing.T) {
	s := pair(t)
	set := addresses(1)
	rapid.Check(t, func(t *rapid.T) {
		now := noon.Add(time.Duration(rapid.Int64Range(-int64(20*24*time.Hour), int64(20*24*time.Hour)).Draw(t, "now")))
		verify(t, s.Keys(), set, s.Sign(set, 60, now), now)
	})
}

// What is returned is the caller's.
func TestResultsAreNotShared(t *testing.T) {
	s, set := pair(t), addresses(1)
	sig := s.Sign(set, 60, noon)[0].(*dns.RRSIG)
	sig.Hdr.Name, sig.Signature, sig.KeyTag = "x.", "", 0
	verify(t, s.Keys(), set, s.Sign(set, 60, noon), noon)
	key := s.Keys().DNSKEY(60)[0].(*dns.DNSKEY)
	key.PublicKey, key.Hdr.Name = "", "x."
	if got := s.Keys().DNSKEY(60)[0].(*dns.DNSKEY); got.PublicKey == "" || got.Hdr.Name != zone {
		t.Errorf("a record of the keys was changed: %v", got)
	}
}
