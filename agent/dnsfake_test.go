package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/dnsrr"
)

// A host is a machine on which addresses come and go. It tells all that
// happens, in order: + a socket opened, - closed, > served.
type host struct {
	wild func() []netip.Addr                                 // nil: one socket serves a wildcard
	deny func(transport string, at netip.AddrPort) error     // nil: nothing is refused
	dies func(transport string, at netip.AddrPort) time.Time // when a socket that is served ends; nil or zero: never

	mu    sync.Mutex
	told  []string
	bound map[string]bool
}

func (h *host) tell(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, fmt.Sprintf(format, args...))
}

// since is what was told since it was last asked.
func (h *host) since() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.told = nil }()
	return strings.Join(h.told, " ")
}

// take opens a socket, unless another has the address.
func (h *host) take(transport string, at netip.AddrPort) (*fakeSocket, error) {
	if h.deny != nil {
		if err := h.deny(transport, at); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	name := fmt.Sprint(transport, at)
	if h.bound[name] {
		return nil, os.NewSyscallError("bind", inUse)
	}
	if h.bound == nil {
		h.bound = map[string]bool{}
	}
	h.bound[name] = true
	h.told = append(h.told, "+"+name)
	return &fakeSocket{h: h, name: name, transport: transport, at: at}, nil
}

func (h *host) net() dnsNet {
	udp := func(at netip.AddrPort) ([]net.PacketConn, error) {
		s, err := h.take("u", at)
		if err != nil {
			return nil, err
		}
		return []net.PacketConn{fakeUDP{s}}, nil
	}
	tcp := func(at netip.AddrPort) (net.Listener, error) {
		s, err := h.take("t", at)
		if err != nil {
			return nil, err
		}
		return fakeTCP{s}, nil
	}
	n := dnsNet{listenUDP: udp, listenTCP: tcp, listen: func(at netip.AddrPort) (s dnsrr.Sockets, err error) {
		if s.UDP, err = udp(at); err != nil {
			return dnsrr.Sockets{}, err
		}
		if s.TCP, err = tcp(at); err != nil {
			s.UDP[0].Close()
			return dnsrr.Sockets{}, err
		}
		return s, nil
	}}
	if h.wild != nil {
		n.unicast = func() ([]netip.Addr, error) { return h.wild(), nil }
	}
	return n
}

// A fakeSocket is open or closed, and that is all.
type fakeSocket struct {
	h         *host
	name      string
	transport string
	at        netip.AddrPort
	once      sync.Once
}

func (s *fakeSocket) Close() error {
	s.once.Do(func() {
		s.h.mu.Lock()
		defer s.h.mu.Unlock()
		delete(s.h.bound, s.name)
		s.h.told = append(s.h.told, "-"+s.name)
	})
	return nil
}

// serve is what a server does: until ctx is done, or the socket dies.
func (s *fakeSocket) serve(ctx context.Context) error {
	defer s.Close()
	s.h.tell(">%s", s.name)
	if s.h.dies != nil {
		if at := s.h.dies(s.transport, s.at); !at.IsZero() {
			var stop context.CancelFunc
			ctx, stop = context.WithDeadline(ctx, at)
			defer stop()
		}
	}
	<-ctx.Done()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.New("the network is down")
	}
	return nil
}

type fakeUDP struct{ *fakeSocket }

func (fakeUDP) ReadFrom([]byte) (int, net.Addr, error) { return 0, nil, net.ErrClosed }
func (fakeUDP) WriteTo([]byte, net.Addr) (int, error)  { return 0, net.ErrClosed }
func (f fakeUDP) LocalAddr() net.Addr                  { return net.UDPAddrFromAddrPort(f.at) }
func (fakeUDP) SetDeadline(time.Time) error            { return nil }
func (fakeUDP) SetReadDeadline(time.Time) error        { return nil }
func (fakeUDP) SetWriteDeadline(time.Time) error       { return nil }

type fakeTCP struct{ *fakeSocket }

func (fakeTCP) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (f fakeTCP) Addr() net.Addr          { return net.TCPAddrFromAddrPort(f.at) }

type fakeServer struct{}

func (fakeServer) ServeUDP(ctx context.Context, pcs ...net.PacketConn) error {
	return pcs[0].(fakeUDP).serve(ctx)
}
func (fakeServer) ServeTCP(ctx context.Context, l net.Listener) error { return l.(fakeTCP).serve(ctx) }

// serving runs d in a bubble until the test's end or stop.
func serving(t *testing.T, d *dnsListeners, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); d.run(ctx, fakeServer{}, log) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	synctest.Wait()
	return stop
}

// at parses addresses; .1 is 10.0.0.1:53.
func at(words string) (all []netip.AddrPort) {
	for _, w := range strings.Fields(words) {
		switch {
		case strings.HasPrefix(w, "."):
			w = "10.0.0" + w + ":53"
		case !strings.Contains(w, ":"):
			w += ":53"
		}
		all = append(all, netip.MustParseAddrPort(w))
	}
	return all
}

// short writes the addresses of an account as at reads them.
func short(told string) string { return strings.NewReplacer("10.0.0.", ".", ":53", "").Replace(told) }

// inOrder is the account, of which what comes after "then" in want is sorted:
// goroutines do it at the same moment.
func inOrder(told, want string) string {
	words := strings.Fields(short(told))
	first := 0
	if before, _, ok := strings.Cut(want, " then "); ok {
		first = min(len(strings.Fields(before)), len(words))
	}
	rank := func(w string) string { return strings.NewReplacer(">", "0", "-", "1", "+", "2").Replace(w) }
	slices.SortFunc(words[first:], func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	out := strings.Join(words[first:], " ")
	if first > 0 {
		out = strings.Join(words[:first], " ") + " then " + out
	}
	return out
}
