package sockdiag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
)

// words writes numbers as the machine does, so that the expected bytes below
// are right on any.
func words(n ...uint32) (b []byte) {
	for _, w := range n {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	return b
}

func halves(n ...uint16) (b []byte) {
	for _, h := range n {
		b = binary.NativeEndian.AppendUint16(b, h)
	}
	return b
}

func TestRequestBytes(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Request
		want [][]byte
	}{
		{"all that listen, with their drops", Request{State: Listen, Drops: true}, [][]byte{
			words(76), halves(18, 0x301), words(7, 0), // nlmsghdr: length, TCPDIAG_GETSOCK, REQUEST|DUMP, seq, port
			{0, 0, 0, 1 << 6}, make([]byte, 48), words(1<<10, 0), // any family, SKMEMINFO; any socket; LISTEN
		}},
		{"connections of two ports", Request{State: Established, Ports: []uint16{25, 443}}, [][]byte{
			words(76 + 40), halves(18, 0x301), words(7, 0),
			make([]byte, 52), words(1<<1, 0),
			halves(40, 1),                     // nlattr: length, INET_DIAG_REQ_BYTECODE
			{2, 8}, halves(20), halves(0, 25), // at least 25? else on to the next port
			{3, 8}, halves(12), halves(0, 25), // at most 25? else the same
			{1, 4}, halves(20), // it is: over the rest, to the end
			{2, 8}, halves(20), halves(0, 443), // at least 443? else 4 behind the end
			{3, 8}, halves(12), halves(0, 443),
		}},
	} {
		if got, want := tt.r.append(nil, 7), slices.Concat(tt.want...); !bytes.Equal(got, want) {
			t.Errorf("%s:\ngot  % x\nwant % x", tt.name, got, want)
		}
	}
}

// A fake writes what a kernel would.
type fake struct {
	typ, flags uint16
	seq        uint32
	body       []byte
}

func (f fake) append(b []byte) []byte {
	b = append(b, words(uint32(headerLen+len(f.body)))...)
	b = append(b, halves(f.typ, f.flags)...)
	b = append(b, words(f.seq, 0)...)
	b = append(b, f.body...)
	return append(b, make([]byte, align(len(b))-len(b))...)
}

// body is a struct inet_diag_msg of s, with the attributes a kernel adds.
func body(s Socket) []byte {
	b := append([]byte{byte(s.Family), byte(s.State), 0, 0}, make([]byte, msgLen-4)...)
	binary.BigEndian.PutUint16(b[4:], s.Local.Port())
	copy(b[8:24], s.Local.Addr().AsSlice())
	copy(b[44:], words(uint32(s.Cookie), uint32(s.Cookie>>32), 0, s.Depth, s.Limit, 0, s.Inode))
	b = append(b, halves(5, 8)...) // INET_DIAG_SHUTDOWN: one byte, and three to fill up
	b = append(b, 0, 0, 0, 0)
	b = append(b, halves(attrLen+36, attrMemory)...)
	b = append(b, words(0, 1, 2, 3, 4, 5, 6, 7, s.Drops)...)
	if s.V6Only {
		b = append(b, halves(5, attrV6Only)...)
		b = append(b, 1)
	}
	return b
}

var some = []Socket{
	{Family: IPv4, State: Listen, Local: netip.MustParseAddrPort("0.0.0.0:443"), Depth: 512, Limit: 511, Inode: 7, Cookie: 1 << 40, Drops: 9},
	{Family: IPv6, State: Listen, Local: netip.MustParseAddrPort("[::]:443"), V6Only: true},
	{Family: IPv6, State: Established, Local: netip.MustParseAddrPort("[::ffff:192.0.2.1]:25"), Depth: 1, Cookie: 3},
}

var zero = netip.MustParseAddrPort("0.0.0.0:0")

func dump(socks []Socket, more ...fake) (b []byte) {
	for _, s := range socks {
		b = fake{typ: typeSocket, flags: 2, seq: 7, body: body(s)}.append(b)
	}
	for _, f := range more {
		b = f.append(b)
	}
	return b
}

func TestSockets(t *testing.T) {
	end := fake{typ: typeDone, seq: 7, body: words(0)}
	minus := func(e syscall.Errno) []byte { return words(-uint32(e)) }
	for _, tt := range []struct {
		name string
		b    []byte
		want []Socket
		done bool
		err  error
	}{
		{"a dump goes on in the next datagram", dump(some), some, false, nil},
		{"done is the end", dump(some, end), some, true, nil},
		{"what comes behind the end is not read", dump(nil, end, fake{typ: typeSocket, seq: 7}), nil, true, nil},
		{"an earlier dump's rest is passed over", dump(nil, fake{typ: typeDone, seq: 6, body: words(0)}, fake{typ: typeSocket, seq: 7, body: body(some[0])}, end), some[:1], true, nil},
		{"an attribute with less in it than we look for", dump(nil, fake{typ: typeSocket, seq: 7, body: slices.Concat(body(Socket{})[:msgLen], halves(8, attrMemory), words(9), halves(4, attrV6Only))}), []Socket{{Local: zero}}, false, nil},
		{"so is what we do not know", dump(some[:1], fake{typ: 99, seq: 7, body: []byte{1}}, end), some[:1], true, nil},
		{"a refusal is its number", dump(nil, fake{typ: typeError, seq: 7, body: minus(22)}), nil, false, syscall.Errno(22)},
		{"a bad end as well", dump(some, fake{typ: typeDone, seq: 7, body: minus(12)}), some, true, syscall.Errno(12)},
		{"an interrupted dump says so", dump(nil, fake{typ: typeSocket, flags: flagInterrupt, seq: 7, body: body(some[0])}), nil, false, ErrInterrupted},
		{"a refusal without number", dump(nil, fake{typ: typeError, seq: 7}), nil, false, ErrShort},
		{"a socket cut short", dump(nil, fake{typ: typeSocket, seq: 7, body: body(some[0])[:msgLen-1]}), nil, false, ErrShort},
		{"an attribute longer than the message", dump(nil, fake{typ: typeSocket, seq: 7, body: append(body(some[0])[:msgLen], halves(9, 8)...)}), nil, false, ErrShort},
		{"an attribute shorter than itself", dump(nil, fake{typ: typeSocket, seq: 7, body: append(body(some[0])[:msgLen], halves(3, 8)...)}), nil, false, ErrShort},
	} {
		var got []Socket
		done, err := sockets(tt.b, 7, func(s Socket) { got = append(got, s) })
		if !slices.Equal(got, tt.want) || done != tt.done || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %v, %v, %v\nwant %v, %v, %v", tt.name, got, done, err, tt.want, tt.done, tt.err)
		}
	}
}

// A datagram that ends anywhere but between two messages is an error, and what
// came before it is right.
func TestSocketsCutAnywhere(t *testing.T) {
	whole := dump(some)
	first, second := len(dump(some[:1])), len(dump(some[:2]))
	for n := range whole {
		var got []Socket
		_, err := sockets(whole[:n], 7, func(s Socket) { got = append(got, s) })
		clean := n == 0 || n == first || n == second
		// The last bytes of a message only fill it up, and may be missing.
		filling := n == second-1 || n == second-2 || n == second-3
		if (err == nil) != (clean || filling) || !slices.Equal(got, some[:len(got)]) {
			t.Errorf("cut at %d of %d: %v, got %v", n, len(whole), err, got)
		}
	}
}

// The file is what Linux 6.18 on amd64 answered to the first request above in a
// network namespace of its own, while an IPv6-only and a dual listener with
// backlog 5 were open, with two connections waiting in the first, and an IPv4
// listener with backlog 1, four connections begun to it.
func TestSocketsOfAKernel(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the recording is of a little-endian machine")
	}
	b, err := os.ReadFile("testdata/listen-linux-6.18-amd64.bin")
	if err != nil {
		t.Fatal(err)
	}
	var got []Socket
	done, err := sockets(b, 1, func(s Socket) { got = append(got, s) })
	if !done || err != nil || len(got) != 3 {
		t.Fatalf("done %v, %v, got %v", done, err, got)
	}
	slices.SortFunc(got, func(a, b Socket) int { return a.Local.Compare(b.Local) })
	for i, want := range []Socket{
		{Family: IPv4, State: Listen, Local: netip.MustParseAddrPort("127.0.0.1:8110"), Depth: 2, Limit: 1, Drops: 2},
		{Family: IPv6, State: Listen, Local: netip.MustParseAddrPort("[::]:8025"), Limit: 5},
		{Family: IPv6, State: Listen, Local: netip.MustParseAddrPort("[::1]:8443"), Depth: 2, Limit: 5, V6Only: true},
	} {
		want.Inode, want.Cookie = got[i].Inode, got[i].Cookie
		if got[i] != want || want.Inode == 0 || want.Cookie == 0 {
			t.Errorf("got %+v, want %+v", got[i], want)
		}
	}
}

func FuzzSockets(f *testing.F) {
	f.Add(dump(some, fake{typ: typeDone, seq: 7, body: words(0)}))
	f.Add(dump(nil, fake{typ: typeError, seq: 7, body: words(1)}))
	f.Add(dump(some[:1], fake{typ: typeSocket, seq: 7, body: []byte{1}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		done, err := sockets(b, 7, func(Socket) { n++ })
		if n > len(b)/(headerLen+msgLen) {
			t.Fatalf("%d sockets out of %d bytes", n, len(b))
		}
		if len(b) == 0 && (done || err != nil) {
			t.Fatalf("nothing is the end: %v, %v", done, err)
		}
	})
}
