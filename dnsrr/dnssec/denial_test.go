package dnssec

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

func TestDenial(t *testing.T) {
	for _, c := range []struct {
		promise, name string
		types         []uint16
		missing       bool
		want          string // the data of the record
	}{
		{"a name that is missing", "x.mail.example.", nil, true, `\000.x.mail.example. RRSIG NSEC NXNAME`},
		{"an empty non-terminal", "_tcp.mail.example.", nil, false, `\000._tcp.mail.example. RRSIG NSEC`},
		{"a type, of several", zone, []uint16{dns.TypeSOA, dns.TypeA, dns.TypeCDS, dns.TypeA}, false, `\000.mail.example. A SOA RRSIG NSEC CDS`},
		{"letters", "eX01.Mail.example.", []uint16{dns.TypeA}, false, `\000.ex01.mail.example. A RRSIG NSEC`},
		{"a wildcard", "*.mail.example.", nil, true, `\000.*.mail.example. RRSIG NSEC NXNAME`},
	} {
		n := Denial(zone, c.name, c.types, c.missing, 30)
		got := strings.Join(strings.Fields(n.String())[4:], " ")
		if got = strings.Replace(got, "TYPE128", "NXNAME", 1); got != c.want || n.Hdr.Name != c.name || n.Hdr.Ttl != 30 {
			t.Errorf("%s: %v, want %s", c.promise, n, c.want)
		}
		if wire, err := dns.PackRR(n, make([]byte, 512), 0, nil, false); err != nil {
			t.Errorf("%s: %d octets: %v", c.promise, wire, err)
		}
	}
	types := []uint16{dns.TypeTXT, dns.TypeA, 0, 0, 0}[:2]
	Denial(zone, zone, types, true, 30)
	if types = types[:3]; types[0] != dns.TypeTXT || types[2] != 0 {
		t.Errorf("the caller's types were changed to %v", types)
	}
	if n := Denial(zone, "..", nil, true, 30); n != nil {
		t.Errorf("a name that is none has %v", n)
	}
}

// Names so long that nothing fits below them.
func TestSuccessorOfLongNames(t *testing.T) {
	full := strings.Repeat("a", 63)
	last := strings.Repeat(`\255`, 63)
	tail := "." + full + "." + full + ".mail.example." // 14 + 2*64
	for _, c := range []struct{ promise, name, want string }{
		{"room for a label", strings.Repeat("a", 47) + "." + strings.Repeat("b", 62) + tail, `\000.`},
		{"room for an octet", strings.Repeat("a", 48) + "." + strings.Repeat("b", 62) + tail, strings.Repeat("a", 48) + `\000.`},
		{"room, but not in the label", full + "." + strings.Repeat("b", 47) + tail, strings.Repeat("a", 62) + "b."},
		{"no room", strings.Repeat("a", 49) + "." + strings.Repeat("b", 62) + tail, strings.Repeat("a", 48) + "b."},
		{"before the capitals", strings.Repeat("a", 48) + `\064.` + strings.Repeat("b", 62) + tail, strings.Repeat("a", 48) + `[.`},
		{"the last sibling", strings.Repeat(`\255`, 49) + "." + strings.Repeat("b", 62) + tail, strings.Repeat("b", 61) + "c."},
		{"the last octet", strings.Repeat("a", 48) + `\255.` + strings.Repeat("b", 62) + tail, strings.Repeat("a", 47) + "b."},
		{"the last of all", strings.Repeat(`\255`, 48) + "." + last + "." + last + "." + last + ".mail.example.", zone},
	} {
		got, ok := successor(zone, c.name)
		if !ok || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s is followed by %s, want %s…", c.promise, c.name, got, c.want)
		}
		if _, valid := dns.IsDomainName(got); !valid {
			t.Errorf("%s: %s is no name", c.promise, got)
		}
	}
}

// anyName is a name of the zone, often one that is nearly too long.
func anyName(t *rapid.T, label string) string {
	wire := []byte{4, 'm', 'a', 'i', 'l', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 0}
	octet := rapid.SampledFrom([]byte{0, '@', 'A', 'Z', '[', 'a', 'b', 0xfe, 0xff})
	for range rapid.IntRange(0, 6).Draw(t, label) {
		room := min(maxLabel, maxName-len(wire)-1)
		if room < 1 {
			break
		}
		l := rapid.SliceOfN(octet, 1, room).Draw(t, label)
		if rapid.Bool().Draw(t, "filled") {
			l = append(l, bytes.Repeat(l[len(l)-1:], room-len(l))...)
		}
		wire = slices.Concat([]byte{byte(len(l))}, l, wire)
	}
	name, _, err := dns.UnpackDomainName(wire, 0)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// order is the canonical one (RFC 4034, section 6.1): label by label from the
// right, octets as unsigned numbers, capitals as small letters.
func order(t *rapid.T, a, b string) int {
	return slices.CompareFunc(labels(t, a), labels(t, b), bytes.Compare)
}

func labels(t *rapid.T, name string) (out [][]byte) {
	wire := make([]byte, maxName)
	if _, err := dns.PackDomainName(name, wire, 0, nil, false); err != nil {
		t.Fatal(err)
	}
	for ; wire[0] != 0; wire = wire[1+wire[0]:] {
		label := slices.Clone(wire[1 : 1+wire[0]])
		for i, c := range label {
			if bytes.IndexByte([]byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), c) >= 0 {
				label[i] = c | 0x20
			}
		}
		out = append(out, label)
	}
	slices.Reverse(out)
	return out
}

// A denial is of one name: no other lies between its owner and the next, which
// is in the zone.
func TestNoNameIsBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, other := anyName(t, "name"), anyName(t, "other")
		next, ok := successor(zone, name)
		if !ok || !dns.IsSubDomain(zone, next) {
			t.Fatalf("%s is followed by %s", name, next)
		}
		wraps := next == zone
		if !wraps && order(t, name, next) >= 0 {
			t.Fatalf("%s is followed by %s, which is not behind it", name, next)
		}
		if order(t, name, other) < 0 && (wraps || order(t, other, next) < 0) {
			t.Fatalf("%s is between %s and %s", other, name, next)
		}
	})
}
