package main

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// replySize is room for an answer, which EDNS allows 1232 octets.
const replySize = 1536

// A socket is a link of Linux, which moves many datagrams by a call. Its calls
// are raw: they never wait, and the thread does nothing else.
type socket struct {
	fd      uintptr
	in, out [batch]message
	inVec   [batch]unix.Iovec
	outVec  [batch]unix.Iovec
	room    [batch][replySize]byte
	got     [batch][]byte
}

// A message is struct mmsghdr: size is what was received or sent.
type message struct {
	unix.Msghdr
	size uint32
}

// dial opens sockets that are connected to a port of 127.0.0.1.
func dial(port, sockets int) (links []link, err error) {
	for range sockets {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return nil, os.NewSyscallError("socket", err)
		}
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<20) // as much as the system gives
		if err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			return nil, os.NewSyscallError("connect", err)
		}
		links = append(links, newSocket(uintptr(fd)))
	}
	return links, nil
}

func newSocket(fd uintptr) *socket {
	s := &socket{fd: fd}
	for i := range batch {
		s.inVec[i].Base = &s.room[i][0]
		s.inVec[i].SetLen(replySize)
		s.in[i].Iov, s.out[i].Iov = &s.inVec[i], &s.outVec[i]
		s.in[i].SetIovlen(1)
		s.out[i].SetIovlen(1)
	}
	return s
}

func (s *socket) receive() ([][]byte, error) {
	n, errno := call(unix.SYS_RECVMMSG, s.fd, s.in[:])
	if errno != 0 {
		return nil, lasting("recvmmsg", errno)
	}
	for i := range n {
		s.got[i] = s.room[i][:s.in[i].size]
	}
	return s.got[:n], nil
}

func (s *socket) send(b []byte, size int) error {
	out := s.out[:len(b)/size]
	for i := range out {
		s.outVec[i].Base = &b[i*size]
		s.outVec[i].SetLen(size)
	}
	for len(out) > 0 {
		n, errno := call(unix.SYS_SENDMMSG, s.fd, out)
		if errno == 0 {
			out = out[n:]
		} else if err := lasting("sendmmsg", errno); err != nil {
			return err
		}
	}
	return nil
}

// lasting is the error of a call that would fail again.
func lasting(what string, errno syscall.Errno) error {
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return nil
	}
	return os.NewSyscallError(what, errno)
}

func call(trap, fd uintptr, m []message) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall6(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(m))), uintptr(len(m)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}
