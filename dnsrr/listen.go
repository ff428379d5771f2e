package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"syscall"
)

// Sockets are what one address is answered on: the same port for UDP and TCP.
type Sockets struct {
	UDP []net.PacketConn // several only where the kernel spreads datagrams over them
	TCP net.Listener
}

// Addr is the address that is listened on, with the port that the system chose
// where none was given.
func (s Sockets) Addr() netip.AddrPort { return addrPort(s.TCP.Addr()) }

// Close closes all of them. Who serves them sees their end as that of a socket
// which someone else has closed.
func (s Sockets) Close() error {
	errs := []error{closeAll(s.UDP)}
	if s.TCP != nil {
		errs = append(errs, s.TCP.Close())
	}
	return errors.Join(errs...)
}

func closeAll(pcs []net.PacketConn) error {
	var errs []error
	for _, pc := range pcs {
		errs = append(errs, pc.Close())
	}
	return errors.Join(errs...)
}

// chances is how often the system may choose a port for UDP that TCP cannot
// have.
const chances = 20

// Listen takes an address for UDP and TCP, or neither. With port 0 the system
// chooses one that is free for both. 0.0.0.0 is every address of IPv4, [::] of
// both families. The error is the system's, as package net gives it.
func Listen(at netip.AddrPort) (s Sockets, err error) {
	for range chances {
		if s.UDP, err = ListenUDP(at); err != nil {
			return Sockets{}, err
		}
		if s.TCP, err = ListenTCP(addrPort(s.UDP[0].LocalAddr())); err == nil {
			return s, nil
		}
		closeAll(s.UDP)
		if at.Port() != 0 {
			break
		}
	}
	return Sockets{}, err
}

// ListenTCP takes an address for TCP alone.
func ListenTCP(at netip.AddrPort) (net.Listener, error) {
	return net.Listen(network("tcp", at), at.String())
}

// ListenUDP takes an address for UDP alone: on Linux with one socket a
// processor, at most 8, over which the kernel spreads the askers
// (SO_REUSEPORT), elsewhere with one. The first socket is bound without that
// option, so that a port which any other program has is refused, one that
// would share it too.
//
// On Linux nobody can have replies fragmented by a forged report of a narrow
// path (RFC 9715, section 3.1): paths are not measured (IP_PMTUDISC_OMIT), and
// no reply is longer than any path takes.
func ListenUDP(at netip.AddrPort) ([]net.PacketConn, error) {
	first, err := bindUDP(at, nil)
	if err != nil {
		return nil, err
	}
	all := []net.PacketConn{own(first)}
	raw, err := first.SyscallConn()
	if err != nil || share(raw) != nil {
		return all, nil
	}
	for len(all) < maxUDPReaders() {
		pc, err := bindUDP(addrPort(first.LocalAddr()), share)
		if err != nil { // fewer will do
			break
		}
		all = append(all, own(pc))
	}
	return all, nil
}

// udpBuffer is asked for to hold what comes while all readers are busy, in
// octets: some thousand queries, or about 30 ms of what one reader can answer.
// Systems give what they allow. More would only delay answers until nobody
// waits for them.
const udpBuffer = 4 << 20

// bindUDP makes one socket; last, if any, is called before it is bound.
func bindUDP(at netip.AddrPort, last func(syscall.RawConn) error) (*net.UDPConn, error) {
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		if err := early(raw, at.Addr().Unmap().IsUnspecified()); err != nil || last == nil {
			return err
		}
		return last(raw)
	}}
	pc, err := c.ListenPacket(context.Background(), network("udp", at), at.String())
	if err != nil {
		return nil, err
	}
	return pc.(*net.UDPConn), nil
}

// maxUDPReaders is how many goroutines read one address: one for each processor
// that we may run on, but beyond 8 they only wait for each other.
func maxUDPReaders() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU(), 8) }

// network keeps 0.0.0.0 to IPv4, which package net would open for both families.
func network(base string, at netip.AddrPort) string {
	if at.Addr().Is4() {
		return base + "4"
	}
	return base
}
