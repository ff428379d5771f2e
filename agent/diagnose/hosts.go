package diagnose

import (
	"net/netip"
	"strings"
)

// hosts are the servers that the logs speak of, by their short name: to each those of
// its names that have a domain. One server is written with its domain here and
// without it there; hosts of one name in two domains are two servers.
type hosts map[string]map[string]bool

func hostsOf(streams []*stream) hosts {
	n := hosts{}
	for _, s := range streams {
		n.add(s.node)
		for name := range s.sessions {
			n.add(name)
		}
		for name := range s.backends {
			n.add(name)
		}
	}
	return n
}

func (n hosts) add(name string) {
	low := strings.ToLower(name)
	host := short(low)
	if host == low {
		return
	}
	if n[host] == nil {
		n[host] = map[string]bool{}
	}
	n[host][low] = true
}

// shown is a server's name without its domain, where that tells it from others.
func (n hosts) shown(name string) string {
	if host := short(name); len(n[strings.ToLower(host)]) < 2 {
		return host
	}
	return name
}

// same says whether two names, in any case, are one server's.
func (n hosts) same(a, b string) bool { return strings.EqualFold(n.shown(a), n.shown(b)) }

// short is a server's name without its domain; an address has none.
func short(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	if host, _, _ := strings.Cut(name, "."); host != "" {
		return host
	}
	return name
}
