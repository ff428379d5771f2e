package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Service is a protocol that is judged apart from the node: it has names of
// its own in the zone, which lead to the nodes that carry it.
type Service struct {
	Name  string   // 1 to 15 letters, digits and inner hyphens (RFC 6335, 5.1), in lower case, with a letter, unique in the farm; NAME.<zone> answers for it
	Ports []uint16 // it is carried where all of them listen, at least one, never 0; the first is that of the SRV records
	SRV   []string // names of its SRV records, relative to the zone, in lower case, such as _imaps._tcp (RFC 2782); of no other service
	Pool  string   // its application pool on Windows; kept, and not judged in this version; empty = none
	Probe string   // URL that is asked, absolute: http, https, tcp or tls; the last two with a port and no path; empty = the ports alone are looked at
}

const (
	maxServices    = 16 // their names travel in every Fact
	maxServiceName = 15 // RFC 6335, 5.1
)

// keys is the language of one item of services.
func (s *Service) keys() language {
	return language{
		{"name", one(&s.Name, serviceName())},
		{"ports", many(&s.Ports, port())},
		{"srv", many(&s.SRV, srvName())},
		{"pool", one(&s.Pool, optional(poolName()))},
		{"probe", one(&s.Probe, optional(probeURL()))},
	}
}

// knownSRV is the name by which the clients of a service look for it: mail by
// RFC 6186 (3.1 to 3.3) and RFC 8314 (5.1), Exchange by its Autodiscover.
func knownSRV(service string) []string {
	switch service {
	case "imap", "imaps", "pop3", "pop3s", "submission", "submissions", "autodiscover":
		return []string{"_" + service + "._tcp"}
	}
	return nil
}

// services completes each of them, and compares them with each other and with
// what the agent itself does.
func (r *reader) services(c *Config) {
	const key = "services"
	if !r.sound(key) {
		return
	}
	if len(c.Services) > maxServices {
		r.refuse(r.items[key][maxServices], fmt.Sprintf("more than %d services", maxServices), "leave out what is carried by the same nodes as another")
	}
	for i := range c.Services {
		item := r.items[key][i]
		if !r.sound(item.key) {
			continue
		}
		r.service(c, i, item)
	}
}

func (r *reader) service(c *Config, i int, item place) {
	s := &c.Services[i]
	if _, given := r.given[item.key+".srv"]; !given {
		s.SRV = knownSRV(s.Name)
	}
	if s.Name == "" && r.sound(item.key+".name") {
		r.refuse(item, "want the name of the service", "name: imaps")
	}
	if len(s.Ports) == 0 && r.sound(item.key+".ports") {
		r.refuse(r.within(item, "ports"), "want the ports that it listens on", "ports: [993]")
	}
	if s.Name == c.Node.Name && s.Name != "" && r.sound("node.name") {
		r.refuse(r.within(item, "name"), "this node has that name, and NAME."+c.Zone.Name+" leads to one of both", "")
	}
	r.unlikeBefore(c.Services, i, item)
	for j, p := range s.Ports {
		r.servicePort(c, r.items[item.key+".ports"], j, p)
	}
}

// unlikeBefore refuses a name that a service before it has.
func (r *reader) unlikeBefore(all []Service, i int, item place) {
	s := all[i]
	for _, other := range all[:i] {
		if s.Name != "" && s.Name == other.Name {
			r.refuse(r.within(item, "name"), "another service has that name", "")
		}
		for j, name := range s.SRV {
			if name == "" || !slices.Contains(other.SRV, name) {
				continue
			}
			at := r.within(item, "name")
			if written := r.items[item.key+".srv"]; j < len(written) {
				at = written[j]
			}
			r.refuse(at, fmt.Sprintf("%s is a name of the service %s already", name, other.Name), "")
		}
	}
}

// servicePort refuses ports on which the agent would not see a service: its
// own, and those that are not measured.
func (r *reader) servicePort(c *Config, at []place, j int, port uint16) {
	measured := c.Sources.Listener.Ports
	switch {
	case port == 0: // refused already
	case len(measured) > 0 && !slices.Contains(measured, port) && r.sound("sources.listener.ports"):
		r.refuse(at[j], fmt.Sprintf("sources.listener.ports leaves out %d", port), "add it there: what is not measured cannot be judged")
	case len(measured) == 0:
		own := r.claims(c.Listen, c.Health.TLS)
		if i := slices.IndexFunc(own, func(o claim) bool { return o.addr.Port() == port }); i >= 0 {
			r.refuse(at[j], fmt.Sprintf("the agent itself listens there (%s)", own[i].key), "")
		}
	}
}

// serviceName is a name that fits a Fact and a DNS label.
func serviceName() form[string] {
	return form[string]{"up to 15 letters, digits and inner hyphens, such as imaps", func(s string) (string, error) {
		s = strings.ToLower(s)
		if !isLabel(s) || len(s) > maxServiceName || !strings.ContainsFunc(s, func(c rune) bool { return c >= 'a' }) {
			return "", noHint
		}
		return s, nil
	}}
}

// srvName is a service and a protocol as SRV records have them (RFC 2782).
func srvName() form[string] {
	return form[string]{"a name such as _imaps._tcp", func(s string) (string, error) {
		s = strings.ToLower(s)
		service, proto, _ := strings.Cut(s, ".")
		name, marked := strings.CutPrefix(service, "_")
		if marked && isLabel(name) && len(service) <= maxLabel && (proto == "_tcp" || proto == "_udp") {
			return s, nil
		}
		return "", noHint
	}}
}

// poolName is what IIS calls an application pool.
func poolName() form[string] {
	return form[string]{"the name of an application pool", printable(255)}
}

// probeURL is what health/probe can ask.
func probeURL() form[string] {
	return form[string]{"a URL: https, http, tcp or tls", func(s string) (string, error) {
		u, err := url.Parse(s)
		if err != nil || u.User != nil || u.Opaque != "" || u.Fragment != "" || len(s) > 2000 {
			return "", noHint
		}
		switch u.Scheme {
		case "http", "https":
			return s, askable(u.Hostname(), u.Port(), false)
		case "tcp", "tls":
			if u.Path != "" || u.RawQuery != "" {
				return "", hint("want " + u.Scheme + "://HOST:PORT alone")
			}
			return s, askable(u.Hostname(), u.Port(), true)
		}
		return "", hint("such as https://127.0.0.1/mapi/healthcheck.htm, tcp://127.0.0.1:25 or tls://127.0.0.1:993")
	}}
}

// askable says why nobody could be asked there.
func askable(host, number string, needed bool) error {
	if !isAddr(host) && !isName(host) {
		return noHint
	}
	if number == "" && !needed {
		return nil
	}
	if n, err := strconv.Atoi(number); err != nil || n < 1 || n > 65535 {
		return hint("want a port from 1 to 65535, as in " + net.JoinHostPort(host, "993"))
	}
	return nil
}

// prefix is an address or a network; an address is a network of one.
func prefix() form[netip.Prefix] {
	return form[netip.Prefix]{"an address or a prefix such as 10.0.0.0/24", func(s string) (netip.Prefix, error) {
		if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
			a = a.Unmap()
			return netip.PrefixFrom(a, a.BitLen()), nil
		}
		p, err := netip.ParsePrefix(s)
		switch {
		case err != nil || p.Addr().Is4In6():
			return netip.Prefix{}, noHint
		case p != p.Masked():
			return netip.Prefix{}, hint("the network is " + p.Masked().String())
		}
		return p, nil
	}}
}
