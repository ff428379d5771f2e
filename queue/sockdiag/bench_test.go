package sockdiag

import (
	"fmt"
	"net/netip"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("sockets=%d", n), func(b *testing.B) {
			var in []byte
			for i := range n {
				s := Socket{Family: IPv4, State: Established, Local: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), uint16(i))}
				in = append(in, dump([]Socket{s})...)
			}
			b.ReportAllocs()
			for b.Loop() {
				seen := 0
				if _, err := sockets(in, 7, func(Socket) { seen++ }); err != nil || seen != n {
					b.Fatal(seen, err)
				}
			}
		})
	}
}

func BenchmarkRequest(b *testing.B) {
	r := Request{State: Established, Ports: []uint16{25, 80, 110, 143, 443, 587, 993, 995}}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = r.append(out[:0], 1)
	}
}
