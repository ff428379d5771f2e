package dnsrr

import "syscall"

// What package syscall lacks (asm-generic/socket.h, linux/in.h, linux/in6.h).
// Where SO_REUSEPORT has another number, there is one socket an address.
const (
	soReusePort = 15
	pmtuOmit    = 5
)

// share lets further sockets of ours have the same address. Two with and
// without it exclude each other.
func share(raw syscall.RawConn) (err error) {
	controlErr := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soReusePort, 1)
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
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_MTU_DISCOVER, pmtuOmit)
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_MTU_DISCOVER, pmtuOmit)
	})
}

// early sets what must be set before the first datagram comes: of one that
// waited already the kernel does not say to which address it came.
func early(raw syscall.RawConn, allAddresses bool) error {
	unmeasured(raw)
	return prepare(raw, allAddresses)
}
