package dnsrr

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// framed is the query as TCP carries it.
func framed(t *testing.T, q *dns.Msg) []byte {
	t.Helper()
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
}

func dial(t *testing.T, l net.Listener) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// A client may send all its questions at once and close its side; it still
// gets all answers, and then the end (RFC 7766).
func TestPipelinedAndHalfClosed(t *testing.T) {
	s, l := published(t), listenTCP(t)
	serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	c := dial(t, l)
	var all []byte
	const n = 300 // more than a library's habit of 128 a connection
	for i := range n {
		q := ask("mail.test.", dns.TypeA)
		q.Id = uint16(i)
		all = append(all, framed(t, q)...)
	}
	go func() { c.Write(all); c.CloseWrite() }()
	replies := dns.Conn{Conn: c}
	for i := range n {
		m, err := replies.ReadMsg()
		if err != nil {
			t.Fatalf("reply %d: %v", i, err)
		}
		if int(m.Id) != i || len(m.Answer) != 3 {
			t.Fatalf("reply %d: id %d with %d answers", i, m.Id, len(m.Answer))
		}
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v, want EOF", err)
	}
}

// Who sends no message is not listened to any more, and still gets the answers
// to what came before.
func TestAnswersBeforeTheEnd(t *testing.T) {
	s, l := published(t), listenTCP(t)
	serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	c := dial(t, l)
	q := ask("mail.test.", dns.TypeSOA)
	if _, err := c.Write(append(framed(t, q), 0, 1, 0)); err != nil {
		t.Fatal(err)
	}
	if m, err := (&dns.Conn{Conn: c}).ReadMsg(); err != nil || m.Id != q.Id {
		t.Fatalf("got %v, %v; want the reply to %d", m, err, q.Id)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("after it: %v, want EOF", err)
	}
}

// An answer among the questions is met with silence, and what follows it with
// a reply.
func TestSilenceKeepsTheConnection(t *testing.T) {
	s, l := published(t), listenTCP(t)
	serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	c := dial(t, l)
	reply := ask("mail.test.", dns.TypeA)
	reply.Response = true
	q := ask("mail.test.", dns.TypeSOA)
	if _, err := c.Write(append(framed(t, reply), framed(t, q)...)); err != nil {
		t.Fatal(err)
	}
	m, err := (&dns.Conn{Conn: c}).ReadMsg()
	if err != nil || m.Id != q.Id {
		t.Errorf("got %v, %v; want the reply to %d", m, err, q.Id)
	}
}

// The end of the server is the end of its connections, idle ones too.
func TestEndClosesConnections(t *testing.T) {
	s, l := published(t), listenTCP(t)
	stop := serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	c := dial(t, l)
	conn := dns.Conn{Conn: c}
	if err := conn.WriteMsg(ask("mail.test.", dns.TypeA)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ReadMsg(); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("open after the end")
	}
}

// A caller is a pipe that comes from somewhere.
type caller struct{ net.Conn }

func (caller) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(someone) }

// How long one is waited for, who says nothing, too little, or does not read.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(net.Conn)
		want time.Duration
	}{
		{"silent", func(net.Conn) {}, idle},
		{"half a length", func(c net.Conn) { c.Write([]byte{0}) }, idle},
		{"drop by drop", func(c net.Conn) {
			for _, b := range framed(t, ask("mail.test.", dns.TypeA)) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(2 * time.Second)
			}
		}, idle},
		{"does not read", func(c net.Conn) { c.Write(framed(t, ask("mail.test.", dns.TypeA))) }, writeTime},
		{"no message", func(c net.Conn) { c.Write([]byte{0, 1, 0}) }, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			s := published(t)
			var wg sync.WaitGroup
			wg.Go(func() { tt.say(here) })
			start := time.Now()
			s.converse(t.Context(), caller{there}, func() time.Duration { return idle })
			if got := time.Since(start); got != tt.want {
				t.Errorf("%s: ended after %v, want %v", tt.name, got, tt.want)
			}
			wg.Wait()
		})
	}
}

func TestPatienceShrinksWhenConnectionsRunOut(t *testing.T) {
	for n, want := range map[int]time.Duration{1: idle, maxConns / 2: idle, maxConns/2 + 1: idleTight, maxConns: idleTight} {
		if got := patience(n); got != want {
			t.Errorf("%d open: %v, want %v", n, got, want)
		}
	}
}

// crowd hands out connections of its own making, then failures, then waits for
// the end.
type crowd struct {
	net.Listener
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func (c *crowd) Accept() (net.Conn, error) {
	select {
	case conn := <-c.conns:
		if conn == nil {
			return nil, errors.New("accept: too many open files")
		}
		return conn, nil
	case <-c.end:
		return nil, net.ErrClosed
	}
}

func (c *crowd) Close() error { c.once.Do(func() { close(c.end) }); return nil }

// The connection beyond the last place is closed at once, the others wait for
// their questions; and an accept that fails ends nothing.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := published(t)
		l := &crowd{conns: make(chan net.Conn), end: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.ServeTCP(ctx, l) }()
		var open []net.Conn
		for range maxConns + 1 {
			here, there := net.Pipe()
			open = append(open, here)
			l.conns <- there
		}
		l.conns <- nil
		synctest.Wait()
		if _, err := open[maxConns].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("one too many: %v, want EOF", err)
		}
		if err := open[0].SetReadDeadline(time.Now().Add(idleTight / 2)); err != nil {
			t.Fatal(err)
		}
		if _, err := open[0].Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			t.Error("the first was closed")
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ServeTCP: %v, want nil", err)
		}
		if got := s.Stats().Restarts; got != 1 {
			t.Errorf("%d restarts, want 1", got)
		}
	})
}
