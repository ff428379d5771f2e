package main

import (
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The story of sockets that are lost, told in seconds: UDP opens anew at once,
// then ever more seldom, and at once again when it was well for a minute; TCP
// never notices; and each loss is said once.
func TestLostSocketsAreOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var log notebook
		var tried []int
		second := func() int { return int(time.Since(began) / time.Second) }
		h := &host{
			deny: func(transport string, at netip.AddrPort) error {
				if second() == 0 {
					return nil
				}
				tried = append(tried, second())
				if s := second(); s < 140 { // the address comes back after 40 s
					return os.NewSyscallError("bind", noAddress)
				}
				return nil
			},
			dies: func(transport string, at netip.AddrPort) time.Time {
				switch s := second(); {
				case transport == "t":
					return time.Time{}
				case s < 100: // the cable is pulled
					return began.Add(100 * time.Second)
				case s < 164: // and is loose
					return time.Now().Add(time.Second)
				case s < 1000:
					return began.Add(1000 * time.Second)
				}
				return time.Time{}
			},
		}
		d, err := listenDNS(h.net(), at(".1"))
		if err != nil {
			t.Fatal(err)
		}
		serving(t, d, slog.New(slog.NewTextHandler(&log, nil)))
		time.Sleep(time.Hour)
		synctest.Wait()
		want := []int{100, 101, 103, 107, 115, 131, 161, 192, 1000}
		if !slices.Equal(tried, want) {
			t.Errorf("tried after %v s, want %v", tried, want)
		}
		if got := d.reopened.Load(); got != 3 {
			t.Errorf("%d opened again, want 3", got)
		}
		for text, want := range map[string]int{"DNS lost its sockets": 2, "the network is down": 2, "DNS is served again": 2, "transport=tcp": 0} {
			if got := strings.Count(log.String(), text); got != want {
				t.Errorf("%q is said %d times, want %d, in\n%s", text, got, want, log.String())
			}
		}
	})
}

// Who stops while sockets are lost does not wait for them.
func TestStoppingWhileLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		h := &host{
			deny: func(string, netip.AddrPort) error {
				if time.Since(began) > 0 {
					return os.NewSyscallError("bind", noAddress)
				}
				return nil
			},
			dies: func(string, netip.AddrPort) time.Time { return began.Add(time.Second) },
		}
		d, err := listenDNS(h.net(), at(".1"))
		if err != nil {
			t.Fatal(err)
		}
		stop := serving(t, d, slog.New(slog.DiscardHandler))
		time.Sleep(time.Minute)
		before := time.Now()
		stop()
		if took := time.Since(before); took != 0 {
			t.Errorf("took %v", took)
		}
		d.close() // once more does no harm
	})
}
