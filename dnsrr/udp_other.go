//go:build !linux

package dnsrr

import "context"

// WildcardReplies says whether the reply to a query that came to a socket bound
// to all addresses leaves from the one that was asked. Windows and darwin offer
// no way back that Go's sockets could take (go.dev/issue/7175).
const WildcardReplies = false

// readConn answers on c until it is closed. There is no call for many datagrams
// here.
func (s *Server) readConn(ctx context.Context, c udpConn, readers int) error {
	c.SetReadBuffer(udpBuffer) // what the system gives without is no reason to stop
	return s.readLoops(ctx, c, readers)
}
