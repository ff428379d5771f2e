package dnsrr

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

func packed(t testing.TB, q *dns.Msg) []byte {
	t.Helper()
	b, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// numbered is a query with an identity.
func numbered(t testing.TB, id int) []byte {
	q := ask("mail.test.", dns.TypeA)
	q.Id = uint16(id)
	return packed(t, q)
}

// Whatever reader counted, all is in the sum, and what is counted for one node
// goes on with the next table.
func TestStripesAddUp(t *testing.T) {
	s := published(t)
	q := numbered(t, 1)
	var wg sync.WaitGroup
	for range 2 * stripes {
		stripe := s.nextStripe()
		wg.Go(func() {
			for range 10 {
				s.replyIn(stripe, nil, q, someone, overUDP, noon, false)
			}
		})
	}
	wg.Wait()
	s.reply(nil, q, someone, overTCP, noon, false)
	s.Publish(compile(t, farm()))
	const each = 2*stripes*10 + 1
	got := s.Stats()
	var queries, answers uint64
	for _, c := range got.Queries {
		queries += c.N
	}
	for _, c := range got.Answers {
		answers += c.N
	}
	if queries != each || answers != 3*each || got.Covered != each*farm().TTL {
		t.Errorf("%d queries, %d answers, %v covered; want %d, %d, %v", queries, answers, got.Covered, each, 3*each, each*farm().TTL)
	}
}

// No two counters are one, and a new one is at zero.
func TestStripedCounters(t *testing.T) {
	var last striped
	for i := range 100 {
		if last = last.next(); last.sum() != 0 {
			t.Fatalf("counter %d begins at %d", i, last.sum())
		}
		last.add(i % stripes)
	}
}

// Nobody but TCP counts in the common stripe, and the first readers have one
// each.
func TestNextStripe(t *testing.T) {
	var s Server
	seen := map[int]int{}
	for range 3 * (stripes - 1) {
		seen[s.nextStripe()]++
	}
	for i := range stripes {
		if want := 3; i == commonStripe && seen[i] != 0 || i != commonStripe && seen[i] != want {
			t.Errorf("stripe %d was dealt %d times", i, seen[i])
		}
	}
}

// Each of the names has its own place, and all else shares the last.
func TestSlots(t *testing.T) {
	types, rcodes := typeNames(), rcodeNames()
	for typ := range 1 << 16 {
		want := otherTypes
		for i, known := range types[:typeSlots-1] {
			if int(known) == typ {
				want = i
			}
		}
		if got := typeSlot(uint16(typ)); got != want {
			t.Errorf("type %s is in slot %d, want %d", dns.Type(typ), got, want)
		}
	}
	for rcode := -1; rcode < 1<<12; rcode++ {
		want := rcodeSlots - 1
		for i, known := range rcodes[:rcodeSlots-1] {
			if known == rcode {
				want = i
			}
		}
		if got := rcodeSlot(rcode); got != want {
			t.Errorf("code %d is in slot %d, want %d", rcode, got, want)
		}
	}
}

// Readers of their own sockets, each with askers of his own.
func BenchmarkReplyParallel(b *testing.B) {
	sizes(b, func(b *testing.B, set Set) {
		var s Server
		s.Publish(compile(b, set))
		q := packed(b, ask("mail.test.", dns.TypeA))
		var readers atomic.Uint32
		b.RunParallel(func(pb *testing.PB) {
			var a [4]byte
			binary.BigEndian.PutUint32(a[:], 0xc0000200+readers.Add(1))
			from := netip.AddrPortFrom(netip.AddrFrom4(a), 53)
			room, stripe := make([]byte, 0, 2*ednsSize), s.nextStripe()
			for pb.Next() {
				s.replyIn(stripe, room, q, from, overUDP, noon, false)
			}
		})
	})
}
