package dnsrr

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/ratelimit"
)

// served runs s on a UDP and a TCP socket of one loopback address.
func served(t *testing.T, s *Server) (udp, tcp string) {
	t.Helper()
	pc, l := listenUDP(t, "127.0.0.1:0"), listenTCP(t)
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
	serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	return pc.LocalAddr().String(), l.Addr().String()
}

// T1: one connection, many questions, none of which waits; each reply comes
// whole, with its length.
func TestT1QuestionsShareAConnection(t *testing.T) {
	_, tcp := served(t, serverOf(t, rich(t), Options{}))
	c, err := net.Dial("tcp", tcp)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	var all []byte
	types := []uint16{dns.TypeA, dns.TypeNS, dns.TypeSRV, dns.TypeSOA, dns.TypeTXT}
	for i := range 100 {
		q := ask("mail.test.", types[i%len(types)])
		q.Id = uint16(i)
		all = append(all, framed(t, q)...)
	}
	if _, err := c.Write(all); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		m, err := (&dns.Conn{Conn: c}).ReadMsg()
		if err != nil || int(m.Id) != i || m.Question[0].Qtype != types[i%len(types)] {
			t.Fatalf("reply %d: %v, %v", i, m, err)
		}
	}
}

// T2: the same by both ways, but for what does not fit in one; and the same
// serial, since it is told and not made.
func TestT2BothWaysSayTheSame(t *testing.T) {
	set := rich(t, func(s *Set) { s.Signer = signerOf(t) })
	udp, tcp := served(t, serverOf(t, set, Options{}))
	for _, name := range []string{"mail.test.", "ex01.mail.test.", "www.mail.test.", "imap.mail.test.", "nobody.mail.test.", "_imaps._tcp.mail.test.", "example."} {
		for _, typ := range []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeSRV, dns.TypeANY, dns.TypeAXFR} {
			a := askOver(t, "udp", udp, secureAsk(name, typ))
			b := askOver(t, "tcp", tcp, secureAsk(name, typ))
			slices.SortFunc(a.Answer, byText) // the asker's number went on
			slices.SortFunc(b.Answer, byText)
			if x, y := brief(a), brief(b); x != y {
				t.Errorf("%s %s:\nudp %s\ntcp %s", name, dns.Type(typ), x, y)
			}
		}
	}
}

func byText(a, b dns.RR) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) }

// T3: a signature that nobody here can check is said to be so, whatever else is
// asked, and the reply to it is not signed (RFC 8945, section 5.2.1).
func TestT3KeysNobodyKnows(t *testing.T) {
	s := serverOf(t, farm(), Options{})
	for _, op := range []int{dns.OpcodeQuery, dns.OpcodeNotify, dns.OpcodeUpdate} {
		q := ask("mail.test.", dns.TypeSOA)
		q.Opcode = op
		q.SetTsig("who.", dns.HmacSHA256, 300, noon.Unix())
		b, _, err := dns.TsigGenerate(q, "c2VjcmV0", "", false)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(b)
		m := readReply(t, octetsOf(s, b))
		sig := m.IsTsig()
		if m.Rcode != dns.RcodeNotAuth || sig == nil || sig.Error != dns.RcodeBadKey || sig.MACSize != 0 || len(m.Answer) > 0 || m.Truncated {
			t.Errorf("opcode %d: %v", op, m)
		}
		if !slices.Equal(b, before) {
			t.Errorf("opcode %d: the query was written to", op)
		}
	}
}

// A1: servers are two or more where there are nodes for it, with addresses here
// that are not weighed; and the SOA names one.
func TestA1ServersAreInTheZoneAndNotWeighed(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) { s.Targets[0].Share = 0; s.Answers = 1 }), Options{})
	m := told(t, s, ask("mail.test.", dns.TypeNS), overUDP)
	if len(m.Answer) != 3 || len(m.Extra) != 5 {
		t.Fatalf("%s, want all nodes and addresses", brief(m))
	}
	hosts := []string{told(t, s, ask("mail.test.", dns.TypeSOA), overUDP).Answer[0].(*dns.SOA).Ns}
	for _, rr := range m.Answer {
		hosts = append(hosts, rr.(*dns.NS).Ns)
	}
	for _, host := range hosts {
		first := brief(told(t, s, ask(host, dns.TypeA), overUDP))
		for range 10 {
			if got := brief(told(t, s, ask(host, dns.TypeA), overUDP)); got != first || len(told(t, s, ask(host, dns.TypeA), overUDP).Answer) != 1 {
				t.Errorf("%s: %s, and then %s", host, first, got)
			}
		}
	}
}

// A2: a flood of like replies to one network ends, also if the names are
// invented; some of it is told to come by TCP; over TCP, to others, and to who
// signs nothing is limited. What is not sent is not counted as handed out.
func TestA2FloodsEnd(t *testing.T) {
	const rate, slip, flood = 5, 2, 200
	for _, tt := range []struct {
		name string
		ask  func(i int) *dns.Msg
	}{
		{"one answer", func(int) *dns.Msg { return ask("mail.test.", dns.TypeA) }},
		{"letters that change", func(i int) *dns.Msg { return ask([]string{"mail.test.", "MAIL.test."}[i%2], dns.TypeA) }},
		{"invented names", func(i int) *dns.Msg { return ask(fmt.Sprintf("x%d.mail.test.", i), dns.TypeA) }},
		{"names of a wildcard", func(i int) *dns.Msg { return ask(fmt.Sprintf("x%d.wild.mail.test.", i), dns.TypeTXT) }},
		{"strange names", func(i int) *dns.Msg { return ask(fmt.Sprintf("x%d.example.", i), dns.TypeA) }},
		{"invented names, with DO", func(i int) *dns.Msg { return secureAsk(fmt.Sprintf("x%d.mail.test.", i), dns.TypeA) }},
	} {
		limiter := ratelimit.New(ratelimit.Options{PerSecond: rate, Slip: slip, Start: noon.Add(-time.Hour)})
		s := serverOf(t, rich(t), Options{Limiter: limiter})
		whole, cut := 0, 0
		for i := range flood {
			b, err := tt.ask(i).Pack()
			if err != nil {
				t.Fatal(err)
			}
			out := octetsOf(s, b)
			switch {
			case len(out) == 0:
			case out[2]&2 != 0:
				cut++
				if m := readReply(t, out); len(m.Answer)+len(m.Ns) > 0 || len(m.Question) != 1 {
					t.Errorf("%s: %s", tt.name, brief(m))
				}
			default:
				whole++
			}
		}
		if whole != rate || cut != (flood-rate)/slip {
			t.Errorf("%s: %d answered and %d cut, want %d and %d", tt.name, whole, cut, rate, (flood-rate)/slip)
		}
		if tt.name == "one answer" {
			if got, want := s.Covered(), rate*farm().TTL; got != want {
				t.Errorf("answers cover %v, want %v: who was not answered caches nothing", got, want)
			}
			other := netip.MustParseAddrPort("198.51.100.1:53")
			for range rate {
				if m := toldTo(t, s, tt.ask(0), overUDP, other); m.Truncated {
					t.Error("another network is limited")
				}
				if m := told(t, s, tt.ask(0), overTCP); m.Truncated {
					t.Error("TCP is limited")
				}
			}
		}
	}
}

// A3: no reply over UDP is ever longer than what crosses any path in one piece.
func TestA3NoReplyIsFragmented(t *testing.T) {
	s := serverOf(t, many(64), Options{Identity: "ex01"})
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeANY, dns.TypeTXT} {
		for _, name := range []string{"mail.test.", "_why.mail.test."} {
			b, err := ask(name, typ).SetEdns0(65535, true).Pack()
			if err != nil {
				t.Fatal(err)
			}
			if n := len(octetsOf(s, b)); n == 0 || n > 1232 {
				t.Errorf("%s %s: %d octets", name, dns.Type(typ), n)
			}
		}
	}
}
