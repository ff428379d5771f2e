package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/health"
)

// A street leads probers to a server in one process, so that time can be fake.
type street struct {
	doors chan net.Conn
	once  sync.Once
	shut  chan struct{}
}

func (s *street) Accept() (net.Conn, error) {
	select {
	case c := <-s.doors:
		return c, nil
	case <-s.shut:
		return nil, net.ErrClosed
	}
}

func (s *street) Close() error {
	s.once.Do(func() { close(s.shut) })
	return nil
}

func (s *street) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// A prober's end has an address, as a socket's has.
type visitor struct{ net.Conn }

func (visitor) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 1234} }

// probe asks the way some balancers do, by HTTP/1.1 without a Host header.
func (s *street) probe(t *testing.T) {
	t.Helper()
	near, far := net.Pipe()
	s.doors <- visitor{far}
	io.WriteString(near, "GET /healthcheck.htm HTTP/1.1\r\n\r\n")
	reply, _ := io.ReadAll(near)
	if !strings.HasPrefix(string(reply), "HTTP/1.1 400 ") {
		t.Errorf("answered %q", reply)
	}
	near.Close()
}

// A notebook is a log that can be read while it is written.
type notebook struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (n *notebook) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *notebook) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// A balancer that is refused before its probe reaches the page takes a good
// node for dead, and nobody sees why. The log says it, not at every probe.
func TestProbesThatNeverReachThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log notebook
		a := &agent{health: &health.Server{}, log: slog.New(slog.NewTextHandler(&log, nil))}
		s := &street{doors: make(chan net.Conn), shut: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { a.watch(ctx) })
		wg.Go(func() {
			if err := a.health.Serve(ctx, s); err != nil {
				t.Error(err)
			}
		})

		said := func() int { synctest.Wait(); return strings.Count(log.String(), "without Host") }
		began := time.Now()
		var when []string
		for n := 0; time.Since(began) < 25*time.Minute; time.Sleep(5 * time.Second) {
			if at := time.Since(began); at >= time.Minute && at < 20*time.Minute {
				s.probe(t)
			}
			if now := said(); now > n {
				n, when = now, append(when, time.Since(began).Truncate(time.Minute).String())
			}
		}
		if got, want := strings.Join(when, ", "), "1m0s, 11m0s"; got != want {
			t.Errorf("probed from minute 1 to 20, said at %s, want %s", got, want)
		}
		if !strings.Contains(log.String(), "from=192.0.2.7 ") {
			t.Errorf("the log does not say who asks so: %s", log.String())
		}
		stop()
		wg.Wait()
	})
}
