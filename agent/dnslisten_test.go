package main

import (
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

// All of a change or none, new before old, and nobody notices whose address
// stays.
func TestAddressesAreExchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{deny: func(transport string, at netip.AddrPort) error {
			switch {
			case at.Addr() == netip.MustParseAddr("10.0.0.8"):
				return os.NewSyscallError("bind", noAddress)
			case at.Addr() == netip.MustParseAddr("10.0.0.9") && transport == "t":
				return os.NewSyscallError("bind", inUse)
			}
			return nil
		}}
		d, err := listenDNS(h.net(), at(".1 .2"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := short(h.since()), "+u.1 +t.1 +u.2 +t.2"; got != want {
			t.Errorf("at first %s, want %s", got, want)
		}
		stop := serving(t, d, slog.New(slog.DiscardHandler))
		h.since()
		for _, step := range []struct{ change, refusal, told, bound string }{
			{".1 .2", "", "", ".1 .2"},
			{".2 .3", "", "+u.3 +t.3 then >t.3 >u.3 -t.1 -u.1", ".2 .3"},
			{".3 .2", "", "", ".3 .2"},
			{".4 .8", "listen.dns: bind: ", "+u.4 +t.4 then -t.4 -u.4", ".3 .2"},
			{".4 .9", "listen.dns: bind: ", "+u.4 +t.4 +u.9 -u.9 then -t.4 -u.4", ".3 .2"},
			{"0.0.0.0", "only a restart can change 10.0.0.3:53 to 0.0.0.0:53", "", ".3 .2"},
			{"0.0.0.0:54", "", "+u0.0.0.0:54 +t0.0.0.0:54 then >t0.0.0.0:54 >u0.0.0.0:54 -t.2 -t.3 -u.2 -u.3", "0.0.0.0:54"},
			{"", "", "-t0.0.0.0:54 -u0.0.0.0:54", ""},
			{".1", "", "+u.1 +t.1 then >t.1 >u.1", ".1"},
		} {
			err := d.change(at(step.change))
			synctest.Wait()
			if (err == nil) != (step.refusal == "") || err != nil && !strings.Contains(strings.ToLower(err.Error()), step.refusal) {
				t.Errorf("to %q: %v, want %q", step.change, err, step.refusal)
			}
			if got := inOrder(h.since(), step.told); got != step.told {
				t.Errorf("to %q:\n got %s\nwant %s", step.change, got, step.told)
			}
			if got := d.bound(); !slices.Equal(got, at(step.bound)) {
				t.Errorf("to %q: bound to %v, want %s", step.change, got, step.bound)
			}
		}
		stop()
		if got := inOrder(h.since(), ""); got != "-t.1 -u.1" {
			t.Errorf("at the end %q", got)
		}
		if err := d.change(at(".2")); !errors.Is(err, errLeaving) || h.since() != "" {
			t.Errorf("after the end: %v", err)
		}
	})
}

// What is new is served before what is gone is closed.
func TestNewBeforeOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		d, err := listenDNS(h.net(), at(".1"))
		if err != nil {
			t.Fatal(err)
		}
		serving(t, d, slog.New(slog.DiscardHandler))
		h.since()
		if err := d.change(at(".2")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		told := strings.Fields(short(h.since()))
		if slices.Index(told, "-u.1") < slices.Index(told, "+t.2") || slices.Index(told, "-t.1") < slices.Index(told, "+t.2") {
			t.Errorf("the old was given up first: %v", told)
		}
	})
}

// A configuration that is read before anything is served changes what will be.
func TestAChangeBeforeTheFirstBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		d, err := listenDNS(h.net(), at(".1 .2"))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.change(at(".2 .3")); err != nil {
			t.Fatal(err)
		}
		h.since()
		serving(t, d, slog.New(slog.DiscardHandler))
		if got, want := inOrder(h.since(), ""), ">t.2 >t.3 >u.2 >u.3"; got != want {
			t.Errorf("serves %s, want %s", got, want)
		}
	})
}

// A running agent moves: who asks the new address is answered from it, the old
// one is free, and the agent's own ports and what it says it serves follow.
func TestTheAgentMoves(t *testing.T) {
	cfg := settings("ex01", loopback(), 0)
	cfg.Sources.Listener.Ports = nil
	a := start(t, cfg)
	await(t, "it answers", func() bool { return len(a.ask(t, "mail.example.", dns.TypeA)) > 0 })
	was := a.sockets.dns.bound()[0]
	load := func(change func(*config.Config)) {
		next := a.current()
		change(&next)
		a.reload(&reloader{read: func() (config.Config, dnsrr.Records, error) { return next, dnsrr.Records{}, nil }})
	}

	load(func(c *config.Config) { c.Listen.DNS, c.Drain = []netip.AddrPort{loopback(), taken(t)}, time.Hour })
	if got := a.sockets.dns.bound(); !slices.Equal(got, []netip.AddrPort{was}) || a.current().Drain == time.Hour {
		t.Fatalf("a refused change left %v", got)
	}

	second := netip.MustParseAddrPort("127.0.0.2:0")
	if s, err := dnsrr.Listen(second); err != nil {
		second = loopback() // not every system has all of 127/8
	} else {
		s.Close()
	}
	load(func(c *config.Config) { c.Listen.DNS = []netip.AddrPort{second}; c.Drain = time.Minute })
	now := a.sockets.dns.bound()
	if len(now) != 1 || now[0].Addr() != second.Addr() || now[0] == was || a.current().Drain != time.Minute {
		t.Fatalf("it is at %v, want %v", now, second)
	}
	if len(a.ask(t, "mail.example.", dns.TypeA)) == 0 { // by a connected socket: no other address could answer
		t.Error("no answer at the new address")
	}
	if ports := a.sockets.ports(); !slices.Contains(ports, now[0].Port()) || slices.Contains(ports, was.Port()) {
		t.Errorf("own ports %v: want %d, and not %d", ports, now[0].Port(), was.Port())
	}
	if got := a.sockets.served()[0]; got != (service{"dns", now[0].String() + " udp and tcp"}) {
		t.Errorf("it serves %v", got)
	}
	s, err := dnsrr.Listen(was)
	if err != nil {
		t.Fatalf("the old address is not free: %v", err)
	}
	s.Close()
}
