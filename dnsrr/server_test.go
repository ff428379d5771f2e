package dnsrr

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// serve runs one of the server's sockets for the test, and tells at its end
// what it returned.
func serve(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("served until the end: %v, want nil", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func listenUDP(t *testing.T, addr string) net.PacketConn {
	t.Helper()
	pc, err := net.ListenPacket("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return pc
}

func listenTCP(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// askOver asks over a network and waits for the reply, however long.
func askOver(t *testing.T, network, addr string, q *dns.Msg) *dns.Msg {
	t.Helper()
	c := dns.Client{Net: network, Timeout: time.Minute}
	m, _, err := c.Exchange(q, addr)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The life of a server: nothing to say, a table, a better one, the end.
func TestServerSaysWhatWasPublishedLast(t *testing.T) {
	var s Server
	pc, l := listenUDP(t, "127.0.0.1:0"), listenTCP(t)
	stopUDP := serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
	stopTCP := serve(t, func(ctx context.Context) error { return s.ServeTCP(ctx, l) })
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"before the first", func() {}, "SERVFAIL"},
		{"the first", func() { s.Publish(compile(t, farm(func(s *Set) { s.Targets = s.Targets[:1] }))) }, "NOERROR aa; mail.test. A 192.0.2.2"},
		{"nothing: the last stays", func() { s.Publish(nil) }, "NOERROR aa; mail.test. A 192.0.2.2"},
		{"the next", func() { s.Publish(compile(t, farm(func(s *Set) { s.Targets = s.Targets[2:] }))) }, "NOERROR aa; mail.test. A 192.0.2.3"},
	} {
		step.do()
		for network, addr := range map[string]string{"udp": pc.LocalAddr().String(), "tcp": l.Addr().String()} {
			if got := brief(askOver(t, network, addr, ask("mail.test.", dns.TypeA))); got != step.want {
				t.Errorf("%s, over %s: got %s, want %s", step.name, network, got, step.want)
			}
		}
	}
	stopUDP()
	stopTCP()
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is open after the end")
	}
}

// Counts go on when tables change, for the nodes that stay.
func TestStats(t *testing.T) {
	var s Server
	one := func(i int) func(*Set) { return func(s *Set) { s.Targets = s.Targets[i : i+1] } }
	feed := func(tr transport, q *dns.Msg) {
		b, err := q.Pack()
		if err != nil {
			t.Fatal(err)
		}
		s.reply(nil, b, someone, tr, noon, false)
	}
	feed(overUDP, ask("mail.test.", dns.TypeA))
	s.Publish(compile(t, farm(one(0))))
	for range 3 {
		feed(overUDP, ask("mail.test.", dns.TypeA))
	}
	feed(overTCP, ask("mail.test.", dns.TypeAAAA))
	feed(overTCP, ask("mail.test.", dns.TypeSPF))
	feed(overUDP, ask("ex02.mail.test.", dns.TypeA)) // not at the apex
	feed(overUDP, ask("mail.test.", dns.TypeA).SetEdns0(512, false))
	s.reply(nil, []byte("not a message"), someone, overUDP, noon, false)
	s.reply(nil, []byte("short"), someone, overUDP, noon, false)
	s.Publish(compile(t, farm()))
	want := Stats{
		Queries: []QueryCount{
			{"udp", "none", "none", 1}, {"udp", "none", "NOTIMP", 1},
			{"udp", "A", "NOERROR", 5}, {"udp", "A", "SERVFAIL", 1},
			{"tcp", "AAAA", "NOERROR", 1}, {"tcp", "other", "NOERROR", 1},
		},
		Answers: []AnswerCount{{"EX01", 0}, {"ex02", 5}, {"ex03", 0}},
	}
	got := s.Stats()
	if !slices.Equal(got.Queries, want.Queries) || !slices.Equal(got.Answers, want.Answers) || got.Restarts != 0 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if want := 4 * farm().TTL; got.Covered != want { // AAAA asks for the same client
		t.Errorf("answers cover %v, want %v", got.Covered, want)
	}
	s.Publish(compile(t, farm(one(1))))
	s.Publish(compile(t, farm(one(0))))
	if got := s.Stats().Answers; !slices.Equal(got, []AnswerCount{{"ex02", 0}}) {
		t.Errorf("a node that went and came again: %v, want a new count", got)
	}
}

// A farm of IPv6 alone is counted by AAAA.
func TestCoveredBySix(t *testing.T) {
	var s Server
	s.Publish(compile(t, farm(func(s *Set) {
		s.Targets = []Target{{Name: "ex01", Share: 1, Addrs: []netip.Addr{netip.MustParseAddr("2001:db8::1")}}}
	})))
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
		b, err := ask("mail.test.", typ).Pack()
		if err != nil {
			t.Fatal(err)
		}
		s.reply(nil, b, someone, overUDP, noon, false)
	}
	if got, want := s.Covered(), farm().TTL; got != want {
		t.Errorf("answers cover %v, want %v", got, want)
	}
}

// Every slot has its own word, so no two counts are shown as one.
func TestStatsWordsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for i := range typeSlots {
		seen["type "+typeWord(i)] = true
	}
	for i := range rcodeSlots {
		seen["rcode "+rcodeWord(i)] = true
	}
	if len(seen) != typeSlots+rcodeSlots {
		t.Errorf("%d words for %d slots: %v", len(seen), typeSlots+rcodeSlots, seen)
	}
}

// Questions that draw no number leave no hole in the sequence: what is handed
// out at the apex goes on where it was.
func TestOnlyAnswersAtTheApexDraw(t *testing.T) {
	with, without := published(t), published(t)
	b := func(name string, typ uint16) []byte {
		q := ask(name, typ)
		q.Id = 1
		out, err := q.Pack()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for n := range 20 {
		for _, typ := range []uint16{dns.TypeNS, dns.TypeMX, dns.TypeANY, dns.TypeAAAA} {
			with.reply(nil, b("mail.test.", typ), someone, overUDP, noon, false)
		}
		with.reply(nil, b("ex01.mail.test.", dns.TypeA), someone, overUDP, noon, false)
		got := with.reply(nil, b("mail.test.", dns.TypeA), someone, overUDP, noon, false)
		want := without.reply(nil, b("mail.test.", dns.TypeA), someone, overUDP, noon, false)
		if !slices.Equal(got, want) {
			t.Fatalf("answer %d: % x, want % x", n, got, want)
		}
	}
}

// fickle fails its reads as often as told, and then reads.
type fickle struct {
	net.PacketConn
	mu    sync.Mutex
	fails int
}

// What Windows says of a datagram that is longer than the buffer.
var errTooLong = errors.New("wsarecvfrom: a message sent on a datagram socket was larger than the internal message buffer")

func (f *fickle) ReadFrom(b []byte) (int, net.Addr, error) {
	f.mu.Lock()
	fail := f.fails > 0
	f.fails--
	f.mu.Unlock()
	if fail {
		return 0, nil, &net.OpError{Op: "read", Net: "udp", Err: errTooLong}
	}
	return f.PacketConn.ReadFrom(b)
}

func TestFailingReadDoesNotEndTheServer(t *testing.T) {
	s := published(t)
	pc := &fickle{PacketConn: listenUDP(t, "127.0.0.1:0"), fails: 3}
	stop := serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
	if got := askOver(t, "udp", pc.LocalAddr().String(), ask("mail.test.", dns.TypeA)).Rcode; got != dns.RcodeSuccess {
		t.Errorf("code %d, want an answer", got)
	}
	stop() // so that all readers have counted
	if got := s.Stats().Restarts; got != 3 {
		t.Errorf("%d restarts, want 3", got)
	}
}

// A datagram of the largest size is only one more malformed message.
func TestLargestDatagram(t *testing.T) {
	s := published(t)
	pc := listenUDP(t, "127.0.0.1:0")
	serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
	c, err := net.Dial("udp", pc.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	big := append(packet(0, [4]uint16{1}, "mail.test.", "0001 0001"), make([]byte, 60_000)...)
	if _, err := c.Write(big); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 512)
	n, err := c.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := code(out[:n]); got != "FORMERR" {
		t.Errorf("%s, want FORMERR", got)
	}
}

func TestPauseGrowsAndEnds(t *testing.T) {
	var p pause
	want := []time.Duration{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000}
	for i, w := range want {
		if got := p.next(); got != w*time.Millisecond {
			t.Errorf("failure %d: pause %v, want %v", i+1, got, w*time.Millisecond)
		}
	}
}

// Who closes the socket under the server is told, since ctx has not ended.
func TestSocketClosedByAnother(t *testing.T) {
	var s Server
	pc, l := listenUDP(t, "127.0.0.1:0"), listenTCP(t)
	pc.Close()
	l.Close()
	if err := s.ServeUDP(t.Context(), pc); err == nil {
		t.Error("ServeUDP: no error")
	}
	if err := s.ServeTCP(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("ServeTCP: %v, want %v", err, net.ErrClosed)
	}
}
