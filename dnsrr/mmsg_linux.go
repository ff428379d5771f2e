package dnsrr

import (
	"encoding/binary"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A message is struct mmsghdr of recvmmsg(2): size is what was received or
// sent. The language adds the padding that C does.
type message struct {
	unix.Msghdr
	size uint32
}

// recvmmsg takes the datagrams that wait, and waits for none.
func recvmmsg(fd uintptr, in []message) (int, syscall.Errno) {
	return call(unix.SYS_RECVMMSG, fd, in)
}

// sendmmsg sends what the socket has room for. An error is of the first.
func sendmmsg(fd uintptr, out []message) (int, syscall.Errno) {
	return call(unix.SYS_SENDMMSG, fd, out)
}

// call is raw, since a call that never sleeps needs no other thread to take
// over meanwhile. The pointer stays valid: it is made a number in the call
// itself (unsafe.Pointer, rule 4), and all that the messages point to is
// reachable by pointers of Go and does not move on the heap.
func call(trap, fd uintptr, m []message) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall6(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(m))), uintptr(len(m)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}

// prepare sets the socket's options. All addresses is a socket that is bound to
// none: of each datagram the kernel then says to which it came.
func prepare(raw syscall.RawConn, allAddresses bool) error {
	var err error
	failed := raw.Control(func(fd uintptr) {
		enlarge(int(fd))
		if allAddresses {
			err = askDestination(int(fd))
		}
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1) // without, losses are not counted
	})
	if failed != nil {
		return failed
	}
	return os.NewSyscallError("setsockopt", err)
}

// enlarge gives the socket room for a burst, beyond the system's limit where
// that is allowed. A socket that stays small works, and loses sooner.
func enlarge(fd int) {
	have, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err == nil && have >= udpBuffer {
		return
	}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, udpBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, udpBuffer)
	}
}

// askDestination has the kernel say of each datagram to which address it came.
// A socket of IPv6 says so of mapped addresses too.
func askDestination(fd int) error {
	family, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	if family == unix.AF_INET6 {
		return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO, 1)
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1)
}

// A sockaddr is struct sockaddr_in or sockaddr_in6, as octets.
type sockaddr [unix.SizeofSockaddrInet6]byte

func (a *sockaddr) family() uint16 { return binary.NativeEndian.Uint16(a[:]) }

// A control is room for what the kernel says beside a datagram, twice of what
// was asked for, aligned as the kernel expects it.
type control struct {
	_      [0]uintptr
	octets [128]byte
}

// An ancillary is what the kernel said beside a datagram.
type ancillary struct {
	drops   uint32 // datagrams the socket has lost in its life
	counted bool   // drops was said
	back    []byte // the message that has the reply leave from the address that was asked
}

// readControl reads the control messages in b (cmsg(3)) up to the first that
// is cut off. In b it makes the one that back is fit for a reply: the
// interface is named for an address of one link alone (RFC 3927; RFC 4291,
// section 2.5.6), else the routes decide.
func readControl(b []byte) (a ancillary) {
	for len(b) >= unix.SizeofCmsghdr {
		size := wordAt(b)
		if size < uint64(unix.CmsgLen(0)) || size > uint64(len(b)) {
			break
		}
		a.read(b[:size])
		b = b[min(len(b), unix.CmsgSpace(int(size)-unix.CmsgLen(0))):]
	}
	return a
}

// read takes one whole message.
func (a *ancillary) read(m []byte) {
	type kind struct{ level, typ, size int }
	const word = unix.SizeofPtr
	data := m[unix.CmsgLen(0):]
	switch (kind{number32(m[word:]), number32(m[word+4:]), len(data)}) {
	case kind{unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 4}:
		a.drops, a.counted = binary.NativeEndian.Uint32(data), true
	case kind{unix.IPPROTO_IP, unix.IP_PKTINFO, unix.SizeofInet4Pktinfo}:
		if data[8] != 169 || data[9] != 254 {
			clear(data[:4])
		}
		a.back = m
	case kind{unix.IPPROTO_IPV6, unix.IPV6_PKTINFO, unix.SizeofInet6Pktinfo}:
		if data[0] != 0xfe || data[1]&0xc0 != 0x80 {
			clear(data[16:])
		}
		a.back = m
	}
}

func number32(b []byte) int { return int(int32(binary.NativeEndian.Uint32(b))) }

// wordAt is the length at the head of a control message, of the machine's size.
func wordAt(b []byte) uint64 {
	if unix.SizeofPtr == 8 {
		return binary.NativeEndian.Uint64(b)
	}
	return uint64(binary.NativeEndian.Uint32(b))
}
