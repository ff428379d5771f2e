package health

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
)

// hear is all that an agent check says on one connection.
func hear(t testing.TB, addr, first string) string {
	t.Helper()
	c := dial(t, addr)
	defer c.Close()
	io.WriteString(c, first)
	got, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("after %q: %v", got, err)
	}
	return string(got)
}

// The state is said whole on every connection, so a balancer that restarts is
// never behind.
func TestAgentTellsEveryState(t *testing.T) {
	var s Server
	addr := serving(t, s.ServeAgentCheck)
	for _, c := range []struct {
		r    Report
		want string
	}{
		{ex01, "up ready 73%\n"},
		{ex01, "up ready 73%\n"},
		{but(ex01, func(r *Report) { r.State = Draining }), "drain\n"},
		{failing, "down #queue-200\n"},
		{ex01, "up ready 73%\n"},
	} {
		s.Publish(c.r)
		if got := hear(t, addr, ""); got != c.want {
			t.Errorf("%v: %q, want %q", c.r.State, got, c.want)
		}
	}
	var n uint64
	for _, p := range s.Stats().Probes {
		n += p.N
	}
	if n != 5 {
		t.Errorf("%d probes counted, want 5", n)
	}
}

// Before the first Report there is nothing true to say. HAProxy drops a
// connection without a line and keeps what it believed.
func TestAgentBeforeTheFirstReport(t *testing.T) {
	var s Server
	if got := hear(t, serving(t, s.ServeAgentCheck), ""); got != "" {
		t.Errorf("said %q, want nothing", got)
	}
}

// agent-send is not waited for, and words not read must not reset the
// connection: the line would be lost with it.
func TestAgentSendDoesNotCostTheLine(t *testing.T) {
	var s Server
	s.Publish(ex01)
	addr := serving(t, s.ServeAgentCheck)
	for _, first := range []string{"\n", "backend mapi\n", "no line end", strings.Repeat("x", agentSend-1)} {
		if got := hear(t, addr, first); got != "up ready 73%\n" {
			t.Errorf("after %.20q: %q", first, got)
		}
	}
}

// reluctant connections close only when told; until then the other side can
// have seen an end only if we said one.
type reluctant struct {
	net.Listener
	mayClose chan struct{}
}

type reluctantConn struct {
	*net.TCPConn
	mayClose chan struct{}
}

func (r reluctant) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return reluctantConn{c.(*net.TCPConn), r.mayClose}, nil
}

func (c reluctantConn) Close() error {
	<-c.mayClose
	return c.TCPConn.Close()
}

// A balancer that reads to the end need not wait for our patience to run out.
func TestAgentSaysThatTheLineIsAll(t *testing.T) {
	var s Server
	s.Publish(ex01)
	mayClose := make(chan struct{})
	addr := serving(t, func(ctx context.Context, l net.Listener) error {
		return s.ServeAgentCheck(ctx, reluctant{l, mayClose})
	})
	if got := hear(t, addr, ""); got != "up ready 73%\n" {
		t.Errorf("%q", got)
	}
	close(mayClose)
}
