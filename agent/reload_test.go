package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/policy/throttle"
)

// Every key is either taken up while running or named as one that is not.
func TestOnlyAtStart(t *testing.T) {
	at := netip.MustParseAddrPort("127.0.0.1:1")
	for _, c := range []struct {
		change func(*config.Config)
		want   string
	}{
		{func(c *config.Config) {}, ""},
		{func(c *config.Config) { c.Limits.Connections, c.Health.Hold, c.Drain = 1, time.Hour, time.Hour }, ""},
		{func(c *config.Config) {
			c.Zone.TTLMax, c.Zone.Answers, c.Zone.Records = time.Hour, 1, []string{"x TXT y"}
		}, ""},
		{func(c *config.Config) { c.Node.FQDN, c.Node.Addresses = "x.example", []netip.Addr{at.Addr()} }, ""},
		{func(c *config.Config) { c.Node.Name, c.Zone.Name = "x", "x." }, "node.name, zone.name"},
		{func(c *config.Config) { c.Listen.DNS = nil }, ""},
		{func(c *config.Config) { c.Listen.Admin = at }, "listen.admin"},
		{func(c *config.Config) { c.Listen.Health, c.Listen.AgentCheck, c.Listen.Gossip = nil, nil, at }, "listen.health, listen.agent_check, listen.gossip"},
		{func(c *config.Config) { c.Admin.Token = strings.Repeat("0", 20) }, ""},
		{func(c *config.Config) { c.Admin.Certificate.Certificate = [][]byte{nil} }, "admin.cert_file (TLS or not)"},
		{func(c *config.Config) {
			c.DNS, c.Services = config.DNS{ID: "x", Cookies: [][16]byte{{1}}}, []config.Service{{Name: "imap", Ports: []uint16{143}}}
			c.Zone.DNSSEC.Keys = []config.ZoneKey{{File: "K", State: "active"}}
		}, ""},
		{func(c *config.Config) { c.Gossip.Key = []byte("k") }, "gossip"},
		{func(c *config.Config) { c.Sources.Listener.Ports = []uint16{2} }, "sources"},
		{func(c *config.Config) { c.State = "/x" }, "state"},
		{func(c *config.Config) { c.Listen.Gate, c.Gate.Budgets, c.Gate.Requests = at, 1, 1 }, "listen.gate, gate.budgets, gate.requests"},
		{func(c *config.Config) {
			c.Gate.Allow, c.Gate.Connections, c.Gate.Release, c.Gate.Shadow = []netip.Prefix{{}}, 1, 1, true
		}, "gate.allow, gate.connections, gate.release, gate.shadow"},
		{func(c *config.Config) {
			c.Gate.Hold, c.Gate.Deny, c.Gate.FailOpen, c.Gate.Anonymous, c.Gate.Assume, c.Gate.Waiters = true, 429, true, true, 1, 1
			c.Gate.Domains = []throttle.Domain{{Short: "a", Full: "a.example"}}
		}, ""},
	} {
		old := settings("ex01", at, 0)
		now := settings("ex01", at, 0)
		c.change(&now)
		if got := strings.Join(onlyAtStart(old, now), ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// What is refused changes nothing and is said once, until it is something else.
func TestRefusedReload(t *testing.T) {
	var log notebook
	a := &agent{cfg: settings("ex01", loopback(), time.Minute), log: slog.New(slog.NewTextHandler(&log, nil)), node: &node.Node{}}
	text := "f.yaml:3:1: limits: unknown key"
	r := reloader{read: func() (config.Config, dnsrr.Records, error) {
		return config.Config{}, dnsrr.Records{}, errors.New(text)
	}}
	a.reload(&r)
	a.reload(&r)
	text = "f.yaml:4:1: limits: unknown key"
	a.reload(&r)
	r.read = func() (config.Config, dnsrr.Records, error) {
		return settings("ex09", loopback(), time.Hour), dnsrr.Records{}, nil
	}
	a.reload(&r)
	a.reload(&r)
	if got := a.current(); got.Node.Name != "ex01" || got.Drain != time.Minute {
		t.Errorf("it took %+v", got)
	}
	for _, want := range []string{"f.yaml:3:1", "f.yaml:4:1", "only a restart can change node.name"} {
		if got := strings.Count(log.String(), want); got != 1 {
			t.Errorf("%q is said %d times in\n%s", want, got, log.String())
		}
	}
}

// A file is read when it has changed and then kept still; SIGHUP reads it at once.
func TestWhenItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		a := &agent{cfg: settings("ex01", loopback(), 0), log: slog.New(slog.DiscardHandler), node: &node.Node{}, hup: make(chan os.Signal, 1)}
		var read []string
		r := reloader{
			read: func() (config.Config, dnsrr.Records, error) {
				read = append(read, fmt.Sprint(time.Since(began).Truncate(time.Second)))
				return config.Config{}, dnsrr.Records{}, errors.New("bad")
			},
			stat: func() stamp { // written in steps from 10 s to 17 s, and once more after 30 s
				at := time.Since(began)
				switch {
				case at < 10*time.Second:
					return "1"
				case at < 17*time.Second:
					return stamp(fmt.Sprint("written ", at/time.Second))
				case at < 30*time.Second:
					return "100"
				}
				return "100, later"
			},
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { a.reread(ctx, r) })
		time.Sleep(45*time.Second + time.Second/2)
		a.hup <- nil
		wg.Wait()
		if got, want := strings.Join(read, ", "), "20s, 32s, 45s"; got != want {
			t.Errorf("read after %s, want %s", got, want)
		}
	})
}

// A file that takes another's place is seen, be it as old and as long: tokens
// are all of one length, and are copied with their times.
func TestStampOf(t *testing.T) {
	dir := t.TempDir()
	token, conf := filepath.Join(dir, "admin.token"), filepath.Join(dir, "evenkeel.yaml")
	write := func(name string, age time.Duration) {
		put(t, name, []byte(goodToken))
		at := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC).Add(-age)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[stamp]string{"": "none of the files"}
	for _, step := range []struct {
		name  string
		write func()
	}{
		{"the configuration", func() { write(conf, 0) }},
		{"a token beside it", func() { write(token, time.Hour) }},
		{"another token, older than both", func() { write(token, 2*time.Hour) }},
	} {
		step.write()
		now := stampOf(token, conf)
		if before, known := seen[now]; known {
			t.Errorf("%s: as with %s: %q", step.name, before, now)
		}
		if now != stampOf(token, conf) {
			t.Errorf("%s: seen twice it is two", step.name)
		}
		seen[now] = step.name
	}
}

// A running agent takes up new limits, and no session of anybody is cut for it.
func TestReload(t *testing.T) {
	cfg := settings("ex01", loopback(), 0)
	cfg.Sources.Listener.Ports = nil
	a := start(t, cfg)
	await(t, "it is there", func() bool { _, ok := a.agent.status(); return ok })
	cfg.Limits.Connections, cfg.Drain = 777, time.Hour
	records, err := dnsrr.ParseRecords("mail.example.", []string{"extra TXT hello"})
	if err != nil {
		t.Fatal(err)
	}
	a.reload(&reloader{read: func() (config.Config, dnsrr.Records, error) { return cfg, records, nil }})
	await(t, "the new limit counts", func() bool { return a.sees(t, "ex01").ConnectionsLimit == 777 })
	if a.current().Drain != time.Hour || len(a.ask(t, "extra.mail.example.", 16)) != 1 {
		t.Error("drain or records are not taken up")
	}
}
