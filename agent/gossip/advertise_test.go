package gossip

import (
	"net"
	"net/netip"
	"testing"
)

func TestAdvertise(t *testing.T) {
	addr := netip.MustParseAddrPort
	for _, c := range []struct {
		about string
		o     Options
		want  netip.AddrPort
		why   string
	}{
		{"what is configured wins",
			Options{Bind: addr("127.0.0.1:7946"), Advertise: addr("192.0.2.7:17946"), Join: []string{"127.0.0.1:1"}},
			addr("192.0.2.7:17946"), "configured"},
		{"without a port, the bound one",
			Options{Bind: addr("127.0.0.1:7946"), Advertise: addr("192.0.2.7:0")},
			addr("192.0.2.7:7946"), "configured"},
		{"what is bound is where packets arrive, whatever the route says",
			Options{Bind: addr("127.0.0.2:7946"), Join: []string{"127.0.0.1:1"}},
			addr("127.0.0.2:7946"), "bound"},
		{"bound everywhere, the way to the first peer decides",
			Options{Bind: addr("0.0.0.0:7946"), Join: []string{"127.0.0.1:1"}},
			addr("127.0.0.1:7946"), "route to 127.0.0.1:1"},
		{"a peer that cannot be reached from here is passed over",
			Options{Bind: addr("0.0.0.0:7946"), Join: []string{"[::1]:1", "127.0.0.1:1"}},
			addr("127.0.0.1:7946"), "route to 127.0.0.1:1"},
	} {
		got, why, err := advertise(c.o)
		if got != c.want || why != c.why || err != nil {
			t.Errorf("%s: %v, %q, %v; want %v, %q", c.about, got, why, err, c.want, c.why)
		}
	}
}

// A loopback address given to peers elsewhere leads them to themselves.
func TestUnreachableAdvertiseIsSaid(t *testing.T) {
	for _, c := range []struct {
		join string
		want int
	}{{"127.0.0.1:1", 0}, {"192.0.2.7:7946", 1}} {
		log := &journal{}
		n, err := Start(Options{Name: "mx1", Bind: loopback, Join: []string{c.join}, Log: log.logger()})
		if err != nil {
			t.Fatal(err)
		}
		n.Close()
		if got := log.having("level=WARN", "cannot reach", c.join); len(got) != c.want {
			t.Errorf("peer %s: %d warnings, want %d", c.join, len(got), c.want)
		}
	}
}

func TestAmong(t *testing.T) {
	prefix := func(s string) net.Addr {
		ip, n, err := net.ParseCIDR(s)
		if err != nil {
			t.Fatal(err)
		}
		n.IP = ip
		return n
	}
	here := []net.Addr{prefix("127.0.0.1/8"), prefix("192.0.2.7/24"), prefix("2001:db8::7/64")}
	for a, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.2": true, "::1": false, "192.0.2.7": true, "192.0.2.8": false, "2001:db8::7": true, "203.0.113.9": false,
	} {
		if got := among(here, netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: got %v", a, got)
		}
	}
}
