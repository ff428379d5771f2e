//go:build !linux

package dnsrr

import (
	"context"
	"net"
)

// readConn answers on c until it is closed. Windows and darwin have no call for
// many datagrams, and no way back that Go's sockets could take
// (go.dev/issue/7175).
func (s *Server) readConn(ctx context.Context, c *net.UDPConn) error {
	return s.readLoops(ctx, c)
}
