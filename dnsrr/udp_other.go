//go:build !linux

package dnsrr

import "net"

// askDestination does nothing: Windows and darwin offer no way back that Go's
// sockets could take (go.dev/issue/7175).
func askDestination(*net.UDPConn) error { return nil }
