package e2e

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// delv trusts the farm's own key, and finds everything signed by it, at every
// agent.
func delvStory(t *testing.T, r *tree) {
	anchor := r.write(t, "farm.keys", anchors("mail.test.", r.dnskey(t, r.ksk)))
	for _, ask := range []string{"mail.test A", "mail.test AAAA", "mail.test MX", "mail.test NS", "mail.test SOA", "mail.test DNSKEY", "a.mail.test AAAA",
		"_imaps._tcp.mail.test SRV", "x.wild.mail.test TXT", "autodiscover.mail.test A"} {
		r.delv(t, hubAddr(10), anchor, ask, valid)
	}
	for _, ask := range []string{"mail.test TYPE65", "a.mail.test MX", "_tcp.mail.test A", "nope.mail.test A", "x.a.mail.test A", "x.wild.mail.test A"} {
		r.delv(t, hubAddr(10), anchor, ask, denied)
	}
	for _, n := range r.nodes {
		r.delv(t, n.set.Addrs[1], anchor, "mail.test A", valid)
		r.delv(t, n.set.Addrs[1], anchor, "nope.mail.test A", denied)
	}
}

// What delv says, first of all.
const (
	valid  = `^; fully validated\n`
	denied = `\n; negative response, fully validated\n`
)

func (r *tree) delv(t *testing.T, at netip.Addr, anchor, ask, want string) {
	t.Helper()
	r.passes(t, check{command: fmt.Sprintf("delv @%s -a %s +root=mail.test %s", at, anchor, ask), want: []string{want}, never: []string{"unsigned answer"}})
}

// anchors is what BIND's programs trust.
func anchors(zone, dnskey string) string {
	f := strings.Fields(dnskey)
	return fmt.Sprintf("trust-anchors { %s static-key %s \"%s\"; };\n", zone, strings.Join(f[:3], " "), strings.Join(f[3:], ""))
}

// Resolvers of three makers start at the root, look up what is there and what is
// not, and believe it: where the farm signs, because they have validated it.
func validatorsStory(t *testing.T, r *tree) {
	r.validatingUnbound(t, unboundAt, "")
	r.validatingBIND(t)
	r.recursor(t)
	for _, at := range []netip.Addr{unboundAt, bindAt, recursorAt} {
		r.answers(t, at, "test.")
		for _, l := range lookups {
			if r.signed || !l.signed {
				r.looksUp(t, at, l)
			}
		}
	}
}

// A lookup is what a resolver is asked, and how many records it must have. A
// denial comes first: what its bitmap left out could not be found after it by a
// resolver that concludes (RFC 8198).
type lookup struct {
	signed bool
	name   string
	kind   uint16
	rcode  int // unsigned; signed, a name that is missing is one without types (RFC 9824)
	least  int // records of that kind
}

var lookups = []lookup{
	{false, "mail.test.", dns.TypeHTTPS, dns.RcodeSuccess, 0},
	{false, "nope.mail.test.", dns.TypeA, dns.RcodeNameError, 0},
	{false, "x.y.nope.mail.test.", dns.TypeA, dns.RcodeNameError, 0},
	{false, "a.mail.test.", dns.TypeMX, dns.RcodeSuccess, 0},
	{false, "x.a.mail.test.", dns.TypeA, dns.RcodeNameError, 0},
	{false, "_tcp.mail.test.", dns.TypeA, dns.RcodeSuccess, 0},
	{false, "_imaps._tcp.mail.test.", dns.TypeA, dns.RcodeSuccess, 0},
	{false, "_imaps._tcp.mail.test.", dns.TypeSRV, dns.RcodeSuccess, 1},
	{false, "mail.test.", dns.TypeA, dns.RcodeSuccess, 1},
	{false, "mail.test.", dns.TypeAAAA, dns.RcodeSuccess, 1},
	{false, "mail.test.", dns.TypeMX, dns.RcodeSuccess, 1},
	{false, "mail.test.", dns.TypeNS, dns.RcodeSuccess, 3},
	{false, "mail.test.", dns.TypeSOA, dns.RcodeSuccess, 1},
	{false, "a.mail.test.", dns.TypeA, dns.RcodeSuccess, 1},
	{false, "a.mail.test.", dns.TypeAAAA, dns.RcodeSuccess, 1},
	{false, "autodiscover.mail.test.", dns.TypeAAAA, dns.RcodeSuccess, 1},
	{false, "x.deep.mail.test.", dns.TypeTXT, dns.RcodeSuccess, 1},
	{false, "_why.mail.test.", dns.TypeTXT, dns.RcodeSuccess, 1},
	{true, "x.wild.mail.test.", dns.TypeA, dns.RcodeSuccess, 0},
	{true, "x.wild.mail.test.", dns.TypeTXT, dns.RcodeSuccess, 1},
	{true, "mail.test.", dns.TypeDNSKEY, dns.RcodeSuccess, 2},
	{true, "mail.test.", dns.TypeDS, dns.RcodeSuccess, 1},
	{true, "mail.test.", dns.TypeCDS, dns.RcodeSuccess, 1},
}

// looksUp asks a resolver twice: the second answer may come from its cache.
func (r *tree) looksUp(t *testing.T, at netip.Addr, l lookup) {
	t.Helper()
	for range 2 {
		m, err := r.query(at, l.name, l.kind)
		if err != nil {
			t.Errorf("%s asked for %s %s: %v", at, l.name, dns.TypeToString[l.kind], err)
			return
		}
		found := 0
		for _, rr := range m.Answer {
			if rr.Header().Rrtype == l.kind {
				found++
			}
		}
		believed := m.AuthenticatedData == r.signed || !r.signed && found == 0 // BIND sets AD where it concludes from an NXDOMAIN above
		rcode := m.Rcode == l.rcode || r.signed && l.rcode == dns.RcodeNameError && m.Rcode == dns.RcodeSuccess
		if !rcode || found < l.least || l.least == 0 && found > 0 || !believed {
			t.Errorf("%s, want %s, %d records or more, AD %t, found\n%s", at, dns.RcodeToString[l.rcode], l.least, r.signed, m)
		}
	}
}

// validatingUnbound starts unbound, which believes as little as it can be told
// to.
func (r *tree) validatingUnbound(t *testing.T, at netip.Addr, more string) {
	t.Helper()
	r.startUnbound(t, at, fmt.Sprintf(`
  num-threads: 1
  root-hints: %q
  module-config: "validator iterator"
  trust-anchor: ". DNSKEY %s"
  local-zone: "test." nodefault
  use-caps-for-id: yes
  harden-short-bufsize: yes
  harden-large-queries: yes
  harden-glue: yes
  harden-dnssec-stripped: yes
  harden-below-nxdomain: yes
  harden-referral-path: yes
  harden-algo-downgrade: yes
  aggressive-nsec: yes
  qname-minimisation: yes
  qname-minimisation-strict: yes
  %s`, r.hints, r.anchor, more), "")
}

func (r *tree) validatingBIND(t *testing.T) {
	t.Helper()
	options := strings.Replace(r.plain(), "dnssec-validation no;", "dnssec-validation yes;", 1)
	r.named(t, "resolver", fmt.Sprintf(`
options { %s listen-on { %s; }; query-source address %[2]s; recursion yes; qname-minimization strict; synth-from-dnssec yes; };
zone "." { type hint; file "hints"; };
`, options, bindAt)+anchors(".", r.anchor))
}

// recursor starts PowerDNS's.
func (r *tree) recursor(t *testing.T) {
	t.Helper()
	key, err := dns.NewRR(". 3600 DNSKEY " + r.anchor)
	if err != nil {
		t.Fatal(err)
	}
	ds := key.(*dns.DNSKEY).ToDS(dns.SHA256)
	lua := r.write(t, "recursor.lua", fmt.Sprintf("clearTA()\naddTA('.', '%d %d %d %s')\n", ds.KeyTag, ds.Algorithm, ds.DigestType, ds.Digest))
	r.write(t, "recursor.conf", fmt.Sprintf(`
local-address=%[1]s
query-local-address=%[1]s
allow-from=10.77.0.0/24
dont-query=
hint-file=%[2]s
lua-config-file=%[3]s
dnssec=validate
aggressive-nsec-cache-size=1000
qname-minimization=yes
serve-rfc1918=no
security-poll-suffix=
threads=1
daemon=no
disable-syslog=yes
loglevel=3
quiet=yes
`, recursorAt, r.hints, lua))
	r.hub.start(t, nil, "pdns_recursor", "--config-dir="+r.dir, "--socket-dir="+r.dir)
}
