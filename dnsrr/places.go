package dnsrr

import (
	"net/netip"
	"sync"
)

// clientConns is what one client may hold once half of all connections are
// taken (RFC 7766, section 6.2.2). Up to then it may hold that half: behind one
// address may be a whole site.
const clientConns = maxConns / 8

// places are the connections of one listener. The zero places are all free.
type places struct {
	mu  sync.Mutex // guards the two below
	all int
	by  map[netip.Addr]int // of the clients that hold any
}

// clientOf is whom a connection counts for: an IPv4 address, or the first 64
// bits of an IPv6 one, within which a host is free to move (RFC 4291, section
// 2.5.4). What is no IP address is nobody, and bounded by the whole alone.
func clientOf(a netip.Addr) netip.Addr {
	if a = a.Unmap(); !a.Is6() {
		return a
	}
	p, _ := a.WithZone("").Prefix(64) // 64 is in range
	return p.Addr()
}

// take reports whether the client got a place.
func (p *places) take(client netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= maxConns || p.all >= maxConns/2 && p.by[client] >= clientConns {
		return false
	}
	p.all++
	if client.IsValid() {
		if p.by == nil {
			p.by = map[netip.Addr]int{}
		}
		p.by[client]++
	}
	return true
}

// leave gives one of the client's places back.
func (p *places) leave(client netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	switch n := p.by[client]; {
	case n > 1:
		p.by[client] = n - 1
	case n == 1:
		delete(p.by, client)
	}
}

func (p *places) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}
