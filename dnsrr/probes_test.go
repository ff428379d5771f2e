package dnsrr

import (
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
)

// A probe is one question of ISC's DNS compliance tester, by its name there, as
// octets; and what the reply must be. What is not said must not be there.
type probe struct {
	name   string
	flags  uint16 // of the header
	typ    uint16
	edns   string // TTL field and options, as hex; empty = no OPT
	size   uint16
	tcp    bool
	bare   bool // a header alone
	code   int
	do     bool
	rd     bool
	answer bool     // of the type asked for
	soa    bool     // in the authority section
	signed bool     // the answer has signatures
	cut    bool     // may be cut off, and then has no answer
	opts   []uint16 // options of the reply
}

const (
	probeNSID   = "0003 0000"
	probeSubnet = "0008 0004 0001 0000"
	probeExpire = "0009 0000"
	probeCookie = "000a 0008 0102030405060708"
	probeOdd    = "0064 0000"
	version0    = "00000000"
	version1    = "00010000"
	withDO      = "00008000"
)

// probes are all but those that ask by ICMP.
func probes() []probe {
	const soa, badvers = dns.TypeSOA, dns.RcodeBadVers
	plain := func(name string, flags uint16) probe { return probe{name: name, flags: flags, typ: soa, answer: true} }
	with := func(name, edns string) probe { return probe{name: name, typ: soa, edns: edns, size: 4096} }
	zero := func(name, options string, echoed ...uint16) probe {
		p := with(name, version0+options)
		p.answer, p.opts = true, echoed
		return p
	}
	later := func(name, edns string) probe {
		p := with(name, edns)
		p.code = badvers
		return p
	}
	return []probe{
		plain("dns", 0), plain("aa", 0x0400), plain("ad", 0x0020), plain("cd", 0x0010), plain("ra", 0x0080), plain("tc", 0x0200), plain("zflag", 0x0040),
		{name: "rd", flags: 0x0100, typ: soa, answer: true, rd: true},
		{name: "opcode", flags: 0x7800, bare: true, code: dns.RcodeNotImplemented},
		{name: "opcodeflg", flags: 0x7ff0, bare: true, code: dns.RcodeNotImplemented},
		{name: "type666", typ: 666, soa: true},
		{name: "tcp", typ: soa, tcp: true, answer: true},
		zero("edns", ""), later("edns1", version1),
		{name: "edns@512", typ: dns.TypeDNSKEY, edns: withDO, size: 512, do: true, answer: true, signed: true, cut: true},
		zero("ednsopt", probeOdd), later("edns1opt", version1+probeOdd),
		{name: "do", typ: soa, edns: withDO, size: 4096, do: true, answer: true, signed: true},
		{name: "docd", flags: 0x0010, typ: soa, edns: withDO, size: 4096, do: true, answer: true, signed: true},
		{name: "edns1do", typ: soa, edns: "00018000", size: 4096, code: badvers, do: true},
		zero("ednsflags", ""), // its flag is set below
		zero("optlist", probeNSID+probeSubnet+probeExpire+probeCookie, dns.EDNS0NSID, dns.EDNS0SUBNET, dns.EDNS0COOKIE),
		zero("ednsnsid", probeNSID, dns.EDNS0NSID), zero("ednscookie", probeCookie, dns.EDNS0COOKIE),
		zero("ednsexpire", probeExpire), zero("ednssubnet", probeSubnet, dns.EDNS0SUBNET),
		later("edns1nsid", version1+probeNSID), later("edns1cookie", version1+probeCookie),
		later("edns1expire", version1+probeExpire), later("edns1subnet", version1+probeSubnet),
		{name: "ednstcp", typ: dns.TypeDNSKEY, edns: withDO, size: 512, tcp: true, do: true, answer: true, signed: true},
		{name: "bind11", typ: soa, edns: withDO + probeCookie, size: 4096, do: true, answer: true, signed: true, opts: []uint16{dns.EDNS0COOKIE}},
		{name: "dig11", flags: 0x0120, typ: soa, edns: version0 + probeCookie, size: 4096, rd: true, answer: true, opts: []uint16{dns.EDNS0COOKIE}},
	}
}

func (p probe) octets() []byte {
	if p.bare {
		return packet(p.flags, [4]uint16{})
	}
	question := fmt.Sprintf("%04x0001", p.typ)
	if p.edns == "" {
		return packet(p.flags, [4]uint16{1}, "mail.test.", question)
	}
	edns := strings.ReplaceAll(p.edns, " ", "")
	ttl, options := edns[:8], edns[8:]
	if p.name == "ednsflags" {
		ttl = "00000080"
	}
	return packet(p.flags, [4]uint16{1, 0, 0, 1}, "mail.test.", question, fmt.Sprintf("000029%04x%s%04x%s", p.size, ttl, len(options)/2, options))
}

// judge says what is wrong with a reply; nothing is well.
func (p probe) judge(m *dns.Msg) (wrong []string) {
	hold := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	o := m.IsEdns0()
	hold(m.Rcode == p.code, "code")
	hold(m.Authoritative == (p.code == 0), "aa")
	hold(m.RecursionDesired == p.rd && !m.RecursionAvailable && !m.AuthenticatedData && !m.CheckingDisabled && !m.Zero, "flags")
	hold(m.Opcode == int(p.flags>>11), "opcode")
	hold(!m.Truncated || p.cut, "tc")
	hold((len(m.Question) == 1) == !p.bare, "question")
	hold((o != nil) == (p.edns != ""), "opt")
	if o != nil {
		hold(o.Version() == 0 && o.Do() == p.do && o.Z() == 0, "opt's flags")
	}
	sets, sigs := setsOf(m.Answer)
	if !m.Truncated {
		hold((len(sets) == 1 && sets[0][0].Header().Rrtype == p.typ) == p.answer, "answer")
		hold((len(sigs) > 0) == p.signed, "signatures")
	}
	hold((len(m.Ns) == 1) == p.soa, "soa")
	var options []uint16
	for code := range optionsOf(m) {
		options = append(options, code)
	}
	slices.Sort(options)
	hold(slices.Equal(options, p.opts), "options")
	return wrong
}

// The probes, over real sockets, to a server that has all it can have.
func TestProbes(t *testing.T) {
	s := serverOf(t, rich(t, func(s *Set) { s.Signer = signerOf(t) }), Options{Identity: "ex01", Version: "1", Cookies: cookie.New([16]byte{1})})
	udp, tcp := served(t, s)
	if n := len(probes()); n != 33 {
		t.Errorf("%d probes", n)
	}
	for _, p := range probes() {
		m, n := exchanged(t, udp, tcp, p.tcp, p.octets())
		if wrong := p.judge(m); len(wrong) > 0 {
			t.Errorf("%s: %v:\n%v", p.name, wrong, m)
		}
		if limit := 512; !p.tcp && p.edns == "" && n > limit || !p.tcp && p.size == 512 && n > limit {
			t.Errorf("%s: %d octets, want at most %d", p.name, n, limit)
		}
	}
}

// exchanged sends octets over one of the ways and reads the reply.
func exchanged(t *testing.T, udp, tcp string, overTCP bool, b []byte) (m *dns.Msg, n int) {
	t.Helper()
	network, addr := "udp", udp
	if overTCP {
		network, addr = "tcp", tcp
	}
	c, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	conn := dns.Conn{Conn: c, UDPSize: 4096}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, dns.MaxMsgSize)
	if n, err = conn.Read(out); err != nil {
		t.Fatalf("%s: %v", hex.EncodeToString(b), err)
	}
	return readReply(t, out[:n]), n
}

// The tester's questions for single types: one that is there is answered, any
// other is NODATA, and the one with a signature of a key that all know is told
// that nobody here does.
func TestProbesByType(t *testing.T) {
	udp, tcp := served(t, serverOf(t, rich(t), Options{}))
	has := []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeMX}
	for _, typ := range []uint16{
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 33, 35, 36, 37, 38, 39, 42, 43,
		44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 55, 59, 60, 61, 99, 104, 105, 106, 107, 108, 109, 256, 257, 258, 259, 1000, 32769,
	} {
		p := probe{name: fmt.Sprint("type ", typ), typ: typ, answer: slices.Contains(has, typ), soa: !slices.Contains(has, typ)}
		m, _ := exchanged(t, udp, tcp, false, p.octets())
		if wrong := p.judge(m); len(wrong) > 0 {
			t.Errorf("%s: %v:\n%v", p.name, wrong, m)
		}
	}
	q := ask("mail.test.", dns.TypeSOA).SetTsig(".", dns.HmacSHA256, 300, time.Now().Unix())
	b, _, err := dns.TsigGenerate(q, strings.Repeat("A", 43)+"=", "", false)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := exchanged(t, udp, tcp, false, b)
	if sig := m.IsTsig(); m.Rcode != dns.RcodeNotAuth || sig == nil || sig.Error != dns.RcodeBadKey {
		t.Errorf("dnswkk: %v", m)
	}
}
