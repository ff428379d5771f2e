package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A crowd is clients that stay until they are sent home.
type crowd struct{ conns []net.Conn }

func newCrowd(t *testing.T) *crowd {
	c := &crowd{}
	t.Cleanup(c.leave)
	return c
}

// leave hangs up all.
func (c *crowd) leave() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// connect makes count connections to n's server. The kernel makes them, whether
// the server hangs or not, as long as its queue is not full.
func (n *node) connect(t *testing.T, c *crowd, count int) {
	t.Helper()
	for range count {
		c.conns = append(c.conns, n.farm.connect(t, n.addr))
	}
}

// connect connects to the server at addr.
func (f *farm) connect(t *testing.T, addr netip.Addr) net.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	conn, err := f.hub.dial(ctx, "tcp", netip.AddrPortFrom(addr, 25).String())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// callers come one after the other, each by a name that a resolver looks up for
// it. Each asks the server it found twice, over one connection that it holds
// open in between, and counts what it was denied.
type callers struct {
	farm     *farm
	resolver netip.Addr
	every    time.Duration
	hold     time.Duration // between the two questions of one

	served, refused, reset, other atomic.Int64
	first                         atomic.Pointer[error] // of those who were denied anything

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// call begins to send callers, and waits until some were served. They end with
// the test at the latest.
func (f *farm) call(t *testing.T, resolver int, every, hold time.Duration) *callers {
	t.Helper()
	eventually(t, soon, "the resolver answers", func() (string, bool) {
		addrs, err := f.lookup(hubAddr(resolver))
		return fmt.Sprint(addrs, err), err == nil
	})
	ctx, stop := context.WithCancel(context.Background())
	c := &callers{farm: f, resolver: hubAddr(resolver), every: every, hold: hold, stop: stop}
	c.wg.Go(func() { c.run(ctx) })
	t.Cleanup(c.end)
	eventually(t, soon, "clients are served", func() (string, bool) { return c.String(), c.served.Load() > 0 })
	return c
}

// end sends no more, and waits for those under way.
func (c *callers) end() { c.stop(); c.wg.Wait() }

func (c *callers) run(ctx context.Context) {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.wg.Go(func() { c.count(c.one(i)) })
	}
}

// one is the i-th caller from its question for an address to its goodbye.
func (c *callers) one(i int) error {
	conn, to, err := c.reach(i)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(c.hold + patience))
	r := bufio.NewReader(conn)
	if err := greet(conn, r); err != nil {
		return fmt.Errorf("first question to %s: %w", to, err)
	}
	time.Sleep(c.hold) // a client that is logged in
	if err := greet(conn, r); err != nil {
		return fmt.Errorf("second question to %s: %w", to, err)
	}
	return nil
}

// prompt is how soon after its question a client connects, unless it had to wait
// for a processor. One that comes later may be refused with good reason.
const prompt = time.Second

// reach connects the i-th caller to an address that it has looked up. One who is
// refused, and was not prompt, looks it up again.
func (c *callers) reach(i int) (net.Conn, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		began := time.Now()
		addrs, err := c.farm.lookup(c.resolver)
		if err != nil {
			return nil, "", fmt.Errorf("looking up: %w", err)
		}
		to := addrs[turn(i, len(addrs))]
		conn, err := c.farm.hub.dial(ctx, "tcp", net.JoinHostPort(to, "25"))
		if err == nil || time.Since(began) < prompt || ctx.Err() != nil {
			return conn, to, err
		}
	}
}

// greet asks the web server at the other end for its 204.
func greet(w io.Writer, r *bufio.Reader) error {
	if _, err := io.WriteString(w, "GET / HTTP/1.1\r\nHost: mail.test\r\n\r\n"); err != nil {
		return err
	}
	a, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	if a.StatusCode != http.StatusNoContent {
		return errors.New(a.Status)
	}
	return nil
}

func (c *callers) count(err error) {
	switch {
	case err == nil:
		c.served.Add(1)
		return
	case errors.Is(err, syscall.ECONNREFUSED):
		c.refused.Add(1)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		c.reset.Add(1)
	default:
		c.other.Add(1)
	}
	c.first.CompareAndSwap(nil, &err)
}

func (c *callers) String() string {
	s := fmt.Sprintf("%d clients served, %d refused, %d reset, %d denied otherwise",
		c.served.Load(), c.refused.Load(), c.reset.Load(), c.other.Load())
	if err := c.first.Load(); err != nil {
		s += fmt.Sprintf("; the first: %v", *err)
	}
	return s
}

// happy ends c, and wants that all were served.
func (c *callers) happy(t *testing.T) {
	t.Helper()
	c.end()
	if c.served.Load() == 0 || c.first.Load() != nil {
		t.Errorf("%v", c)
	}
}
