package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	batchSize  = 32       // datagrams of one call: from 16 on, more save nothing that can be measured
	maxQuery   = 4096     // octets of a query; what is longer is malformed
	shortQuery = 256      // octets that nearly every query fits in
	replySize  = ednsSize // room for a reply over UDP
)

// WildcardReplies says whether the reply to a query that came to a socket bound
// to all addresses leaves from the one that was asked.
const WildcardReplies = true

// readConn answers on c until it is closed, batch by batch. Two readers of one
// socket would only wait for each other.
func (s *Server) readConn(ctx context.Context, c udpConn, _ int) error {
	b, err := s.newBatch(c)
	if err != nil {
		return err
	}
	b.stay = true
	var p pause
	for {
		err := b.turn()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // what ICMP says of another must not end the service
			s.restarts.Add(1)
			if after(ctx, p.next()); p.hopeless() {
				return err
			}
		default:
			p = pause{}
		}
	}
}

// A batch takes all datagrams that wait on a socket, answers them and gives the
// answers back, in two calls of the kernel and without allocation. It is one
// goroutine's, and must not move: its messages point into it.
type batch struct {
	s      *Server
	stripe int
	raw    syscall.RawConn
	step   func(fd uintptr) bool // exchange, bound once
	send   func(fd uintptr, out []message) (int, syscall.Errno)
	stay   bool   // a turn goes on while datagrams come one by one
	err    error  // of the last exchange
	drops  uint32 // what the kernel said last

	in, out [batchSize]message
	room    [batchSize]room

	// Octets lie close together where most are short, so that a batch touches
	// few pages of memory.
	heads   [batchSize][shortQuery]byte
	tails   [batchSize][maxQuery - shortQuery]byte
	long    [maxQuery]byte // a query that needs both, in one piece
	replies [batchSize * replySize]byte
	used    int // of replies
}

// A room is all that one datagram and its reply need beside their octets. The
// reply goes back by the address as it came, with its scope, if it has one.
type room struct {
	vecIn   [2]unix.Iovec
	vecOut  unix.Iovec
	control control
	from    sockaddr
}

// newBatch prepares a socket and a batch for it.
func (s *Server) newBatch(c udpConn) (*batch, error) {
	raw, err := rawOf(c)
	if err != nil {
		return nil, err
	}
	if err := prepare(raw, isWildcard(c.LocalAddr())); err != nil {
		return nil, err
	}
	b := &batch{s: s, stripe: s.nextStripe(), raw: raw, send: sendmmsg}
	b.step = b.exchange
	for i := range b.room {
		r, in := &b.room[i], &b.in[i]
		for k, part := range [][]byte{b.heads[i][:], b.tails[i][:]} {
			r.vecIn[k].Base = &part[0]
			r.vecIn[k].SetLen(len(part))
		}
		in.Name, in.Iov, in.Control = &r.from[0], &r.vecIn[0], &r.control.octets[0]
		in.SetIovlen(len(r.vecIn))
		b.arm(i)
	}
	return b, nil
}

// isWildcard reports that a socket is bound to all addresses.
func isWildcard(a net.Addr) bool { return addrPort(a).Addr().Unmap().IsUnspecified() }

// arm says again how much room there is, which the kernel has overwritten by
// how much it used.
func (b *batch) arm(i int) {
	b.in[i].Namelen = uint32(len(b.room[i].from))
	b.in[i].SetControllen(len(b.room[i].control.octets))
}

// turn waits for datagrams and answers them. It parks where all of Go waits,
// so that closing the socket ends it.
func (b *batch) turn() error {
	if err := b.raw.Read(b.step); err != nil {
		return err
	}
	return b.err
}

// exchange takes what is there, and answers it; false is to wait for more. The
// runtime asks the kernel for edges, so whatever comes after this call began is
// told, and a call that only finds nothing is saved where queries come one by
// one.
func (b *batch) exchange(fd uintptr) (done bool) {
	n, errno := recvmmsg(fd, b.in[:])
	switch errno {
	case 0:
		b.err = nil
	case unix.EAGAIN:
		return false
	case unix.EINTR:
		b.err = nil
		return true
	default:
		b.err = errno
		return true
	}
	now, answered := time.Now(), 0
	b.used = 0
	for i := range n {
		if b.answer(i, &b.out[answered], now) {
			answered++
		}
	}
	b.deliver(fd, b.out[:answered])
	return n > 1 || !b.stay // one alone is most often the last, and what comes now wakes us by itself
}

// answer makes out the reply to the i-th datagram; false is silence.
func (b *batch) answer(i int, out *message, now time.Time) bool {
	in, r := &b.in[i], &b.room[i]
	query := b.query(i)
	from, size := r.from.addrPort(), in.Namelen
	said := readControl(r.control.octets[:in.Controllen])
	b.arm(i)
	b.note(said)
	reply := b.s.replyIn(b.stripe, b.replies[b.used:b.used:b.used+replySize], query, from, overUDP, now, false)
	if len(reply) == 0 {
		return false
	}
	if len(reply) <= replySize { // a longer one has moved away
		b.used += len(reply)
	}
	r.address(out, reply, size, said.back)
	return true
}

// query is the octets of the i-th datagram.
func (b *batch) query(i int) []byte {
	size := int(b.in[i].size)
	switch {
	case b.in[i].Flags&unix.MSG_TRUNC != 0:
		return b.heads[i][:headerLen+1] // which no count of its header fits
	case size <= shortQuery:
		return b.heads[i][:size]
	}
	copy(b.long[:], b.heads[i][:])
	copy(b.long[shortQuery:], b.tails[i][:size-shortQuery])
	return b.long[:size]
}

// address makes out the message that takes the reply to where the query came
// from, whose address has size octets, and from where it was asked.
func (r *room) address(out *message, reply []byte, size uint32, back []byte) {
	r.vecOut.Base = &reply[0]
	r.vecOut.SetLen(len(reply))
	out.Name, out.Namelen, out.Iov = &r.from[0], size, &r.vecOut
	out.SetIovlen(1)
	out.Control = nil
	if len(back) > 0 {
		out.Control = &back[0]
	}
	out.SetControllen(len(back))
}

// note counts what was thrown away since the kernel last said so. Its count is
// of 32 bits, and comes with those datagrams alone that came after a loss.
func (b *batch) note(said ancillary) {
	if !said.counted {
		return
	}
	if n := said.drops - b.drops; n > 0 {
		b.s.dropped.Add(uint64(n))
		b.drops = said.drops
	}
}

// deliver sends the replies, and waits for nothing: where there is no room for
// one there is none for the rest. Who is not answered asks again, and may ask
// another.
func (b *batch) deliver(fd uintptr, out []message) {
	for len(out) > 0 {
		n, errno := b.send(fd, out)
		switch errno {
		case 0:
			out = out[n:]
		case unix.EINTR:
		case unix.EAGAIN, unix.ENOBUFS:
			b.s.shed.Add(uint64(len(out)))
			return
		default: // the first cannot be sent, such as for a firewall; the others may
			b.s.shed.Add(1)
			out = out[1:]
		}
	}
}

// addrPort reads an address of IPv4 or IPv6, without its scope; one of another
// kind has port 0. A mapped address is one of IPv4.
func (a *sockaddr) addrPort() netip.AddrPort {
	port := uint16(number(a[:], 2))
	switch a.family() {
	case unix.AF_INET:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[4:])), port)
	case unix.AF_INET6:
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte(a[8:])).Unmap(), port)
	}
	return netip.AddrPort{}
}
