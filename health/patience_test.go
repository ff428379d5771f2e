package health

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener for bubbles: what it accepts is made of memory, so that
// the time it is kept waiting is fake.
type pipes struct {
	queue   chan net.Conn
	closed  chan struct{}
	stumble int // so many times it cannot accept, for a while
}

func newPipes() *pipes { return &pipes{queue: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.queue <- theirs
	return ours
}

type outOfFiles struct{}

func (outOfFiles) Error() string   { return "too many open files" }
func (outOfFiles) Temporary() bool { return true }
func (outOfFiles) Timeout() bool   { return false }

func (p *pipes) Accept() (net.Conn, error) {
	if p.stumble > 0 {
		p.stumble--
		return nil, outOfFiles{}
	}
	select {
	case c := <-p.queue:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// inBubble runs a story against a server of memory, and stops the server.
func inBubble(t *testing.T, serve func(*Server) func(context.Context, net.Listener) error, story func(*testing.T, *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		var s Server
		s.Publish(ex01)
		l := newPipes()
		l.stumble = 3
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- serve(&s)(ctx, l) }()
		story(t, l)
		start := time.Now()
		cancel()
		if err := <-done; err != nil || time.Since(start) > max(agentPatience, goodbye) {
			t.Errorf("stopped after %v with %v", time.Since(start), err)
		}
	})
}

func page(s *Server) func(context.Context, net.Listener) error  { return s.Serve }
func agent(s *Server) func(context.Context, net.Listener) error { return s.ServeAgentCheck }

// cutAfter is how long the other side waits until it closes.
func cutAfter(c net.Conn) time.Duration {
	start := time.Now()
	io.Copy(io.Discard, c)
	return time.Since(start)
}

func TestWhoIsCutAndWhen(t *testing.T) {
	for _, c := range []struct {
		name string
		to   func(*Server) func(context.Context, net.Listener) error
		say  string
		want time.Duration
	}{
		{"a prober that says nothing", page, "", patience},
		{"a prober that never ends its headers", page, "GET /healthcheck.htm HTTP/1.1\r\nHost: a\r\n", patience},
		{"a prober that has had its answer", page, "GET /healthcheck.htm HTTP/1.1\r\nHost: a\r\n\r\n", idle},
		{"a balancer that does not close", agent, "", agentPatience},
	} {
		inBubble(t, c.to, func(t *testing.T, l *pipes) {
			conn := l.dial()
			if c.say != "" { // a pipe hands over even nothing
				io.WriteString(conn, c.say)
			}
			if got := cutAfter(conn); got != c.want {
				t.Errorf("%s: cut after %v, want %v", c.name, got, c.want)
			}
		})
	}
}

// Who takes no reply costs a connection for a while, and nothing else.
func TestWhoDoesNotRead(t *testing.T) {
	for name, to := range map[string]func(*Server) func(context.Context, net.Listener) error{"page": page, "agent": agent} {
		inBubble(t, to, func(t *testing.T, l *pipes) {
			deaf := l.dial()
			if name == "page" {
				io.WriteString(deaf, "GET /healthcheck.htm HTTP/1.0\r\n\r\n")
			}
			other := l.dial()
			if name == "page" {
				io.WriteString(other, "GET /healthcheck.htm HTTP/1.0\r\n\r\n")
			}
			start := time.Now()
			b := make([]byte, 512)
			if n, err := other.Read(b); err != nil || time.Since(start) != 0 {
				t.Errorf("%s: another waited %v for %q, %v", name, time.Since(start), b[:n], err)
			}
			other.Close()
			time.Sleep(patience + time.Second)
			if n, err := deaf.Read(b); err != io.EOF {
				t.Errorf("%s: still there: %q, %v", name, b[:n], err)
			}
		})
	}
}

// Leaving does not wait for a prober that takes its time.
func TestLeavingIsShort(t *testing.T) {
	for name, to := range map[string]func(*Server) func(context.Context, net.Listener) error{"page": page, "agent": agent} {
		inBubble(t, to, func(t *testing.T, l *pipes) {
			held := l.dial() // inBubble times the rest
			if name == "page" {
				io.WriteString(held, "GET /healthcheck.htm HTTP/1.1\r\n")
			}
		})
	}
}

// A machine whose clock has lost its battery wakes up in 2000, as bubbles do.
// Its date must not be taken for good health.
func TestDateOfADeadClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if year := time.Now().UTC().Year(); year != 2000 {
			t.Fatalf("a bubble now begins in %d", year)
		}
		var s Server
		s.Publish(failing)
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, l) }()
		for _, path := range []string{"/healthcheck.htm", "/nosuch"} {
			c := l.dial()
			io.WriteString(c, "GET "+path+" HTTP/1.0\r\n\r\n")
			if got, err := io.ReadAll(c); len(got) == 0 || err != nil || has(string(got), "200") {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		cancel()
		<-done
	})
}
