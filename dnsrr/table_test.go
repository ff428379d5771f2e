package dnsrr

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// handed counts who leads the answer, for numbers all round.
func handed(tab *Table, typ uint16) map[string]int {
	got := map[string]int{}
	for n := range uint64(1000) {
		m := tab.Answer(ask("mail.test.", typ), Asker{Number: n * golden}, true)
		lead := "nobody"
		if len(m.Answer) > 0 {
			lead = strings.TrimPrefix(m.Answer[0].String(), m.Answer[0].Header().String())
		}
		got[lead]++
	}
	return got
}

// What is answered when nodes are gone, full or have no address of a family.
func TestWhoIsAnswered(t *testing.T) {
	node := func(name string, share float64, gone bool, as string) Target {
		return Target{Name: name, Share: share, Gone: gone, Addrs: addrs(as)}
	}
	for _, tt := range []struct {
		name string
		typ  uint16
		set  []Target
		want map[string]int
	}{
		{"45:60:75", dns.TypeA, []Target{node("a", 45, false, "192.0.2.1"), node("b", 60, false, "192.0.2.2"), node("c", 75, false, "192.0.2.3")},
			map[string]int{"192.0.2.1": 250, "192.0.2.2": 333, "192.0.2.3": 417}},
		{"the largest dead", dns.TypeA, []Target{node("a", 45, false, "192.0.2.1"), node("b", 60, false, "192.0.2.2"), node("c", 75, true, "192.0.2.3")},
			map[string]int{"192.0.2.1": 429, "192.0.2.2": 571}},
		{"one left takes all", dns.TypeA, []Target{node("a", 45, false, "192.0.2.1"), node("b", 60, true, "192.0.2.2"), node("c", 75, true, "192.0.2.3")},
			map[string]int{"192.0.2.1": 1000}},
		{"no share left: all that live, evenly", dns.TypeA, []Target{node("a", 0, false, "192.0.2.1"), node("b", 0, false, "192.0.2.2"), node("c", 0, true, "192.0.2.3")},
			map[string]int{"192.0.2.1": 500, "192.0.2.2": 500}},
		{"a share without an address is none", dns.TypeA, []Target{node("a", 0, false, "192.0.2.1"), node("b", 1, false, "")},
			map[string]int{"192.0.2.1": 1000}},
		{"the family of a node without share", dns.TypeAAAA, []Target{node("a", 0, false, "2001:db8::1"), node("b", 1, false, "192.0.2.2")},
			map[string]int{"nobody": 1000}},
		{"shares count anew in each family", dns.TypeAAAA, []Target{node("a", 0.1, false, "2001:db8::1"), node("b", 0.3, false, "2001:db8::2"), node("c", 0.6, false, "192.0.2.3")},
			map[string]int{"2001:db8::1": 250, "2001:db8::2": 750}},
		{"more addresses are no more share", dns.TypeA, []Target{node("a", 1, false, "192.0.2.1 192.0.2.101 192.0.2.1"), node("b", 1, false, "192.0.2.2")},
			map[string]int{"192.0.2.1": 250, "192.0.2.101": 250, "192.0.2.2": 500}},
		{"IPv4 in IPv6 form", dns.TypeA, []Target{node("a", 1, false, "::ffff:192.0.2.1")}, map[string]int{"192.0.2.1": 1000}},
		{"all dead", dns.TypeA, []Target{node("a", 1, true, "192.0.2.1")}, map[string]int{"nobody": 1000}},
		{"nobody yet", dns.TypeA, nil, map[string]int{"nobody": 1000}},
	} {
		tab := compile(t, Set{Zone: "mail.test.", Targets: tt.set})
		got := handed(tab, tt.typ)
		for _, a := range slices.Concat(slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(tt.want))) {
			if math.Abs(float64(got[a]-tt.want[a])) > 3 {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
				break
			}
		}
	}
}

// A client that asks for both families meets one node, whichever it uses.
func TestFamiliesNameTheSameNodes(t *testing.T) {
	s := farm(func(s *Set) { s.Targets = s.Targets[:2]; s.Targets[0].Share = 3 })
	tab := compile(t, s)
	for n := range uint64(200) {
		var last []string
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
			var nodes []string
			for _, rr := range tab.Answer(ask("mail.test.", typ), Asker{Number: n * golden}, true).Answer {
				text := rr.String()
				nodes = append(nodes, text[len(text)-1:])
			}
			if last != nil && !slices.Equal(nodes, last) {
				t.Fatalf("number %d: AAAA names nodes %v, A %v", n, nodes, last)
			}
			last = nodes
		}
	}
}

// Two nodes that claim one address, as two agents on one machine do, still
// make an answer without duplicates.
func TestSharedAddressIsAnsweredOnce(t *testing.T) {
	tab := compile(t, Set{Zone: "mail.test.", Targets: []Target{
		{Name: "a", Addrs: addrs("127.0.0.1"), Share: 1}, {Name: "b", Addrs: addrs("127.0.0.1"), Share: 1},
	}})
	if got, want := brief(tab.Answer(ask("mail.test.", dns.TypeA), Asker{}, true)), "NOERROR aa; mail.test. A 127.0.0.1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnswersBoundsTheAnswer(t *testing.T) {
	for n, want := range map[int]int{0: 8, 1: 1, 2: 2, 8: 8} {
		s := Set{Zone: "mail.test.", Answers: n}
		for i := range 12 {
			s.Targets = append(s.Targets, Target{Name: fmt.Sprintf("ex%02d", i), Addrs: addrs(fmt.Sprintf("192.0.2.%d", i+1)), Share: 1})
		}
		if got := len(compile(t, s).Answer(ask("mail.test.", dns.TypeA), Asker{}, true).Answer); got != want {
			t.Errorf("answers %d of 12 equal nodes: %d addresses, want %d", n, got, want)
		}
	}
}

// The dead are no servers; their own name still answers, for who looks for
// the machine. The SOA does not follow their health: its serial would not.
func TestDeadNode(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Targets = s.Targets[:2]; s.Targets[1].Gone = true }))
	for _, tt := range []struct {
		name string
		typ  uint16
		want string
	}{
		{"mail.test.", dns.TypeNS, "NOERROR aa; mail.test. NS ex02.mail.test.; ad ex02.mail.test. A 192.0.2.2; ad ex02.mail.test. AAAA 2001:db8::2"},
		{"ex01.mail.test.", dns.TypeA, "NOERROR aa; ex01.mail.test. A 192.0.2.1"},
		{"mail.test.", dns.TypeA, "NOERROR aa; mail.test. A 192.0.2.2"},
	} {
		if got := brief(tab.Answer(ask(tt.name, tt.typ), Asker{}, true)); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.name, dns.Type(tt.typ), got, tt.want)
		}
	}
	soa := tab.Answer(ask("mail.test.", dns.TypeSOA), Asker{}, true).Answer[0].(*dns.SOA)
	if soa.Ns != "ex01.mail.test." || soa.Mbox != "hostmaster.mail.test." || soa.Serial != 7 {
		t.Errorf("SOA %s %s %d, want ex01, hostmaster and 7", soa.Ns, soa.Mbox, soa.Serial)
	}
}

// A zone without nodes is still a zone.
func TestEmptySet(t *testing.T) {
	tab := compile(t, Set{Zone: "Mail.Test."})
	for typ, want := range map[uint16]string{
		dns.TypeSOA: "NOERROR aa; mail.test. SOA",
		dns.TypeNS:  "NOERROR aa; au mail.test. SOA",
		dns.TypeA:   "NOERROR aa; au mail.test. SOA",
	} {
		if got := brief(tab.Answer(ask("mail.test.", typ), Asker{}, true)); got != want {
			t.Errorf("%s: got %s, want %s", dns.Type(typ), got, want)
		}
	}
	if got := tab.Zone(); got != "mail.test." {
		t.Errorf("zone %q, want it in small letters", got)
	}
}

// Equal facts give equal tables, in whatever order they come.
func TestOrderOfTargetsDoesNotMatter(t *testing.T) {
	a, b := compile(t, farm()), compile(t, farm(func(s *Set) { slices.Reverse(s.Targets) }))
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA} {
		for n := range uint64(50) {
			x := Asker{Number: n * golden, Now: noon.Add(time.Duration(n) * time.Minute)}
			if got, want := brief(a.Answer(ask("mail.test.", typ), x, true)), brief(b.Answer(ask("mail.test.", typ), x, true)); got != want {
				t.Fatalf("%s\nand reversed\n%s", got, want)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Set)
		want   []string // of the error
	}{
		{"no zone", func(s *Set) { s.Zone = "" }, []string{"must end in a dot"}},
		{"a relative zone", func(s *Set) { s.Zone = "mail.test" }, []string{"must end in a dot"}},
		{"the root", func(s *Set) { s.Zone = "." }, []string{"root"}},
		{"a space", func(s *Set) { s.Zone = "ma il.test." }, []string{"not a letter"}},
		{"a hole", func(s *Set) { s.Zone = "mail..test." }, []string{"empty label"}},
		{"too long", func(s *Set) { s.Zone = strings.Repeat("a.", 96) }, []string{"too long"}},
		{"a long label", func(s *Set) { s.Zone = strings.Repeat("a", 64) + "." }, []string{"longer than 63"}},
		{"ttl", func(s *Set) { s.TTL = -1 }, []string{"ttl"}},
		{"ttl beyond RFC 2181", func(s *Set) { s.TTL = (1 << 31) * time.Second }, []string{"ttl"}},
		{"answers", func(s *Set) { s.Answers = 9 }, []string{"answers 9"}},
		{"a node that is no label", func(s *Set) { s.Targets[0].Name = "a.b" }, []string{`target "a.b"`, "not a letter"}},
		{"a node without name", func(s *Set) { s.Targets[0].Name = "" }, []string{"empty label"}},
		{"a node that is a service", func(s *Set) { s.Targets[0].Name = "_why" }, []string{"underscore"}},
		{"a hyphen in front", func(s *Set) { s.Targets[0].Name = "-a" }, []string{"hyphen"}},
		{"twice", func(s *Set) { s.Targets[0].Name = "Ex01" }, []string{"listed twice"}},
		{"a share below zero", func(s *Set) { s.Targets[0].Share = -1 }, []string{"share -1"}},
		{"a share that is no number", func(s *Set) { s.Targets[0].Share = math.NaN() }, []string{"share NaN"}},
		{"a capacity that is no number", func(s *Set) { s.Targets[0].Fair = math.NaN() }, []string{"fair NaN"}},
		{"an endless share", func(s *Set) { s.Targets[0].Share = math.Inf(1) }, []string{"share +Inf"}},
		{"no address", func(s *Set) { s.Targets[0].Addrs = addrs("0.0.0.0") }, []string{"no client could use"}},
		{"an address of one link", func(s *Set) { s.Targets[0].Addrs = addrs("fe80::1%eth0") }, []string{"no client could use"}},
		{"all at once", func(s *Set) { s.Answers = -1; s.Targets[0].Share = -1; s.Targets[1].Name = "" }, []string{"answers", "share", "empty label"}},
		{"records of another zone", func(s *Set) { s.Zone = "other.test."; s.Records = Records{zone: "mail.test."} }, []string{"records"}},
		{"too many", func(s *Set) { s.Targets = make([]Target, 1025) }, []string{"more than 1024"}},
	} {
		s := farm(tt.change)
		tab, err := Compile(s)
		if err == nil || tab != nil {
			t.Errorf("%s: compiled", tt.name)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q, want %q in it", tt.name, err, want)
			}
		}
	}
}

// A node may come to bear the name of a static record. It must not stop the
// zone, and what it hides is told.
func TestNodeHidesStaticRecords(t *testing.T) {
	tab := compile(t, farm(func(s *Set) {
		s.Records = records(t, "ex01 A 203.0.113.9", "ex02 CNAME elsewhere.example.", "ex01 TXT kept", "free A 203.0.113.1")
	}))
	for _, tt := range []struct {
		name string
		typ  uint16
		want string
	}{
		{"ex01.mail.test.", dns.TypeA, "NOERROR aa; ex01.mail.test. A 192.0.2.1"},
		{"ex02.mail.test.", dns.TypeA, "NOERROR aa; ex02.mail.test. A 192.0.2.2"},
		{"ex01.mail.test.", dns.TypeTXT, `NOERROR aa; ex01.mail.test. TXT "kept"`},
		{"free.mail.test.", dns.TypeA, "NOERROR aa; free.mail.test. A 203.0.113.1"},
	} {
		if got := brief(tab.Answer(ask(tt.name, tt.typ), Asker{}, true)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if got, want := tab.Hidden(), []string{"ex01.mail.test.", "ex02.mail.test."}; !slices.Equal(got, want) {
		t.Errorf("hidden %v, want %v", got, want)
	}
}

// Why is cut to what one string of a TXT record holds.
func TestWhyIsCut(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Targets = s.Targets[:1]; s.Targets[0].Why = strings.Repeat(`\`, 300) }))
	b, err := tab.Answer(ask("_why.mail.test.", dns.TypeTXT), Asker{}, false).Pack()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b[len(b)-256:], append([]byte{255}, strings.Repeat(`\`, 255)...); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
