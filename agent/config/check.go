package config

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strings"

	"evenkeel/dnsrr"
)

// fill gives the values that come from elsewhere than the file.
func (r *reader) fill(c *Config, host string) {
	if c.Node.Name == "" && r.sound("node.name") {
		if c.Node.Name = nameOf(host); c.Node.Name == "" {
			r.refuse(r.at("node.name"), fmt.Sprintf("this host has no usable name (%q)", host), "give the node one")
		}
	}
	if c.Node.FQDN == "" {
		c.Node.FQDN = c.Node.Name
		if full := strings.TrimSuffix(host, "."); isName(full) {
			c.Node.FQDN = full
		}
	}
	if c.State != "" {
		c.State = r.beside(c.State)
	}
	r.logs(&c.Sources, runtime.GOOS, os.Getenv)
	if a := c.Gossip.Advertise; a.IsValid() && a.Port() == 0 {
		c.Gossip.Advertise = netip.AddrPortFrom(a.Addr(), c.Listen.Gossip.Port())
	}
}

// check compares values with each other. Each was found good alone.
func (r *reader) check(c *Config) {
	l := c.Limits
	r.ordered("limits.recover", "limits.degrade", l.Recover < l.Degrade, l.Recover, l.Degrade)
	r.ordered("limits.degrade", "limits.fail", l.Degrade < l.Fail, l.Degrade, l.Fail)
	r.ordered("zone.ttl.min", "zone.ttl.max", c.Zone.TTLMin <= c.Zone.TTLMax, Short(c.Zone.TTLMin), Short(c.Zone.TTLMax))
	r.overlaps(c.Listen, c.Health.TLS)
	r.gate(c)
	r.certificate("health.tls", &c.Health.Certificate, &c.Health.certFile, &c.Health.keyFile)
	r.records(c.Zone)
	r.zoneKeys(&c.Zone)
	r.policy(&c.Policy)
	r.secret(c)
	r.dns(c)
	r.services(c)
	r.admin(c)
}

// records has the zone's further records read by who will answer them.
func (r *reader) records(z Zone) {
	const key = "zone.records"
	if !r.sound(key, "zone.name") {
		return
	}
	_, err := dnsrr.ParseRecords(z.Name, z.Records)
	var wrong dnsrr.RecordErrors
	if errors.As(err, &wrong) {
		for _, w := range wrong {
			r.refuse(r.items[key][w.Index], w.Err.Error(), "")
		}
	}
}

// ordered refuses the values of two keys unless they are ok, which means that
// the one of low is below the one of high. It points at a key that the file
// gives: the other may be a default that the operator never saw.
func (r *reader) ordered(low, high string, ok bool, lowValue, highValue any) {
	if ok || !r.sound(low, high) {
		return
	}
	at := r.at(high, low)
	message := fmt.Sprintf("too low for %s, which is %v: got %v", low, lowValue, highValue)
	if at.key == low {
		message = fmt.Sprintf("too high for %s, which is %v: got %v", high, highValue, lowValue)
	}
	r.refuse(at, message, "")
}

// A claim is a socket, and the key that asks for it.
type claim struct {
	key  string
	addr netip.AddrPort
}

// claims lists what the agent is to listen on. All of it is TCP; what is UDP
// as well needs no check of its own.
func (r *reader) claims(l Listen, tls []netip.AddrPort) []claim {
	var all []claim
	add := func(key, number string, a netip.AddrPort) {
		if r.sound(key) {
			all = append(all, claim{key + number, a})
		}
	}
	each := func(key string, addrs []netip.AddrPort) {
		for i, a := range addrs {
			add(key, fmt.Sprintf("[%d]", i), a)
		}
	}
	each("listen.dns", l.DNS)
	each("listen.health", l.Health)
	each("listen.agent_check", l.AgentCheck)
	each("health.tls.listen", tls)
	add("listen.admin", "", l.Admin)
	add("listen.gossip", "", l.Gossip)
	if l.Gate.IsValid() {
		add("listen.gate", "", l.Gate)
	}
	return all
}

// overlaps refuses sockets that cannot be had together.
func (r *reader) overlaps(l Listen, tls []netip.AddrPort) {
	all := r.claims(l, tls)
	for i, b := range all {
		for _, a := range all[:i] {
			if !overlap(a.addr, b.addr) {
				continue
			}
			at, other := r.at(b.key, a.key), a
			if at.key == a.key {
				other = b
			}
			r.refuse(at, fmt.Sprintf("overlaps %s, which is %s", other.key, other.addr), "")
			break
		}
	}
}

// overlap says whether two sockets claim the same address and port. 0.0.0.0
// claims every IPv4 address, [::] every address of both families.
func overlap(a, b netip.AddrPort) bool {
	return a.Port() == b.Port() && a.Port() != 0 &&
		(a.Addr() == b.Addr() || covers(a.Addr(), b.Addr()) || covers(b.Addr(), a.Addr()))
}

func covers(wild, a netip.Addr) bool { return wild.IsUnspecified() && (wild.Is6() || a.Is4()) }
