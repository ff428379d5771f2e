package dnsrr

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/ratelimit"
)

// large is a farm of n nodes with unlike shares, and both families.
func large(n int) Set {
	s := Set{Zone: "mail.test.", Agent: "ex000"}
	for i := range n {
		s.Targets = append(s.Targets, Target{
			Name:  fmt.Sprintf("ex%03d", i),
			Addrs: []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}), netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", i+1))},
			Share: float64(i + 1),
			Why:   "state=up share=0.312 why=- age=1.0s",
		})
	}
	return s
}

func sizes(b *testing.B, run func(b *testing.B, s Set)) {
	for _, n := range []int{3, 64} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			run(b, large(n))
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	sizes(b, func(b *testing.B, s Set) {
		for b.Loop() {
			if _, err := Compile(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPick(b *testing.B) {
	sizes(b, func(b *testing.B, s Set) {
		w := &compile(b, s).names[s.Zone].farm.by[0].wheel
		var room [maxAnswers]int
		var r uint64
		for b.Loop() {
			r += golden
			w.pick(room[:0], r, 1)
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	sizes(b, func(b *testing.B, s Set) {
		tab := compile(b, s)
		q := ask("mail.test.", dns.TypeA)
		var a Asker
		for b.Loop() {
			a.Number += golden
			tab.Answer(q, a, true)
		}
	})
}

// The whole way from octets to octets.
func BenchmarkReply(b *testing.B) {
	sizes(b, func(b *testing.B, set Set) {
		var s Server
		s.Publish(compile(b, set))
		q, err := ask("mail.test.", dns.TypeA).Pack()
		if err != nil {
			b.Fatal(err)
		}
		room := make([]byte, 0, 2*ednsSize)
		for b.Loop() {
			s.reply(room, q, someone, overUDP, noon, false)
		}
	})
}

// What resolvers send: many of them, either family, EDNS and a good cookie, to a
// farm that has services and static names, with every feature on.
func BenchmarkReplyResolvers(b *testing.B) {
	sizes(b, func(b *testing.B, set Set) {
		set.Services = []Service{{Name: "imap", Port: 993, SRV: []string{"_imaps._tcp"}}, {Name: "smtp"}}
		set.Records = records(b, "@ MX 10 ex001", "www CNAME mail.test.", "a.b.c TXT x", "*.wild TXT w")
		jar := cookie.New([16]byte{1})
		s := serverOf(b, set, Options{Identity: "ex001", Cookies: jar, Limiter: ratelimit.New(ratelimit.Options{PerSecond: ratelimit.MaxPerSecond, Start: noon})})
		const askers = 1 << 12
		var queries [askers][]byte
		var from [askers]netip.AddrPort
		for i := range queries {
			from[i] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 7}), 4242)
			q := ask([]string{"mail.test.", "imap.mail.test."}[i%2], []uint16{dns.TypeA, dns.TypeAAAA}[i/2%2])
			o := q.SetEdns0(1232, false).IsEdns0()
			o.Option = append(o.Option, &dns.EDNS0_LOCAL{Code: dns.EDNS0COOKIE, Data: jar.Append(nil, []byte("12345678"), from[i].Addr(), noon)})
			if i%4 == 3 { // a newcomer's cookie, which is limited
				o.Option[0].(*dns.EDNS0_LOCAL).Data = []byte("12345678")
			}
			queries[i] = packed(b, q)
		}
		room := make([]byte, 0, 2*ednsSize)
		for n := 0; b.Loop(); n++ {
			at := uint64(n) * golden >> (64 - 12)
			s.reply(room, queries[at], from[at], overUDP, noon, false)
		}
	})
}

// The same with DO, once every set that is handed out was signed.
func BenchmarkReplySigned(b *testing.B) {
	sizes(b, func(b *testing.B, set Set) {
		set.Signer = signerOf(b)
		s := serverOf(b, set, Options{})
		q, err := secureAsk("mail.test.", dns.TypeA).Pack()
		if err != nil {
			b.Fatal(err)
		}
		room := make([]byte, 0, 2*ednsSize)
		for range 20_000 {
			s.reply(room, q, someone, overUDP, noon, false)
		}
		for b.Loop() {
			s.reply(room, q, someone, overUDP, noon, false)
		}
	})
}

// Answers of a signed zone that are not the farm's own addresses.
func BenchmarkReplyOthers(b *testing.B) {
	set := large(3)
	set.Signer = signerOf(b)
	set.Records = records(b, "www CNAME mail.test.", "old CNAME nobody")
	for _, tt := range []struct {
		name, ask string
		how       uint16
	}{
		{"alias", "www.mail.test.", 0},
		{"alias, signed", "www.mail.test.", 4 | 8},
		{"alias of nothing, signed", "old.mail.test.", 4 | 8},
		{"missing", "nobody.mail.test.", 0},
		{"missing, signed", "nobody.mail.test.", 4 | 8},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s := serverOf(b, set, Options{})
			q := dress(ask(tt.ask, dns.TypeA), tt.how)
			room := make([]byte, 0, 2*ednsSize)
			b.ReportAllocs()
			for b.Loop() {
				s.reply(room, q, someone, overUDP, noon, false)
			}
		})
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	w := newWheel(falling(64), maxAnswers)
	var room [maxAnswers]int
	var r uint64
	if n := testing.AllocsPerRun(1000, func() { r += golden; w.pick(room[:0], r, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Tables that change a hundred times a second, as no farm's do: beside
// BenchmarkReply it shows what a change costs who answers meanwhile.
func BenchmarkReplyWhileTablesChange(b *testing.B) {
	sizes(b, func(b *testing.B, set Set) {
		var s Server
		tables := []*Table{compile(b, set), compile(b, set)}
		s.Publish(tables[0])
		ctx, stop := context.WithCancel(b.Context())
		var publisher sync.WaitGroup
		publisher.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for n := 0; ctx.Err() == nil; n++ {
				s.Publish(tables[n%2])
				<-tick.C
			}
		})
		q, err := ask("mail.test.", dns.TypeA).Pack()
		if err != nil {
			b.Fatal(err)
		}
		room := make([]byte, 0, 2*ednsSize)
		for b.Loop() {
			s.reply(room, q, someone, overUDP, noon, false)
		}
		stop()
		publisher.Wait()
	})
}

// What a table takes of memory, by how many nodes it has.
func BenchmarkTableSize(b *testing.B) {
	for _, n := range []int{3, 64, 1024} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			set := large(n)
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				tab := compile(b, set)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(tab)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1024, "KiB/table")
			b.ReportMetric(0, "ns/op")
		})
	}
}
