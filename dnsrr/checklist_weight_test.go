package dnsrr

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// weightedFarm has nodes of the given shares; node i is 192.0.2.i+1 and has the
// IPv6 address of that number too.
func weightedFarm(shares ...float64) Set {
	return farm(func(s *Set) {
		s.Targets = nil
		for i, p := range shares {
			s.Targets = append(s.Targets, Target{
				Name: fmt.Sprintf("n%d", i), Share: p,
				Addrs: []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}), netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))},
			})
		}
	})
}

// leads counts who is first, and who is in the answer at all, over n answers to
// one asker.
func leads(t *testing.T, s *Server, name string, n int) (first, any map[string]float64) {
	t.Helper()
	first, any = map[string]float64{}, map[string]float64{}
	for range n {
		m := told(t, s, ask(name, dns.TypeA), overUDP)
		for i, rr := range m.Answer {
			a := rr.(*dns.A).A.String()
			any[a] += 1 / float64(len(m.Answer))
			if i == 0 {
				first[a]++
			}
		}
	}
	return first, any
}

// W1: over 1000 answers to one asker no node has three more or less than its
// share, whether a client takes the first or any; who has none is never seen.
func TestW1SharesAreMet(t *testing.T) {
	s := serverOf(t, weightedFarm(1), Options{})
	for _, shares := range [][]float64{{1}, {1, 1}, {1, 0}, {45, 60, 75}, {1, 2, 3, 4, 5}, {1, 1e-9}, {0, 0, 1, 1}, {0.9, 0.05, 0.05}, {1, 1, 1, 1, 1, 1, 1}} {
		s.Publish(compile(t, weightedFarm(shares...))) // the server goes on: weights change under the asker
		first, any := leads(t, s, "mail.test.", 1000)
		sum := 0.0
		for _, p := range shares {
			sum += p
		}
		for i, p := range shares {
			a, want := fmt.Sprintf("192.0.2.%d", i+1), 1000*p/sum
			if math.Abs(first[a]-want) > 3 || math.Abs(any[a]-want) > 3 {
				t.Errorf("shares %v, node %d: first %v, any %.1f, want %.1f", shares, i, first[a], any[a], want)
			}
			if p == 0 && any[a] > 0 {
				t.Errorf("shares %v: node %d was answered", shares, i)
			}
		}
	}
}

// W2: A and AAAA of one asker name the same nodes in the same order, however
// often, and whichever is asked first.
func TestW2FamiliesNameTheSameNodes(t *testing.T) {
	s := serverOf(t, weightedFarm(1, 2, 3), Options{})
	for i := range 200 {
		types := []uint16{dns.TypeA, dns.TypeAAAA}
		if i%2 == 1 {
			slices.Reverse(types)
		}
		x, y := lastDigits(told(t, s, ask("mail.test.", types[0]), overUDP)), lastDigits(told(t, s, ask("mail.test.", types[1]), overTCP))
		if x != y {
			t.Fatalf("answer %d: %s and %s", i, x, y)
		}
	}
}

// W3: what is answered in every state of a farm of four, at each number.
func TestW3StatesOfTheFarm(t *testing.T) {
	gone := func(nodes ...int) func(*Set) {
		return func(s *Set) {
			for _, i := range nodes {
				s.Targets[i].Gone = true
			}
		}
	}
	share := func(ps ...float64) func(*Set) {
		return func(s *Set) {
			for i, p := range ps {
				s.Targets[i].Share = p
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*Set)
		want   []float64 // of 1000
	}{
		{"all well", func(*Set) {}, []float64{250, 250, 250, 250}},
		{"half of them dead", gone(0, 1), []float64{0, 0, 500, 500}},
		{"all but one dead", gone(0, 1, 2), []float64{0, 0, 0, 1000}},
		{"one is not heard of", gone(3), []float64{333, 333, 333, 0}},
		{"one drains", share(0, 1, 1, 1), []float64{0, 333, 333, 333}},
		{"all drain", share(0, 0, 0, 0), []float64{250, 250, 250, 250}},
		{"all who live drain", func(s *Set) { share(0, 0, 1, 1)(s); gone(2, 3)(s) }, []float64{500, 500, 0, 0}},
		{"the other side of a cut", gone(0, 2), []float64{0, 500, 0, 500}},
		{"all dead", gone(0, 1, 2, 3), []float64{0, 0, 0, 0}},
		{"nobody yet", func(s *Set) { s.Targets = nil }, []float64{0, 0, 0, 0}},
	} {
		set := weightedFarm(1, 1, 1, 1)
		tt.change(&set)
		_, any := leads(t, serverOf(t, set, Options{}), "mail.test.", 1000)
		for i, want := range tt.want {
			if got := any[fmt.Sprintf("192.0.2.%d", i+1)]; math.Abs(got-want) > 3 || want == 0 && got > 0 {
				t.Errorf("%s: node %d has %.1f of 1000, want %v", tt.name, i, got, want)
			}
		}
	}
}

// W4: equal facts are equal answers on every node: the same set at each number,
// only in another order of numbers.
func TestW4NodesAgree(t *testing.T) {
	tables := []*Table{}
	for _, agent := range []string{"n0", "n1", ""} {
		tables = append(tables, compile(t, farm(func(s *Set) { *s = weightedFarm(3, 2, 1); s.Agent = agent; s.Services = []Service{{Name: "imap"}} })))
	}
	for n := range uint64(500) {
		for _, name := range []string{"mail.test.", "imap.mail.test.", "n1.mail.test."} {
			a := Asker{Number: n * golden, Now: noon}
			want := brief(tables[0].Answer(ask(name, dns.TypeA), a, true))
			for _, tab := range tables[1:] {
				if got := brief(tab.Answer(ask(name, dns.TypeA), a, true)); got != want {
					t.Fatalf("%s, number %d: %s, want %s", name, n, got, want)
				}
			}
		}
	}
	var starts []uint64
	var asked sequences
	for _, tab := range tables {
		starts = append(starts, asked.next(tab.agent, 0, someone.Addr(), false))
	}
	if slices.Sort(starts); len(slices.Compact(starts)) != len(tables) {
		t.Errorf("starts %v, want one a node", starts)
	}
}

// R6: no address beside the weights (RFC 9460, section 7.3).
func TestR6ServiceBindings(t *testing.T) {
	s := serverOf(t, farm(func(s *Set) { s.Records = records(t, "@ HTTPS 1 . alpn=h2") }), Options{})
	if got, want := brief(told(t, s, ask("mail.test.", dns.TypeHTTPS), overUDP)), `NOERROR aa; mail.test. HTTPS 1 . alpn="h2"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := brief(told(t, s, ask("mail.test.", dns.TypeSVCB), overUDP)); got != "NOERROR aa; au mail.test. SOA" {
		t.Errorf("got %s", got)
	}
	_, err := ParseRecords("mail.test.", []string{"@ HTTPS 1 . ipv4hint=192.0.2.1"})
	if err == nil || !strings.Contains(err.Error(), "ipv4hint") {
		t.Errorf("an address beside the weights: %v", err)
	}
}
