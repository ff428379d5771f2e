//go:build !linux

package dnsrr

import "net"

// WildcardReplies says whether the reply to a query that came to a socket bound
// to all addresses leaves from the one that was asked.
const WildcardReplies = false

// askDestination does nothing: Windows and darwin offer no way back that Go's
// sockets could take (go.dev/issue/7175).
func askDestination(*net.UDPConn) error { return nil }
