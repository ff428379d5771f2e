package node

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/queue"
)

func BenchmarkAppendFact(b *testing.B) {
	f := pleading()
	buf := make([]byte, 0, MaxFact)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = appendFact(buf[:0], f)
	}
}

func BenchmarkDecodeFact(b *testing.B) {
	in := encoded(b, pleading())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeFact(in); err != nil {
			b.Fatal(err)
		}
	}
}

// A beat is look, decide and show, but for what is read and sent elsewhere. It
// happens twice a second.
func BenchmarkBeat(b *testing.B) {
	for _, n := range []int{3, 64} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			var others []Heard
			for i := range n - 1 {
				f := quiet()
				f.Connections, f.Addrs[0] = 2000+10*i, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 2)})
				others = append(others, Heard{Name: fmt.Sprintf("ex%02d", i+2), Member: true, Beat: 1, Fact: encoded(b, f)})
			}
			now := epoch
			ex01 := &Node{
				Name: "ex01", Addrs: []netip.Addr{address(1)}, Rules: rules(), Connections: 4000,
				Zone: Zone{Name: "mail.test."}, Log: slog.New(slog.DiscardHandler),
				Local: func(time.Time) queue.Sample { return holding(2000, 3, 0) },
				Peers: func() []Heard { return others }, Tell: func(uint64, []byte) error { return nil },
				DNS: func(*dnsrr.Table) {}, Health: func(health.Report) {},
			}
			var mem memory
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(Beat)
				for i := range others {
					others[i].Born, others[i].Beat = now, others[i].Beat+1
				}
				mem = ex01.beat(now, mem)
			}
		})
	}
}

func BenchmarkSlept(b *testing.B) {
	var s Sleep
	b.ReportAllocs()
	for b.Loop() {
		s.Slept()
	}
}
