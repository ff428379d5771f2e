package e2e

import (
	"fmt"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/miekg/dns"
)

const (
	transferSecret = "c2VjcmV0IG9mIHRoZSBmYXJtJ3MgdHJhbnNmZXJzISE=" // of the key farm-xfr.
	anotherSecret  = "YW5vdGhlciBzZWNyZXQsIG9mIGFub3RoZXIgZmFybSE="
	byKey          = " -y hmac-sha256:farm-xfr.:" + transferSecret
)

// transfers are by kdig, from an address that is not allowed and from one that
// is.
var transfers = []check{
	{fails: true, command: "kdig @10.77.0.11 mail.test AXFR", want: []string{`error 'REFUSED'`}},
	{fails: true, command: "kdig @10.77.0.11 mail.test IXFR=1", want: []string{`error 'REFUSED'`}},
	{fails: true, command: "kdig @10.77.0.11 mail.test AXFR -y hmac-sha256:farm-xfr.:" + anotherSecret, want: []string{`NOTAUTH|BADSIG|TSIG`}},
	{fails: true, command: "kdig @10.77.0.11 mail.test AXFR -y hmac-sha256:other.:" + transferSecret, want: []string{`NOTAUTH|BADKEY|TSIG`}},
	{command: "kdig @10.77.0.11 mail.test AXFR" + byKey, want: []string{wholeZone, `\nc\.mail\.test\.\s+\d+\s+IN\s+AAAA\s+fd77::13\n`, `\nx\.deep\.mail\.test\.\s+\d+\s+IN\s+TXT\s`}},
	{command: "kdig @fd77::13 mail.test IXFR=1" + byKey, want: []string{wholeZone}},
	{command: "kdig -b 10.77.0.10 @10.77.0.12 mail.test AXFR", want: []string{wholeZone}},
	{command: "kdig -b 10.77.0.10 @10.77.0.12 mail.test IXFR=1", want: []string{wholeZone}},
	{fails: true, command: "kdig -b 10.77.0.10 @10.77.0.12 example.org AXFR", want: []string{`error '(NOTAUTH|REFUSED)'`}},
}

// wholeZone begins and ends with the SOA (RFC 5936, section 2.2).
const wholeZone = `(?s)\nmail\.test\.\s+\d+\s+IN\s+SOA\s.*\nmail\.test\.\s+\d+\s+IN\s+NS\s.*\nmail\.test\.\s+\d+\s+IN\s+SOA\s`

// BIND has the zone whole as the secondary of a, by the key and by its address;
// nobody else has. It hears of a change at once, and what it has is signed.
func transferStory(t *testing.T, r *tree) {
	for _, c := range transfers {
		r.passes(t, c)
	}
	r.secondary(t, keyedAt, "key farm-xfr.")
	r.secondary(t, allowedAt, "")
	anchor := r.write(t, "farm.keys", anchors("mail.test.", r.dnskey(t, r.ksk)))
	for _, at := range []netip.Addr{keyedAt, allowedAt} {
		r.answers(t, at, "mail.test.")
		r.delv(t, at, anchor, "mail.test A", valid)
		r.delv(t, at, anchor, "_imaps._tcp.mail.test SRV", valid)
		r.delv(t, at, anchor, "a.mail.test MX", denied)
		r.delv(t, at, anchor, "nope.mail.test A", denied)
	}
	r.change(t)
	for _, at := range []netip.Addr{keyedAt, allowedAt} { // sooner than SOA REFRESH, which is hours
		eventually(t, soon, fmt.Sprintf("%s has the new record", at), func() (string, bool) { return r.has(at, "new.mail.test.") })
	}
}

// change gives the zone one more record, at all agents.
func (r *tree) change(t *testing.T) {
	t.Helper()
	for _, n := range r.nodes {
		n.set.Zone = strings.Replace(n.set.Zone, "records: [", `records: ["new TXT changed", `, 1)
		n.configure(t)
		if err := n.agent.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range r.nodes {
		eventually(t, soon, n.id+" has the new record", func() (string, bool) { return r.has(n.addr, "new.mail.test.") })
	}
}

// has reports whether a server has a TXT of the name.
func (r *tree) has(at netip.Addr, name string) (string, bool) {
	m, err := r.query(at, name, dns.TypeTXT)
	if err != nil {
		return err.Error(), false
	}
	return m.String(), m.Rcode == dns.RcodeSuccess && len(m.Answer) > 0
}

// secondary starts BIND as one of a, shown by its address and, if given, a key.
func (r *tree) secondary(t *testing.T, at netip.Addr, key string) {
	t.Helper()
	r.named(t, "secondary-"+at.String(), fmt.Sprintf(`
key farm-xfr. { algorithm hmac-sha256; secret "%s"; };
options { %s listen-on { %s; }; recursion no; transfer-source %[3]s; };
zone "mail.test." { type secondary; primaries { %s %s; }; allow-notify { 10.77.0.0/24; }; file "secondary-%[3]s.zone"; masterfile-format text; };
`, transferSecret, r.plain(), at, r.nodes[0].addr, key))
}
