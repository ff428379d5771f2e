package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/miekg/dns"
)

// ServeUDP answers on sockets of one address until ctx is done, closes them,
// and returns nil. A read that fails is counted and taken up again; an error
// means that a socket is of no more use, since someone else has closed it or
// since nothing but failures came from it for some seconds, and then all are
// closed.
//
// On Linux each socket has one reader: [ListenUDP] opens as many as there are
// processors. The reply to a socket bound to all addresses leaves from the one
// that was asked (RFC 2181, section 4). Elsewhere readers share a socket, and
// each address wants its own (see [WildcardReplies]).
func (s *Server) ServeUDP(ctx context.Context, pcs ...net.PacketConn) error {
	running, end := context.WithCancel(ctx)
	defer end()
	defer closeAll(pcs)
	defer context.AfterFunc(running, func() { closeAll(pcs) })()
	errs := make(chan error, len(pcs))
	var wg sync.WaitGroup
	for _, pc := range pcs {
		wg.Go(func() {
			defer end()
			if err := s.readSocket(running, pc, max(1, maxUDPReaders()/len(pcs))); err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil || len(errs) == 0 {
		return nil
	}
	return <-errs // the first is the cause
}

// A udpConn is a *net.UDPConn, or a socket that stands for one.
type udpConn interface {
	net.PacketConn
	syscall.Conn
	SetReadBuffer(octets int) error
}

// readSocket answers on one socket, by so many readers where it can have more
// than one.
func (s *Server) readSocket(ctx context.Context, pc net.PacketConn, readers int) error {
	if c, ok := pc.(udpConn); ok {
		return s.readConn(ctx, c, readers)
	}
	return s.readLoops(ctx, pc, readers)
}

// readLoops reads by the calls that every system has.
func (s *Server) readLoops(ctx context.Context, pc net.PacketConn, readers int) error {
	errs := make([]error, readers)
	var good atomic.Uint64
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			if errs[i] = s.readUDP(ctx, pc, &good); errs[i] != nil {
				pc.Close() // the others wait in vain
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	return errors.Join(errs...)
}

// readUDP reads, answers and writes in one goroutine: what is too much waits
// in the socket's buffer, and is lost there, and not in our memory. Reads that
// did not fail, of all the socket's readers, are counted in good.
func (s *Server) readUDP(ctx context.Context, pc net.PacketConn, good *atomic.Uint64) error {
	query, room := make([]byte, dns.MaxMsgSize), make([]byte, 0, 2*ednsSize)
	stripe := s.nextStripe()
	var p pause
	var seen uint64 // of good, when p began
	for {
		n, back, err := pc.ReadFrom(query)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // one bad datagram must not end the service: on Windows an oversized one is an error
			s.restarts.Add(1)
			after(ctx, p.next())
			if now := good.Load(); now != seen { // another reader's: the socket works
				p, seen = pause{}, now
			}
			if p.hopeless() {
				return err
			}
			continue
		}
		p, seen = pause{}, good.Add(1)
		if out := s.replyIn(stripe, room, query[:n], addrPort(back), overUDP, time.Now(), false); len(out) > 0 {
			pc.WriteTo(out, back) // nobody is there to be told if it fails
		}
	}
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
