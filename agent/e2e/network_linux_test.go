package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// others are the addresses from which n hears of the other nodes, in the words
// of nftables.
func (n *node) others() string {
	var all []string
	for _, o := range n.farm.nodes {
		if o != n {
			all = append(all, o.addr.String())
		}
	}
	for _, r := range n.farm.relays {
		all = append(all, r.at.Addr().String())
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

// cut takes n's peers from it, and nothing else.
func (n *node) cut(t *testing.T) {
	t.Helper()
	n.nft(t, fmt.Sprintf(`table inet cut {
		chain in {
			type filter hook input priority 0
			ip saddr %[1]s drop
		}
		chain out {
			type filter hook output priority 0
			ip daddr %[1]s drop
		}
	}`, n.others()))
}

// mend undoes cut.
func (n *node) mend(t *testing.T) {
	t.Helper()
	n.nft(t, "delete table inet cut")
}

// lose drops so many percent of what n's peers send to it.
func (n *node) lose(t *testing.T, percent int) {
	t.Helper()
	n.nft(t, fmt.Sprintf(`table inet loss {
		chain in {
			type filter hook input priority 0
			ip saddr %s numgen random mod 100 < %d drop
		}
	}`, n.others(), percent))
}

// A relay stands for a node before its peers, which know the node by the relay's
// address. It lets every packet wait for a while of its own, so that some
// overtake others; none is at once, since the same word goes in several packets
// and the fastest counts.
type relay struct {
	at, to netip.AddrPort
	late   *atomic.Int64 // how long one waits at most, in nanoseconds; half of it at least
	hub    space
}

// relay has all gossip go through relays in the hub, one for each node. They
// hold up nothing before late is set.
func (f *farm) relay(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(func() { stop(); wg.Wait() })
	var all []netip.AddrPort
	for i, n := range f.nodes {
		r := &relay{at: netip.AddrPortFrom(hubAddr(100+i), 7946), to: netip.AddrPortFrom(n.addr, 7946), late: &f.late, hub: f.hub}
		f.hub.ip(t, fmt.Sprintf("address add %s/24 dev hub", r.at.Addr()))
		r.serve(ctx, t, &wg)
		f.relays, all = append(f.relays, r), append(all, r.at)
		n.set.Advertise = r.at.String()
	}
	for _, n := range f.nodes {
		n.set.Join = all
	}
}

// serve relays until ctx is done.
func (r *relay) serve(ctx context.Context, t *testing.T, wg *sync.WaitGroup) {
	t.Helper()
	var pc net.PacketConn
	var l net.Listener
	err := r.hub.do(func() (err error) {
		if pc, err = net.ListenPacket("udp", r.at.String()); err != nil {
			return err
		}
		l, err = net.Listen("tcp", r.at.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	context.AfterFunc(ctx, func() { pc.Close(); l.Close() })
	wg.Go(func() { r.packets(ctx, pc) })
	wg.Go(func() { r.streams(ctx, l) })
}

func (r *relay) packets(ctx context.Context, pc net.PacketConn) {
	var under sync.WaitGroup
	defer under.Wait()
	buf := make([]byte, 64<<10)
	for {
		n, _, err := pc.ReadFrom(buf)
		if err != nil {
			return
		}
		b := bytes.Clone(buf[:n])
		under.Go(func() {
			if r.wait(ctx) {
				pc.WriteTo(b, net.UDPAddrFromAddrPort(r.to)) // a network may lose it
			}
		})
	}
}

func (r *relay) streams(ctx context.Context, l net.Listener) {
	var under sync.WaitGroup
	defer under.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		under.Go(func() { r.stream(ctx, conn.(*net.TCPConn)) })
	}
}

// stream carries one connection both ways.
func (r *relay) stream(ctx context.Context, from *net.TCPConn) {
	defer from.Close()
	var to net.Conn
	err := r.hub.do(func() (err error) {
		d := net.Dialer{Timeout: 5 * time.Second, LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(r.at.Addr(), 0))}
		to, err = d.DialContext(ctx, "tcp", r.to.String())
		return err
	})
	if err != nil {
		return
	}
	defer to.Close()
	stop := context.AfterFunc(ctx, func() { from.Close(); to.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { r.carry(ctx, to.(*net.TCPConn), from) })
	both.Go(func() { r.carry(ctx, from, to.(*net.TCPConn)) })
	both.Wait()
}

func (r *relay) carry(ctx context.Context, to, from *net.TCPConn) {
	defer to.CloseWrite()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && r.wait(ctx) {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait reports whether ctx is not done yet.
func (r *relay) wait(ctx context.Context) bool {
	half := r.late.Load() / 2
	return pause(ctx, time.Duration(half+rand.Int64N(half+1)))
}

// pause waits, and reports whether ctx is not done yet.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
