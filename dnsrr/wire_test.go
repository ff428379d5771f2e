package dnsrr

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

var (
	someone = netip.MustParseAddrPort("192.0.2.53:4242")
	noon    = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
)

// packet writes a header of the given flags and counts, and the parts after it:
// names are written as labels, all else as hex.
func packet(flags uint16, counts [4]uint16, parts ...string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x15, 0xb3}, flags)
	for _, c := range counts {
		b = binary.BigEndian.AppendUint16(b, c)
	}
	for _, p := range parts {
		if name, ok := strings.CutSuffix(p, "."); ok {
			for l := range strings.SplitSeq(name, ".") {
				b = append(append(b, byte(len(l))), l...)
			}
			b = append(b, 0)
			continue
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(p, " ", ""))
		if err != nil {
			panic(err)
		}
		b = append(b, raw...)
	}
	return b
}

func published(t testing.TB) *Server {
	t.Helper()
	s := new(Server)
	s.Publish(compile(t, farm()))
	return s
}

// What no resolver sends, and everyone receives. Beside the code it is
// promised that identity, opcode and a readable question come back.
func TestBrokenAndUnusualPackets(t *testing.T) {
	one := [4]uint16{1, 0, 0, 0}
	oneAnd := [4]uint16{1, 0, 0, 1}
	for _, tt := range []struct {
		name  string
		b     []byte
		want  string // silence, or the code
		short bool   // the question does not come back
	}{
		{"sound", packet(0x0000, one, "mail.test.", "0001 0001"), "NOERROR", false},
		{"eleven octets", make([]byte, 11), "silence", true},
		{"nothing", nil, "silence", true},
		{"a header alone", packet(0, [4]uint16{}), "FORMERR", true},
		{"a header that promises", packet(0, one), "FORMERR", true},
		{"an answer", packet(0x8000, one, "mail.test.", "0001 0001"), "silence", true},
		{"an answer that is broken", packet(0x8000, one, "mail.test.", "00"), "silence", true},
		{"TC", packet(0x0200, one, "mail.test.", "0001 0001"), "NOERROR", false},
		{"IQUERY", packet(0x0800, one, "mail.test.", "0001 0001"), "NOTIMP", false},
		{"IQUERY in its own form", packet(0x0800, [4]uint16{0, 1, 0, 0}, "00 0001 0001 00000000 0004 c0000201"), "NOTIMP", true},
		{"UPDATE", packet(0x2800, one, "mail.test.", "0006 0001"), "REFUSED", false},
		{"NOTIFY", packet(0x2000, one, "mail.test.", "0006 0001"), "REFUSED", false},
		{"a label that points to itself", packet(0, one, "03676767 c010 0001 0001"), "FORMERR", true},
		{"a label that points into the header", packet(0, one, "03676767 c001 0001 0001"), "FORMERR", true},
		{"a label type that never was", packet(0, one, "41 61 00 0001 0001"), "FORMERR", true},
		{"a name too long", packet(0, one, strings.Repeat(strings.Repeat("x", 63)+".", 5), "0001 0001"), "FORMERR", true},
		{"cut in the name", packet(0, one, "03676767 037a7a7a"), "FORMERR", true},
		{"cut after the name", packet(0, one, "mail.test."), "FORMERR", true},
		{"cut in the type", packet(0, one, "mail.test.", "00"), "FORMERR", true},
		{"cut after the type", packet(0, one, "mail.test.", "0001"), "FORMERR", true},
		{"cut in the class", packet(0, one, "mail.test.", "0001 00"), "FORMERR", true},
		{"left over", packet(0, one, "mail.test.", "0001 0001 00"), "FORMERR", false},
		{"a promised record", packet(0, oneAnd, "mail.test.", "0001 0001"), "FORMERR", false},
		{"an OPT too short", packet(0, oneAnd, "mail.test.", "0001 0001 0000 01 000000"), "FORMERR", false},
		{"an OPT whose options are cut", packet(0, oneAnd, "mail.test.", "0001 0001 00 0029 1000 00000000 0004 0003 0009"), "FORMERR", false},
		{"an OPT of size 1", packet(0, oneAnd, "mail.test.", "0001 0001 00 0029 0001 00000000 0000"), "NOERROR", false},
		{"an option nobody knows", packet(0, oneAnd, "mail.test.", "0001 0001 00 0029 1000 00000000 0007 5555 0003 666f6f"), "NOERROR", false},
		{"two questions", packet(0, [4]uint16{2, 0, 0, 0}, "mail.test.", "0001 0001 c00c 0001 0001"), "FORMERR", true},
		{"AXFR", packet(0, one, "mail.test.", "00fc 0001"), "REFUSED", false},
		{"IXFR", packet(0, one, "mail.test.", "00fb 0001"), "REFUSED", false},
		{"class HS", packet(0, one, "mail.test.", "0001 0004"), "REFUSED", false},
		{"class ANY", packet(0, one, "mail.test.", "0001 00ff"), "NOERROR", false},
		{"type KEY", packet(0, one, "mail.test.", "0019 0001"), "NOERROR", false},
		{"type 300", packet(0, one, "mail.test.", "012c 0001"), "NOERROR", false},
		{"a label of any octets", packet(0, one, "04 002e5cff 046d61696c 0474657374 00 0001 0001"), "NXDOMAIN", false},
		{"sound still", packet(0, one, "mail.test.", "0001 0001"), "NOERROR", false},
	} {
		for _, tr := range []transport{overUDP, overTCP} {
			out := published(t).reply(nil, tt.b, someone, tr, noon, false)
			if got := code(out); got != tt.want {
				t.Errorf("%s over %v: %s, want %s", tt.name, tr, got, tt.want)
			}
			if tt.want == "silence" {
				continue
			}
			if !bytes.Equal(out[:2], tt.b[:2]) || out[2]&0x78 != tt.b[2]&0x78 {
				t.Errorf("%s: identity and opcode % x, asked % x", tt.name, out[:3], tt.b[:3])
			}
			if echoed := out[5] == 1; echoed == tt.short {
				t.Errorf("%s: question echoed %v, want %v", tt.name, echoed, !tt.short)
			}
		}
	}
}

// An OPT is met with an OPT even where the question is at fault (RFC 6891,
// section 7): the asker would think that EDNS is, and give it up.
func TestErrorsKeepEDNS(t *testing.T) {
	const opt = "00 0029 1000 00000000 0000"
	for name, b := range map[string][]byte{
		"no question":   packet(0, [4]uint16{0, 0, 0, 1}, opt),
		"two questions": packet(0, [4]uint16{2, 0, 0, 1}, "mail.test.", "0001 0001 c00c 0001 0001", opt),
		"an opcode":     packet(0x7800, [4]uint16{1, 0, 0, 1}, "mail.test.", "0001 0001", opt),
		"a class":       packet(0, [4]uint16{1, 0, 0, 1}, "mail.test.", "0001 0003", opt),
		"a stranger":    packet(0, [4]uint16{1, 0, 0, 1}, "example.", "0001 0001", opt),
	} {
		m := new(dns.Msg)
		if err := m.Unpack(published(t).reply(nil, b, someone, overUDP, noon, false)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Rcode == dns.RcodeSuccess || m.IsEdns0() == nil {
			t.Errorf("%s: %s, want an error with OPT", name, brief(m))
		}
	}
}

// code is the reply's, read from the octets.
func code(out []byte) string {
	switch {
	case len(out) == 0:
		return "silence"
	case len(out) < headerLen:
		return "cut"
	}
	return dns.RcodeToString[int(out[3]&0xf)]
}

// Port 0 can only be forged: the answer would go nowhere, or round and round.
func TestPortZeroIsSilence(t *testing.T) {
	q := packet(0, [4]uint16{1}, "mail.test.", "0001 0001")
	if out := published(t).reply(nil, q, netip.AddrPortFrom(someone.Addr(), 0), overUDP, noon, false); len(out) > 0 {
		t.Errorf("answered % x", out)
	}
}

// parse reads a query that is not silent.
func parse(b []byte) (r request) {
	r.read(b)
	return r
}
