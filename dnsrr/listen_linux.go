package dnsrr

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// share lets further sockets of ours have the same address. Two with and
// without it exclude each other.
func share(raw syscall.RawConn) (err error) {
	controlErr := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	if controlErr != nil {
		return controlErr
	}
	return err
}

// unmeasured has the kernel believe no report of a path's width. A socket of
// one family refuses the option of the other.
func unmeasured(raw syscall.RawConn) {
	raw.Control(func(fd uintptr) {
		unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_OMIT)
		unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_OMIT)
	})
}

// early sets what must be set before the first datagram comes: of one that
// waited already the kernel does not say to which address it came.
func early(raw syscall.RawConn, allAddresses bool) error {
	unmeasured(raw)
	return prepare(raw, allAddresses)
}
