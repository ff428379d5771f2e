package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Where a wildcard needs a socket an address, they follow the machine's.
func TestAWildcardFollowsTheMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var log notebook
		addr := netip.MustParseAddr
		h := &host{
			wild: func() []netip.Addr { // a function of time
				all := []netip.Addr{addr("10.0.0.1"), addr("2001:db8::1")}
				switch at := time.Since(began); {
				case at < time.Minute:
					return all
				case at < 2*time.Minute: // .2 comes, .1 goes, and .9 cannot be had
					return []netip.Addr{addr("10.0.0.2"), addr("10.0.0.9")}
				}
				return append(all, addr("10.0.0.9"))
			},
			deny: func(_ string, at netip.AddrPort) error {
				if at.Addr() == addr("10.0.0.9") {
					return os.NewSyscallError("bind", noAddress)
				}
				return nil
			},
		}
		d, err := listenDNS(h.net(), at("0.0.0.0 127.0.0.1:54"))
		if err != nil {
			t.Fatal(err)
		}
		serving(t, d, slog.New(slog.NewTextHandler(&log, nil)))
		h.since()
		for _, step := range []struct {
			until time.Duration
			told  string
			bound string
		}{
			{59 * time.Second, "", ".1 127.0.0.1:54"},
			{66 * time.Second, "+u.2 +t.2 then >t.2 >u.2 -t.1 -u.1", ".2 127.0.0.1:54"},
			{119 * time.Second, "", ".2 127.0.0.1:54"},
			{126 * time.Second, "+u.1 +t.1 then >t.1 >u.1 -t.2 -u.2", ".1 127.0.0.1:54"},
		} {
			time.Sleep(step.until - time.Since(began))
			synctest.Wait()
			if got := inOrder(h.since(), step.told); got != step.told {
				t.Errorf("until %v:\n got %s\nwant %s", step.until, got, step.told)
			}
			if got := d.bound(); !slices.Equal(got, at(step.bound)) {
				t.Errorf("until %v: bound to %v, want %s", step.until, got, step.bound)
			}
		}
		if got := strings.Count(log.String(), "10.0.0.9"); got != 1 {
			t.Errorf("what is refused is said %d times in\n%s", got, log.String())
		}
		// What the wildcard has found stays when it is asked for by name, and so
		// nothing is in its own way.
		h.since()
		if err := d.change(at(".1")); err != nil {
			t.Fatal(err)
		}
		if got, want := inOrder(h.since(), ""), "-t127.0.0.1:54 -u127.0.0.1:54"; got != want {
			t.Errorf("from the wildcard to one address: %s, want %s", got, want)
		}
	})
}

// At the start an address that has left the machine meanwhile is passed over;
// one that another program has refuses all.
func TestAWildcardIsTakenWholeOrNot(t *testing.T) {
	for refusal, want := range map[error]string{noAddress: "+u.1 +t.1", inUse: "+u.1 +t.1 -u.1 -t.1"} {
		h := &host{
			wild: func() []netip.Addr {
				return []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}
			},
			deny: func(_ string, at netip.AddrPort) error {
				if at.Addr() == netip.MustParseAddr("10.0.0.2") {
					return os.NewSyscallError("bind", refusal)
				}
				return nil
			},
		}
		if _, err := listenDNS(h.net(), at("0.0.0.0")); (err == nil) != (refusal == noAddress) {
			t.Errorf("%v: got %v", refusal, err)
		}
		if got := short(h.since()); got != want {
			t.Errorf("%v: %s, want %s", refusal, got, want)
		}
	}
}

func TestWildcardsAreReplaced(t *testing.T) {
	here := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2001:db8::1")}
	several := dnsNet{unicast: func() ([]netip.Addr, error) { return here, nil }}
	broken := dnsNet{unicast: func() ([]netip.Addr, error) { return nil, errors.New("no") }}
	for _, c := range []struct {
		net          dnsNet
		wanted, want string
	}{
		{dnsNet{}, "0.0.0.0 [::]:54", "0.0.0.0 [::]:54"},
		{several, "0.0.0.0 .7", ".1 .7"},
		{several, "[::]:53", ".1 [2001:db8::1]:53"},
		{several, "0.0.0.0:0", "0.0.0.0:0"},
		{several, "", ""},
		{broken, ".1", ".1"},
	} {
		d := &dnsListeners{net: c.net}
		if got, err := d.expand(at(c.wanted)); err != nil || !slices.Equal(got, at(c.want)) {
			t.Errorf("%s: got %v, %v, want %s", c.wanted, got, err, c.want)
		}
	}
	if _, err := listenDNS(broken, at("0.0.0.0")); err == nil || !strings.HasPrefix(err.Error(), "listen.dns: the addresses of this machine: ") {
		t.Errorf("addresses that cannot be read: %v", err)
	}
}

func TestAskable(t *testing.T) {
	var all []net.Addr
	for _, p := range []string{"10.0.0.2/8", "127.0.0.1/8", "10.0.0.1/8", "169.254.1.1/16", "fe80::1/64", "::1/128", "2001:db8::1/64", "10.0.0.2/24", "fd00::1/8"} {
		ip, n, err := net.ParseCIDR(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &net.IPNet{IP: ip, Mask: n.Mask})
	}
	all = append(all, &net.UnixAddr{Name: "x"})
	want := "[10.0.0.1 10.0.0.2 127.0.0.1 ::1 2001:db8::1 fd00::1]"
	if got := fmt.Sprint(askable(all)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	here, err := unicast()
	if err != nil || !slices.Contains(here, loopback().Addr()) {
		t.Errorf("this machine has %v, %v", here, err)
	}
}
