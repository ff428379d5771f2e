package dnsrr

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
)

// The tests named after a letter and a number each hold one rule of the list at
// the end of DESIGN.md, in octets where the rule is about octets.

const one = uint16(1) // question

// opt is an OPT record of 1232 octets with options, as hex.
func opt(options string) string {
	n := len(strings.ReplaceAll(options, " ", "")) / 2
	return "00 0029 04d0 00000000" + string(hexOf(uint16(n))) + options
}

func hexOf(n uint16) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>12], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
}

func TestH1SilenceForWhatIsNoQuery(t *testing.T) {
	s := published(t)
	sound := packet(0, [4]uint16{one}, "mail.test.", "0001 0001")
	for n := range headerLen {
		if out := octetsOf(s, sound[:n]); len(out) > 0 {
			t.Errorf("%d octets: answered % x", n, out)
		}
	}
	for _, flags := range []uint16{0x8000, 0x8400, 0xffff} {
		if out := octetsOf(s, packet(flags, [4]uint16{one}, "mail.test.", "0001 0001")); len(out) > 0 {
			t.Errorf("flags %04x: answered % x", flags, out)
		}
	}
	if out := s.reply(nil, sound, netip.AddrPortFrom(someone.Addr(), 0), overUDP, noon, false); len(out) > 0 {
		t.Errorf("port 0: answered % x", out)
	}
	if len(octetsOf(s, sound)) == 0 {
		t.Error("the sound one is not answered")
	}
}

func TestH2FlagsAreCleanAndCopied(t *testing.T) {
	s := published(t)
	for _, tt := range []struct {
		name  string
		flags uint16
		want  uint16
	}{
		{"mail.test.", 0x0000, 0x8400}, {"mail.test.", 0x0100, 0x8500},
		{"mail.test.", 0x07f0, 0x8500}, // AA TC RD RA Z AD CD
		{"nobody.mail.test.", 0x07f0, 0x8503}, {"www.example.", 0x07f0, 0x8105}, {"www.example.", 0, 0x8005},
	} {
		for _, edns := range []string{"", opt("")} {
			b := packet(tt.flags, [4]uint16{one, 0, 0, uint16(min(1, len(edns)))}, tt.name, "0001 0001", edns)
			out := octetsOf(s, b)
			if got := uint16(number(out, 2)); got != tt.want || number(out, 0) != 0x15b3 {
				t.Errorf("%s, flags %04x: id %04x, flags %04x, want %04x", tt.name, tt.flags, number(out, 0), got, tt.want)
			}
		}
	}
}

// CD is of no use here, and comes back from nowhere, not even beside signatures
// (RFC 4035, section 3.1.6).
func TestH2CheckingDisabled(t *testing.T) {
	signed := serverOf(t, farm(func(s *Set) { s.Signer = signerOf(t) }), Options{})
	for _, s := range []*Server{published(t), signed} {
		q := ask("mail.test.", dns.TypeSOA).SetEdns0(1232, true)
		q.CheckingDisabled = true
		if told(t, s, q, overUDP).CheckingDisabled {
			t.Error("CD came back")
		}
	}
}

func TestH3OpcodesButQueryAreDeclined(t *testing.T) {
	s := published(t)
	for op := uint16(1); op < 16; op++ {
		want := 0x8000 | op<<11 | dns.RcodeNotImplemented
		if op == dns.OpcodeNotify || op == dns.OpcodeUpdate {
			want = 0x8000 | op<<11 | dns.RcodeRefused
		}
		for _, flags := range []uint16{0, 0x07f0} {
			for _, b := range [][]byte{
				packet(op<<11|flags, [4]uint16{}),
				packet(op<<11|flags, [4]uint16{one}, "mail.test.", "0006 0001"),
			} {
				if got := uint16(number(octetsOf(s, b), 2)); got != want {
					t.Errorf("opcode %d, flags %04x: %04x, want %04x", op, flags, got, want)
				}
			}
		}
	}
}

func TestH4OneQuestionOrACookie(t *testing.T) {
	jar := cookie.New([16]byte{1})
	client := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	good := jar.Append(nil, client, someone.Addr(), noon)
	bad := slices.Clone(good)
	bad[20] ^= 1
	with, without := serverOf(t, farm(), Options{Cookies: jar}), published(t)
	for _, tt := range []struct {
		name   string
		s      *Server
		data   []byte // of a cookie; nil = none
		counts [4]uint16
		parts  []string
		want   int
		cookie bool
	}{
		{"none", with, nil, [4]uint16{}, nil, dns.RcodeFormatError, false},
		{"two", with, nil, [4]uint16{2}, []string{"mail.test.", "0001 0001 c00c 001c 0001"}, dns.RcodeFormatError, false},
		{"none, and no cookie", with, nil, [4]uint16{0, 0, 0, 1}, []string{opt("")}, dns.RcodeFormatError, false},
		{"a client's cookie", with, client, [4]uint16{0, 0, 0, 1}, nil, dns.RcodeSuccess, true},
		{"a cookie of ours", with, good, [4]uint16{0, 0, 0, 1}, nil, dns.RcodeSuccess, true},
		{"a cookie of another", with, bad, [4]uint16{0, 0, 0, 1}, nil, dns.RcodeBadCookie, true},
		{"a cookie, and two", with, client, [4]uint16{2, 0, 0, 1}, []string{"mail.test.", "0001 0001 c00c 001c 0001"}, dns.RcodeFormatError, true},
		{"where cookies are not made", without, client, [4]uint16{0, 0, 0, 1}, nil, dns.RcodeFormatError, false},
	} {
		b := packet(0, tt.counts, tt.parts...)
		if tt.data != nil {
			b = append(b, packet(0, [4]uint16{}, opt("000a"+hexOf(uint16(len(tt.data)))+strings.Repeat("00", len(tt.data))))[headerLen:]...)
			copy(b[len(b)-len(tt.data):], tt.data)
		}
		m := new(dns.Msg)
		if err := m.Unpack(octetsOf(tt.s, b)); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := optionsOf(m)[dns.EDNS0COOKIE]
		if m.Rcode != tt.want || len(m.Question)+len(m.Answer) > 0 || tt.cookie != (len(got) == cookie.FullLen) {
			t.Errorf("%s: %s with cookie %x, want code %d and a cookie %v", tt.name, brief(m), got, tt.want, tt.cookie)
		}
	}
}

// optionsOf are the options of a reply, by code.
func optionsOf(m *dns.Msg) map[uint16][]byte {
	out := map[uint16][]byte{}
	o := m.IsEdns0()
	if o == nil {
		return out
	}
	b := make([]byte, dns.Len(o)+64)
	n, err := dns.PackRR(o, b, 0, nil, false)
	if err != nil {
		return out
	}
	for b = b[11:n]; len(b) >= 4; b = b[4+number(b, 2):] {
		out[uint16(number(b, 0))] = b[4 : 4+number(b, 2)]
	}
	return out
}

func TestH5BrokenNamesAreFormerr(t *testing.T) {
	for name, parts := range map[string][]string{
		"a loop":                {"03676767 c010 0001 0001"},
		"forward":               {"c010 0001 0001 00"},
		"into the header":       {"03676767 c000 0001 0001"},
		"label type 01":         {"41 00 0001 0001"},
		"label type 10":         {"81 00 0001 0001"},
		"256 octets":            {strings.Repeat(strings.Repeat("x", 49)+".", 4) + strings.Repeat("y", 54) + ".", "0001 0001"},
		"an end within":         {"03676767"},
		"what is left over":     {"mail.test.", "0001 0001 2a"},
		"a record that is none": {"mail.test.", "0001 0001 00"},
	} {
		b := packet(0, [4]uint16{one}, parts...)
		if got := code(octetsOf(published(t), b)); got != "FORMERR" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for to, want := range map[string]string{"c00c": "NOERROR", "c01b": "FORMERR", "c027": "FORMERR"} { // back, to itself, forward to a root
		b := packet(0, [4]uint16{one, one}, "mail.test.", "0001 0001", to+"0001 0001 00000000 0001 00")
		if got := code(octetsOf(published(t), b)); got != want {
			t.Errorf("a record named by a pointer %s: %s, want %s", to, got, want)
		}
	}
	whole := strings.Repeat(strings.Repeat("x", 49)+".", 4) + strings.Repeat("y", 53) + "."
	if got := code(octetsOf(published(t), packet(0, [4]uint16{one}, whole, "0001 0001"))); got != "REFUSED" {
		t.Errorf("255 octets: %s, want it read", got)
	}
}

// Pointers that lead to pointers are followed as far as a name can need, or one
// message could cost millions of steps.
func TestH5PointersAreBounded(t *testing.T) {
	chain := func(n int) []byte { // a name, n pointers each to the one before, and a record named by the last
		b := packet(0, [4]uint16{one, 2, 0, 0}, "test.", "0001 0001")
		b = append(b, packet(0, [4]uint16{}, "00 000a 0001 00000000", hexOf(uint16(2*n)))[headerLen:]...)
		to := uint16(headerLen)
		for range n {
			at := uint16(len(b))
			b = binary.BigEndian.AppendUint16(b, 0xc000|to)
			to = at
		}
		return append(binary.BigEndian.AppendUint16(b, 0xc000|to), 0, 10, 0, 1, 0, 0, 0, 0, 0, 0)
	}
	for n, want := range map[int]bool{0: false, 1: false, maxPointers - 1: false, maxPointers: true, 5000: true} {
		if got := parse(chain(n)).bad; got != want {
			t.Errorf("%d pointers: bad %v, want %v", n, got, want)
		}
	}
}

func TestQ1LettersComeBackAsAsked(t *testing.T) {
	s := serverOf(t, rich(t), Options{})
	for _, name := range []string{"mAIl.tEst.", "EX01.mail.TEST.", "IMAP.mail.test.", "_Imaps._TCP.mail.test.", "X.WILD.mail.test."} {
		for _, typ := range []string{"0001", "0021", "0010"} {
			b := packet(0, [4]uint16{one}, name, typ+"0001")
			out := octetsOf(s, b)
			if !bytes.Equal(out[headerLen:len(b)], b[headerLen:]) {
				t.Errorf("%s: question % x, asked % x", name, out[headerLen:len(b)], b[headerLen:])
			}
			if n := number(out, 6); n > 0 && number(out, len(b)) != 0xc00c {
				t.Errorf("%s: the first owner is % x, want a pointer to the question", name, out[len(b):len(b)+2])
			}
		}
	}
	if got := code(octetsOf(s, packet(0, [4]uint16{one}, "mail.test.", "0001 0001"))); got != "NOERROR" {
		t.Error(got)
	}
}

func TestQ3OthersZonesAreRefused(t *testing.T) {
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signerOf(t) }), Options{})
	for _, name := range []string{".", "test.", "example.", "xmail.test.", "mail.test.example.", `x\.mail.test.`} {
		for _, typ := range []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA, dns.TypeDS, dns.TypeANY, dns.TypeNSEC} {
			m := told(t, s, secureAsk(name, typ), overUDP)
			if m.Rcode != dns.RcodeRefused || m.Authoritative || len(m.Answer)+len(m.Ns) > 0 || len(m.Extra) != 1 {
				t.Errorf("%s %s: %s", name, dns.Type(typ), brief(m))
			}
		}
	}
}

func TestQ4ClassChaosSaysWhoWeAre(t *testing.T) {
	s := serverOf(t, farm(), Options{Identity: `ex01\`, Version: "1.2"})
	for _, tt := range []struct {
		name       string
		typ, class uint16
		want       string
	}{
		{"id.server.", dns.TypeTXT, dns.ClassCHAOS, `NOERROR aa; id.server. TXT "ex01\\"`},
		{"HOSTNAME.bind.", dns.TypeTXT, dns.ClassCHAOS, `NOERROR aa; HOSTNAME.bind. TXT "ex01\\"`},
		{"version.bind.", dns.TypeTXT, dns.ClassCHAOS, `NOERROR aa; version.bind. TXT "1.2"`},
		{"version.server.", dns.TypeANY, dns.ClassCHAOS, `NOERROR aa; version.server. TXT "1.2"`},
		{"version.server.", dns.TypeA, dns.ClassCHAOS, "REFUSED"},
		{"authors.bind.", dns.TypeTXT, dns.ClassCHAOS, "REFUSED"},
		{"mail.test.", dns.TypeA, dns.ClassCHAOS, "REFUSED"},
		{"mail.test.", dns.TypeAXFR, dns.ClassCHAOS, "REFUSED"},
		{"mail.test.", dns.TypeA, dns.ClassHESIOD, "REFUSED"},
		{"mail.test.", dns.TypeA, dns.ClassNONE, "REFUSED"},
		{"mail.test.", dns.TypeA, 0, "FORMERR"},
	} {
		q := ask(tt.name, tt.typ)
		q.Question[0].Qclass = tt.class
		if got := brief(told(t, s, q, overUDP)); got != tt.want {
			t.Errorf("%s %s %s: %s, want %s", tt.name, dns.Class(tt.class), dns.Type(tt.typ), got, tt.want)
		}
	}
	q := ask("id.server.", dns.TypeTXT)
	q.Question[0].Qclass = dns.ClassCHAOS
	if got := brief(told(t, published(t), q, overUDP)); got != "REFUSED" {
		t.Errorf("of a server without a name: %s", got)
	}
}
