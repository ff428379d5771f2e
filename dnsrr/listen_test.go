package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/miekg/dns"
)

func local() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:0") }

// listenAt takes an address for the test.
func listenAt(t *testing.T, at netip.AddrPort) Sockets {
	t.Helper()
	s, err := Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// One port serves both, and whoever asks at it by either gets an answer.
func TestListenServesBoth(t *testing.T) {
	s, socks := published(t), listenAt(t, local())
	for _, pc := range socks.UDP {
		if got := addrPort(pc.LocalAddr()); got != socks.Addr() || got.Port() == 0 {
			t.Errorf("UDP at %v, TCP at %v", got, socks.Addr())
		}
	}
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, socks.UDP...) })
	serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, socks.TCP) })
	for range 40 { // from as many ports, so that no socket is without a reader
		askOver(t, "udp", socks.Addr().String(), ask("mail.test.", dns.TypeA))
	}
	askOver(t, "tcp", socks.Addr().String(), ask("mail.test.", dns.TypeA))
}

// A second agent on the port is refused, though the sockets of the first share
// it among themselves; so is any program that would share it; and what was
// refused leaves nothing open.
func TestAPortHasOneAgent(t *testing.T) {
	at := listenAt(t, local()).Addr()
	if s, err := Listen(at); err == nil {
		s.Close()
		t.Error("two agents on one port")
	}
	if l, err := ListenTCP(at); err == nil {
		l.Close()
		t.Error("two listeners on one port")
	}
	if pcs, err := ListenUDP(at); err == nil {
		closeAll(pcs)
		t.Error("two agents on one UDP port")
	}

	squatter, err := bindUDP(local(), func(raw syscall.RawConn) error { share(raw); return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer squatter.Close()
	if s, err := Listen(addrPort(squatter.LocalAddr())); err == nil {
		s.Close()
		t.Error("a port is shared with another program")
	}

	l := listenTCP(t) // its UDP is free
	defer l.Close()
	if s, err := Listen(addrPort(l.Addr())); err == nil {
		s.Close()
		t.Error("a TCP port of another program")
	}
	pc, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatalf("half of a refused address stayed open: %v", err)
	}
	pc.Close()
}

// A port that the system chooses for UDP may be taken for TCP, the more often
// the busier the machine. With 500 of some 28,000 taken, 300 tries without a
// second chance would succeed once in 200.
func TestAPortForBothIsFound(t *testing.T) {
	at := netip.MustParseAddrPort("127.77.0.2:0") // in nobody else's way
	for range 500 {
		l, err := net.Listen("tcp", at.String())
		if err != nil {
			t.Skipf("this system has no %v, or not so many sockets: %v", at.Addr(), err)
		}
		defer l.Close()
	}
	for range 300 {
		s, err := Listen(at)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}

// 0.0.0.0 is IPv4 alone, so that [::1] beside it can be had; [::] is both.
func TestWildcardFamilies(t *testing.T) {
	for at, want := range map[string]string{"0.0.0.0:53": "udp4", "127.0.0.1:53": "udp4", "[::]:53": "udp", "[::1]:53": "udp"} {
		if got := network("udp", netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

// Where one of an address's sockets is of no more use, all end, so that they
// can be opened anew.
func TestOneSocketEndsAll(t *testing.T) {
	s := published(t)
	a, b := listenUDP(t, "127.0.0.1:0"), listenUDP(t, "127.0.0.1:0")
	done := make(chan error, 1)
	go func() { done <- s.ServeUDP(t.Context(), a, b) }()
	askOver(t, "udp", a.LocalAddr().String(), ask("mail.test.", dns.TypeA)) // it serves
	b.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want %v", err, net.ErrClosed)
	}
	if err := a.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the other stayed open: %v", err)
	}
}
