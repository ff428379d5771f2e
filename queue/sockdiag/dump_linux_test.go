package sockdiag

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// open listens with a backlog, which net.Listen does not let one choose.
func open(t testing.TB, addr netip.Addr, port uint16, backlog int) (fd int, at netip.AddrPort) {
	t.Helper()
	family, sa := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Port: int(port), Addr: [4]byte(addr.AsSlice()[:4])})
	if addr.Is6() {
		family, sa = unix.AF_INET6, &unix.SockaddrInet6{Port: int(port), Addr: addr.As16()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no sockets of the family of %v here: %v", addr, err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, sa); err != nil {
		t.Skipf("cannot bind %v here: %v", addr, err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		t.Fatal(err)
	}
	return fd, netip.AddrPortFrom(addr, bound(t, fd))
}

func bound(t testing.TB, fd int) uint16 {
	t.Helper()
	sa, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	if v4, ok := sa.(*unix.SockaddrInet4); ok {
		return uint16(v4.Port)
	}
	return uint16(sa.(*unix.SockaddrInet6).Port)
}

// call opens n connections, which wait in the queue: nobody accepts.
func call(t testing.TB, to netip.AddrPort, n int) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", to.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
}

// ask returns what the kernel says, the smallest queue first.
func ask(t testing.TB, r Request) (got []Socket) {
	t.Helper()
	var c Conn
	defer c.Close()
	cost, err := c.Dump(t.Context(), r, func(s Socket) { got = append(got, s) })
	if err != nil || cost <= 0 {
		t.Fatalf("got cost %v, %v", cost, err)
	}
	slices.SortFunc(got, func(a, b Socket) int { return int(a.Limit) - int(b.Limit) })
	return got
}

// until waits for the kernel, which may finish a handshake a little after the
// caller's connect has returned.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

var localhost = netip.MustParseAddr("127.0.0.1")

func TestThreeMore(t *testing.T) {
	var ports []uint16
	for backlog := range 3 {
		_, at := open(t, localhost, 0, backlog+7)
		ports = append(ports, at.Port())
	}
	slices.Sort(ports)
	got := ask(t, Request{State: Listen, Ports: ports})
	if len(got) != 3 {
		t.Fatalf("got %v, want three", got)
	}
	for i, s := range got {
		if s.Limit != uint32(i+7) || s.Depth != 0 || s.Cookie == 0 || !slices.Contains(ports, s.Local.Port()) {
			t.Errorf("limit %d: got %+v", i+7, s)
		}
	}
}

func TestQueueFills(t *testing.T) {
	_, at := open(t, localhost, 0, 5)
	r := Request{State: Listen, Drops: true, Ports: []uint16{at.Port()}}
	call(t, at, 3)
	until(t, "three wait", func() bool { return ask(t, r)[0].Depth == 3 })
	call(t, at, 3)
	until(t, "one more than the limit", func() bool { return ask(t, r)[0].Depth == 6 })
	if got := ask(t, r)[0]; got.Limit != 5 || got.Drops != 0 {
		t.Errorf("got %+v, want limit 5 and no drops", got)
	}
}

func TestEachOfSeveralListenersHasItsQueue(t *testing.T) {
	_, at := open(t, localhost, 0, 3)
	open(t, localhost, at.Port(), 4)
	got := ask(t, Request{State: Listen, Ports: []uint16{at.Port()}})
	if len(got) != 2 || got[0].Limit != 3 || got[1].Limit != 4 || got[0].Cookie == got[1].Cookie {
		t.Errorf("got %+v, want limits 3 and 4", got)
	}
}

// The client's ends of the same connections have other local ports, and the
// kernel keeps them to itself.
func TestEstablishedByPort(t *testing.T) {
	_, a := open(t, localhost, 0, 9)
	_, b := open(t, localhost, 0, 9)
	call(t, a, 4)
	call(t, b, 2)
	until(t, "4 connections, seen through the filter", func() bool {
		got := ask(t, Request{State: Established, Ports: []uint16{a.Port()}})
		return len(got) == 4 && !slices.ContainsFunc(got, func(s Socket) bool { return s.Local != a || s.State != Established })
	})
	both := []uint16{a.Port(), b.Port()}
	slices.Sort(both)
	until(t, "6 of both", func() bool {
		return len(ask(t, Request{State: Established, Ports: both})) == 6
	})
}

// Connections over IPv4 to an IPv6 wildcard listener are of its family alone.
func TestNoConnectionIsSeenTwice(t *testing.T) {
	_, at := open(t, netip.IPv6Unspecified(), 0, 9)
	call(t, netip.AddrPortFrom(localhost, at.Port()), 2)
	call(t, netip.AddrPortFrom(netip.IPv6Loopback(), at.Port()), 1)
	until(t, "two mapped, one IPv6", func() bool {
		got := ask(t, Request{State: Established, Ports: []uint16{at.Port()}})
		mapped := 0
		for _, s := range got {
			if s.Family == IPv6 && s.Local.Addr().Is4In6() {
				mapped++
			}
		}
		return len(got) == 3 && mapped == 2
	})
}

// The kernel takes the longest filter we make.
func TestLongestFilter(t *testing.T) {
	_, at := open(t, localhost, 0, 9)
	ports := []uint16{at.Port()}
	for p := uint16(1); len(ports) < maxTerms; p += 2 {
		if p < at.Port()-1 || p > at.Port()+1 {
			ports = append(ports, p)
		}
	}
	slices.Sort(ports)
	if got := ask(t, Request{State: Listen, Ports: ports}); !slices.ContainsFunc(got, func(s Socket) bool { return s.Local == at }) {
		t.Errorf("got %v, want %v in it", got, at)
	}
}

func TestConnAfterTrouble(t *testing.T) {
	_, at := open(t, localhost, 0, 9)
	r := Request{State: Listen, Ports: []uint16{at.Port()}}
	var c Conn
	see := func() (n int, err error) {
		_, err = c.Dump(t.Context(), r, func(Socket) { n++ })
		return n, err
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Dump(gone, r, func(Socket) { t.Error("a socket after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if n, err := see(); n != 1 || err != nil {
		t.Errorf("after that: got %d, %v", n, err)
	}
	deafen(t, &c)
	if n, err := see(); n != 0 || !errors.Is(err, ErrShort) {
		t.Errorf("nothing to hear: got %d, %v, want %v", n, err, ErrShort)
	}
	for range 2 {
		if n, err := see(); n != 1 || err != nil {
			t.Errorf("after that: got %d, %v", n, err)
		}
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if n, err := see(); n != 1 || err != nil {
		t.Errorf("opened again: got %d, %v", n, err)
	}
	c.Close()
}

// deafen puts the null device in the place of c's socket: it takes every
// question, and has nothing to say.
func deafen(t *testing.T, c *Conn) {
	t.Helper()
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	if err := unix.Dup3(null, c.fd, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
}

func TestReadCounters(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	call(t, netip.MustParseAddrPort(ln.Addr().String()), 1)
	if c, err := ReadCounters(); err != nil || c.Established < 1 {
		t.Errorf("with a connection open: got %+v, %v", c, err)
	}
}
