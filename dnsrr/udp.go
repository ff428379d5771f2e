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
// nil. A read that fails is counted and taken up again, so the only error is
// that of a socket that someone else has closed.
//
// On Linux the reply to a socket bound to all addresses leaves from the one
// that was asked (RFC 2181, section 4); elsewhere bind one socket an address.
func (s *Server) ServeUDP(ctx context.Context, pc net.PacketConn) error {
	defer pc.Close()
	stop := context.AfterFunc(ctx, func() { pc.Close() })
	defer stop()
	in := datagrams{pc: pc}
	if c, ok := pc.(*net.UDPConn); ok {
		in.udp = c
		if err := askDestination(c); err != nil {
			return err
		}
	}
	readers := min(runtime.GOMAXPROCS(0), maxReaders)
	errs := make([]error, readers)
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() { errs[i] = s.readUDP(ctx, in) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(errs...)
}

// readUDP reads, answers and writes in one goroutine: what is too much waits
// in the socket's buffer, and is lost there, and not in our memory.
func (s *Server) readUDP(ctx context.Context, in datagrams) error {
	query, room := make([]byte, dns.MaxMsgSize), make([]byte, 0, 2*ednsSize)
	var p pause
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
			continue
		}
		p = pause{}
		if out := s.reply(room, query[:n], from.addr, overUDP, time.Now(), false); len(out) > 0 {
			in.write(out, from) // nobody is there to be told if it fails
		}
	}
}

// datagrams is a UDP socket that remembers which of its addresses was asked.
type datagrams struct {
	pc  net.PacketConn
	udp *net.UDPConn // nil where pc is something else
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
