package dnsrr

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's own table of sockets is the witness of what was lost.
func TestDroppedIsCounted(t *testing.T) {
	s := published(t)
	pc, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	client := dialUDP(t, pc.LocalAddr().String())
	if err := pc.SetReadBuffer(1); err != nil { // the least there is
		t.Fatal(err)
	}
	for i := range 200 {
		send(t, client, numbered(t, i))
	}
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, own(pc)) })
	var lost uint64
	answered := 0
	for begun := time.Now(); lost+uint64(answered) < 200; lost = kernelDrops(t, pc) { // which may come late
		if time.Since(begun) > time.Minute {
			t.Fatalf("the kernel lost %d, and %d were answered, of 200", lost, answered)
		}
		client.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := client.Read(make([]byte, 512)); err == nil {
			answered++
		}
	}
	client.SetReadDeadline(time.Time{})
	if lost == 0 || answered == 0 {
		t.Fatalf("the kernel lost %d of 200", lost)
	}
	if got := s.Stats().Dropped; got != 0 {
		t.Errorf("dropped %d, before the kernel said so", got)
	}
	for range 2 {
		send(t, client, numbered(t, 1))
		receive(t, client)
		if got := s.Stats().Dropped; got != lost {
			t.Errorf("dropped %d, want %d", got, lost)
		}
	}
}

// kernelDrops is the last column of a socket's line (proc_net_udp(5)).
func kernelDrops(t *testing.T, c net.PacketConn) uint64 {
	t.Helper()
	f, err := os.Open("/proc/net/udp")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	port := fmt.Sprintf(":%04X", c.LocalAddr().(*net.UDPAddr).Port)
	for in := bufio.NewScanner(f); in.Scan(); {
		if w := strings.Fields(in.Text()); len(w) > 2 && strings.HasSuffix(w[1], port) {
			n, err := strconv.ParseUint(w[len(w)-1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no socket with port %s", port)
	return 0
}

// The kernel's count has 32 bits and goes round.
func TestDropsGoRound(t *testing.T) {
	var s Server
	b := batch{s: &s}
	for _, said := range []ancillary{{drops: 1<<32 - 3, counted: true}, {}, {drops: 2, counted: true}} {
		b.note(said)
	}
	if got := s.Stats().Dropped; got != 1<<32+2 {
		t.Errorf("dropped %d, want %d", got, 1<<32+2)
	}
}

func TestBatchEnlargesTheBuffer(t *testing.T) {
	_, b := bound(t, published(t), "127.0.0.1:0")
	var got int
	onSocket(t, b, func(fd int) (err error) {
		got, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
		return err
	})
	most, err := os.ReadFile("/proc/sys/net/core/rmem_max")
	if err != nil {
		t.Skip(err)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(most)))
	if err != nil {
		t.Fatal(err)
	}
	if got < min(udpBuffer, limit) {
		t.Errorf("room for %d octets, want %d", got, min(udpBuffer, limit))
	}
}

// cmsg is one control message, with its padding.
func cmsg(level, typ int, data ...byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	if unix.SizeofPtr == 8 {
		binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(len(data))))
	} else {
		binary.NativeEndian.PutUint32(b, uint32(unix.CmsgLen(len(data))))
	}
	binary.NativeEndian.PutUint32(b[unix.SizeofPtr:], uint32(level))
	binary.NativeEndian.PutUint32(b[unix.SizeofPtr+4:], uint32(typ))
	copy(b[unix.CmsgLen(0):], data)
	return b
}

// info4 and info6 are struct in_pktinfo (spec_dst is the same as addr) and
// in6_pktinfo.
func info4(index byte, a string) []byte {
	ip := netip.MustParseAddr(a).AsSlice()
	return cmsg(unix.IPPROTO_IP, unix.IP_PKTINFO, slices.Concat([]byte{index, 0, 0, 0}, ip, ip)...)
}

func info6(index byte, a string) []byte {
	return cmsg(unix.IPPROTO_IPV6, unix.IPV6_PKTINFO, append(netip.MustParseAddr(a).AsSlice(), index, 0, 0, 0)...)
}

func TestReadControl(t *testing.T) {
	drops := cmsg(unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 7, 0, 0, 0)
	for _, tt := range []struct {
		name string
		in   []byte
		back []byte
		lost bool
	}{
		{"nothing", nil, nil, false},
		{"an address is told, the interface is not", info4(3, "192.0.2.1"), info4(0, "192.0.2.1"), false},
		{"but for one of a link", info4(3, "169.254.1.2"), info4(3, "169.254.1.2"), false},
		{"the same of IPv6", info6(3, "2001:db8::1"), info6(0, "2001:db8::1"), false},
		{"and of its links", info6(3, "fe80::1"), info6(3, "fe80::1"), false},
		{"a loss comes before", slices.Concat(drops, info6(3, "2001:db8::1")), info6(0, "2001:db8::1"), true},
		{"or behind, or what nobody asked for", slices.Concat(cmsg(1, 29, 1, 2, 3), info4(3, "192.0.2.1"), drops), info4(0, "192.0.2.1"), true},
		{"cut off", info4(3, "192.0.2.1")[:unix.CmsgLen(11)], nil, false},
		{"of no length", make([]byte, 64), nil, false},
	} {
		got := readControl(slices.Clone(tt.in))
		back := make([]byte, len(tt.back)) // with the padding
		if copy(back, got.back); !slices.Equal(back, tt.back) || got.counted != tt.lost || tt.back == nil && got.back != nil {
			t.Errorf("%s: back % x, lost %v; want % x, %v", tt.name, got.back, got.counted, tt.back, tt.lost)
		}
		if tt.lost && got.drops != binary.NativeEndian.Uint32([]byte{7, 0, 0, 0}) {
			t.Errorf("%s: %d lost", tt.name, got.drops)
		}
	}
}

func FuzzReadControl(f *testing.F) {
	f.Add(info4(3, "192.0.2.1"))
	f.Add(slices.Concat(cmsg(unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 7, 0, 0, 0), info6(3, "2001:db8::1")))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := slices.Clone(b)
		got := readControl(b)
		if n := len(got.back); n > 0 && (n > len(b) || n != unix.CmsgLen(unix.SizeofInet4Pktinfo) && n != unix.CmsgLen(unix.SizeofInet6Pktinfo)) {
			t.Fatalf("% x: back % x", before, got.back)
		}
	})
}
