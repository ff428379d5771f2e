package dnsrr

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Q2: a client drops a reply that comes from another address than it asked, so on
// a machine with many the reply must leave from the right one. A connected
// socket is such a client: the kernel does the dropping.
func TestQ2TheReplyIsFromTheAddressAsked(t *testing.T) {
	for _, tt := range []struct{ listen, ask string }{
		{"0.0.0.0:0", "127.0.0.2"},
		{"0.0.0.0:0", "127.0.0.1"},
		{"[::]:0", "127.0.0.2"},
		{"[::]:0", "::1"},
	} {
		s := published(t)
		pc, err := net.ListenPacket("udp", tt.listen)
		if err != nil {
			t.Skipf("no such address here: %v", err)
		}
		serve(t, func(ctx context.Context) error { return s.ServeUDP(ctx, pc) })
		_, port, err := net.SplitHostPort(pc.LocalAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := dns.Client{Timeout: 10 * time.Second}
		m, _, err := c.Exchange(ask("mail.test.", dns.TypeA), net.JoinHostPort(tt.ask, port))
		if err != nil || len(m.Answer) != 3 {
			t.Errorf("bound to %s, asked at %s: %v, %v", tt.listen, tt.ask, err, m)
		}
	}
}
