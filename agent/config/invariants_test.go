package config

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/policy/throttle"
)

// mustHold says that c keeps what the comments of Config promise. It is
// written from those comments, not from the code that checks a file.
func mustHold(t interface {
	Helper()
	Errorf(string, ...any)
}, c Config) {
	t.Helper()
	for _, promise := range []struct {
		name string
		kept bool
	}{
		{"node.name is a label in lower case", isLabel(c.Node.Name) && c.Node.Name == strings.ToLower(c.Node.Name)},
		{"node.fqdn is a name", isName(c.Node.FQDN)},
		{"node.addresses can be reached", !slices.ContainsFunc(c.Node.Addresses, func(a netip.Addr) bool { return !a.IsValid() || a.IsUnspecified() })},
		{"zone.name is absolute, and a node's name fits in front", strings.HasSuffix(c.Zone.Name, ".") && len(c.Zone.Name)+64 <= 254},
		{"zone.answers is 0 to 8", c.Zone.Answers >= 0 && c.Zone.Answers <= 8},
		{"the TTLs are whole seconds in order", time.Second <= c.Zone.TTLMin && c.Zone.TTLMin <= c.Zone.TTLMax && c.Zone.TTLMax <= time.Hour &&
			c.Zone.TTLMin%time.Second == 0 && c.Zone.TTLMax%time.Second == 0},
		{"records are lines", !slices.ContainsFunc(c.Zone.Records, func(s string) bool { return s == "" || strings.ContainsAny(s, "\r\n") })},
		{"sockets do not overlap", apart(sockets(c.Listen))},
		{"admin stays here, or knows whom to let in and cannot be overheard", c.Listen.Admin.Addr().IsLoopback() ||
			len(c.Admin.Certificate.Certificate) > 0 && (c.Admin.Token != "" || len(c.Admin.ClientCAs) > 0)},
		{"a token cannot be guessed", c.Admin.Token == "" || len(c.Admin.Token) >= 20 && !strings.ContainsAny(c.Admin.Token, " \r\n")},
		{"certificates are shown over TLS", len(c.Admin.ClientCAs) == 0 || len(c.Admin.Certificate.Certificate) > 0},
		{"gossip has a key or stays here", c.Listen.Gossip.Addr().IsLoopback() || len(c.Gossip.Key) > 0},
		{"a key has an AES length", slices.Contains([]int{0, 16, 24, 32}, len(c.Gossip.Key))},
		{"peers have a port", !slices.ContainsFunc(c.Gossip.Join, func(s string) bool { return !strings.Contains(s, ":") })},
		{"the label is short", len(c.Gossip.Label) >= 1 && len(c.Gossip.Label) <= 255},
		{"the gate stays here, or knows who may ask", !c.Listen.Gate.IsValid() || c.Listen.Gate.Addr().IsLoopback() || len(c.Gate.Allow) > 0},
		{"the gate is bounded", c.Gate.Budgets >= 1000 && c.Gate.Requests >= 100 && c.Gate.Waiters >= 0 && c.Gate.Waiters < c.Gate.Connections &&
			within(c.Gate.Assume, time.Minute) && within(c.Gate.Wait, time.Minute) && within(c.Gate.Release, 24*time.Hour) && c.Gate.Release >= time.Second},
		{"a denial is 403 or 429", c.Gate.Deny == 403 || c.Gate.Deny == 429},
		{"a domain has two names in lower case", !slices.ContainsFunc(c.Gate.Domains, func(d throttle.Domain) bool {
			return !isLabel(d.Short) || !isName(d.Full) || d.Short+d.Full != strings.ToLower(d.Short+d.Full)
		})},
		{"the marks are in order", 0 < c.Limits.Recover && c.Limits.Recover < c.Limits.Degrade && c.Limits.Degrade < c.Limits.Fail && c.Limits.Fail <= 1},
		{"limits are positive", c.Limits.Connections >= 1 && c.Limits.Queue >= 0 && c.Health.MinInService >= 0},
		{"durations are bounded", within(c.Limits.Ramp, 24*time.Hour) && within(c.Health.Hold, time.Hour) && within(c.Drain, time.Hour)},
		{"services have names and ports, and SRV names of their own", servicesHold(c.Services)},
		{"keys of the zone have a file and a state", !slices.ContainsFunc(c.Zone.DNSSEC.Keys, func(k ZoneKey) bool {
			return k.File == "" || !slices.Contains([]string{"published", "active", "retired"}, k.State)
		})},
		{"the DNS names itself in ASCII", len(c.DNS.ID) <= 255 && len(c.DNS.Version) <= 255 && !strings.ContainsFunc(c.DNS.ID+c.DNS.Version, func(r rune) bool { return r < ' ' || r > '~' })},
		{"cookies have a secret wherever gossip has a key", len(c.DNS.Cookies) <= 2 && (len(c.DNS.Cookies) > 0 || len(c.Gossip.Key) == 0)},
		{"answers are limited within bounds", c.DNS.RateLimit.PerSecond >= 0 && c.DNS.RateLimit.PerSecond <= 1_000_000 && c.DNS.RateLimit.Slip >= 0 && c.DNS.RateLimit.Slip <= 15},
		{"networks are networks", !slices.ContainsFunc(slices.Concat(c.DNS.RateLimit.Exempt, c.DNS.Transfer.Allow), func(p netip.Prefix) bool { return !p.IsValid() || p != p.Masked() })},
		{"secondaries have a port", !slices.ContainsFunc(c.DNS.Transfer.Notify, func(a netip.AddrPort) bool { return !a.IsValid() || a.Port() == 0 })},
		{"transfer keys have a secret", !slices.ContainsFunc(c.DNS.Transfer.Keys, func(k dnsrr.TransferKey) bool {
			return !strings.HasSuffix(k.Name, ".") || !strings.HasPrefix(k.Algorithm, "hmac-sha") || len(k.Secret) < 16
		})},
		{"there is a policy for everyone", c.Policy.Book != nil && c.Policy.Book.Effective("x").Policy != ""},
		{"policies are kept for a while", 0 < c.Policy.Ages.Min && c.Policy.Ages.Min <= c.Policy.Ages.Max && c.Policy.Ages.Max <= 24*time.Hour},
		{"ports are ports", !slices.Contains(c.Sources.Listener.Ports, 0)},
	} {
		if !promise.kept {
			t.Errorf("broken promise: %s: %+v", promise.name, c)
		}
	}
}

func servicesHold(all []Service) bool {
	seen := map[string]bool{}
	for _, s := range all {
		for _, name := range append([]string{s.Name}, s.SRV...) {
			if seen[name] || name == "" {
				return false
			}
			seen[name] = true
		}
		if len(s.Name) > 15 || len(s.Ports) == 0 || slices.Contains(s.Ports, 0) {
			return false
		}
	}
	return len(all) <= 16
}

func within(d, most time.Duration) bool { return d >= 0 && d <= most }

func sockets(l Listen) []netip.AddrPort {
	all := append(slices.Concat(l.DNS, l.Health, l.AgentCheck), l.Admin, l.Gossip)
	if l.Gate.IsValid() {
		all = append(all, l.Gate)
	}
	return all
}

// apart says that all of the sockets could be opened on one machine: those
// that share a port have different addresses, and no wildcard of their family
// among them; [::] is of both.
func apart(all []netip.AddrPort) bool {
	byPort := map[uint16]map[netip.Addr]int{}
	for _, s := range all {
		if s.Port() == 0 {
			continue
		}
		if byPort[s.Port()] == nil {
			byPort[s.Port()] = map[netip.Addr]int{}
		}
		byPort[s.Port()][s.Addr()]++
	}
	for _, addrs := range byPort {
		for a, n := range addrs {
			if n > 1 {
				return false
			}
			for b := range addrs {
				if a != b && a.IsUnspecified() && (a.Is6() || b.Is4()) {
					return false
				}
			}
		}
	}
	return true
}

func TestInvariantsCanBreak(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*Config)
	}{
		{"marks out of order", func(c *Config) { c.Limits.Recover = c.Limits.Degrade }},
		{"two services on one socket", func(c *Config) { c.Listen.Health = c.Listen.DNS }},
		{"a wildcard over another", func(c *Config) { c.Listen.DNS = []netip.AddrPort{netip.MustParseAddrPort("[::]:9853")} }},
		{"gossip in the open", func(c *Config) { c.Listen.Gossip = netip.MustParseAddrPort("0.0.0.0:7946") }},
		{"admin in the open", func(c *Config) { c.Listen.Admin = netip.MustParseAddrPort("0.0.0.0:9853") }},
		{"admin in the open with a token that all can read", func(c *Config) {
			c.Listen.Admin, c.Admin.Token = netip.MustParseAddrPort("0.0.0.0:9853"), strings.Repeat("0", 20)
		}},
		{"a token to be guessed", func(c *Config) { c.Admin.Token = "secret" }},
		{"a service without ports", func(c *Config) { c.Services = []Service{{Name: "imap"}} }},
		{"two services of one name", func(c *Config) {
			c.Services = []Service{{Name: "a", Ports: []uint16{1}}, {Name: "a", Ports: []uint16{2}}}
		}},
		{"a key of the zone without a state", func(c *Config) { c.Zone.DNSSEC.Keys = []ZoneKey{{File: "K"}} }},
		{"a network with the bits of a host", func(c *Config) { c.DNS.Transfer.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")} }},
		{"policies that are never kept", func(c *Config) { c.Policy.Ages.Min = 0 }},
		{"half a second of TTL", func(c *Config) { c.Zone.TTLMin += time.Second / 2 }},
	} {
		c := mustLoad(t, "")
		tt.spoil(&c)
		var seen counter
		mustHold(&seen, c)
		if seen != 1 {
			t.Errorf("%s: got %d broken promises, want 1", tt.name, seen)
		}
	}
}

// A counter counts what a test would have failed with.
type counter int

func (*counter) Helper()                 {}
func (c *counter) Errorf(string, ...any) { *c++ }

func mustLoad(t *testing.T, text string) Config {
	t.Helper()
	c, err := load("f.yaml", []byte(text), fakeKeys, "ex01.example.com")
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return c
}
