package main

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

// greeter is a mail server that greets with this, and hangs up.
func greeter(t *testing.T, greeting string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, greeting)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "tcp://" + l.Addr().String()
}

// Two agents, of which one carries a service that its probe finds broken: both
// know, and say so in every place; the node stays up. Another probe is taken up
// by a reload, and asked at once.
func TestServicesOfAFarm(t *testing.T) {
	t.Parallel()
	mail := taken(t)
	busy, ready := greeter(t, "421 too busy\r\n"), greeter(t, "220 ready\r\n")
	cfg := settings("ex01", mail, 0)
	cfg.Services = []config.Service{
		{Name: "imap", Ports: []uint16{mail.Port()}, SRV: []string{"_imap._tcp"}},
		{Name: "smtp", Ports: []uint16{mail.Port()}, SRV: []string{"_submission._tcp"}, Probe: busy},
	}
	ex01 := start(t, cfg)
	other := settings("ex02", mail, 0, ex01.farm.Addr().String())
	other.Services = cfg.Services[:1]
	ex02 := start(t, other)

	for _, a := range []*running{ex01, ex02} {
		await(t, a.name()+" knows what ex01 lacks, and that it is up", func() bool {
			s := a.see(t)
			return len(s.Nodes) == 2 && slices.Equal(s.Nodes[0].Lacks, []string{"smtp"}) && s.Nodes[0].State == "up" && len(s.Nodes[1].Lacks) == 0
		})
		await(t, a.name()+" says so in _why", func() bool {
			return slices.ContainsFunc(a.why(t), func(line string) bool {
				return strings.HasPrefix(line, "ex01 ") && strings.HasSuffix(line, " lacks=smtp")
			})
		})
	}
	_, _, body := get(t, ex01.url("/metrics"))
	for _, want := range []string{`evenkeel_service_up{service="imap"} 1`, `evenkeel_service_up{service="smtp"} 0`} {
		if !strings.Contains(body, "\n"+want) {
			t.Errorf("/metrics has no %s", want)
		}
	}

	await(t, "DNS names ex02 alone for it", func() bool {
		return slices.Equal(ex01.srv(t, "_submission._tcp.mail.example."), []string{"ex02.mail.example."})
	})
	await(t, "and both for the other", func() bool { return len(ex01.srv(t, "_imap._tcp.mail.example.")) == 2 })
	cfg.Services = slices.Clone(cfg.Services)
	cfg.Services[1].Probe = ready
	ex01.reload(&reloader{read: func() (config.Config, dnsrr.Records, error) { return cfg, dnsrr.Records{}, nil }})
	await(t, "ex02 hears that ex01 lacks nothing", func() bool { return len(ex02.sees(t, "ex01").Lacks) == 0 })
	await(t, "and DNS names both", func() bool { return len(ex01.srv(t, "_submission._tcp.mail.example.")) == 2 })
	depart(t, ex01, ex02)
}

// srv lists whom SRV records lead to.
func (r *running) srv(t *testing.T, name string) (hosts []string) {
	t.Helper()
	for _, rr := range r.ask(t, name, dns.TypeSRV) {
		hosts = append(hosts, rr.(*dns.SRV).Target)
	}
	return hosts
}

// depart lets agents leave one after the other, so that none misses another.
func depart(t *testing.T, all ...*running) {
	t.Helper()
	for _, a := range all {
		a.tell()
		if err := a.wait(); err != nil {
			t.Errorf("%s ended with %v", a.name(), err)
		}
	}
}

// serial is that of the SOA.
func (r *running) serial(t *testing.T) uint32 {
	t.Helper()
	for _, rr := range r.ask(t, "mail.example.", dns.TypeSOA) {
		return rr.(*dns.SOA).Serial
	}
	return 0
}

// The farm has one serial. A reload raises it where it changes the zone, and
// not where it changes something else.
func TestSerialOfAFarm(t *testing.T) {
	t.Parallel()
	mail := taken(t)
	cfg := settings("ex01", mail, 0)
	began := uint32(time.Now().Unix())
	ex01 := start(t, cfg)
	ex02 := start(t, settings("ex02", mail, 0, ex01.farm.Addr().String()))
	same := func() bool { s := ex01.serial(t); return s >= began && s == ex02.serial(t) }
	await(t, "both agree on a serial of now", func() bool { return len(ex01.see(t).Nodes) == 2 && len(ex02.see(t).Nodes) == 2 && same() })

	read := func(change func(*config.Config)) uint32 {
		before := ex01.serial(t)
		change(&cfg)
		taken := cfg
		ex01.reload(&reloader{read: func() (config.Config, dnsrr.Records, error) { return taken, dnsrr.Records{}, nil }})
		await(t, "it is taken up", func() bool {
			n := ex01.sees(t, "ex01")
			return n.ConnectionsLimit == taken.Limits.Connections
		})
		return before
	}
	before := read(func(c *config.Config) {
		c.Limits.Connections, c.Services = 101, []config.Service{{Name: "imap", Ports: []uint16{mail.Port()}}}
	})
	await(t, "another service raises it everywhere", func() bool { return ex01.serial(t) > before && same() })
	before = read(func(c *config.Config) { c.Limits.Connections, c.Services[0].Probe = 102, "tcp://127.0.0.1:1" })
	if got := ex01.serial(t); got != before {
		t.Errorf("limits and a probe raise the serial from %d to %d", before, got)
	}
	if got, status := ex01.serial(t), ex01.see(t).Serial; got != status {
		t.Errorf("the SOA has %d, status %d", got, status)
	}
	depart(t, ex01, ex02)
}

func TestSameZone(t *testing.T) {
	base := func() config.Config {
		c := settings("ex01", loopback(), 0)
		c.Services = []config.Service{{Name: "imap", Ports: []uint16{143}, SRV: []string{"_imap._tcp"}}}
		c.Zone.DNSSEC.Keys = []config.ZoneKey{{File: "K", State: "active"}}
		return c
	}
	for i, tt := range []struct {
		change func(*config.Config)
		want   bool
	}{
		{func(*config.Config) {}, true},
		{func(c *config.Config) {
			c.Services[0].Probe, c.Services[0].Pool, c.Drain, c.Limits.Queue = "tcp://x:1", "p", 1, 7
		}, true},
		{func(c *config.Config) { c.DNS.ID, c.DNS.RateLimit.Slip = "x", 9 }, true},
		{func(c *config.Config) { c.Zone.Answers = 3 }, false},
		{func(c *config.Config) { c.Zone.TTLMax++ }, false},
		{func(c *config.Config) { c.Zone.Records = []string{"a TXT b"} }, false},
		{func(c *config.Config) { c.Zone.DNSSEC.Keys[0].State = "retired" }, false},
		{func(c *config.Config) { c.Services[0].SRV = nil }, false},
		{func(c *config.Config) { c.Services[0].Ports = []uint16{993} }, false},
		{func(c *config.Config) { c.Services = nil }, false},
	} {
		c := base()
		if tt.change(&c); sameZone(base(), c) != tt.want {
			t.Errorf("change %d: want it the same zone: %v", i, tt.want)
		}
	}
}
