package e2e

import (
	"bufio"
	"fmt"
	"math"
	"net/netip"
	"testing"

	"github.com/miekg/dns"
)

// dual gives the hub and every node an IPv6 address (RFC 4193), too. No one
// looks whether another has it: that takes a second.
func (f *farm) dual(t *testing.T) {
	t.Helper()
	f.hub.ip(t, "address add fd77::1/64 dev hub nodad")
	for i, n := range f.nodes {
		six := netip.MustParseAddr(fmt.Sprintf("fd77::%d", 11+i))
		n.ip(t, fmt.Sprintf("address add %s/64 dev eth0 nodad", six))
		n.set.Addrs = append(n.set.Addrs, six)
	}
}

// Nodes have addresses of both families. A and AAAA name the same nodes, are
// asked over either, and HAProxy reaches servers and agents over IPv6.
func familiesStory(t *testing.T, bin string) {
	f := newStage(t, bin, "both", 200, 200, 400)
	f.dual(t)
	for _, n := range f.nodes {
		n.server = n.nginx(t)
	}
	h := f.haproxy(t)
	f.startAll(t)
	h.shows(t, "all alike over IPv6", alike)
	f.sameNodes(t, func(n *node) (share, within float64) { return n.fair(), 0.05 })
	conn := f.connect(t, hubAddr(0))
	defer conn.Close()
	if err := greet(conn, bufio.NewReader(conn)); err != nil {
		t.Errorf("through HAProxy: %v", err)
	}

	hung, clients := f.nodes[0], newCrowd(t)
	hung.server.stall()
	for range overDegrade {
		clients.conns = append(clients.conns, f.connect(t, hung.set.Addrs[1]))
	}
	for _, at := range f.nodes {
		at.sees(t, hung, "degraded by its IPv6 queue", func(s standing) bool { return s.State == "degraded" && s.Share < 0.01 })
	}
	f.sameNodes(t, func(n *node) (share, within float64) {
		if n == hung {
			return 0, 0.02
		}
		return n.fair() / (1 - hung.fair()), 0.35 // how full they are counts, too
	})
	hung.relieve(clients)
}

// sameNodes waits until every agent's answers, asked over both families for
// both, give the shares that want says of each node.
func (f *farm) sameNodes(t *testing.T, want func(*node) (share, within float64)) {
	t.Helper()
	for _, at := range f.nodes {
		for _, addr := range at.set.Addrs {
			for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
				eventually(t, soon, fmt.Sprintf("%s of %s at %v gives each node its share", dns.TypeToString[kind], at.id, addr), func() (string, bool) {
					got := f.sharesFrom(t, addr, kind, 100)
					for _, n := range f.nodes {
						if share, within := want(n); math.Abs(got[n.id]-share) > within {
							return fmt.Sprintf("%s gets %.3f, want %.3f ± %.2f", n.id, got[n.id], share, within), false
						}
					}
					return "", true
				})
			}
		}
	}
}
