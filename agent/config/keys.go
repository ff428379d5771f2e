package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A language is all that a file may say.
type language []row

// A row is one key: its path from the top, and what becomes of its value.
// Where set is nil, nothing may be given yet; see [unbuilts].
type row struct {
	path string
	set  func(*reader, value)
}

// keys is the language of the file, bound to the values it sets in c. It
// stands in the order of configs/evenkeel.yaml.
func keys(c *Config) language {
	lang := slices.Concat(language{
		{"node.name", one(&c.Node.Name, optional(label()))},
		{"node.fqdn", one(&c.Node.FQDN, optional(hostname()))},
		{"node.addresses", many(&c.Node.Addresses, unicast())},
		{"zone.name", one(&c.Zone.Name, zoneName())},
		{"zone.answers", one(&c.Zone.Answers, or("auto", whole(1, 8)))},
		{"zone.ttl.min", one(&c.Zone.TTLMin, seconds(time.Second, time.Hour))},
		{"zone.ttl.max", one(&c.Zone.TTLMax, seconds(time.Second, time.Hour))},
		{"zone.records", many(&c.Zone.Records, record())},
		{"zone.dnssec.keys", blocks(&c.Zone.DNSSEC.Keys, ZoneKey{}, (*ZoneKey).keys)},
		{"listen.dns", many(&c.Listen.DNS, socket())},
		{"listen.health", many(&c.Listen.Health, socket())},
		{"listen.agent_check", many(&c.Listen.AgentCheck, socket())},
		{"listen.admin", one(&c.Listen.Admin, socket())},
		{"listen.gossip", one(&c.Listen.Gossip, socket())},
		{"listen.gate", one(&c.Listen.Gate, optional(socket()))},
	}, c.Gate.keys(), c.DNS.keys(&c.transfer), language{
		{"gossip.join", many(&c.Gossip.Join, peer())},
		{"gossip.advertise", one(&c.Gossip.Advertise, optional(advertised()))},
		{"gossip.key_file", one(&c.Gossip.KeyFile, optional(fileName()))},
		{"gossip.label", one(&c.Gossip.Label, gossipLabel())},
		{"admin.token_file", one(&c.Admin.TokenFile, optional(fileName()))},
		{"admin.cert_file", one(&c.Admin.CertFile, optional(fileName()))},
		{"admin.key_file", one(&c.Admin.KeyFile, optional(fileName()))},
		{"admin.client_ca_file", one(&c.Admin.ClientCAFile, optional(fileName()))},
		{"sources.listener.ports", many(&c.Sources.Listener.Ports, port())},
		{"sources.listener.addresses", many(&c.Sources.Listener.Addresses, address())},
		{"sources.httperr.path", one(&c.Sources.HTTPErr.Path, logFolder())},
		{"sources.httperr.pools", many(&c.Sources.HTTPErr.Pools, poolName())},
		{"sources.iis.path", one(&c.Sources.IIS, logFolder())},
		{"sources.exchange_logs.path", one(&c.Sources.ExchangeLogs, logFolder())},
		{"limits.connections", learnt(&c.Limits)},
		{"limits.queue", one(&c.Limits.Queue, or("discover", whole(1, 1_000_000)))},
		{"limits.degrade", one(&c.Limits.Degrade, share())},
		{"limits.recover", one(&c.Limits.Recover, share())},
		{"limits.fail", one(&c.Limits.Fail, share())},
		{"limits.ramp", one(&c.Limits.Ramp, duration(0, 24*time.Hour))},
		{"health.hold", one(&c.Health.Hold, duration(0, time.Hour))},
		{"health.min_in_service", one(&c.Health.MinInService, or("auto", whole(1, 10_000)))},
		{"drain", one(&c.Drain, duration(0, time.Hour))},
	})
	for _, u := range unbuilts() {
		if _, known := lang.row(u.path); !known {
			lang = append(lang, row{path: u.path})
		}
	}
	lang = append(lang, c.Policy.keys()...)
	return append(lang,
		row{"health.tls.listen", many(&c.Health.TLS, socket())},
		row{"health.tls.cert_file", one(&c.Health.certFile, optional(fileName()))},
		row{"health.tls.key_file", one(&c.Health.keyFile, optional(fileName()))},
		row{"services", blocks(&c.Services, Service{}, (*Service).keys)},
		row{"state", one(&c.State, optional(folder()))})
}

// An unbuilt is something that the file may name and this version cannot do.
// To refuse it is kinder than to take it and do nothing.
type unbuilt struct {
	path    string
	refuses func(value) bool
}

// unbuilts lists them all. A row leaves when what it names is built.
func unbuilts() []unbuilt {
	named := func(value) bool { return true }
	learn := func(v value) bool { return v.text == "learn" }
	return []unbuilt{
		{"sources.pdh", named},
		{"sources.nginx", named},
		{"sources.haproxy", named},
		{"sources.prometheus", named},
		{"limits.queue", learn},
	}
}

func unavailable(path string, v value) bool {
	return slices.ContainsFunc(unbuilts(), func(u unbuilt) bool { return u.path == path && u.refuses(v) })
}

func (l language) row(path string) (row, bool) {
	i := slices.IndexFunc(l, func(r row) bool { return r.path == path })
	if i < 0 {
		return row{}, false
	}
	return l[i], true
}

// under lists the names that may stand directly below path, each once.
func (l language) under(path string) []string {
	var names []string
	for _, r := range l {
		rest, ok := strings.CutPrefix("."+r.path, strings.TrimSuffix("."+path, ".")+".")
		if name, _, _ := strings.Cut(rest, "."); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// suggest is a hint for an unknown key: a name like it among its neighbours,
// else the same name elsewhere, else what may stand there.
func (l language) suggest(path string) string {
	parent, name := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	near := l.under(parent)
	if s, ok := closest(name, near); ok {
		return fmt.Sprintf("did you mean %s?", strings.TrimPrefix(parent+"."+s, "."))
	}
	for _, r := range l {
		if strings.HasSuffix(r.path, "."+strings.ToLower(name)) {
			return fmt.Sprintf("did you mean %s?", r.path)
		}
	}
	return "known here: " + strings.Join(near, ", ")
}
