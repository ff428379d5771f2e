package demo

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A zone answers every A question with addrs, and notes who asked.
type zone struct {
	addrs []netip.Addr
	at    netip.AddrPort

	mu    sync.Mutex // guards the two below
	asked []string
	from  []netip.Addr
}

func (z *zone) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	z.mu.Lock()
	z.asked = append(z.asked, q.Question[0].Name)
	z.from = append(z.from, w.RemoteAddr().(*net.UDPAddr).AddrPort().Addr())
	z.mu.Unlock()
	reply := new(dns.Msg).SetReply(q)
	reply.Authoritative = true
	for _, a := range z.addrs {
		reply.Answer = append(reply.Answer, &dns.A{
			Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: a.AsSlice(),
		})
	}
	w.WriteMsg(reply)
}

func (z *zone) seen() (asked []string, from []netip.Addr) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.asked), slices.Clone(z.from)
}

func newZone(t *testing.T, addrs ...netip.Addr) *zone {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z := &zone{addrs: addrs, at: pc.LocalAddr().(*net.UDPAddr).AddrPort()}
	done := make(chan error, 1)
	s := &dns.Server{PacketConn: pc, Handler: z}
	go func() { done <- s.ActivateAndServe() }()
	t.Cleanup(func() {
		pc.Close()
		<-done
	})
	return z
}

// meet lets the crowd live until enough has happened, and returns what it met
// with then, and once all have gone home.
func meet(t *testing.T, c *Crowd, enough func(Counts) bool) (during, after Counts) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	gone := make(chan struct{})
	go func() { c.Run(ctx); close(gone) }()
	for during = c.Counts(); !enough(during); during = c.Counts() {
		select {
		case <-gone:
			t.Fatalf("in vain: %+v", during)
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	<-gone
	return during, c.Counts()
}

// addUp holds what is true of a crowd that has gone home: nobody is connected,
// and every question had one outcome, but for those that were under way.
func addUp(t *testing.T, c *Crowd, n Counts) {
	t.Helper()
	if n.Open != 0 {
		t.Errorf("%d connections are open after all have gone: %+v", n.Open, n)
	}
	under := int64(n.Asked) - int64(n.Unanswered+n.Connected+n.Refused)
	if under < 0 || under > int64(c.Clients) {
		t.Errorf("%d questions have no outcome, of %d clients: %+v", under, c.Clients, n)
	}
	if n.Impatient > n.Connected {
		t.Errorf("more clients lost patience than were connected: %+v", n)
	}
}

func TestCrowdOfAFarmThatIsWell(t *testing.T) {
	s := serve(t, Server{Backlog: 64})
	z, other := newZone(t, s.at.Addr()), newZone(t, s.at.Addr())
	c := &Crowd{
		Clients: 8, Name: "mail.test.", Port: s.at.Port(), DNS: []netip.AddrPort{z.at, other.at},
		Session: 20 * time.Millisecond, Arrive: 50 * time.Millisecond,
	}
	_, n := meet(t, c, func(n Counts) bool { return n.Connected >= 40 })
	addUp(t, c, n)
	if n.Unanswered+n.Refused+n.Impatient > 0 {
		t.Errorf("met with trouble: %+v", n)
	}

	a, _ := z.seen()
	b, _ := other.seen()
	for _, name := range append(a, b...) {
		if name != "mail.test." {
			t.Fatalf("asked for %s", name)
		}
	}
	if sum := uint64(len(a) + len(b)); len(a) == 0 || len(b) == 0 || sum > n.Asked || n.Asked-sum > uint64(c.Clients) {
		t.Errorf("one server was asked %d times and the other %d, of %d questions", len(a), len(b), n.Asked)
	}
}

// All clients hold their connection at once: Open counts them.
func TestCrowdStaysConnected(t *testing.T) {
	s := serve(t, Server{Backlog: 64})
	c := &Crowd{Clients: 12, Name: "mail.test.", Port: s.at.Port(), DNS: []netip.AddrPort{newZone(t, s.at.Addr()).at}, Session: time.Hour}
	during, after := meet(t, c, func(n Counts) bool { return n.Open == 12 })
	if during.Connected < 12 || during.Asked != during.Connected+during.Unanswered+during.Refused {
		t.Errorf("12 clients are connected and none is under way, and counted are %+v", during)
	}
	addUp(t, c, after)
}

func TestCrowdWithoutAnAnswer(t *testing.T) {
	c := &Crowd{Clients: 3, Name: "mail.test.", Port: 1, DNS: []netip.AddrPort{newZone(t).at}, Session: time.Second}
	_, n := meet(t, c, func(n Counts) bool { return n.Unanswered >= 3 })
	addUp(t, c, n)
	if n.Connected+n.Refused > 0 {
		t.Errorf("connected to nowhere: %+v", n)
	}
}

func TestCrowdOfAServerThatIsGone(t *testing.T) {
	s := serve(t, Server{})
	s.stop()
	<-s.done
	c := &Crowd{Clients: 3, Name: "mail.test.", Port: s.at.Port(), DNS: []netip.AddrPort{newZone(t, s.at.Addr()).at}, Session: time.Second}
	_, n := meet(t, c, func(n Counts) bool { return n.Refused >= 3 })
	addUp(t, c, n)
	if n.Connected+n.Unanswered > 0 {
		t.Errorf("counted otherwise: %+v", n)
	}
}

// A server that takes a client and goes without a word has not greeted it.
func TestCrowdOfAServerThatHangsUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	defer func() { l.Close(); <-ended }()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	c := &Crowd{Clients: 2, Name: "mail.test.", Port: at.Port(), DNS: []netip.AddrPort{newZone(t, at.Addr()).at}, Session: time.Second}
	_, n := meet(t, c, func(n Counts) bool { return n.Impatient >= 2 })
	addUp(t, c, n)
}

// Clients ask from the addresses of their resolvers, where the system has them.
func TestCrowdAsksFromItsResolvers(t *testing.T) {
	askers := []netip.Addr{netip.MustParseAddr("127.0.1.1"), netip.MustParseAddr("127.0.1.2"), netip.MustParseAddr("203.0.113.77")}
	s := serve(t, Server{Backlog: 64})
	z := newZone(t, s.at.Addr())
	c := &Crowd{Clients: 6, Name: "mail.test.", Port: s.at.Port(), DNS: []netip.AddrPort{z.at}, Askers: askers, Session: time.Hour}
	if pc, err := net.ListenPacket("udp", "127.0.1.1:0"); err != nil {
		askers = nil // all ask from the system's choice
	} else {
		pc.Close()
	}
	meet(t, c, func(n Counts) bool { return n.Open == 6 })

	_, from := z.seen()
	for i, a := range askers[:min(2, len(askers))] {
		if !slices.Contains(from, a) {
			t.Errorf("nobody asked from %v, resolver %d: %v", a, i, from)
		}
	}
	if len(from) < 6 || slices.Contains(from, netip.MustParseAddr("203.0.113.77")) {
		t.Errorf("asked from %v", from)
	}
}
