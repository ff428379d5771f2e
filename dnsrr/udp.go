package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// ServeUDP answers on sockets of one address until ctx is done, closes them,
// and returns nil. They share [ListenUDP]'s number of readers, each at least
// one. A read that fails is counted and taken up again; an error means that a
// socket is of no more use, since someone else has closed it or since nothing
// but failures came from it for some seconds, and then all are closed.
//
// On Linux the reply to a socket bound to all addresses leaves from the one
// that was asked (RFC 2181, section 4); elsewhere bind one socket an address
// (see [WildcardReplies]).
func (s *Server) ServeUDP(ctx context.Context, pcs ...net.PacketConn) error {
	running, end := context.WithCancel(ctx)
	defer end()
	defer closeAll(pcs)
	defer context.AfterFunc(running, func() { closeAll(pcs) })()
	readers := max(1, maxUDPReaders()/max(1, len(pcs))) // of each
	errs := make(chan error, len(pcs)*readers)
	var wg sync.WaitGroup
	for _, pc := range pcs {
		in, err := newDatagrams(pc)
		if err != nil {
			errs <- err
			end()
			break
		}
		for range readers {
			wg.Go(func() {
				defer end()
				if err := s.readUDP(running, in); err != nil {
					errs <- err
				}
			})
		}
	}
	wg.Wait()
	if ctx.Err() != nil || len(errs) == 0 {
		return nil
	}
	return <-errs // the first is the cause
}

// readUDP reads, answers and writes in one goroutine: what is too much waits
// in the socket's buffer, and is lost there, and not in our memory.
func (s *Server) readUDP(ctx context.Context, in datagrams) error {
	query, room := make([]byte, dns.MaxMsgSize), make([]byte, 0, 2*ednsSize)
	var p pause
	var seen uint64 // of in.good, when p began
	for {
		n, from, err := in.read(query)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // one bad datagram must not end the service: on Windows an oversized one is an error
			s.restarts.Add(1)
			after(ctx, p.next())
			if good := in.good.Load(); good != seen { // another reader's: the socket works
				p, seen = pause{}, good
			}
			if p.hopeless() {
				return err
			}
			continue
		}
		p, seen = pause{}, in.good.Add(1)
		if out := s.reply(room, query[:n], from.addr, overUDP, time.Now(), false); len(out) > 0 {
			in.write(out, from) // nobody is there to be told if it fails
		}
	}
}

// datagrams is a UDP socket that remembers which of its addresses was asked.
type datagrams struct {
	pc   net.PacketConn
	udp  *net.UDPConn   // nil where pc is something else
	good *atomic.Uint64 // reads that did not fail, of all its readers
}

func newDatagrams(pc net.PacketConn) (datagrams, error) {
	d := datagrams{pc: pc, good: new(atomic.Uint64)}
	c, ok := pc.(*net.UDPConn)
	if !ok {
		return d, nil
	}
	d.udp = c
	return d, askDestination(c)
}

// An origin is where a datagram came from and, by whichever of the last two
// is set, the way back.
type origin struct {
	addr    netip.AddrPort
	session *dns.SessionUDP
	back    net.Addr
}

func (d datagrams) read(b []byte) (int, origin, error) {
	if d.udp != nil {
		n, session, err := dns.ReadFromSessionUDP(d.udp, b)
		if err != nil {
			return 0, origin{}, err
		}
		return n, origin{addr: addrPort(session.RemoteAddr()), session: session}, nil
	}
	n, back, err := d.pc.ReadFrom(b)
	if err != nil {
		return 0, origin{}, err
	}
	return n, origin{addr: addrPort(back), back: back}, nil
}

func (d datagrams) write(b []byte, to origin) error {
	if to.session != nil {
		_, err := dns.WriteToSessionUDP(d.udp, b, to.session)
		return err
	}
	_, err := d.pc.WriteTo(b, to.back)
	return err
}

// addrPort reads an address of any kind; one that is no IP address has port 0.
func addrPort(a net.Addr) netip.AddrPort {
	switch a := a.(type) {
	case *net.UDPAddr:
		return a.AddrPort()
	case *net.TCPAddr:
		return a.AddrPort()
	}
	return netip.AddrPort{}
}
