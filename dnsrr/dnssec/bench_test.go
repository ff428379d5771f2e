package dnssec

import (
	"fmt"
	"testing"

	"github.com/miekg/dns"
)

func BenchmarkSign(b *testing.B) {
	for _, algorithm := range []uint8{P256, Ed25519} {
		s := NewSigner(keysOf(b, Use{generate(b, algorithm, true), Active}))
		for _, n := range []int{1, 8} {
			set := addresses(n)
			b.Run(fmt.Sprintf("algorithm=%d/records=%d/known", algorithm, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.Sign(set, 60, noon)
				}
			})
		}
		b.Run(fmt.Sprintf("algorithm=%d/records=1/new", algorithm), func(b *testing.B) {
			b.ReportAllocs()
			set := addresses(1)
			for original := uint32(100); b.Loop(); original++ {
				s.Sign(set, original, noon)
			}
		})
	}
}

func BenchmarkSignDenial(b *testing.B) {
	s := NewSigner(keysOf(b, Use{generate(b, P256, true), Active}))
	b.ReportAllocs()
	for b.Loop() {
		s.Sign([]dns.RR{Denial(zone, "x.mail.example.", nil, true, 60)}, 60, noon)
	}
}

func BenchmarkSignParallel(b *testing.B) {
	s := NewSigner(keysOf(b, Use{generate(b, P256, true), Active}))
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for set := addresses(4); p.Next(); {
			s.Sign(set, 60, noon)
		}
	})
}
