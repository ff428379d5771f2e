package dnsrr

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/ratelimit"
)

// asked is a question for an A with an OPT of the given TTL field and options,
// as hex.
func asked(ttl, options string) []byte {
	return packet(0, [4]uint16{one, 0, 0, 1}, "mail.test.", "0001 0001", strings.Replace(opt(options), "00000000", ttl, 1))
}

func readReply(t testing.TB, out []byte) *dns.Msg {
	t.Helper()
	m := new(dns.Msg)
	if err := m.Unpack(out); err != nil {
		t.Fatalf("% x: %v", out, err)
	}
	return m
}

func TestE1AnOPTForAnOPT(t *testing.T) {
	s := published(t)
	const o = "00 0029 1000 00000000 0000"
	for _, tt := range []struct {
		name   string
		counts [4]uint16
		rest   []string
		code   int
		opt    bool
	}{
		{"none", [4]uint16{1}, nil, 0, false},
		{"one", [4]uint16{1, 0, 0, 1}, []string{o}, 0, true},
		{"two", [4]uint16{1, 0, 0, 2}, []string{o, o}, dns.RcodeFormatError, true},
		{"not at the root", [4]uint16{1, 0, 0, 1}, []string{"0161" + o}, dns.RcodeFormatError, true},
		{"by a pointer to the root", [4]uint16{1, 0, 0, 1}, []string{"c016" + strings.TrimPrefix(o, "00")}, dns.RcodeFormatError, true},
		{"among the answers", [4]uint16{1, 1, 0, 0}, []string{o}, dns.RcodeFormatError, false},
		{"in the authority section", [4]uint16{1, 0, 1, 0}, []string{o}, dns.RcodeFormatError, false},
		{"after another record", [4]uint16{1, 0, 0, 2}, []string{"c00c 0001 0001 00000000 0004 c0000201", o}, 0, true},
	} {
		m := readReply(t, octetsOf(s, packet(0, tt.counts, slices.Concat([]string{"mail.test.", "0001 0001"}, tt.rest)...)))
		if got := m.IsEdns0() != nil; m.Rcode != tt.code || got != tt.opt {
			t.Errorf("%s: %s, want code %d and an OPT %v", tt.name, brief(m), tt.code, tt.opt)
		}
	}
}

// E2: of a later version only its number is read, and nothing but ours is said.
func TestE2LaterVersions(t *testing.T) {
	s := serverOf(t, farm(), Options{Identity: "ex01", Cookies: cookie.New([16]byte{1})})
	for _, ttl := range []string{"00010000", "00ff0000", "00018000"} {
		for _, options := range []string{"", "0003 0000", "000a 0008 0102030405060708", "000a 0001 00", "0064 0000", "00", "0008 0004 00010000"} {
			m := readReply(t, octetsOf(s, asked(ttl, options)))
			want := fmt.Sprintf("BADVERS; ad OPT v0 size 1232 do %v options 0", ttl == "00018000")
			if got := brief(m); got != want {
				t.Errorf("version %s, options %q: %s, want %s", ttl, options, got, want)
			}
		}
	}
}

func TestE3UnknownOptionsAndFlags(t *testing.T) {
	s := published(t)
	for _, tt := range []struct{ ttl, options, want string }{
		{"00000000", "0064 0000", "00000000"}, {"00000000", "fffe 0003 666f6f", "00000000"},
		{"00000080", "", "00000000"}, {"00007fff", "", "00000000"}, {"00008000", "", "00008000"}, {"0000ffff", "", "00008000"},
		{"00000000", "0009 0000 000c 0004 00000000", "00000000"},
	} {
		out := octetsOf(s, asked(tt.ttl, tt.options))
		want, _ := hex.DecodeString("00002904d0" + tt.want + "0000")
		if !bytes.HasSuffix(out, want) || out[3]&15 != 0 {
			t.Errorf("flags %s, options %q: % x, want it to end in % x", tt.ttl, tt.options, out, want)
		}
	}
}

// E4: a reply is as long as its asker takes, and no longer than any path does.
func TestE4Sizes(t *testing.T) {
	s := serverOf(t, many(64), Options{})
	for _, size := range []int{-1, 0, 100, 511, 512, 513, 600, 1231, 1232, 1233, 4096, 65535} {
		for _, typ := range []uint16{dns.TypeA, dns.TypeNS, dns.TypeTXT} {
			name, limit := "mail.test.", plainSize
			if typ == dns.TypeTXT {
				name = "_why.mail.test."
			}
			q := ask(name, typ)
			if size >= 0 {
				q.SetEdns0(uint16(size), false)
				limit = min(max(size, plainSize), 1232)
			}
			b, err := q.Pack()
			if err != nil {
				t.Fatal(err)
			}
			out := octetsOf(s, b)
			m := readReply(t, out)
			if len(out) > limit || m.Truncated != (len(m.Answer) == 0) || len(m.Question) != 1 || (m.IsEdns0() != nil) != (size >= 0) {
				t.Errorf("%s %s, size %d: %d octets, %s", name, dns.Type(typ), size, len(out), brief(m))
			}
			if m = readReply(t, s.reply(nil, b, someone, overTCP, noon, false)); m.Truncated || len(m.Answer) == 0 {
				t.Errorf("%s %s over TCP: cut", name, dns.Type(typ))
			}
		}
	}
}

// many is a farm of n nodes that explain themselves.
func many(n int) Set {
	return farm(func(s *Set) {
		s.Targets = nil
		for i := range n {
			name := fmt.Sprintf("node%03d", i)
			s.Targets = append(s.Targets, Target{
				Name: name, Share: 1, Why: name + " state=up",
				Addrs: []netip.Addr{netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}), netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))},
			})
		}
	})
}

func TestE5IdentityWhenAsked(t *testing.T) {
	named, nameless := serverOf(t, farm(), Options{Identity: "ex01"}), published(t)
	for _, tt := range []struct {
		name    string
		s       *Server
		options string
		want    string
	}{
		{"asked", named, "0003 0000", "ex01"}, {"asked with data, which says nothing", named, "0003 0001 2a", "ex01"},
		{"not asked", named, "", ""}, {"of a server without a name", nameless, "0003 0000", ""},
	} {
		if got := string(optionsOf(readReply(t, octetsOf(tt.s, asked("00000000", tt.options))))[dns.EDNS0NSID]); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestE6ClientSubnets(t *testing.T) {
	s := published(t)
	for _, tt := range []struct{ name, data, want string }{ // want: what comes back; empty = FORMERR
		{"a network", "0001 18 00 c00002", "0001 18 00 c00002"},
		{"bits within an octet", "0001 14 00 c00000", "0001 14 00 c00000"},
		{"an IPv6 network", "0002 38 00 20010db8000001", "0002 38 00 20010db8000001"},
		{"whole", "0001 20 00 c0000201", "0001 20 00 c0000201"},
		{"nothing of it", "0001 00 00", "0001 00 00"},
		{"nothing at all", "0000 00 00", "0000 00 00"},
		{"a family nobody knows", "0003 08 00 01", ""},
		{"no family, and bits", "0000 08 00 01", ""},
		{"a scope", "0001 18 18 c00002", ""},
		{"an octet too few", "0001 18 00 c000", ""},
		{"an octet too many", "0001 18 00 c0000200", ""},
		{"a bit beyond", "0001 17 00 c00003", ""},
		{"bits beyond an address", "0001 21 00 c000020100", ""},
		{"bits beyond an IPv6 address", "0002 81 00 20010db800000000000000000000000100", ""},
		{"cut", "0001 18", ""}, {"empty", "", ""},
	} {
		data := strings.ReplaceAll(tt.data, " ", "")
		m := readReply(t, octetsOf(s, asked("00000000", "0008"+hexOf(uint16(len(data)/2))+data)))
		got, ok := optionsOf(m)[dns.EDNS0SUBNET]
		want := strings.ReplaceAll(tt.want, " ", "")
		if ok != (want != "") || hex.EncodeToString(got) != want || (m.Rcode == dns.RcodeFormatError) != (want == "") {
			t.Errorf("%s: %s with %x, want %s", tt.name, brief(m), got, tt.want)
		}
	}
}

func TestE7Cookies(t *testing.T) {
	jar := cookie.New([16]byte{1})
	s := serverOf(t, farm(), Options{Cookies: jar})
	ours := jar.Append(nil, []byte{1, 2, 3, 4, 5, 6, 7, 8}, someone.Addr(), noon)
	for n := range 45 {
		data := append(slices.Clone(ours), make([]byte, 32)...)[:n]
		m := readReply(t, octetsOf(s, asked("00000000", "000a"+hexOf(uint16(n))+hex.EncodeToString(data))))
		got := optionsOf(m)[dns.EDNS0COOKIE]
		sound := n == 8 || 16 <= n && n <= 40
		if (m.Rcode == dns.RcodeSuccess) != sound || sound != bytes.Equal(got, ours) {
			t.Errorf("%d octets: %s with %x, want %x: %v", n, brief(m), got, ours, sound)
		}
	}
	two := "000a 0008 0102030405060708 000a 0001 00" // only the first counts
	if m := readReply(t, octetsOf(s, asked("00000000", two))); !bytes.Equal(optionsOf(m)[dns.EDNS0COOKIE], ours) {
		t.Errorf("two: %s", brief(m))
	}
	if m := readReply(t, octetsOf(published(t), asked("00000000", "000a 0008 0102030405060708"))); len(optionsOf(m)) > 0 {
		t.Errorf("a server without cookies: %s", brief(m))
	}
}

// E7, and A2: who sends our cookie back is where he says, and not limited.
func TestE7AGoodCookieIsNotLimited(t *testing.T) {
	jar := cookie.New([16]byte{1})
	limiter := ratelimit.New(ratelimit.Options{PerSecond: 1, Start: noon.Add(-time.Hour)})
	s, blind := serverOf(t, farm(), Options{Cookies: jar, Limiter: limiter}), serverOf(t, farm(), Options{Limiter: limiter})
	good := hex.EncodeToString(jar.Append(nil, []byte{1, 2, 3, 4, 5, 6, 7, 8}, someone.Addr(), noon))
	answered := func(s *Server, options string) (n int) {
		for range 100 {
			if len(octetsOf(s, asked("00000000", options))) > 0 {
				n++
			}
		}
		return n
	}
	for _, tt := range []struct {
		name    string
		s       *Server
		options string
		want    int
	}{
		{"none", s, "", 1},
		{"a client's", s, "000a 0008 0102030405060708", 0},
		{"one made for another", s, "000a 0018" + strings.Repeat("ab", 24), 0},
		{"ours", s, "000a 0018" + good, 100},
		{"ours, to a server that makes none", blind, "000a 0018" + good, 0},
	} {
		if got := answered(tt.s, tt.options); got != tt.want {
			t.Errorf("%s: %d of 100 answered, want %d", tt.name, got, tt.want)
		}
	}
}

// E8: what the code alone does not say.
func TestE8ExtendedErrors(t *testing.T) {
	s := published(t)
	class := ask("mail.test.", dns.TypeA)
	class.Question[0].Qclass = dns.ClassHESIOD
	for _, tt := range []struct {
		s    *Server
		q    *dns.Msg
		code int // -1: none
	}{
		{s, ask("mail.test.", dns.TypeA), -1}, {s, ask("nobody.mail.test.", dns.TypeA), -1},
		{s, ask("www.example.", dns.TypeA), int(dns.ExtendedErrorCodeNotAuthoritative)},
		{s, ask("mail.test.", dns.TypeAXFR), int(dns.ExtendedErrorCodeProhibited)},
		{s, ask("ex01.mail.test.", dns.TypeAXFR), int(dns.ExtendedErrorCodeNotAuthoritative)},
		{s, ask("mail.test.", typeNXNAME), int(dns.ExtendedErrorCodeInvalidQueryType)},
		{s, class, int(dns.ExtendedErrorCodeNotSupported)},
		{new(Server), ask("mail.test.", dns.TypeA), int(dns.ExtendedErrorCodeNotReady)},
	} {
		got := -1
		data, ok := optionsOf(told(t, tt.s, tt.q.SetEdns0(1232, false), overUDP))[dns.EDNS0EDE]
		if ok {
			got = int(binary.BigEndian.Uint16(data))
		}
		if got != tt.code || len(data) > 64 {
			t.Errorf("%v: error %d of %d octets, want %d and a short text", tt.q.Question, got, len(data), tt.code)
		}
	}
}

// E9: keepalive is of TCP alone; padding, which is of encrypted ways, is never
// there.
func TestE9OptionsOfOneTransport(t *testing.T) {
	s := published(t)
	b := asked("00000000", "000b 0000 000c 0002 0000")
	for tr, want := range map[transport][]byte{overUDP: nil, overTCP: {0, 100}} {
		got := optionsOf(readReply(t, s.reply(nil, b, someone, tr, noon, false)))
		if !bytes.Equal(got[dns.EDNS0TCPKEEPALIVE], want) || got[dns.EDNS0PADDING] != nil {
			t.Errorf("over %s: %v, want keepalive %v", tr, got, want)
		}
	}
	if got := optionsOf(readReply(t, s.reply(nil, asked("00000000", ""), someone, overTCP, noon, false))); len(got) > 0 {
		t.Errorf("not asked for: %v", got)
	}
}
