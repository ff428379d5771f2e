package dnsrr

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/miekg/dns"
	"golang.org/x/sys/unix"
)

// option reads a socket's option.
func option(t *testing.T, pc net.PacketConn, level, name int) (value int) {
	t.Helper()
	raw, err := pc.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if cerr := raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) }); cerr != nil || err != nil {
		t.Fatal(cerr, err)
	}
	return value
}

// No socket believes reports of narrow paths, and each can hold a burst.
func TestSocketsAreMadeForReplies(t *testing.T) {
	before := listenUDP(t, "127.0.0.1:0")
	defer before.Close()
	usual := option(t, before, syscall.SOL_SOCKET, syscall.SO_RCVBUF)
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		s, err := Listen(netip.MustParseAddrPort(at))
		if err != nil {
			t.Logf("no such address here: %v", err)
			continue
		}
		for i, pc := range s.UDP {
			if got := option(t, pc, syscall.IPPROTO_IP, syscall.IP_MTU_DISCOVER); got != unix.IP_PMTUDISC_OMIT {
				t.Errorf("%s, socket %d: IPv4 path discovery %d, want %d", at, i, got, unix.IP_PMTUDISC_OMIT)
			}
			if addrPort(pc.LocalAddr()).Addr().Is6() && option(t, pc, syscall.IPPROTO_IPV6, syscall.IPV6_MTU_DISCOVER) != unix.IP_PMTUDISC_OMIT {
				t.Errorf("%s, socket %d: IPv6 measures paths", at, i)
			}
			if got := option(t, pc, syscall.SOL_SOCKET, syscall.SO_RCVBUF); got < usual {
				t.Errorf("%s, socket %d: a buffer of %d, less than the usual %d", at, i, got, usual)
			}
		}
		s.Close()
	}
}

// A counted socket counts what it is read.
type counted struct {
	net.PacketConn
	reads atomic.Int64
}

func (c *counted) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.PacketConn.ReadFrom(b)
	if err == nil {
		c.reads.Add(1)
	}
	return n, from, err
}

// There is a socket a processor, the first too, and the kernel spreads askers
// over all of them.
func TestAskersAreSpread(t *testing.T) {
	socks := listenAt(t, local())
	if len(socks.UDP) != min(runtime.GOMAXPROCS(0), runtime.NumCPU(), 8) {
		t.Fatalf("%d sockets, want one a processor", len(socks.UDP))
	}
	s := published(t)
	var all []*counted
	var pcs []net.PacketConn
	for _, pc := range socks.UDP {
		c := &counted{PacketConn: pc}
		all, pcs = append(all, c), append(pcs, c)
	}
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pcs...) })
	served := func() bool {
		for _, c := range all {
			if c.reads.Load() == 0 {
				return false
			}
		}
		return true
	}
	for range 2000 { // one of two stays without once in 2^2000
		if served() {
			return
		}
		askOver(t, "udp", socks.Addr().String(), ask("mail.test.", dns.TypeA))
	}
	for i, c := range all {
		t.Errorf("socket %d was read %d times", i, c.reads.Load())
	}
}

// Of several addresses of one machine, each answers from itself.
func TestEachAddressAnswersFromItself(t *testing.T) {
	s, first := published(t), listenAt(t, local())
	second := listenAt(t, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), first.Addr().Port()))
	for _, socks := range []Sockets{first, second} {
		serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, socks.UDP...) })
		askOver(t, "udp", socks.Addr().String(), ask("mail.test.", dns.TypeA)) // by a connected socket, which takes nothing from elsewhere
	}
}

// So do those of a wildcard, which for 0.0.0.0 is a socket of IPv4 alone.
func TestAWildcardAnswersFromTheAddressAsked(t *testing.T) {
	for _, tt := range []struct{ listen, ask string }{{"0.0.0.0:0", "127.0.0.2"}, {"[::]:0", "127.0.0.2"}, {"[::]:0", "::1"}} {
		socks, err := Listen(netip.MustParseAddrPort(tt.listen))
		if err != nil {
			t.Logf("no such address here: %v", err)
			continue
		}
		s := published(t)
		stop := serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, socks.UDP...) })
		for range 10 { // every socket
			askOver(t, "udp", netip.AddrPortFrom(netip.MustParseAddr(tt.ask), socks.Addr().Port()).String(), ask("mail.test.", dns.TypeA))
		}
		stop()
		socks.Close()
	}
}
