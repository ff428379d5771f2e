//go:build !linux

package demo

import (
	"net"
	"net/netip"
)

// listen opens a socket with the system's backlog.
func listen(addr netip.AddrPort, _ int) (net.Listener, error) {
	return net.Listen("tcp", addr.String())
}
