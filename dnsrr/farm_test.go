package dnsrr

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// drawFarm makes any farm: dead nodes, none, without shares, addresses or a
// family. Node i has the addresses 192.0.2.i and 2001:db8::i.
func drawFarm(t *rapid.T) Set {
	s := Set{Zone: "mail.test.", Answers: rapid.IntRange(0, maxAnswers).Draw(t, "answers")}
	for i := range rapid.IntRange(0, 20).Draw(t, "nodes") {
		g := Target{
			Name:  fmt.Sprintf("ex%d", i),
			Share: rapid.SampledFrom([]float64{0, 0, 0.1, 0.5, 1e-6}).Draw(t, "share"),
			Gone:  rapid.Bool().Draw(t, "gone"),
		}
		if rapid.Bool().Draw(t, "four") {
			g.Addrs = append(g.Addrs, netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}))
		}
		if rapid.Bool().Draw(t, "six") {
			g.Addrs = append(g.Addrs, netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i)))
		}
		s.Targets = append(s.Targets, g)
	}
	return s
}

// mayAnswer says in plain words who may be answered for a family.
func mayAnswer(s Set, six bool) (out []netip.Addr) {
	shared := slices.ContainsFunc(s.Targets, func(g Target) bool { return !g.Gone && g.Share > 0 && len(g.Addrs) > 0 })
	for _, g := range s.Targets {
		if !g.Gone && (g.Share > 0 || !shared) {
			out = append(out, family(g.Addrs, six)...)
		}
	}
	return out
}

// Whatever becomes of a farm: never the dead, never who has no share, never
// one twice, and never nobody while somebody may be answered.
func TestAnyFarmIsAnsweredWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawFarm(t)
		tab, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		a := Asker{rapid.Uint64().Draw(t, "number"), noon.Add(time.Duration(rapid.Uint32().Draw(t, "minute")) * time.Minute)}
		for _, six := range []bool{false, true} {
			may := mayAnswer(s, six)
			m := tab.Answer(ask("mail.test.", familyType(six)), a, true)
			if m.Rcode != dns.RcodeSuccess || m.Truncated || len(m.Answer) > maxAnswers {
				t.Fatalf("%s", brief(m))
			}
			if (len(m.Answer) == 0) != (len(may) == 0) || (len(m.Ns) == 1) != (len(may) == 0) {
				t.Fatalf("%s, while %v may be answered", brief(m), may)
			}
			checkMembers(t, m, may)
		}
	})
}

func checkMembers(t *rapid.T, m *dns.Msg, may []netip.Addr) {
	var seen []netip.Addr
	for _, rr := range m.Answer {
		a := netip.MustParseAddr(strings.TrimPrefix(rr.String(), rr.Header().String()))
		if !slices.Contains(may, a) || slices.Contains(seen, a) {
			t.Fatalf("%v in %s, want each once of %v", a, brief(m), may)
		}
		seen = append(seen, a)
	}
}

// Tables change under the questions; every reply is of one of them, whole, and
// no count is lost.
func TestPublishWhileAnswering(t *testing.T) {
	one := compile(t, farm(func(s *Set) { s.Targets = s.Targets[:2]; s.Targets[1].Share = 0 }))
	two := compile(t, farm(func(s *Set) { s.Targets = s.Targets[:2]; s.Targets[0].Share = 0 }))
	var s Server
	s.Publish(one)
	q, err := ask("mail.test.", dns.TypeA).Pack()
	if err != nil {
		t.Fatal(err)
	}
	const askers, each = 4, 500
	var wg sync.WaitGroup
	for range askers {
		wg.Go(func() {
			for range each {
				m := new(dns.Msg)
				if err := m.Unpack(s.reply(nil, q, someone, overUDP, noon, false)); err != nil || len(m.Answer) != 1 {
					t.Errorf("%v: %v", err, m)
				}
			}
		})
	}
	for range 100 {
		s.Publish(two)
		s.Publish(one)
		s.Stats()
	}
	wg.Wait()
	sum := uint64(0)
	for _, a := range s.Stats().Answers {
		sum += a.N
	}
	if sum != askers*each {
		t.Errorf("%d answers counted, want %d", sum, askers*each)
	}
}
