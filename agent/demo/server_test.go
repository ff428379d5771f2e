package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"
)

// enough is how long a test waits for what must come.
const enough = 30 * time.Second

func loopback() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:0") }

// A serving is a Server at work, and how to end it.
type serving struct {
	at   netip.AddrPort
	stop context.CancelFunc
	done chan error
}

func serve(t *testing.T, s Server) serving {
	t.Helper()
	l, err := s.Listen(loopback())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out := serving{l.Addr().(*net.TCPAddr).AddrPort(), stop, make(chan error, 1)}
	go func() { out.done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		l.Close()
	})
	return out
}

func dial(t *testing.T, to netip.AddrPort) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// hear reads what a server says first, waiting at most for d.
func hear(t *testing.T, c net.Conn, d time.Duration) (string, error) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(d)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len(greeting))
	_, err := io.ReadFull(c, b)
	return string(b), err
}

func TestServerGreetsAndHolds(t *testing.T) {
	s := serve(t, Server{Backlog: 8})
	a, b := dial(t, s.at), dial(t, s.at)
	for _, c := range []net.Conn{a, b} {
		if got, err := hear(t, c, enough); got != greeting {
			t.Fatalf("greeted with %q, %v", got, err)
		}
	}

	// It ends when it is told to, not before, and closes what it holds.
	s.stop()
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(enough):
		t.Fatal("does not end")
	}
	for _, c := range []net.Conn{a, b} {
		if _, err := hear(t, c, enough); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a connection is still held: %v", err)
		}
	}
}

// A server whose socket is taken away has failed; one that was told to stop
// has not.
func TestServerWithoutItsSocket(t *testing.T) {
	var s Server
	l, err := s.Listen(loopback())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want %v", err, net.ErrClosed)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Serve(ctx, l); err != nil {
		t.Errorf("told to stop: %v", err)
	}
}

// While a server stalls its clients are connected by the kernel, wait in the
// accept queue, and are greeted when it goes on.
func TestStalledServer(t *testing.T) {
	asked := make(chan struct{})   // the server asks whether it stalls
	answer := make(chan bool)      // and is told
	resumed := make(chan struct{}) // closed: never again
	s := serve(t, Server{Backlog: 8, Stalled: func(time.Duration) bool {
		select {
		case asked <- struct{}{}:
			return <-answer
		case <-resumed:
			return false
		}
	}})
	<-asked
	c := dial(t, s.at)
	for range 2 { // two rounds in which it could have accepted
		answer <- true
		<-asked
	}
	if got, err := hear(t, c, 10*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("while it stalls a client hears %q, %v", got, err)
	}
	close(resumed)
	answer <- false
	if got, err := hear(t, c, enough); got != greeting {
		t.Errorf("when it goes on the client hears %q, %v", got, err)
	}
}

// A server that stalls can be told to stop.
func TestStoppingAStalledServer(t *testing.T) {
	stalls := make(chan struct{}, 1)
	s := serve(t, Server{Stalled: func(time.Duration) bool {
		select {
		case stalls <- struct{}{}:
		default:
		}
		return true
	}})
	<-stalls
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("ended with %v", err)
	}
}
