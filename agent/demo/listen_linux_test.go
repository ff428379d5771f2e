package demo

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel is the witness: of a listening socket, tcp_info has the accept
// queue's length in tcpi_unacked and its limit in tcpi_sacked (tcp_get_info).
func acceptQueue(t *testing.T, l net.Listener) (length, limit uint32) {
	t.Helper()
	raw, err := l.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	var asked error
	if err := raw.Control(func(fd uintptr) { info, asked = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); err != nil || asked != nil {
		t.Fatal(err, asked)
	}
	return info.Unacked, info.Sacked
}

func TestTheBacklogIsWhatWasAsked(t *testing.T) {
	for _, want := range []int{1, 40, 80} {
		l, err := Server{Backlog: want}.Listen(loopback())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if length, limit := acceptQueue(t, l); length != 0 || limit != uint32(want) {
			t.Errorf("a backlog of %d: the kernel says %d of %d places are taken", want, length, limit)
		}
		dial(t, l.Addr().(*net.TCPAddr).AddrPort())
		if length, _ := acceptQueue(t, l); length != 1 {
			t.Errorf("one client waits, the kernel counts %d", length)
		}
	}
}

func TestListenOnWhatCannotBeHad(t *testing.T) {
	for _, c := range []struct {
		promise string
		at      netip.AddrPort
		want    syscall.Errno
	}{
		{"an address of another machine", netip.MustParseAddrPort("203.0.113.77:0"), syscall.EADDRNOTAVAIL},
		{"a port that is taken", serve(t, Server{}).at, syscall.EADDRINUSE},
	} {
		l, err := Server{}.Listen(c.at)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.promise, err, c.want)
		}
	}
}
