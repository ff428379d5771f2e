package dnsrr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/sys/unix"
)

// bound is a UDP socket of the test, and the batch that reads it.
func bound(t testing.TB, s *Server, addr string) (*net.UDPConn, *batch) {
	t.Helper()
	c := listenOrSkip(t, addr).(*net.UDPConn)
	t.Cleanup(func() { c.Close() })
	b, err := s.newBatch(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

// dialUDP is a client whose socket takes replies from addr alone.
func dialUDP(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

func send(t testing.TB, c net.Conn, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

func receive(t testing.TB, c net.Conn) []byte {
	t.Helper()
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

func portOf(c net.PacketConn) string {
	return strconv.Itoa(c.LocalAddr().(*net.UDPAddr).Port)
}

// Several clients ask at once, more than one batch holds, at every address of
// the socket. Each gets his own replies, in his order, from where he asked:
// the kernel drops what comes from elsewhere.
func TestBatchAnswersEachWhereItAsked(t *testing.T) {
	const each = 30
	for _, tt := range []struct {
		listen string
		ask    []string
	}{
		{"127.0.0.1:0", []string{"127.0.0.1", "127.0.0.1"}},
		{"[::1]:0", []string{"::1", "::1"}},
		{"0.0.0.0:0", []string{"127.0.0.1", "127.0.0.2", "127.0.0.1"}},
		{"[::]:0", []string{"127.0.0.1", "::1", "127.0.0.2", "::1"}},
	} {
		s := published(t)
		pc := listenOrSkip(t, tt.listen)
		var clients []net.Conn
		for _, a := range tt.ask {
			clients = append(clients, dialUDP(t, net.JoinHostPort(a, portOf(pc))))
		}
		for i := range each {
			for _, c := range clients {
				send(t, c, numbered(t, i))
			}
		}
		serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
		for k, c := range clients {
			for i := range each {
				got := receive(t, c)
				if id := number(got, 0); id != i || code(got) != "NOERROR" {
					t.Fatalf("bound to %s, client %d: reply %d is %d %s", tt.listen, k, i, id, code(got))
				}
			}
		}
	}
}

func listenOrSkip(t testing.TB, addr string) net.PacketConn {
	t.Helper()
	pc, err := net.ListenPacket("udp", addr)
	if err != nil {
		t.Skipf("no such address here: %v", err)
	}
	return pc
}

// What a client is known by does not depend on the socket he comes to.
func TestBatchKnowsTheAsker(t *testing.T) {
	for _, tt := range []struct{ listen, ask, want string }{
		{"127.0.0.1:0", "127.0.0.1", "127.0.0.1"},
		{"[::]:0", "127.0.0.1", "127.0.0.1"},
		{"[::]:0", "::1", "::1"},
	} {
		c, b := bound(t, published(t), tt.listen)
		client := dialUDP(t, net.JoinHostPort(tt.ask, portOf(c)))
		send(t, client, numbered(t, 1))
		if err := b.turn(); err != nil {
			t.Fatal(err)
		}
		want := netip.AddrPortFrom(netip.MustParseAddr(tt.want), addrPort(client.LocalAddr()).Port())
		if got := b.room[0].from.addrPort(); got != want {
			t.Errorf("bound to %s: asker %v, want %v", tt.listen, got, want)
		}
	}
}

// A batch is one of everything: what is silence, what is malformed and what is
// too long do not shift the replies of the others.
func TestBatchOfAllKinds(t *testing.T) {
	s := published(t)
	c, b := bound(t, s, "127.0.0.1:0")
	client := dialUDP(t, c.LocalAddr().String())
	long := func(b []byte, size int) []byte { return append(b, make([]byte, size-len(b))...) }
	answer := numbered(t, 3)
	answer[2] |= 0x80
	whole := ask("mail.test.", dns.TypeA).SetEdns0(4096, false)
	whole.Id = 7
	pad := &dns.EDNS0_PADDING{}
	whole.IsEdns0().Option = []dns.EDNS0{pad}
	pad.Padding = make([]byte, maxQuery-whole.Len())
	more := whole.Copy()
	more.Id = 8
	for _, q := range [][]byte{
		numbered(t, 1), nil, []byte("short"), answer, long(numbered(t, 4), 100), long(numbered(t, 5), maxQuery+1),
		long(numbered(t, 6), 60_000), packed(t, whole), append(packed(t, more), 0),
		long(make([]byte, headerLen), maxQuery+1), numbered(t, 9),
	} {
		send(t, client, q)
	}
	for range 10 {
		send(t, client, []byte("short"))
	}
	var got []string
	for len(got) < 8 {
		if err := b.turn(); err != nil {
			t.Fatal(err)
		}
		for range b.answered() {
			reply := receive(t, client)
			got = append(got, fmt.Sprint(number(reply, 0), " ", code(reply)))
		}
	}
	want := []string{"1 NOERROR", "4 FORMERR", "5 FORMERR", "6 FORMERR", "7 NOERROR", "8 FORMERR", "0 FORMERR", "9 NOERROR"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// answered is how many replies the kernel took of the last batch.
func (b *batch) answered() (n int) {
	for i := range b.out {
		if b.out[i].size > 0 {
			n, b.out[i].size = n+1, 0
		}
	}
	return n
}

// A socket that is told what ICMP says of its replies fails its next read, and
// goes on.
func TestICMPErrorDoesNotEndTheBatch(t *testing.T) {
	s := published(t)
	c, b := bound(t, s, "127.0.0.1:0")
	gone := dialUDP(t, c.LocalAddr().String())
	send(t, gone, numbered(t, 1))
	gone.Close()
	onSocket(t, b, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_RECVERR, 1) })
	if err := b.turn(); err != nil {
		t.Fatal(err)
	}
	onSocket(t, b, func(fd int) error { // until the error has come
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd)}}, -1)
		for err == unix.EINTR {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd)}}, -1)
		}
		return err
	})
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, c) })
	client := dialUDP(t, c.LocalAddr().String())
	send(t, client, numbered(t, 2))
	if got := code(receive(t, client)); got != "NOERROR" {
		t.Errorf("%s, want an answer", got)
	}
	if got := s.Stats(); got.Restarts != 1 || got.Shed != 0 {
		t.Errorf("%d restarts, %d shed, want one restart", got.Restarts, got.Shed)
	}
}

// onSocket does something to a batch's socket.
func onSocket(t *testing.T, b *batch, do func(fd int) error) {
	t.Helper()
	var err error
	if failed := b.raw.Control(func(fd uintptr) { err = do(int(fd)) }); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
}

// A full socket is not waited for, and one reply that cannot be sent is not
// all.
func TestDeliverNeverWaits(t *testing.T) {
	const all = 10
	for _, tt := range []struct {
		name  string
		errno syscall.Errno // of the 5th reply, once for each time that it is tried
		tries int           // sends
		shed  uint64
	}{
		{"all at once", 0, 1, 0},
		{"no room", unix.EAGAIN, 2, 6},
		{"no buffers", unix.ENOBUFS, 2, 6},
		{"forbidden", unix.EPERM, 3, 1},
	} {
		var s Server
		tries, sent := 0, 0
		b := batch{s: &s}
		b.send = func(_ uintptr, out []message) (int, syscall.Errno) {
			tries++
			switch at := all - len(out); {
			case tt.errno == 0 || at > 4:
				sent += len(out)
				return len(out), 0
			case at == 4:
				return 0, tt.errno
			default:
				sent += 4 - at
				return 4 - at, 0
			}
		}
		b.deliver(0, make([]message, all))
		if got := s.Stats().Shed; tries != tt.tries || got != tt.shed || uint64(sent)+got != all {
			t.Errorf("%s: %d tries, %d sent, %d shed; want %d tries, %d shed", tt.name, tries, sent, got, tt.tries, tt.shed)
		}
	}
}

// Who closes the socket under a reader that waits wakes him, and he says so.
func TestBatchEndsWithTheSocket(t *testing.T) {
	s := published(t)
	c, _ := bound(t, s, "127.0.0.1:0")
	done := make(chan error)
	go func() { done <- s.ServeUDP(t.Context(), c) }()
	client := dialUDP(t, c.LocalAddr().String())
	send(t, client, numbered(t, 1))
	receive(t, client)
	c.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want %v", err, net.ErrClosed)
	}
}

func TestBatchAllocatesNothing(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::]:0"} {
		c, b := bound(t, published(t), listen)
		client := dialUDP(t, net.JoinHostPort("127.0.0.1", portOf(c)))
		q, reply := numbered(t, 1), make([]byte, 512)
		exchange := func() {
			for range 3 {
				client.Write(q)
			}
			for n := 0; n < 3; n += b.answered() {
				if err := b.turn(); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				if _, err := client.Read(reply); err != nil {
					t.Fatal(err)
				}
			}
		}
		exchange()
		if n := testing.AllocsPerRun(200, exchange); n != 0 {
			t.Errorf("bound to %s: %v allocations", listen, n)
		}
	}
}

// A reply that is longer than the room that each has does not take that of the
// others.
func TestLongRepliesHavePlace(t *testing.T) {
	s := published(t)
	s.Configure(Options{Identity: strings.Repeat("x", replySize)})
	pc := listenUDP(t, "127.0.0.1:0")
	c, err := net.Dial("udp", pc.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	q := ask("mail.test.", dns.TypeA).SetEdns0(1232, false)
	q.IsEdns0().Option = append(q.IsEdns0().Option, &dns.EDNS0_NSID{Code: dns.EDNS0NSID})
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	for range batchSize {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
	c.SetReadDeadline(time.Now().Add(time.Minute))
	for range batchSize {
		if n, err := c.Read(make([]byte, 4096)); err != nil || n < replySize {
			t.Fatalf("%d octets, %v", n, err)
		}
	}
}
