package dnsrr

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A secondary is a socket that hears NOTIFY, and answers as told.
type secondary struct {
	net.PacketConn
	heard chan *dns.Msg
}

// listenFor answers each message with what react makes of it, nothing being
// silence, until the test ends.
func listenFor(t *testing.T, react func(n int, q *dns.Msg) []byte) *secondary {
	t.Helper()
	s := &secondary{listenUDP(t, "127.0.0.1:0"), make(chan *dns.Msg, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 512)
		for n := 0; ; n++ {
			size, from, err := s.ReadFrom(b)
			if err != nil {
				return
			}
			q := new(dns.Msg)
			if q.Unpack(b[:size]) == nil {
				s.heard <- q
				if out := react(n, q); out != nil {
					s.WriteTo(out, from)
				}
			}
		}
	}()
	t.Cleanup(func() { s.Close(); <-done })
	return s
}

func (s *secondary) addr() netip.AddrPort { return addrPort(s.LocalAddr()) }

// agreed is the reply of a secondary that understood.
func agreed(_ int, q *dns.Msg) []byte {
	b, err := new(dns.Msg).SetReply(q).Pack()
	if err != nil {
		return nil
	}
	return b
}

// Every secondary is told of the first serial, and of each that is another.
func TestSecondariesAreToldOfNewSerials(t *testing.T) {
	a, b := listenFor(t, agreed), listenFor(t, agreed)
	serial := func(n uint32) *Table { return compile(t, farm(func(s *Set) { s.Serial = n })) }
	var s Server
	s.Configure(Options{Transfer: Transfer{Notify: []netip.AddrPort{a.addr(), b.addr()}}})
	serve(t, s.ServeNotify)
	before := uint32(0)
	for _, n := range []uint32{7, 8, 3} {
		s.Publish(serial(n))
		for _, x := range []*secondary{a, b} {
			m := <-x.heard
			soa, ok := m.Answer[0].(*dns.SOA)
			for ok && soa.Serial == before { // sent again, since its reply came late
				m = <-x.heard
				soa, ok = m.Answer[0].(*dns.SOA)
			}
			if m.Opcode != dns.OpcodeNotify || m.Response || !m.Authoritative || m.Question[0] != (dns.Question{Name: "mail.test.", Qtype: dns.TypeSOA, Qclass: dns.ClassINET}) || !ok || soa.Serial != n {
				t.Errorf("serial %d: told\n%v", n, m)
			}
		}
		before = n
	}
}

// Whom there is to tell is looked at each time, and nobody twice.
func TestNews(t *testing.T) {
	x, y := netip.MustParseAddrPort("192.0.2.1:53"), netip.MustParseAddrPort("192.0.2.2:53")
	told := map[netip.AddrPort]uint32{}
	var s Server
	publish := func(n uint32) { s.Publish(compile(t, farm(func(s *Set) { s.Serial = n }))) }
	configure := func(to ...netip.AddrPort) { s.Configure(Options{Transfer: Transfer{Notify: to}}) }
	for _, step := range []struct {
		name string
		do   func()
		want []netip.AddrPort
	}{
		{"no table, no options", func() {}, nil},
		{"no options", func() { publish(7) }, nil},
		{"one", func() { configure(x) }, []netip.AddrPort{x}},
		{"told", func() {}, nil},
		{"a second", func() { configure(x, y) }, []netip.AddrPort{y}},
		{"a new serial", func() { publish(8) }, []netip.AddrPort{x, y}},
		{"the same in another table", func() { publish(8) }, nil},
	} {
		step.do()
		if _, got := s.news(told); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
}

// What is no reply is passed over, and the message is over with the first that
// is one, whatever it says.
func TestNotifyWaitsForItsReply(t *testing.T) {
	change := func(change func(*dns.Msg)) func(int, *dns.Msg) []byte {
		return func(_ int, q *dns.Msg) []byte {
			m := new(dns.Msg).SetReply(q)
			change(m)
			b, _ := m.Pack()
			return b
		}
	}
	m := new(dns.Msg).SetNotify("mail.test.")
	for _, tt := range []struct {
		name  string
		react func(int, *dns.Msg) []byte
		want  bool
	}{
		{"agrees", agreed, true},
		{"refuses", change(func(m *dns.Msg) { m.Rcode = dns.RcodeRefused }), true},
		{"says nothing", func(int, *dns.Msg) []byte { return nil }, false},
		{"garbage", func(int, *dns.Msg) []byte { return []byte("what?") }, false},
		{"half a message", func(n int, q *dns.Msg) []byte { return agreed(n, q)[:14] }, false},
		{"of another message", change(func(m *dns.Msg) { m.Id++ }), false},
		{"its own question", change(func(m *dns.Msg) { m.Response = false }), false},
	} {
		at := listenFor(t, tt.react).addr()
		wait := time.Minute // that it is not waited out is the test
		if !tt.want {
			wait = 50 * time.Millisecond
		}
		begun := time.Now()
		if got := notifyOnce(t.Context(), m, at, wait); got != tt.want || got && time.Since(begun) >= wait {
			t.Errorf("%s: answered %v after %v, want %v", tt.name, got, time.Since(begun), tt.want)
		}
	}
	gone := listenUDP(t, "127.0.0.1:0")
	at := addrPort(gone.LocalAddr())
	gone.Close()
	if notifyOnce(t.Context(), m, at, 50*time.Millisecond) {
		t.Error("answered by nobody")
	}
}

// The end does not wait for who does not answer.
func TestNotifyEnds(t *testing.T) {
	deaf := listenFor(t, func(int, *dns.Msg) []byte { return nil })
	var s Server
	s.Configure(Options{Transfer: Transfer{Notify: []netip.AddrPort{deaf.addr()}}})
	s.Publish(compile(t, farm()))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.ServeNotify(ctx) }()
	<-deaf.heard
	begun := time.Now()
	cancel()
	if err := <-done; err != nil || time.Since(begun) > notifyWait<<(notifyTries-1) {
		t.Errorf("ended after %v with %v", time.Since(begun), err)
	}
}

// A message that is not answered is sent again, and after some times no more.
func TestNotifyIsSentAgain(t *testing.T) {
	late := listenFor(t, func(n int, q *dns.Msg) []byte {
		if n == 0 {
			return nil
		}
		return agreed(n, q)
	})
	notify(t.Context(), new(dns.Msg).SetNotify("mail.test."), late.addr())
	if got := len(late.heard); got != 2 {
		t.Errorf("heard %d times, want 2", got)
	}
}
