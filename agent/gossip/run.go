package gossip

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
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
// seconds. It logs conflicts of names, once when they begin and once when they
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
	for {
		c.join(ctx)
		pause := rejoinEvery
		if c.count.members.Load() <= 1 {
			pause = aloneEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// join tries every peer of Join that is not a member.
func (c *Cluster) join(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(joinWidth)
	for _, peer := range c.options.Join {
		addrs, err := resolve(ctx, peer)
		if err != nil && ctx.Err() == nil {
			c.complain("peer not found", peer, err)
		}
		for _, addr := range addrs {
			g.Go(func() error { c.joinOne(ctx, addr); return nil })
		}
	}
	g.Wait()
}

// joinOne looks once more whether the peer is a member: the one before may
// have brought it along.
func (c *Cluster) joinOne(ctx context.Context, addr netip.AddrPort) {
	if ctx.Err() != nil || c.has(addr) {
		return
	}
	c.count.joins.Add(1)
	if _, err := c.list.Join([]string{addr.String()}); err != nil {
		c.count.joinErrors.Add(1)
		c.complain("peer not reached", addr.String(), err)
	}
}

func (c *Cluster) complain(what, peer string, err error) {
	if c.peers.due(peer, time.Now()) {
		c.log.Warn(what, "peer", peer, "err", err)
	}
}

// has reports whether addr needs no joining: it is this node, a member, or we
// have left.
func (c *Cluster) has(addr netip.AddrPort) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.book.left || addr == c.book.addr {
		return true
	}
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
		case now := <-tick.C:
			known = c.sayConflicts(known, c.tidy(now))
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
