package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

// loopback is a port of this machine that the system chooses.
func loopback() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:0") }

// everything listens on all that an agent listens on.
func everything() config.Listen {
	one := []netip.AddrPort{loopback()}
	return config.Listen{DNS: one, Health: one, AgentCheck: one, Admin: loopback(), Gossip: loopback()}
}

func TestEverySocketIsServedAndKnown(t *testing.T) {
	c := everything()
	c.Gate = loopback()
	c.DNS = []netip.AddrPort{loopback(), loopback()}
	s, err := listen(c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	var what []string
	for _, line := range s.served() {
		what = append(what, line.what)
	}
	if want := []string{"dns", "dns", "health", "agent check", "gate", "admin"}; !slices.Equal(what, want) {
		t.Errorf("served %q, want %q", what, want)
	}

	// The agent's own ports are those of all its TCP listeners: none of them
	// is a mail service.
	var want []uint16
	for _, at := range s.dns.bound() {
		want = append(want, at.Port())
	}
	for _, l := range []net.Listener{s.health[0], s.agentCheck[0], s.admin, s.gate} {
		want = append(want, l.Addr().(*net.TCPAddr).AddrPort().Port())
	}
	if got := s.ports(); !slices.Equal(got, want) || slices.Contains(got, 0) {
		t.Errorf("ports %d, want %d", got, want)
	}
}

func TestServicesThatAreOff(t *testing.T) {
	s, err := listen(config.Listen{Admin: loopback()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if got := s.served(); len(got) != 1 || got[0].what != "admin" {
		t.Errorf("served %v, want only admin", got)
	}
}

// taken is an address that another program listens on.
func taken(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// free is an address that nobody listened on just now.
func free(t *testing.T) netip.AddrPort {
	t.Helper()
	s, err := dnsrr.Listen(loopback())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return s.Addr()
}

func TestAllSocketsOrNone(t *testing.T) {
	for key, spoil := range map[string]func(*config.Listen, netip.AddrPort){
		"listen.dns":         func(c *config.Listen, at netip.AddrPort) { c.DNS = append(c.DNS, at) }, // free for UDP, taken for TCP
		"listen.health":      func(c *config.Listen, at netip.AddrPort) { c.Health = append(c.Health, at) },
		"listen.agent_check": func(c *config.Listen, at netip.AddrPort) { c.AgentCheck = append(c.AgentCheck, at) },
		"listen.admin":       func(c *config.Listen, at netip.AddrPort) { c.Admin = at },
		"listen.gate":        func(c *config.Listen, at netip.AddrPort) { c.Gate = at },
	} {
		t.Run(key, func(t *testing.T) {
			c, at := everything(), taken(t)
			c.DNS = []netip.AddrPort{free(t)}
			spoil(&c, at)

			s, err := listen(c)
			if err == nil || !strings.HasPrefix(err.Error(), key+": ") {
				t.Fatalf("got %v, want an error of %s", err, key)
			}
			if !reflect.DeepEqual(s, sockets{}) {
				t.Errorf("got sockets beside the error: %v", s)
			}
			want := fmt.Sprintf("another program listens on %v; stop it, or give %s another address", at, key)
			if got, _ := hint(err); got != want {
				t.Errorf("hint %q, want %q", got, want)
			}

			again, err := dnsrr.Listen(c.DNS[0])
			if err != nil {
				t.Fatalf("a socket stayed open after the refusal: %v", err)
			}
			again.Close()
			udp, err := net.ListenPacket("udp", at.String()) // only its TCP is taken
			if err != nil {
				t.Fatalf("half of DNS stayed open after the refusal: %v", err)
			}
			udp.Close()
		})
	}
}

func TestAnAddressOfAnotherMachine(t *testing.T) {
	c := everything()
	c.Health = []netip.AddrPort{netip.MustParseAddrPort("203.0.113.77:0")} // TEST-NET-3 (RFC 5737)
	s, err := listen(c)
	if err == nil {
		s.close()
		t.Fatal("listened on an address that this machine does not have")
	}
	if got, want := first(hint(err)), "this machine has no address 203.0.113.77"; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
}

func first(s string, _ bool) string { return s }

func TestRefusals(t *testing.T) {
	at := netip.MustParseAddrPort("127.0.0.1:53")
	bind := func(e error) error { return &net.OpError{Op: "listen", Net: "udp", Err: os.NewSyscallError("bind", e)} }
	for _, c := range []struct {
		err  error
		want string // empty: nothing to advise
	}{
		{bind(inUse), "another program listens on 127.0.0.1:53; stop it, or give listen.dns another address"},
		{fmt.Errorf("no more than words: %v", bind(inUse)), "another program listens on 127.0.0.1:53; stop it, or give listen.dns another address"},
		{bind(noAddress), "this machine has no address 127.0.0.1"},
		{bind(syscall.EACCES), "ports below 1024 need root or CAP_NET_BIND_SERVICE; or give listen.dns a higher port"},
		{bind(syscall.EINVAL), ""},
	} {
		err := refused("listen.dns", at, c.err)
		if got, _ := hint(err); got != c.want {
			t.Errorf("%v: hint %q, want %q", c.err, got, c.want)
		}
		if !errors.Is(err, c.err) || !strings.HasPrefix(err.Error(), "listen.dns: ") {
			t.Errorf("%v became %v: the cause and the key belong in it", c.err, err)
		}
	}
}

// 0.0.0.0 is IPv4 alone, so that [::1] beside it can be had; [::] is both.
func TestWildcardFamilies(t *testing.T) {
	for at, want := range map[string]string{"0.0.0.0:53": "udp4", "127.0.0.1:53": "udp4", "[::]:53": "udp", "[::1]:53": "udp"} {
		if got := network("udp", netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}
