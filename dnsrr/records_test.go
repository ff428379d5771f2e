package dnsrr

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestRecordsKeepTheirTTL(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Records = records(t, "a 300 TXT x", "b IN TXT y", "", "; a comment") }))
	for name, want := range map[string]uint32{"a.mail.test.": 300, "b.mail.test.": 20} {
		if got := tab.Answer(ask(name, dns.TypeTXT), Asker{}, true).Answer[0].Header().Ttl; got != want {
			t.Errorf("%s: ttl %d, want %d", name, got, want)
		}
	}
}

// A name may be written in more ways than one, and is one name.
func TestRecordNamesAreCanonical(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Records = records(t, `\087ww TXT x`) }))
	if got, want := brief(tab.Answer(ask("www.mail.test.", dns.TypeTXT), Asker{}, true)), `NOERROR aa; www.mail.test. TXT "x"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseRecordsRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines string // one a line
		want  string // of the error
	}{
		{"what is no record", "hello", "record 0"},
		{"a type nobody knows", "a BOGUS x", "record 0"},
		{"half an address", "a A 192.0.2", "record 0"},
		{"an address out of range", "a A 192.168.1.300", "record 0"},
		{"another zone", "a.example. A 192.0.2.1", "outside of the zone"},
		{"a neighbour", "xmail.test. A 192.0.2.1", "outside of the zone"},
		{"A at the apex", "@ A 192.0.2.1", "answered for the farm"},
		{"AAAA at the apex, by its full name", "MAIL.test. AAAA ::1", "answered for the farm"},
		{"SOA", "@ SOA a b 1 2 3 4 5", "answered for the farm"},
		{"NS", "@ NS ns.example.", "answered for the farm"},
		{"CNAME at the apex", "@ CNAME www.example.", "CNAME beside other records"},
		{"a delegation", "sub NS ns.example.", "delegations"},
		{"DNAME", "sub DNAME example.", "delegations"},
		{"an asterisk within", "a.*.b A 192.0.2.1", "asterisk"},
		{"a wildcard that leads to itself", "*.x CNAME a.x", "circle"},
		{"mail to an alias by a wildcard", "*.x CNAME ex01\n@ MX 10 mx.x", "leads to an alias"},
		{"addresses beside the weights", "@ HTTPS 1 . alpn=h2 ipv4hint=192.0.2.1", "ipv4hint"},
		{"those of another name here", "a SVCB 1 mail.test. ipv6hint=2001:db8::1", "ipv6hint"},
		{"why", "_why TXT mine", "explains"},
		{"a key", "@ DNSKEY 257 3 13 AAAA", "zone's keys"},
		{"class", "a CH TXT x", "class CH"},
		{"include", "$INCLUDE /etc/passwd", "directives"},
		{"generate", "$GENERATE 1-9 a$ A 192.0.2.$", "directives"},
		{"ttl", "a 2147483648 A 192.0.2.1", "ttl"},
		{"alias and data", "a CNAME b\na TXT x", "CNAME beside other records"},
		{"data and alias", "a TXT x\nA CNAME b", "CNAME beside other records"},
		{"the same again", "a TXT x\nA TXT x", "listed twice"},
		{"ttls of one set", "a 1 TXT x\na 2 TXT y", "ttl: differs"},
		{"an alias of itself", "a CNAME a", "circle"},
		{"a circle", "a CNAME b\nb CNAME c\nc CNAME A", "circle"},
		{"mail to an alias", "a CNAME b\n@ MX 10 a", "leads to an alias"},
		{"an alias of where mail goes", "_x._tcp SRV 0 0 1 a\na CNAME b", "leads to an alias"},
		{"a chain too long", "a CNAME b\nb CNAME c\nc CNAME d\nd CNAME e\ne CNAME f\nf CNAME g\ng CNAME h\nh CNAME i\ni CNAME j", "chain too long"},
		{"data that cannot be sent", "a TLSA 3 1 1 xyz", "data"},
		{"data beyond all measure", "a TXT" + strings.Repeat(" "+strings.Repeat("x", 255), 17), "data"},
		{"many", "a A x\nb TXT fine\nc A y", "record 2 \"c A y\""},
	} {
		_, err := ParseRecords("mail.test.", strings.Split(tt.lines, "\n"))
		if err == nil {
			t.Errorf("%s: taken", tt.name)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %q, want %q in it", tt.name, err, tt.want)
		}
	}
	if _, err := ParseRecords("mail.test.", []string{"a TXT x\nb TXT y"}); err == nil {
		t.Error("two records in one line: taken")
	}
	if _, err := ParseRecords("mail", nil); err == nil {
		t.Error("a relative zone: taken")
	}
}

// The longest chain that is taken is also answered to its end.
func TestLongestChain(t *testing.T) {
	tab := compile(t, farm(func(s *Set) {
		s.Records = records(t, "h CNAME ex01", "g CNAME h", "f CNAME g", "e CNAME f", "d CNAME e", "c CNAME d", "b CNAME c", "a CNAME b")
	}))
	m := tab.Answer(ask("a.mail.test.", dns.TypeA), Asker{}, true)
	if got := m.Answer[len(m.Answer)-1].Header().Rrtype; got != dns.TypeA || len(m.Answer) != maxChain+1 {
		t.Errorf("%d records, the last of type %s; want %d and an A", len(m.Answer), dns.Type(got), maxChain+1)
	}
}

func FuzzParseRecords(f *testing.F) {
	for _, s := range []string{"@ MX 10 ex01", "a CNAME b", "_x._tcp SRV 0 0 443 ex01", `\087 TXT "a b"`, "a TYPE300 \\# 1 00", "a HTTPS 1 . alpn=h2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r, err := ParseRecords("mail.test.", []string{line})
		if err != nil {
			return
		}
		tab := compile(t, farm(func(s *Set) { s.Records = r }))
		for _, rr := range r.rrs {
			h := rr.Header()
			q := ask(h.Name, h.Rrtype)
			if m := tab.Answer(q, Asker{}, false); m.Rcode != dns.RcodeSuccess {
				t.Fatalf("%q is taken, and answered %s", line, brief(m))
			} else if _, err := m.Pack(); err != nil {
				t.Fatalf("%q is taken, and cannot be sent: %v", line, err)
			}
		}
	})
}
