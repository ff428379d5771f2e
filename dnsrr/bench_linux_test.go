package dnsrr

import (
	"testing"

	"github.com/miekg/dns"
	"golang.org/x/sys/unix"
)

// What a datagram of a full batch costs beside the kernel, with its reply.
func BenchmarkBatch(b *testing.B) {
	for _, tt := range []struct{ name, addr string }{{"one address", "127.0.0.1:0"}, {"all addresses", "0.0.0.0:0"}} {
		b.Run(tt.name, func(b *testing.B) {
			s := serverOf(b, large(3), Options{})
			_, bat := bound(b, s, tt.addr)
			q := packed(b, ask("mail.test.", dns.TypeA))
			var said []byte
			if tt.addr == "0.0.0.0:0" {
				said = info4(1, "127.0.0.1")
			}
			for i := range batchSize {
				copy(bat.heads[i][:], q)
				copy(bat.room[i].from[:], []byte{unix.AF_INET, 0, 0x10, 0x92, 127, 0, byte(i), 1})
				copy(bat.room[i].control.octets[:], said)
			}
			b.ReportAllocs()
			for b.Loop() {
				bat.used = 0
				for i := range batchSize {
					bat.in[i].size, bat.in[i].Namelen = uint32(len(q)), unix.SizeofSockaddrInet4
					bat.in[i].SetControllen(len(said))
					bat.answer(i, &bat.out[i], noon)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batchSize), "ns/datagram")
		})
	}
}
