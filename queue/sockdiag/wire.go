// Package sockdiag asks the Linux kernel which TCP sockets there are, and how
// full the accept queues of the listening ones stand: the sock_diag(7) netlink
// protocol, and the two counters of /proc/net that go with it.
//
// What is sent and received is built and read in portable files, so that their
// tests and fuzzing run everywhere; only the *_linux.go files talk to a kernel. Start
// with [Request], and on Linux with Conn.Dump.
package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// A Family is an address family by Linux's number. The connections that an
// IPv6 listener takes over IPv4 are of IPv6, with mapped addresses.
type Family uint8

// The two families that carry TCP (AF_INET and AF_INET6 on Linux).
const (
	IPv4 Family = 2
	IPv6 Family = 10
)

// A State is a TCP state by the kernel's number (include/net/tcp_states.h).
type State uint8

// The states worth asking for. A connection is established before it is
// accepted, so those that wait in an accept queue are among them.
const (
	Established State = 1
	Listen      State = 10
)

// A Request says which sockets a dump shall list, of both families.
//
// It is sent in the older of the two forms that sock_diag(7) knows, since that
// one lists both families in one walk through the kernel's table. The younger
// form wants a walk for each, and walking is most of the cost: figures are
// in DESIGN.md of package queue.
type Request struct {
	State State
	Drops bool     // fill in [Socket.Drops], 40 bytes a socket more
	Ports []uint16 // local ports; sorted and without repetition; empty is all
}

// A Socket is the part of struct inet_diag_msg (linux/inet_diag.h) that is of
// use here.
type Socket struct {
	Family Family
	State  State
	Local  netip.AddrPort // unmapped never: [::ffff:192.0.2.1]:25 stays so
	V6Only bool           // an IPv6 listener that takes no IPv4
	Depth  uint32         // Listen: connections that wait to be accepted; up to Limit + 1
	Limit  uint32         // Listen: min(backlog, somaxconn) as it was at listen(2)
	Inode  uint32         // the socket's for life; CPUs hand them out in blocks, so it is no age
	Cookie uint64         // never used again while the machine runs
	Drops  uint32         // Listen: SYNs and handshakes thrown away, for whatever reason
}

// What can be wrong with a dump. A refusal of the kernel is a [syscall.Errno].
var (
	ErrShort       = errors.New("sockdiag: message cut short")
	ErrInterrupted = errors.New("sockdiag: the table changed during the dump") // ask again
)

// linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h.
const (
	headerLen = 16 // struct nlmsghdr
	msgLen    = 72 // struct inet_diag_msg
	attrLen   = 4  // struct nlattr

	typeError  = 2
	typeDone   = 3
	typeSocket = 18 // TCPDIAG_GETSOCK, of requests and answers

	flagRequest   = 0x001
	flagInterrupt = 0x010 // NLM_F_DUMP_INTR
	flagDump      = 0x300

	attrBytecode  = 1  // INET_DIAG_REQ_BYTECODE
	attrMemory    = 7  // INET_DIAG_SKMEMINFO
	attrV6Only    = 11 // INET_DIAG_SKV6ONLY
	memoryDrops   = 8  // SK_MEMINFO_DROPS, an index of 32-bit words
	anyFamily     = 0
	idLen         = 48     // struct inet_diag_sockid
	attrTypeMask  = 0x3fff // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
	wantMemoryBit = 1 << (attrMemory - 1)
)

// append adds r to b as one netlink message. All numbers but addresses and
// ports are in the machine's own order.
func (r Request) append(b []byte, seq uint32) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0) // the length, known at the end
	b = binary.NativeEndian.AppendUint16(b, typeSocket)
	b = binary.NativeEndian.AppendUint16(b, flagRequest|flagDump)
	b = binary.NativeEndian.AppendUint32(b, seq)
	b = append(b, 0, 0, 0, 0) // our port, which the kernel fills in

	var want byte
	if r.Drops {
		want = wantMemoryBit
	}
	b = append(b, anyFamily, 0, 0, want)
	b = append(b, make([]byte, idLen)...) // no particular socket
	b = binary.NativeEndian.AppendUint32(b, 1<<r.State)
	b = append(b, 0, 0, 0, 0) // idiag_dbs, which the kernel does not read

	b = appendFilter(b, r.Ports)
	binary.NativeEndian.PutUint32(b[start:], uint32(len(b)-start))
	return b
}

// sockets hands every socket of one datagram to see, and reports whether the
// dump is complete. Messages that do not answer seq are of a dump given up
// earlier, and are passed over. b may hold anything.
func sockets(b []byte, seq uint32, see func(Socket)) (done bool, err error) {
	for len(b) > 0 {
		var m message
		if m, b, err = cut(b); err != nil {
			return false, err
		}
		if m.seq != seq {
			continue
		}
		if done, err = m.deliver(see); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// A message is one netlink message, its length believed.
type message struct {
	typ, flags uint16
	seq        uint32
	body       []byte
}

// cut takes the first message off b.
func cut(b []byte) (m message, rest []byte, err error) {
	if len(b) < headerLen {
		return message{}, nil, ErrShort
	}
	n := binary.NativeEndian.Uint32(b)
	if n < headerLen || uint64(n) > uint64(len(b)) {
		return message{}, nil, ErrShort
	}
	m = message{
		typ:   binary.NativeEndian.Uint16(b[4:]),
		flags: binary.NativeEndian.Uint16(b[6:]),
		seq:   binary.NativeEndian.Uint32(b[8:]),
		body:  b[headerLen:n],
	}
	return m, b[min(len(b), align(int(n))):], nil
}

func (m message) deliver(see func(Socket)) (done bool, err error) {
	if m.flags&flagInterrupt != 0 {
		return false, ErrInterrupted
	}
	switch m.typ {
	case typeDone, typeError:
		return m.typ == typeDone, m.errno()
	case typeSocket:
		s, err := parse(m.body)
		if err != nil {
			return false, err
		}
		see(s)
	}
	return false, nil
}

// errno reads the negative error number that ends a dump, 0 for a good end.
func (m message) errno() error {
	if len(m.body) < 4 {
		return ErrShort
	}
	if n := int32(binary.NativeEndian.Uint32(m.body)); n != 0 {
		return fmt.Errorf("sockdiag: refused by the kernel: %w", syscall.Errno(-int64(n)))
	}
	return nil
}

// parse reads one struct inet_diag_msg and the attributes after it.
func parse(b []byte) (Socket, error) {
	if len(b) < msgLen {
		return Socket{}, ErrShort
	}
	s := Socket{
		Family: Family(b[0]),
		State:  State(b[1]),
		Depth:  binary.NativeEndian.Uint32(b[56:]),
		Limit:  binary.NativeEndian.Uint32(b[60:]),
		Inode:  binary.NativeEndian.Uint32(b[68:]),
		Cookie: uint64(binary.NativeEndian.Uint32(b[44:])) | uint64(binary.NativeEndian.Uint32(b[48:]))<<32,
	}
	addr := netip.AddrFrom4([4]byte(b[8:12]))
	if s.Family == IPv6 {
		addr = netip.AddrFrom16([16]byte(b[8:24]))
	}
	s.Local = netip.AddrPortFrom(addr, binary.BigEndian.Uint16(b[4:]))
	return s, s.attributes(b[msgLen:])
}

// attributes fills in what stands in b; unknown ones are passed over, since
// every kernel adds some.
func (s *Socket) attributes(b []byte) error {
	for len(b) > 0 {
		if len(b) < attrLen {
			return ErrShort
		}
		n := int(binary.NativeEndian.Uint16(b))
		if n < attrLen || n > len(b) {
			return ErrShort
		}
		value := b[attrLen:n]
		switch typ := binary.NativeEndian.Uint16(b[2:]) & attrTypeMask; {
		case typ == attrV6Only && len(value) >= 1:
			s.V6Only = value[0] != 0
		case typ == attrMemory && len(value) >= 4*(memoryDrops+1):
			s.Drops = binary.NativeEndian.Uint32(value[4*memoryDrops:])
		}
		b = b[min(len(b), align(n)):]
	}
	return nil
}

// align rounds up to netlink's four bytes.
func align(n int) int { return (n + 3) &^ 3 }
