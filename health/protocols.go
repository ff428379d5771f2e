package health

import "strings"

// Protocols is a set of the protocols that have a page of their own.
type Protocols uint16

// The protocols of a mail front end, by the first part of their URL path.
const (
	MAPI Protocols = 1 << iota
	OWA
	ECP
	EWS
	OAB
	RPC
	Autodiscover
	ActiveSync // its virtual directory is Microsoft-Server-ActiveSync
	PowerShell
	IMAP
	SMTP
	POP
)

// protocolNames holds every name a probe may use. Exchange knows the first nine
// directories; ActiveSync alone is what Loadbalancer.org's script asks for.
var protocolNames = [...]struct {
	name string
	is   Protocols
}{
	{"mapi", MAPI},
	{"owa", OWA},
	{"ecp", ECP},
	{"ews", EWS},
	{"oab", OAB},
	{"rpc", RPC},
	{"autodiscover", Autodiscover},
	{"Microsoft-Server-ActiveSync", ActiveSync},
	{"PowerShell", PowerShell},
	{"ActiveSync", ActiveSync},
	{"imap", IMAP},
	{"smtp", SMTP},
	{"pop", POP},
}

// ProtocolNamed is the protocol of that name in any letter case, as a set of
// one, and whether there is one.
func ProtocolNamed(name string) (Protocols, bool) {
	for _, p := range protocolNames {
		if strings.EqualFold(p.name, name) {
			return p.is, true
		}
	}
	return 0, false
}

// pageOf says whose page a path is: a protocol's, or with the empty set the
// whole node's. Paths are taken as they come and never tidied up: who tidies
// wants to redirect, and balancers take a redirect for good health.
func pageOf(path string) (of Protocols, found bool) {
	dir, ok := cutSuffixFold(path, "/healthcheck.htm")
	switch {
	case !ok:
		return 0, false
	case dir == "":
		return 0, true
	}
	// Some sites put the pages of all protocols under one directory.
	const under = "/health"
	if len(dir) >= len(under) && strings.EqualFold(dir[:len(under)], under) {
		dir = dir[len(under):]
	}
	name, ok := strings.CutPrefix(dir, "/")
	if !ok {
		return 0, false
	}
	return ProtocolNamed(name)
}

func cutSuffixFold(s, suffix string) (before string, found bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}
