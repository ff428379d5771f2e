package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// What an answer shows of a header and of EDNS, in kdig's words.
const (
	noError  = `status: NOERROR;`
	missing  = `status: NXDOMAIN;`
	refused  = `status: REFUSED;`
	formErr  = `status: FORMERR;`
	ours     = `Flags: qr aa rd;` // and no other
	noAnswer = `ANSWER: 0;`
	denial   = `\nmail\.test\.\s+\d+\s+IN\s+SOA\s`
	anOPT    = `EDNS PSEUDOSECTION`
)

// probes are questions that a server can get wrong, by kdig, and by dig what
// kdig cannot ask.
var probes = []check{
	// The header and the question.
	{command: "kdig @10.77.0.11 mail.test A", want: []string{noError, ours, `\nmail\.test\.\s+\d+\s+IN\s+A\s`}, never: []string{anOPT}},
	{command: "kdig @fd77::12 mail.test AAAA", want: []string{noError, ours, `\sAAAA\s+fd77::1[123]\n`}},
	{command: "dig @10.77.0.12 mAiL.tEsT A", want: []string{"status: NOERROR", `\n;mAiL\.tEsT\.\s`, `\nmAiL\.tEsT\.\s+\d+\s+IN\s+A\s`}},
	{command: "kdig @10.77.0.13 +adflag +cdflag +norec mail.test A", want: []string{noError, `Flags: qr aa;`}},
	{command: "dig @10.77.0.11 +zflag +noedns mail.test A", want: []string{"status: NOERROR", "flags: qr aa rd;"}, never: []string{"MBZ"}},
	{command: "dig @10.77.0.11 +opcode=UPDATE mail.test", want: []string{"opcode: UPDATE, status: REFUSED"}},
	{command: "dig @10.77.0.11 +opcode=STATUS mail.test", want: []string{"opcode: STATUS, status: NOTIMP"}},
	{command: "dig @10.77.0.11 +opcode=15 mail.test", want: []string{"status: NOTIMP"}},
	{command: "dig @10.77.0.11 +header-only +noedns", want: []string{"status: FORMERR"}},

	// What is there, and what is not.
	{command: "kdig @10.77.0.11 mail.test SOA", want: []string{noError, ours, denial}},
	{command: "kdig @10.77.0.11 mail.test NS", want: []string{noError, ours, `ANSWER: 3;`, `\nb\.mail\.test\.\s+\d+\s+IN\s+AAAA\s+fd77::12\n`}},
	{command: "kdig @10.77.0.11 b.mail.test A", want: []string{noError, ours, `ANSWER: 1;`, `\s10\.77\.0\.12\n`}},
	{command: "kdig @10.77.0.11 mail.test ANY", want: []string{noError, ours, `ANSWER: 1;`, `HINFO\s+"RFC8482" ""`}},
	{command: "kdig @10.77.0.11 mail.test TYPE65", want: []string{noError, ours, noAnswer, denial}},
	{command: "kdig @10.77.0.11 mail.test TYPE666", want: []string{noError, ours, noAnswer, denial}},
	{command: "kdig @10.77.0.11 mail.test CNAME", want: []string{noError, ours, noAnswer, denial}},
	{command: "kdig @10.77.0.11 nope.mail.test A", want: []string{missing, ours, denial}},
	{command: "kdig @10.77.0.11 x.a.mail.test A", want: []string{missing, ours, denial}},
	{command: "kdig @10.77.0.11 _tcp.mail.test A", want: []string{noError, ours, noAnswer, denial}},
	{command: "kdig @10.77.0.11 deep.mail.test NS", want: []string{noError, ours, noAnswer, denial}},
	{command: "kdig @10.77.0.11 mail.test DS", want: []string{noError, noAnswer}},
	{command: "kdig @10.77.0.11 autodiscover.mail.test AAAA", want: []string{noError, ours, `CNAME\s+mail\.test\.`, `\nmail\.test\.\s+\d+\s+IN\s+AAAA\s`}},
	{command: "kdig @10.77.0.11 _why.mail.test TXT", want: []string{noError, `"a state=up `, `"c state=up share=0\.500 `}},
	{command: "kdig @10.77.0.11 example.org A", want: []string{refused, `Flags: qr rd;`, noAnswer}, never: []string{`SECTION:[^;]*\sNS\s`}},
	{command: "kdig @10.77.0.11 . NS", want: []string{refused, noAnswer}},
	{command: "kdig @10.77.0.11 test NS", want: []string{refused, noAnswer}},
	{command: "kdig @10.77.0.11 -c CH mail.test A", want: []string{refused}},

	// EDNS.
	{command: "kdig @10.77.0.11 +edns mail.test A", want: []string{noError, anOPT, `Version: 0; flags: ; UDP size: 1232 B;`}},
	{command: "kdig @10.77.0.11 +edns=1 mail.test A", want: []string{`status: BADVERS;`, `Version: 0;`, noAnswer}},
	{command: "kdig @10.77.0.11 +dnssec mail.test A", want: []string{noError, `flags: do;`}},
	{command: "kdig @10.77.0.11 +bufsize=100 mail.test A", want: []string{noError, ours, `ANSWER: [123];`}},
	{command: "kdig @10.77.0.11 +bufsize=65535 mail.test A", want: []string{noError, `UDP size: 1232 B;`}},
	{command: "kdig @10.77.0.11 +ednsopt=65001:abcd mail.test A", want: []string{noError, anOPT}, never: []string{`(?i)65001|abcd`}},
	{command: "kdig @10.77.0.11 +padding=128 mail.test A", want: []string{noError, anOPT}, never: []string{`(?i)padding`}},
	{command: "dig @10.77.0.11 +nocookie +keepalive +notcp mail.test A", want: []string{"status: NOERROR"}, never: []string{"KEEPALIVE"}}, // RFC 7828, section 3.2.1
	{command: "dig @10.77.0.11 +nocookie +ednsflags=0x0040 mail.test A", want: []string{"status: NOERROR"}, never: []string{"MBZ"}},
	{command: "kdig @10.77.0.11 +edns example.org A", want: []string{refused, anOPT}},

	// What UDP does not take, and TCP.
	{command: "kdig @10.77.0.11 +ignore long.mail.test TXT", want: []string{noError, `Flags: qr aa tc rd;`, noAnswer}},
	{command: "kdig @10.77.0.11 +ignore +bufsize=4096 long.mail.test TXT", want: []string{noError, `Flags: qr aa tc rd;`, noAnswer, anOPT}},
	{command: "kdig @fd77::13 long.mail.test TXT", want: []string{noError, ours, `ANSWER: 1;`, `\(TCP\)`}},
	{command: "kdig @10.77.0.11 +tcp +keepopen mail.test A mail.test MX nope.mail.test A", want: []string{`(?s)` + noError + `.*` + noError + `.*` + missing}},

	// Nobody else has the zone whole.
	{fails: true, command: "kdig @10.77.0.11 mail.test AXFR", want: []string{`error '(REFUSED|NOTIMPL)'`}},
	{fails: true, command: "kdig @10.77.0.11 mail.test IXFR=1", want: []string{`error '(REFUSED|NOTIMPL)'`}},

	// What the configuration of the signed stage has. The first kdig in each
	// pair asks for an option, and the second gets none without asking.
	{signed: true, command: "kdig @10.77.0.12 +nsid mail.test A", want: []string{noError, `NSID: 62 "b"`}},
	{signed: true, command: "kdig @10.77.0.12 +edns mail.test A", want: []string{noError}, never: []string{`NSID|COOKIE|CLIENT-SUBNET`}},
	{signed: true, command: "kdig @10.77.0.11 -c CH id.server TXT", want: []string{noError, `\sCH\s+TXT\s+"a"`}},
	{signed: true, command: "kdig @10.77.0.11 -c CH hostname.bind TXT", want: []string{noError, `\sCH\s+TXT\s+"a"`}},
	{signed: true, command: "kdig @10.77.0.11 -c CH version.bind TXT", want: []string{noError, `\sCH\s+TXT\s+"9"`}},
	{signed: true, command: "kdig @10.77.0.11 -c CH version.server TXT", want: []string{noError, `\sCH\s+TXT\s+"9"`}},
	{signed: true, command: "kdig @10.77.0.11 +cookie=0123456789abcdef mail.test A", want: []string{noError, `COOKIE: 0123456789ABCDEF01000000[0-9A-F]{24}\n`}},
	{signed: true, command: "kdig @10.77.0.11 +cookie=0123456789abcdef0100000000000000000000 mail.test A", want: []string{`status: FORMERR|COOKIE: 0123456789ABCDEF01000000[0-9A-F]{24}\n`}},
	{signed: true, command: "kdig @10.77.0.11 +ednsopt=10:aabb mail.test A", want: []string{formErr, noAnswer}},
	{signed: true, command: "dig @10.77.0.11 +header-only +cookie", want: []string{"status: NOERROR", `COOKIE: [0-9a-f]{48} `}},
	{signed: true, command: "kdig @10.77.0.11 +subnet=192.0.2.0/24 mail.test A", want: []string{noError, `CLIENT-SUBNET: 192\.0\.2\.0/24/0\n`}},
	{signed: true, command: "kdig @10.77.0.11 +subnet=2001:db8::/56 mail.test A", want: []string{noError, `CLIENT-SUBNET: 2001:db8::/56/0\n`}},
	{signed: true, command: "kdig @10.77.0.11 +subnet=0.0.0.0/0 mail.test A", want: []string{noError, `CLIENT-SUBNET: 0\.0\.0\.0/0/0\n`}},
	{signed: true, command: "kdig @10.77.0.11 +ednsopt=8:0001200011 mail.test A", want: []string{formErr, noAnswer}},
	{signed: true, command: "dig @10.77.0.11 +tcp +keepalive mail.test A", want: []string{"status: NOERROR", `TCP KEEPALIVE: 10\.0 secs`}},
	{signed: true, command: "kdig @10.77.0.11 +edns example.org A", want: []string{refused, `EDE: 20 `}},
	{signed: true, command: "kdig @10.77.0.11 +edns mail.test TYPE128", want: []string{`status: (FORMERR|NOERROR);`, noAnswer, `EDE: 30 `}},

	// Services, weighted by the shares.
	{signed: true, command: "kdig @10.77.0.13 _imaps._tcp.mail.test SRV", want: []string{noError, ours, `ANSWER: 3;`, `SRV\s+0 3276[78] 25 a\.mail\.test\.`, `SRV\s+0 65535 25 c\.mail\.test\.`}},
	{signed: true, command: "kdig @10.77.0.13 imaps.mail.test A", want: []string{noError, ours, `\nimaps\.mail\.test\.\s+\d+\s+IN\s+A\s+10\.77\.0\.1[123]\n`}},

	// Signatures and denial (RFC 9824), to who asks for them alone.
	{signed: true, command: "kdig @10.77.0.11 mail.test A", want: []string{noError}, never: []string{`RRSIG`}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec mail.test A", want: []string{noError, `\nmail\.test\.\s+\d+\s+IN\s+RRSIG\s+A 13 2 `}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec mail.test DNSKEY", want: []string{noError, `ANSWER: [34];`, `DNSKEY\s+257 3 13`, `DNSKEY\s+256 3 13`, `RRSIG\s+DNSKEY 13 2 `}},
	{signed: true, command: "kdig @10.77.0.11 mail.test CDS", want: []string{noError, `CDS\s+\d+ 13 2 `}},
	{signed: true, command: "kdig @10.77.0.11 mail.test CDNSKEY", want: []string{noError, `CDNSKEY\s+257 3 13`}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec x.wild.mail.test TXT", want: []string{noError, `\nx\.wild\.mail\.test\.\s+\d+\s+IN\s+TXT\s+"wild"`, `RRSIG\s+TXT 13 [34] `}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec mail.test TYPE65", want: []string{noError, noAnswer, denial, `\nmail\.test\.\s+\d+\s+IN\s+NSEC\s+\S+ A NS SOA MX AAAA RRSIG NSEC DNSKEY CDS CDNSKEY\n`}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec nope.mail.test A", want: []string{noError, noAnswer, denial, `\nnope\.mail\.test\.\s+\d+\s+IN\s+NSEC\s+\\000\.nope\.mail\.test\. RRSIG NSEC TYPE128\n`}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec _tcp.mail.test A", want: []string{noError, noAnswer, denial, `\n_tcp\.mail\.test\.\s+\d+\s+IN\s+NSEC\s+\\000\._tcp\.mail\.test\. RRSIG NSEC\n`}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec mail.test ANY", want: []string{noError, `HINFO\s+"RFC8482" ""`, `RRSIG\s+HINFO `}},
	{signed: true, command: "kdig @10.77.0.11 +dnssec +bufsize=512 mail.test DNSKEY", want: []string{noError, `ANSWER: [34];`}}, // whole, or by TCP
}

// kdig and dig are answered as the RFCs say.
func probesStory(t *testing.T, r *tree) {
	for _, c := range probes {
		r.passes(t, c)
	}
	if r.signed {
		r.compact(t)
		r.oneJar(t)
	}
}

// oneJar holds that a cookie is worth the same at all agents (RFC 9018, section
// 3): one that is not renewed yet is returned as it is.
func (r *tree) oneJar(t *testing.T) {
	t.Helper()
	cookie := r.cookie(t, "10.77.0.11")
	for _, at := range []string{"10.77.0.11", "10.77.0.13"} {
		r.passes(t, check{command: "kdig @" + at + " +cookie=" + cookie + " mail.test A", want: []string{noError, "COOKIE: " + cookie + `\n`}})
	}
}

// compact says that it understands compact denial (RFC 9824, section 5.1), which
// neither dig nor kdig can, and so is told what the name is.
func (r *tree) compact(t *testing.T) {
	t.Helper()
	q := new(dns.Msg).SetQuestion("nope.mail.test.", dns.TypeA)
	q.SetEdns0(1232, true)
	q.IsEdns0().Hdr.Ttl |= 1 << 14
	m, err := r.exchange(r.nodes[0].addr, "udp", q)
	if err != nil || m.Rcode != dns.RcodeNameError || !slices.ContainsFunc(m.Ns, func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeNSEC }) {
		t.Errorf("with CO: want NXDOMAIN and an NSEC, found %v: %v", m, err)
	}
}

// cookie is one that the agent at the address has made.
func (r *tree) cookie(t *testing.T, at string) string {
	t.Helper()
	out, err := r.hub.output(t, "kdig", "@"+at, "+cookie", "mail.test", "A")
	_, cookie, found := strings.Cut(out, "COOKIE: ")
	if err != nil || !found {
		t.Fatalf("no cookie: %v\n%s", err, out)
	}
	cookie, _, _ = strings.Cut(cookie, "\n")
	return cookie
}
