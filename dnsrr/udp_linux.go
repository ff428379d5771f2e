package dnsrr

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// WildcardReplies says whether the reply to a query that came to a socket bound
// to all addresses leaves from the one that was asked.
const WildcardReplies = true

// askDestination has the kernel say of each datagram to which address it came.
// A socket of one family refuses the option of the other.
func askDestination(c *net.UDPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var err4, err6 error
	err = raw.Control(func(fd uintptr) {
		err4 = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1)
		err6 = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1)
	})
	if err4 != nil && err6 != nil {
		return os.NewSyscallError("setsockopt", errors.Join(err4, err6))
	}
	return err
}
