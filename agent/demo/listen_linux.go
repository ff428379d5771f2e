package demo

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
)

// listen opens a socket whose accept queue has backlog places, which package
// net does not let us choose.
func listen(addr netip.AddrPort, backlog int) (net.Listener, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("listen %v: socket: %w", addr, err)
	}
	f := os.NewFile(uintptr(fd), "listener") // FileListener takes a copy
	defer f.Close()
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return nil, fmt.Errorf("listen %v: reuse: %w", addr, err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return nil, fmt.Errorf("listen %v: bind: %w", addr, err)
	}
	if err := syscall.Listen(fd, backlog); err != nil {
		return nil, fmt.Errorf("listen %v: %w", addr, err)
	}
	return net.FileListener(f)
}
