//go:build !linux

package dnsrr

import (
	"errors"
	"net"
	"syscall"
)

// share refuses: Windows and darwin let sockets share an address, and give all
// datagrams to one of them.
func share(syscall.RawConn) error { return errors.ErrUnsupported }

// early does nothing: neither system shortens its path for datagrams that may
// be fragmented, nor says to which address one came.
func early(syscall.RawConn, bool) error { return nil }

// own leaves a socket as it is.
func own(c *net.UDPConn) net.PacketConn { return c }
