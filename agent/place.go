package main

import (
	"net"
	"net/netip"
	"strings"

	"evenkeel/agent/config"
	"evenkeel/policy/balance"
)

// rulesOf are the operator's thresholds in the law's words.
func rulesOf(c config.Config, own netip.AddrPort) balance.Rules {
	return balance.Rules{
		Degrade: c.Limits.Degrade, Recover: c.Limits.Recover, Fail: c.Limits.Fail,
		Hold: c.Health.Hold, Ramp: c.Limits.Ramp, MinInService: c.Health.MinInService,
		Farm:   farmSize(c, own),
		TTLMin: c.Zone.TTLMin, TTLMax: c.Zone.TTLMax,
	}
}

// farmSize is how many nodes the configuration lists, this one among them. A
// node that starts inside a partition knows by it that there are more.
func farmSize(c config.Config, own netip.AddrPort) int {
	names := map[string]bool{}
	for _, peer := range c.Gossip.Join {
		host, _, _ := net.SplitHostPort(peer)
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		itself := host == c.Node.Name || host == strings.ToLower(c.Node.FQDN) ||
			peer == own.String() || peer == c.Listen.Gossip.String()
		if !itself {
			names[strings.ToLower(peer)] = true
		}
	}
	return len(names) + 1
}

// addressesOf are what is configured, else the address that leads to the peers,
// which is gossip's, else the first global one, else loopback.
func addressesOf(c config.Config, gossip netip.AddrPort) []netip.Addr {
	if len(c.Node.Addresses) > 0 {
		return c.Node.Addresses
	}
	if len(c.Gossip.Join) > 0 {
		return []netip.Addr{gossip.Addr()}
	}
	all, _ := net.InterfaceAddrs() // an error means none
	for _, i := range all {
		if p, err := netip.ParsePrefix(i.String()); err == nil && p.Addr().IsGlobalUnicast() {
			return []netip.Addr{p.Addr()}
		}
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
}
