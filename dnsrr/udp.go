package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// maxReaders bounds the goroutines that read one UDP socket, each with its own
// buffer: beyond a few they only wait for each other.
const maxReaders = 8

// ServeUDP answers on pc until ctx is done, and closes pc; then it returns
// nil. A read that fails is counted and taken up again, so the only errors are
// that of a socket that someone else has closed, and that of one which will not
// say to which address it was asked.
//
// On Linux the reply to a socket bound to all addresses leaves from the one
// that was asked (RFC 2181, section 4); elsewhere bind one socket an address.
// There, too, one goroutine reads a socket: give ServeUDP several of one address
// (SO_REUSEPORT) to use more than one processor.
func (s *Server) ServeUDP(ctx context.Context, pc net.PacketConn) error {
	defer pc.Close()
	stop := context.AfterFunc(ctx, func() { pc.Close() })
	defer stop()
	read := s.readLoops
	if c, ok := pc.(*net.UDPConn); ok {
		read = func(ctx context.Context, _ net.PacketConn) error { return s.readConn(ctx, c) }
	}
	if err := read(ctx, pc); ctx.Err() == nil {
		return err
	}
	return nil
}

// readLoops reads by the calls that every system has.
func (s *Server) readLoops(ctx context.Context, pc net.PacketConn) error {
	readers := min(runtime.GOMAXPROCS(0), maxReaders)
	errs := make([]error, readers)
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() { errs[i] = s.readUDP(ctx, pc) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// readUDP reads, answers and writes in one goroutine: what is too much waits
// in the socket's buffer, and is lost there, and not in our memory.
func (s *Server) readUDP(ctx context.Context, pc net.PacketConn) error {
	query, room := make([]byte, dns.MaxMsgSize), make([]byte, 0, 2*ednsSize)
	stripe := s.nextStripe()
	var p pause
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
			continue
		}
		p = pause{}
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
