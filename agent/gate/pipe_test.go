package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener without a network: what it accepts are pipes, which keep
// the time of a bubble, deadlines included.
type pipes struct {
	accepts chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes {
	return &pipes{accepts: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepts:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return new(net.UnixAddr) }

func (p *pipes) dial() front {
	here, there := net.Pipe()
	p.accepts <- there
	return front{here, bufio.NewReader(here)}
}

// bubble has s serve a listener without a network, with room for so many
// connections, while f runs, in a bubble.
func bubble(t *testing.T, s *Server, room int, f func(t *testing.T, p *pipes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p, ended := newPipes(), make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- s.Serve(ctx, p, Bounds{Connections: room}) }()
		f(t, p)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A request is held to its end also where that is later than a front end may
// take to send one, and the connection carries the next.
func TestHeldOnAConnection(t *testing.T) {
	s := gateOf(delays(45*time.Second), unmeasured, Options{Hold: true, Waiters: 1, Wait: time.Hour})
	bubble(t, s, 2, func(t *testing.T, p *pipes) {
		f := p.dial()
		defer f.conn.Close()
		for range 2 {
			began := time.Now()
			r := f.asks(t, "/v1/check")
			if took := time.Since(began); r == nil || r.StatusCode != 200 || took != 45*time.Second {
				t.Fatalf("after %v: %v; want 200 after 45s", took, r)
			}
		}
	})
}

// What a front end does too slowly ends its connection.
func TestPatience(t *testing.T) {
	const endless = "GET /v1/check HTTP/1.1\r\nHost: gate\r\n"
	for _, c := range []struct {
		promise, sent string
		want          time.Duration
	}{
		{"says nothing", "", 10 * time.Second},
		{"does not end a request", endless, 10 * time.Second},
		{"does not send the body", strings.Replace(endless, "GET", "POST", 1) + "Content-Length: 9\r\n\r\n", 10 * time.Second},
		{"has no other question", endless + "\r\n", 10 * time.Minute},
	} {
		bubble(t, gateOf(judge{}, unmeasured, Options{}), 1, func(t *testing.T, p *pipes) {
			f := p.dial()
			began := time.Now()
			fmt.Fprint(f.conn, c.sent)
			if _, err := io.ReadAll(f.r); err != nil || time.Since(began).Round(time.Second) != c.want {
				t.Errorf("who %s is hung up on after %v, %v; want %v", c.promise, time.Since(began), err, c.want)
			}
		})
	}
	for after, want := range map[time.Duration]bool{89 * time.Second: true, 91 * time.Second: false} {
		bubble(t, gateOf(judge{}, unmeasured, Options{}), 1, func(t *testing.T, p *pipes) {
			f := p.dial()
			defer f.conn.Close()
			fmt.Fprint(f.conn, endless+"\r\n")
			time.Sleep(after)
			if _, err := http.ReadResponse(f.r, nil); (err == nil) != want {
				t.Errorf("the answer is there after %v: %v, want %v", after, err, want)
			}
		})
	}
}
