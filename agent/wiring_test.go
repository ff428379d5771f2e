package main

import (
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
	"evenkeel/policy/balance"
)

// The farm is at least as many nodes as the configuration names, whether or
// not a node lists itself, and however it writes its own name.
func TestFarmSize(t *testing.T) {
	const own = "192.0.2.1:7946"
	for _, c := range []struct {
		promise string
		join    []string
		want    int
	}{
		{"alone", nil, 1},
		{"two peers", []string{"192.0.2.2:7946", "192.0.2.3:7946"}, 3},
		{"itself by address", []string{own, "192.0.2.2:7946"}, 2},
		{"itself by the address listened on", []string{"0.0.0.0:7946", "192.0.2.2:7946"}, 2},
		{"itself by name", []string{"ex01:7946", "ex02:7946"}, 2},
		{"itself by full name, in other letters and with a final dot", []string{"EX01.Mail.Example.:7946", "ex02:7946"}, 2},
		{"one peer, listed twice", []string{"ex02:7946", "EX02:7946"}, 2},
		{"two peers on one machine", []string{"192.0.2.2:7946", "192.0.2.2:7947"}, 3},
		{"this machine, another port: another node", []string{"192.0.2.1:7947"}, 2},
	} {
		cfg := config.Config{
			Node:   config.Node{Name: "ex01", FQDN: "Ex01.mail.example"},
			Listen: config.Listen{Gossip: netip.MustParseAddrPort("0.0.0.0:7946")},
			Gossip: config.Gossip{Join: c.join},
		}
		if got := farmSize(cfg, netip.MustParseAddrPort(own)); got != c.want {
			t.Errorf("%s: got %d nodes, want %d", c.promise, got, c.want)
		}
	}
}

// Every threshold of the configuration reaches the law, and none another's place.
func TestRules(t *testing.T) {
	cfg := config.Config{
		Limits: config.Limits{Degrade: 0.5, Recover: 0.4, Fail: 0.6, Ramp: time.Second},
		Health: config.Health{Hold: 2 * time.Second, MinInService: 7},
		Zone:   config.Zone{TTLMin: 3 * time.Second, TTLMax: 4 * time.Second},
		Gossip: config.Gossip{Join: []string{"ex02:7946"}},
	}
	want := balance.Rules{
		Degrade: 0.5, Recover: 0.4, Fail: 0.6, Ramp: time.Second, Hold: 2 * time.Second, MinInService: 7,
		Farm: 2, TTLMin: 3 * time.Second, TTLMax: 4 * time.Second,
	}
	if got := rulesOf(cfg, loopback()); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestWhatDNSHandsOut(t *testing.T) {
	given := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}
	for _, c := range []struct {
		promise string
		node    config.Node
		join    []string
		good    func([]netip.Addr) bool
	}{
		{"what is configured", config.Node{Name: "ex01", Addresses: given}, []string{"127.0.0.1:1"},
			func(got []netip.Addr) bool { return slices.Equal(got, given) }},
		{"the address that leads to the peers", config.Node{Name: "ex01"}, []string{"127.0.0.1:1"},
			func(got []netip.Addr) bool { return slices.Equal(got, []netip.Addr{loopback().Addr()}) }},
		{"one of this machine's, where there are no peers", config.Node{Name: "ex01"}, nil,
			func(got []netip.Addr) bool { return len(got) == 1 && (got[0].IsGlobalUnicast() || got[0].IsLoopback()) }},
	} {
		a, err := wire(config.Config{
			Node: c.node, Listen: everything(), Gossip: config.Gossip{Join: c.join},
			Limits: config.Limits{Connections: 1},
		}, dnsrr.Records{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.node.Addrs; !c.good(got) {
			t.Errorf("%s: got %v", c.promise, got)
		}
		a.close()
	}
}

// What the machine refuses to gossip it does not serve either: no socket stays.
func TestNothingStaysWithoutGossip(t *testing.T) {
	cfg := config.Config{Node: config.Node{Name: "ex01"}, Listen: everything()}
	cfg.Listen.Gossip = taken(t)
	cfg.Listen.DNS = []netip.AddrPort{free(t)}
	if a, err := wire(cfg, dnsrr.Records{}, slog.New(slog.DiscardHandler)); err == nil {
		a.close()
		t.Fatal("gossips on a port that another program has")
	}
	s, err := dnsrr.Listen(cfg.Listen.DNS[0])
	if err != nil {
		t.Fatalf("a socket stayed open after the refusal: %v", err)
	}
	s.Close()
}

// Who is told to stop before the first beat has nobody to wait for.
func TestLeavingBeforeTheFirstBeat(t *testing.T) {
	cfg := settings("ex01", loopback(), time.Hour)
	cfg.Sources.Listener.Ports = nil
	a, err := wire(cfg, dnsrr.Records{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if got := a.leave(); got != 0 {
		t.Errorf("waits for %v, want 0", got)
	}
	if _, ok := a.status(); ok {
		t.Error("has a status before its first beat")
	}
}
