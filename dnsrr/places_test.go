package dnsrr

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestClientOf(t *testing.T) {
	for a, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fe80::1%eth0": "fe80::",
	} {
		if got := clientOf(netip.MustParseAddr(a)); got != netip.MustParseAddr(want) {
			t.Errorf("%s: got %v, want %s", a, got, want)
		}
	}
	if got := clientOf(netip.Addr{}); got.IsValid() {
		t.Errorf("nobody is %v", got)
	}
}

// No order of coming and going takes more than there is, lets one client take
// more than half or, beyond the half, add to its share, or loses a place.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p places
		held := map[netip.Addr]int{}
		all := 0
		clients := []netip.Addr{{}, netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("2001:db8::")}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			who := rapid.SampledFrom(clients).Draw(t, "client")
			for range rapid.IntRange(1, 400).Draw(t, "times") {
				if rapid.IntRange(0, 3).Draw(t, "leave") == 0 && held[who] > 0 {
					p.leave(who)
					held[who]--
					all--
					continue
				}
				free := all < maxConns && (all < maxConns/2 || !who.IsValid() || held[who] < maxConns/8)
				if got := p.take(who); got != free {
					t.Fatalf("%d taken, %d by %v: got %v", all, held[who], who, got)
				} else if got {
					held[who]++
					all++
				}
			}
		}
		if got := p.taken(); got != all {
			t.Fatalf("%d taken, want %d", got, all)
		}
		for who, n := range held {
			for range n {
				p.leave(who)
			}
		}
		if p.taken() != 0 || len(p.by) != 0 {
			t.Fatalf("all have left, and %d places with %d clients are taken", p.taken(), len(p.by))
		}
	})
}

// From is a pipe that comes from an address.
type from struct {
	net.Conn
	addr netip.AddrPort
}

func (f from) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(f.addr) }

// One client cannot shut out the others: it gets half of the places, others
// their share of the rest, and whoever is hung up on is so at once.
func TestOneClientLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := published(t)
		l := &crowd{conns: make(chan net.Conn), end: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.ServeTCP(ctx, l) }()
		open := func(addr string, n int) (held int) {
			for range n {
				here, there := net.Pipe()
				l.conns <- from{there, netip.MustParseAddrPort(addr)}
				synctest.Wait()
				here.SetReadDeadline(time.Now().Add(time.Nanosecond))
				if _, err := here.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
					held++
				}
			}
			return held
		}
		if got := open("192.0.2.1:1", maxConns); got != maxConns/2 {
			t.Errorf("the greedy one has %d, want %d", got, maxConns/2)
		}
		if got := open("192.0.2.2:1", maxConns/2); got != clientConns {
			t.Errorf("the next has %d, want %d", got, clientConns)
		}
		if got := open("192.0.2.3:1", 1); got != 1 {
			t.Error("a third has none")
		}
		time.Sleep(idle) // all are silent
		synctest.Wait()
		if got := open("192.0.2.1:1", 1); got != 1 {
			t.Error("the greedy one has none when all have left")
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ServeTCP: %v, want nil", err)
		}
	})
}
