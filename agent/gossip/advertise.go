package gossip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// routeLimit is how long a name of Join may take to resolve before the next
// one is asked for the way.
const routeLimit = 2 * time.Second

// elsewhere is an address of the documentation range (RFC 5737, section 3)
// that no one has, so that the way to it is the default route.
const elsewhere = "192.0.2.1:9"

var errNoAddress = errors.New("bind: every address is listened on, and no route says which one peers can use: set advertise")

// advertise returns the address that peers are told to use, and why that one:
// a wrong choice among several network cards makes a node that hears and is
// never heard.
func advertise(o Options) (addr netip.AddrPort, why string, err error) {
	switch {
	case o.Advertise.IsValid() && o.Advertise.Port() == 0:
		return netip.AddrPortFrom(o.Advertise.Addr(), o.Bind.Port()), "configured", nil
	case o.Advertise.IsValid():
		return o.Advertise, "configured", nil
	case !o.Bind.Addr().IsUnspecified():
		return o.Bind, "bound", nil // any other address would lead elsewhere
	}
	for _, peer := range append(o.Join[:len(o.Join):len(o.Join)], elsewhere) {
		if a, err := sourceTo(peer, o.Bind.Addr()); err == nil {
			return netip.AddrPortFrom(a, o.Bind.Port()), "route to " + peer, nil
		}
	}
	return netip.AddrPort{}, "", errNoAddress
}

// sourceTo returns the address from which this machine reaches peer. A UDP
// socket is connected for it, which sends nothing.
func sourceTo(peer string, bind netip.Addr) (netip.Addr, error) {
	network := "udp"
	if bind.Is4() {
		network = "udp4"
	}
	ctx, cancel := context.WithTimeout(context.Background(), routeLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, network, peer)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("route to %s: %w", peer, err)
	}
	defer conn.Close()
	local := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr()
	return local.Unmap().WithZone(""), nil
}

// warnIfUnreachable says so when peers elsewhere are given an address that
// means their own machine to them, or none of this machine's.
func (c *Cluster) warnIfUnreachable() {
	own := c.Addr()
	if here, err := net.InterfaceAddrs(); err == nil && c.options.Transport == nil && !among(here, own.Addr()) {
		c.log.Warn("the advertised address is none of this machine's: unless something forwards it, peers hear this node and it never hears them", "advertise", own)
	}
	if !own.Addr().IsLoopback() {
		return
	}
	for _, peer := range c.options.Join {
		if p, err := netip.ParseAddrPort(peer); err == nil && !p.Addr().IsLoopback() {
			c.log.Warn("peers cannot reach the advertised address", "advertise", own, "peer", peer)
			return
		}
	}
}

// among says that a is one of a machine's addresses.
func among(here []net.Addr, a netip.Addr) bool {
	for _, h := range here {
		p, err := netip.ParsePrefix(h.String())
		if err == nil && (p.Addr().Unmap() == a || a.IsLoopback() && p.Addr().IsLoopback() && p.Contains(a)) {
			return true
		}
	}
	return false
}
