package dnsrr

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A socket leaves Go's poller once it is read by batches, for a [poller] of
// its own. Whoever has it may close it at any time.
type socket struct {
	*net.UDPConn // until it is read, and closed from then on: it still knows its address

	mu   sync.Mutex // guards the one below
	poll *poller    // once it is read
}

// own makes a socket of ours of one of package net's.
func own(c *net.UDPConn) net.PacketConn { return &socket{UDPConn: c} }

// rawOf is how c is read: out of Go's poller where it is ours and that can be
// had. A socket of another's stays, since closing it must still end its reader.
func rawOf(c udpConn) (syscall.RawConn, error) {
	if s, ok := c.(*socket); ok {
		if p, err := s.leave(); err == nil {
			return p, nil
		}
	}
	return c.SyscallConn()
}

// leave takes the socket out of Go's poller, for one reader: a second one finds
// it closed. An error changes nothing.
func (s *socket) leave() (*poller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := newPoller(s.UDPConn)
	if err != nil {
		return nil, err
	}
	s.poll = p
	s.UDPConn.Close() // that descriptor alone: p has another of the same socket
	return p, nil
}

// Close closes the socket, and returns when its reader has let go of it: then
// the port is free.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll != nil {
		return s.poll.Close()
	}
	return s.UDPConn.Close()
}

// A poller waits for datagrams of one socket by an epoll instance of its own
// (epoll(7)), which Go's poller watches in place of the socket. It is masked
// while reads find more and more: a thread that waits in Go's poller would be
// woken for each datagram that comes meanwhile, and for each reply that has
// left. It is one reader's, and anybody may close it.
type poller struct {
	fd    int                   // the socket
	epoll *os.File              // nobody closes fd while this is in use
	raw   syscall.RawConn       // of epoll
	busy  int                   // reads in a row that found more
	event unix.EpollEvent       // what is told
	read  func(fd uintptr) bool // what Read was given
	step  func(uintptr) bool    // try, bound once
	err   error                 // of the last try
}

// masked is how many reads in a row must have found more before it pays not to
// be told: after one, the next most often finds nothing.
const masked = 2

// arrivals asks to be told of each datagram that comes.
const arrivals = unix.EPOLLIN | unix.EPOLLET

// newPoller waits for c's socket by a descriptor of its own.
func newPoller(c *net.UDPConn) (*poller, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := &poller{}
	p.step = p.try
	failed := raw.Control(func(fd uintptr) { p.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err := errors.Join(failed, os.NewSyscallError("fcntl", err)); err != nil {
		return nil, err
	}
	if p.epoll, err = watch(p.fd); err != nil {
		unix.Close(p.fd)
		return nil, err
	}
	p.raw, err = p.epoll.SyscallConn()
	return p, err
}

// watch makes an epoll instance that tells of datagrams that come to fd, and
// has Go's poller watch it.
func watch(fd int) (*os.File, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	err = errors.Join(
		os.NewSyscallError("epoll_ctl", unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: arrivals})),
		os.NewSyscallError("fcntl", unix.SetNonblock(epoll, true)), // which os.NewFile takes as a wish
	)
	f := os.NewFile(uintptr(epoll), "epoll")
	if err := errors.Join(err, f.SetDeadline(time.Time{})); err != nil { // none can be set where Go's poller is not used
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read calls read with the socket's descriptor until it returns true, and
// waits in between. One reader may be in it at a time. The error is
// [net.ErrClosed] once the poller is closed.
func (p *poller) Read(read func(fd uintptr) bool) error {
	p.read, p.err = read, nil
	if p.raw.Read(p.step) != nil {
		return net.ErrClosed
	}
	return p.err
}

// try reads once; false is to wait. What comes while it is masked is told to
// nobody, so it reads once more before it lets the reader sleep.
func (p *poller) try(epoll uintptr) (done bool) {
	if p.read(uintptr(p.fd)) {
		if p.busy++; p.busy == masked {
			_ = p.tell(epoll, 0) // if not, it is told in vain
		}
		return true
	}
	if p.busy < masked {
		p.busy = 0
		return false
	}
	if p.err = p.tell(epoll, arrivals); p.err != nil {
		return true
	}
	p.busy = 0
	return p.read(uintptr(p.fd))
}

// tell changes which events are told; 0 is failures alone.
func (p *poller) tell(epoll uintptr, events uint32) error {
	p.event.Events = events
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(int(epoll), unix.EPOLL_CTL_MOD, p.fd, &p.event))
}

// Control calls f with the socket's descriptor, which stays open meanwhile.
func (p *poller) Control(f func(fd uintptr)) error {
	if p.raw.Control(func(uintptr) { f(uintptr(p.fd)) }) != nil {
		return net.ErrClosed
	}
	return nil
}

// Write is not supported: replies do not wait.
func (p *poller) Write(func(fd uintptr) bool) error { return errors.ErrUnsupported }

// Close ends a read, waits for it, and closes both descriptors, once: their
// numbers may soon be another's.
func (p *poller) Close() error {
	if p.epoll.Close() != nil {
		return net.ErrClosed
	}
	return os.NewSyscallError("close", unix.Close(p.fd))
}
