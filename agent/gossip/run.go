package gossip

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	rejoinEvery = time.Minute     // while a peer of Join is not a member
	aloneEvery  = 5 * time.Second // while there is no member at all
	joinWidth   = 4               // peers tried at once, so that a few dead ones cost little
	watchEvery  = time.Second
	peerAgain   = time.Hour // between two complaints about one peer
)

// Run joins the peers of Options.Join, and again every minute those that are
// not members then, so that a partition that healed, or a farm that was
// restarted all at once, finds itself; without any member it tries every five
// seconds. After [Cluster.Rejoin] it joins all of them. It logs conflicts of names, once when they begin and once when they
// end, and forgets who is gone for good.
//
// It returns nil when ctx is done; an attempt to connect that has begun is
// waited for, 5 seconds at most.
func (c *Cluster) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { c.keepJoined(ctx) })
	wg.Go(func() { c.watch(ctx) })
	wg.Wait()
	return nil
}

func (c *Cluster) keepJoined(ctx context.Context) {
	anew := false
	for {
		r := round{anew: anew}
		c.join(ctx, &r)
		anew = anew && !r.over() // the network may wake later than we do
		pause := rejoinEvery
		if anew || c.count.members.Load() <= 1 {
			pause = aloneEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
			anew = true
		case <-time.After(pause):
		}
	}
}

// Rejoin has Run exchange all that is known with every peer of Options.Join at
// once, members or not: this machine stood still, so who is a member here need
// not be one any more, nor this node one there. While none of them is reached it
// tries again every five seconds. It never waits.
func (c *Cluster) Rejoin() {
	select {
	case c.woken <- struct{}{}:
	default: // asked already
	}
}

// A round is one attempt to join all.
type round struct {
	anew            bool // whoever is a member, too
	reached, missed atomic.Bool
}

// over says that there is no need to try again soon.
func (r *round) over() bool { return r.reached.Load() || !r.missed.Load() }

// join tries every peer of Join that is not a member.
func (c *Cluster) join(ctx context.Context, r *round) {
	var g errgroup.Group
	g.SetLimit(joinWidth)
	for _, peer := range c.options.Join {
		addrs, err := resolve(ctx, peer)
		if err != nil && ctx.Err() == nil {
			r.missed.Store(true)
			c.complain("peer not found", peer, err)
		}
		for _, addr := range addrs {
			g.Go(func() error { c.joinOne(ctx, addr, r); return nil })
		}
	}
	g.Wait()
}

// joinOne looks once more whether the peer is a member: the one before may
// have brought it along.
func (c *Cluster) joinOne(ctx context.Context, addr netip.AddrPort, r *round) {
	if ctx.Err() != nil || c.never(addr) || !r.anew && c.has(addr) {
		return
	}
	c.count.joins.Add(1)
	if _, err := c.list.Join([]string{addr.String()}); err != nil {
		c.count.joinErrors.Add(1)
		r.missed.Store(true)
		c.complain("peer not reached", addr.String(), err)
		return
	}
	r.reached.Store(true)
}

func (c *Cluster) complain(what, peer string, err error) {
	if c.peers.due(peer, time.Now()) {
		c.log.Warn(what, "peer", peer, "err", err)
	}
}

// never reports whether addr is not to be joined: it is this node, or we have left.
func (c *Cluster) never(addr netip.AddrPort) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.left || addr == c.book.addr
}

// has reports whether addr is that of a member.
func (c *Cluster) has(addr netip.AddrPort) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.book.entries {
		if e.member && e.addr == addr {
			return true
		}
	}
	return false
}

// resolve returns all addresses of a host:port. memberlist would ask for ANY
// over TCP first, which takes long and is often refused.
func resolve(ctx context.Context, peer string) ([]netip.AddrPort, error) {
	host, port, err := splitPeer(peer)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(ip.Unmap(), port)}, nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	out := make([]netip.AddrPort, 0, len(ips))
	for _, ip := range ips {
		out = append(out, netip.AddrPortFrom(ip.Unmap(), port))
	}
	return out, nil
}

// watch logs what changed about conflicts, and forgets.
func (c *Cluster) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var known []Conflict
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			known = c.sayConflicts(known, c.tidy(c.now()))
		}
	}
}

func (c *Cluster) tidy(now time.Time) []Conflict {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.book.forget(now)
	return c.book.conflicts(now)
}

// sayConflicts logs the names that are in one list and not in the other.
func (c *Cluster) sayConflicts(before, now []Conflict) []Conflict {
	for _, x := range now {
		if !hasName(before, x.Name) {
			c.log.Error("two machines use one name, its facts are held back until one is renamed",
				"name", x.Name, "own", x.Own, "address", x.Addrs[0], "other", x.Addrs[1])
		}
	}
	for _, x := range before {
		if !hasName(now, x.Name) {
			c.log.Info("name is used once again", "name", x.Name, "own", x.Own)
		}
	}
	return now
}

func hasName(all []Conflict, name string) bool {
	for _, x := range all {
		if x.Name == name {
			return true
		}
	}
	return false
}
