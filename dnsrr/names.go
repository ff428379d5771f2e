package dnsrr

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// fold returns name with A-Z made small, and nothing else: names compare as
// ASCII (RFC 4343, section 3). It allocates only if there is something to fold.
func fold(name string) string {
	for i := range len(name) {
		if 'A' <= name[i] && name[i] <= 'Z' {
			return foldFrom(name, i)
		}
	}
	return name
}

func foldFrom(name string, i int) string {
	b := []byte(name)
	for ; i < len(b); i++ {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// within tells whether name is zone or below it. Both are folded. A dot that
// belongs to a label is written \. and ends nothing.
func within(name, zone string) bool {
	above, ok := strings.CutSuffix(name, zone)
	switch {
	case !ok:
		return false
	case above == "":
		return true
	case !strings.HasSuffix(above, "."):
		return false
	}
	escapes := 0
	for i := len(above) - 2; i >= 0 && above[i] == '\\'; i-- {
		escapes++
	}
	return escapes%2 == 0
}

// parent returns the name one label up.
func parent(name string) string {
	off, end := dns.NextLabel(name, 0)
	if end {
		return "."
	}
	return name[off:]
}

// canonical writes name as an unpacked question would spell it, folded, so
// that \097 and a are one key.
func canonical(name string) (string, error) {
	var wire [256]byte
	n, err := dns.PackDomainName(name, wire[:], 0, nil, false)
	if err != nil {
		return "", err
	}
	s, _, err := dns.UnpackDomainName(wire[:n], 0)
	return fold(s), err
}

// checkZone refuses a zone whose text could differ from its wire form, and one
// too long for a node's name in front.
func checkZone(zone string) error {
	labels, fqdn := strings.CutSuffix(zone, ".")
	switch {
	case !fqdn:
		return fmt.Errorf("zone %q: must end in a dot", zone)
	case labels == "":
		return errors.New("zone: the root cannot be served")
	case len(zone) > 255-1-64: // RFC 1035, section 2.3.4
		return fmt.Errorf("zone %q: too long", zone)
	}
	for l := range strings.SplitSeq(labels, ".") {
		if err := checkLabel(l); err != nil {
			return fmt.Errorf("zone %q: %w", zone, err)
		}
	}
	return nil
}

// checkLabel admits letters, digits, hyphens within (RFC 1123, section 2.1),
// and the underscores that Windows hosts and service names have.
func checkLabel(l string) error {
	switch {
	case l == "":
		return errors.New("empty label")
	case len(l) > 63:
		return fmt.Errorf("label %q: longer than 63", l)
	case l[0] == '-' || l[len(l)-1] == '-':
		return fmt.Errorf("label %q: hyphen at an end", l)
	}
	for i := range len(l) {
		c := l[i]
		if !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return fmt.Errorf("label %q: %q is not a letter, digit, hyphen or underscore", l, c)
		}
	}
	return nil
}

// canonicalOrder compares names from the root on, label by label (RFC 4034,
// section 6.1). Both are folded.
func canonicalOrder(a, b string) int {
	x, y := dns.SplitDomainName(a), dns.SplitDomainName(b)
	for i := 1; i <= min(len(x), len(y)); i++ {
		if c := bytes.Compare(octets(x[len(x)-i]), octets(y[len(y)-i])); c != 0 {
			return c
		}
	}
	return len(x) - len(y)
}

// octets is what a label written as text stands for.
func octets(label string) []byte {
	var wire [256]byte
	n, err := dns.PackDomainName(label+".", wire[:], 0, nil, false)
	if err != nil {
		return []byte(label)
	}
	return wire[1 : n-1]
}
