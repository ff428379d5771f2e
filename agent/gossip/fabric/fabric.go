// Package fabric is a network that exists only in this process, for tests of
// whole farms in fake time (testing/synctest). It loses packets, cuts machines
// off, and never holds on to a goroutine after a machine is gone.
//
// Start with [Fabric.Plug]: its Port is a memberlist.Transport.
package fabric

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

const (
	packetRoom = 256 // packets that wait at a port; one more is lost, as in a network
	streamRoom = 64  // connections that wait at a port; one more is refused
)

var (
	errUnreachable = errors.New("fabric: no answer")
	errRefused     = errors.New("fabric: connection refused")
)

// A Fabric connects ports. The zero Fabric is ready, loses nothing and is cut
// nowhere. Packets arrive at once and in order; streams are never lost once
// they stand.
type Fabric struct {
	mu     sync.Mutex // guards all below, and open of every port
	ports  map[netip.AddrPort]*Port
	island map[netip.AddrPort]int // which island a port is on; not in it = the mainland
	cuts   int
	loss   float64
	chance *rand.Rand
}

// A Port is one machine's place in a Fabric.
type Port struct {
	fabric  *Fabric
	addr    netip.AddrPort
	packets chan *memberlist.Packet
	streams chan net.Conn
	open    bool
}

var _ memberlist.Transport = (*Port)(nil)

// Plug returns a new port at addr. It takes the place of one that was there.
func (f *Fabric) Plug(addr netip.AddrPort) *Port {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &Port{
		fabric: f, addr: addr, open: true,
		packets: make(chan *memberlist.Packet, packetRoom),
		streams: make(chan net.Conn, streamRoom),
	}
	if f.ports == nil {
		f.ports, f.island = map[netip.AddrPort]*Port{}, map[netip.AddrPort]int{}
	}
	f.ports[addr] = p
	return p
}

// Cut puts addrs on an island of their own: they reach each other and no one
// else. Whoever was on another island is moved.
func (f *Fabric) Cut(addrs ...netip.AddrPort) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cuts++
	for _, a := range addrs {
		f.island[a] = f.cuts
	}
}

// Heal puts everyone back on the mainland.
func (f *Fabric) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.island)
}

// Loss makes a share of all packets, 0 to 1, be lost from now on. Streams lose
// nothing: TCP would send again.
func (f *Fabric) Loss(share float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loss = share
	f.chance = rand.New(rand.NewPCG(1, 2))
}

// reach returns the open port at to, and whether from's packets get there. The
// caller holds mu.
func (f *Fabric) reach(from, to netip.AddrPort) (p *Port, routed bool) {
	if f.island[from] != f.island[to] {
		return nil, false
	}
	p = f.ports[to]
	if p == nil || !p.open {
		return nil, true
	}
	return p, true
}

func (f *Fabric) lost() bool { return f.loss > 0 && f.chance.Float64() < f.loss }

// FinalAdvertiseAddr returns the port's own address, whatever is asked for.
func (p *Port) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return p.addr.Addr().AsSlice(), int(p.addr.Port()), nil
}

// WriteTo sends a packet. That it is lost is no error.
func (p *Port) WriteTo(b []byte, to string) (time.Time, error) {
	now := time.Now()
	addr, err := netip.ParseAddrPort(to)
	if err != nil {
		return now, err
	}
	packet := &memberlist.Packet{Buf: append([]byte(nil), b...), From: net.UDPAddrFromAddrPort(p.addr), Timestamp: now}

	p.fabric.mu.Lock()
	defer p.fabric.mu.Unlock()
	q, _ := p.fabric.reach(p.addr, addr)
	if q == nil || !p.open || p.fabric.lost() {
		return now, nil
	}
	select {
	case q.packets <- packet:
	default:
	}
	return now, nil
}

// DialTimeout connects. An open port accepts or refuses at once; one that is
// cut off does not answer, and the whole timeout is spent.
func (p *Port) DialTimeout(to string, timeout time.Duration) (net.Conn, error) {
	addr, err := netip.ParseAddrPort(to)
	if err != nil {
		return nil, err
	}
	conn, err := p.dial(addr)
	if errors.Is(err, errUnreachable) {
		time.Sleep(timeout)
	}
	if err != nil {
		return nil, err
	}
	// memberlist writes its label before it sets a deadline, which without
	// this one would wait for ever for a machine that is gone.
	return conn, conn.SetDeadline(time.Now().Add(timeout))
}

func (p *Port) dial(to netip.AddrPort) (net.Conn, error) {
	p.fabric.mu.Lock()
	defer p.fabric.mu.Unlock()
	q, routed := p.fabric.reach(p.addr, to)
	switch {
	case !routed:
		return nil, errUnreachable
	case q == nil || !p.open:
		return nil, errRefused
	}
	near, far := net.Pipe()
	select {
	case q.streams <- far:
		return near, nil
	default:
		return nil, errRefused
	}
}

// PacketCh returns where packets arrive.
func (p *Port) PacketCh() <-chan *memberlist.Packet { return p.packets }

// StreamCh returns where connections arrive.
func (p *Port) StreamCh() <-chan net.Conn { return p.streams }

// Shutdown closes the port, and the connections that wait at it.
func (p *Port) Shutdown() error {
	p.fabric.mu.Lock()
	defer p.fabric.mu.Unlock()
	p.open = false
	for {
		select {
		case c := <-p.streams:
			c.Close()
		default:
			return nil
		}
	}
}
