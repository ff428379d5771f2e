package dnsrr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// A reply fits in what the asker takes: extras go first, then all of it.
func TestSize(t *testing.T) {
	tab := compile(t, farm(func(s *Set) {
		for i := range 15 {
			n := fmt.Sprintf("node%02d", i)
			s.Targets = append(s.Targets, Target{Name: n, Addrs: addrs(fmt.Sprintf("198.51.100.%d 2001:db8::f:%d", i+1, i)), Share: 1, Why: n + strings.Repeat(" why", 60)})
		}
	}))
	s := new(Server)
	s.Publish(tab)
	for _, tt := range []struct {
		name   string
		typ    uint16
		size   uint16 // 0: no OPT
		udp    bool
		limit  int
		tc     bool
		extras int
	}{
		{"_why.mail.test.", dns.TypeTXT, 0, false, 65535, false, 0},
		{"_why.mail.test.", dns.TypeTXT, 0, true, 512, true, 0},
		{"_why.mail.test.", dns.TypeTXT, 65535, true, 1232, true, 1},
		{"mail.test.", dns.TypeNS, 0, true, 512, false, 0},
		{"mail.test.", dns.TypeNS, 1, true, 512, false, 1},
		{"mail.test.", dns.TypeNS, 600, true, 600, false, 1},
		{"mail.test.", dns.TypeNS, 1232, true, 1232, false, 36},
		{"mail.test.", dns.TypeNS, 0, false, 65535, false, 35},
		{"mail.test.", dns.TypeAAAA, 0, true, 512, false, 0},
	} {
		q := ask(tt.name, tt.typ)
		if tt.size > 0 {
			q.SetEdns0(tt.size, false)
		}
		tr := map[bool]transport{true: overUDP, false: overTCP}[tt.udp]
		if out := s.reply(nil, packed(t, q), someone, tr, noon, false); parse(out).bad { // the library passes over what is counted and missing
			t.Errorf("%s %d, size %d: the header counts other records", tt.name, tt.typ, tt.size)
		}
		m := tab.Answer(q, Asker{}, tt.udp)
		b, err := m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > tt.limit || m.Truncated != tt.tc || len(m.Extra) != tt.extras || len(m.Question) != 1 || tt.tc != (len(m.Answer) == 0) {
			t.Errorf("%s %d, size %d, udp %v: %d octets, tc %v, %d answers, %d extras; want at most %d, %v, and %d extras",
				tt.name, tt.typ, tt.size, tt.udp, len(b), m.Truncated, len(m.Answer), len(m.Extra), tt.limit, tt.tc, tt.extras)
		}
	}
}
