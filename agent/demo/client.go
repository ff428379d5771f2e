package demo

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Crowd is many clients of one service. Each asks DNS, connects to one of
// the addresses at random, holds the connection for a while, and begins anew.
type Crowd struct {
	Clients int
	Name    string           // fully qualified; its A records are the servers
	Port    uint16           // of the service
	DNS     []netip.AddrPort // the authoritative servers, asked in turn
	Askers  []netip.Addr     // source addresses of the questions, as of so many resolvers; empty: the system's choice
	Session time.Duration    // how long a connection is held on average; who is there may go at any time
	Arrive  time.Duration    // over which the clients come at first

	count counters
}

type counters struct {
	asked, unanswered, connected, refused, impatient atomic.Uint64
	open                                             atomic.Int64
}

// Counts are what a Crowd has met with so far.
type Counts struct {
	Asked      uint64 `json:"asked"`      // DNS questions
	Unanswered uint64 `json:"unanswered"` // of those, without any address in the answer
	Connected  uint64 `json:"connected"`  // connections made
	Refused    uint64 `json:"refused"`    // connections that could not be made
	Impatient  uint64 `json:"impatient"`  // clients that went because they were not greeted in time
	Open       int64  `json:"open"`       // connections held now
}

// Counts returns what was met with so far.
func (c *Crowd) Counts() Counts {
	n := &c.count
	return Counts{n.asked.Load(), n.unanswered.Load(), n.connected.Load(), n.refused.Load(), n.impatient.Load(), n.open.Load()}
}

const (
	askTimeout   = 2 * time.Second
	dialTimeout  = 3 * time.Second
	greetTimeout = 4 * time.Second
	retry        = 500 * time.Millisecond // before another try after a failure
)

// Run lets the clients live until ctx is done.
func (c *Crowd) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for i := range c.Clients {
		wg.Go(func() {
			if pause(ctx, c.Arrive*time.Duration(i)/time.Duration(c.Clients)) {
				c.live(ctx, i)
			}
		})
	}
	wg.Wait()
}

func (c *Crowd) live(ctx context.Context, i int) {
	resolver := c.resolver(i)
	for ctx.Err() == nil {
		if !c.session(ctx, resolver) {
			pause(ctx, retry)
		}
	}
}

// session is one look-up and one connection. It reports whether all went well.
// How long it lasts has no memory, so that clients come and go evenly from the
// start, and those who came together do not leave together.
func (c *Crowd) session(ctx context.Context, r *net.Resolver) bool {
	addr, ok := c.ask(ctx, r)
	if !ok {
		return false
	}
	conn, ok := c.dial(ctx, netip.AddrPortFrom(addr, c.Port))
	if !ok {
		return false
	}
	c.count.open.Add(1)
	defer c.count.open.Add(-1)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	if !c.greeted(ctx, conn) {
		return false
	}
	pause(ctx, time.Duration(rand.ExpFloat64()*float64(c.Session)))
	return true
}

func (c *Crowd) ask(ctx context.Context, r *net.Resolver) (netip.Addr, bool) {
	ctx2, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	c.count.asked.Add(1)
	addrs, err := r.LookupNetIP(ctx2, "ip4", c.Name)
	if err != nil || len(addrs) == 0 {
		if ctx.Err() == nil {
			c.count.unanswered.Add(1)
		}
		return netip.Addr{}, false
	}
	return addrs[rand.IntN(len(addrs))].Unmap(), true
}

func (c *Crowd) dial(ctx context.Context, to netip.AddrPort) (net.Conn, bool) {
	d := net.Dialer{Timeout: dialTimeout}
	conn, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil {
		if ctx.Err() == nil {
			c.count.refused.Add(1)
		}
		return nil, false
	}
	c.count.connected.Add(1)
	return conn, true
}

// greeted waits for the server's word. Who is not greeted in time hangs up and
// asks again: that is how clients leave a node that hangs.
func (c *Crowd) greeted(ctx context.Context, conn net.Conn) bool {
	conn.SetReadDeadline(time.Now().Add(greetTimeout))
	if _, err := conn.Read(make([]byte, len(greeting))); err != nil {
		if ctx.Err() == nil {
			c.count.impatient.Add(1)
		}
		return false
	}
	return true
}

// resolver asks the agents for client i: from its asker's address, and the
// agents in turn, as resolvers do that know a zone's servers.
func (c *Crowd) resolver(i int) *net.Resolver {
	var turn atomic.Uint64
	turn.Store(uint64(i))
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		to := c.DNS[turn.Add(1)%uint64(len(c.DNS))]
		conn, err := c.dialer(network, i).DialContext(ctx, network, to.String())
		if errors.Is(err, syscall.EADDRNOTAVAIL) { // a system with one loopback address only
			var plain net.Dialer
			return plain.DialContext(ctx, network, to.String())
		}
		return conn, err
	}}
}

func (c *Crowd) dialer(network string, i int) *net.Dialer {
	if len(c.Askers) == 0 {
		return &net.Dialer{}
	}
	from := net.IP(c.Askers[i%len(c.Askers)].AsSlice())
	if network == "tcp" {
		return &net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	}
	return &net.Dialer{LocalAddr: &net.UDPAddr{IP: from}}
}
