package config

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

const (
	maxLabel = 63  // RFC 1035, 2.3.4
	maxName  = 253 // the 255 bytes of RFC 1035, 2.3.4, as text without the final dot
)

// label is a name of one DNS label.
func label() form[string] {
	return form[string]{"up to 63 letters, digits and inner hyphens", func(s string) (string, error) {
		switch {
		case isLabel(s):
			return strings.ToLower(s), nil
		case strings.Contains(s, ".") && isName(s):
			return "", hint("the first part will do; the whole name belongs in node.fqdn")
		}
		return "", noHint
	}}
}

// hostname is a name of one or more labels in any letter case.
func hostname() form[string] {
	return form[string]{"a host name such as ex01.example.com", func(s string) (string, error) {
		s = strings.TrimSuffix(s, ".")
		if !isName(s) {
			return "", noHint
		}
		return s, nil
	}}
}

// zoneName is a domain name with room for a node's name and a dot in front.
func zoneName() form[string] {
	return form[string]{"a domain name of at most 189 characters, such as mail.example.com", func(s string) (string, error) {
		s = strings.TrimSuffix(strings.ToLower(s), ".")
		if !isName(s) || len(s) > maxName-maxLabel-1 {
			return "", noHint
		}
		return s + ".", nil
	}}
}

// unicast is an address that may stand in a DNS answer.
func unicast() form[netip.Addr] {
	f := address()
	return form[netip.Addr]{"an IP address that leads to one node", func(s string) (netip.Addr, error) {
		a, err := f.read(s)
		if err != nil || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.Zone() != "" {
			return netip.Addr{}, noHint
		}
		return a, nil
	}}
}

// socket is an address to listen on.
func socket() form[netip.AddrPort] {
	return form[netip.AddrPort]{"an address and port such as 127.0.0.1:8053", func(s string) (netip.AddrPort, error) {
		ap, err := netip.ParseAddrPort(s)
		if err == nil && !ap.Addr().IsMulticast() {
			return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()), nil
		}
		host, p, err := net.SplitHostPort(s)
		switch {
		case err != nil:
			return netip.AddrPort{}, noHint
		case host == "":
			return netip.AddrPort{}, hint("every address is 0.0.0.0:" + p)
		case host == "localhost":
			return netip.AddrPort{}, hint("localhost is 127.0.0.1:" + p)
		}
		return netip.AddrPort{}, noHint
	}}
}

// advertised is an address that others can reach, with or without a port.
func advertised() form[netip.AddrPort] {
	bare, with := unicast(), socket()
	return form[netip.AddrPort]{"an IP address that leads to one node, with or without a port", func(s string) (netip.AddrPort, error) {
		if a, err := bare.read(s); err == nil {
			return netip.AddrPortFrom(a, 0), nil
		}
		ap, err := with.read(s)
		if err != nil {
			return netip.AddrPort{}, noHint
		}
		if _, err := bare.read(ap.Addr().String()); err != nil || ap.Port() == 0 {
			return netip.AddrPort{}, noHint
		}
		return ap, nil
	}}
}

// peer is a host and a port to connect to.
func peer() form[string] {
	ports := port()
	return form[string]{"a host and port such as 10.0.0.12:7946", func(s string) (string, error) {
		host, p, err := net.SplitHostPort(s)
		if err != nil {
			if isName(s) || isAddr(s) {
				return "", hint("add the port: " + net.JoinHostPort(s, "7946"))
			}
			return "", noHint
		}
		n, err := ports.read(p)
		if err != nil || !isAddr(host) && !isName(strings.TrimSuffix(host, ".")) {
			return "", noHint
		}
		return net.JoinHostPort(host, strconv.Itoa(int(n))), nil
	}}
}

func isAddr(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// isName says that s is labels with dots between them. Behind a dot, a last
// label of digits alone is refused: no top-level domain is one (RFC 3696, 2),
// but an address is, misspelt or not.
func isName(s string) bool {
	if len(s) > maxName {
		return false
	}
	last := ""
	for l := range strings.SplitSeq(s, ".") {
		if !isLabel(l) {
			return false
		}
		last = l
	}
	return last == s || strings.Trim(last, "0123456789") != ""
}

// isLabel says that s is a label of a host name: letters, digits and inner
// hyphens (RFC 1123, 2.1).
func isLabel(s string) bool {
	if s == "" || len(s) > maxLabel || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool { return !inLabel(c) })
}

func inLabel(c rune) bool {
	return c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nameOf makes a node's name of what the host is called: its first label, with
// a hyphen for what a label cannot hold. It is empty when nothing is left.
func nameOf(host string) string {
	s, _, _ := strings.Cut(strings.ToLower(host), ".")
	s = strings.Map(func(c rune) rune {
		if inLabel(c) {
			return c
		}
		return '-'
	}, s)
	return strings.Trim(s[:min(len(s), maxLabel)], "-")
}
