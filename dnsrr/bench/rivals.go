package main

import (
	"embed"
	"slices"
)

//go:embed rivals
var templates embed.FS

// ours is the name of our own server where there is one binary of it.
const ours = "ours"

// A rival is a server that we measure ourselves against, at one processor.
type rival struct {
	name    string
	needs   string            // the program that must be here
	files   map[string]string // name in the server's folder → template in rivals
	dirs    []string          // further folders that it wants
	command []string          // a template each
	keys    [][]string        // likewise: what makes keys before it starts, where it is to sign
	version []string          // says the package's version
	weighs  bool              // answers by weight; others always give all three addresses
	least   int               // addresses that must be seen before it is measured
	modes   []string
}

// rivals are all that can take part, besides ours. What is off by default stays
// off, save NSID and cookies where they are one line.
var rivals = []rival{
	{
		name: "echo", needs: "cc",
		command: []string{"<<.Tools>>/echo", "<<.Port>>"},
		modes:   []string{"saturation", "steady", "half", "cookie"},
	},
	{
		name: "gdnsd", needs: "gdnsd", least: 3, weighs: true,
		files:   map[string]string{"config": "gdnsd.conf", "zones/mail.test": "gdnsd.zone"},
		dirs:    []string{"run", "state"},
		command: []string{"gdnsd", "-c", "<<.Dir>>", "start"},
		version: []string{"gdnsd"},
		modes:   []string{"saturation", "steady", "half", "tcp", "cookie"},
	},
	{
		name: "nsd", needs: "nsd", least: 3,
		files:   map[string]string{"nsd.conf": "nsd.conf", "zone.db": "zone.db"},
		command: []string{"nsd", "-d", "-c", "<<.Dir>>/nsd.conf"},
		version: []string{"nsd"},
		modes:   []string{"saturation", "steady", "half", "tcp", "cookie"},
	},
	{
		name: "knot", needs: "knotd", least: 3, weighs: true,
		files:   map[string]string{"knot.conf": "knot.conf", "geo.conf": "geo.conf", "zone.db": "zone.db"},
		command: []string{"knotd", "-c", "<<.Dir>>/knot.conf"},
		keys: [][]string{
			{"keymgr", "-c", "<<.Dir>>/knot.conf", zone, "generate", "algorithm=ECDSAP256SHA256", "ksk=yes", "zsk=no"},
			{"keymgr", "-c", "<<.Dir>>/knot.conf", zone, "generate", "algorithm=ECDSAP256SHA256", "ksk=no", "zsk=yes"},
		},
		version: []string{"knot", "knot-module-geoip"},
		modes:   []string{"saturation", "steady", "half", "tcp", "signed"}, // its cookies refuse who has none yet
	},
	{
		name: "pdns", needs: "pdns_server", least: 3, weighs: true,
		files:   map[string]string{"pdns.conf": "pdns.conf", "named.conf": "pdns.named", "zone.db": "pdns.zone"},
		command: []string{"pdns_server", "--config-dir=<<.Dir>>"},
		version: []string{"pdns-server"},
		modes:   []string{"saturation", "steady", "tcp"},
	},
	{
		name: "dnsdist", needs: "dnsdist", least: 3,
		files:   map[string]string{"dnsdist.conf": "dnsdist.conf"},
		command: []string{"dnsdist", "--supervised", "--disable-syslog", "-C", "<<.Dir>>/dnsdist.conf"},
		version: []string{"dnsdist"},
		modes:   []string{"saturation", "steady", "tcp"},
	},
	{
		name: "bind", needs: "named", least: 3,
		files:   map[string]string{"named.conf": "named.conf", "zone.db": "zone.db"},
		command: []string{"named", "-g", "-n", "1", "-c", "<<.Dir>>/named.conf"},
		version: []string{"bind9"},
		modes:   []string{"saturation", "steady", "tcp", "signed", "cookie"},
	},
	{
		name: "unbound", needs: "unbound", least: 3,
		files:   map[string]string{"unbound.conf": "unbound.conf"},
		command: []string{"unbound", "-d", "-c", "<<.Dir>>/unbound.conf"},
		version: []string{"unbound"},
		modes:   []string{"saturation", "steady", "tcp"},
	},
	{
		name: "coredns", needs: "coredns", least: 3, weighs: true,
		files:   map[string]string{"Corefile": "Corefile", "zone.db": "zone.db", "weights": "weights"},
		command: []string{"coredns", "-conf", "<<.Dir>>/Corefile"},
		modes:   []string{"saturation", "steady", "tcp"},
	},
	{
		name: "plain", needs: "go", least: 3,
		command: []string{"<<.Tools>>/plain", "<<.Port>>"},
		modes:   []string{"saturation", "steady", "half", "tcp"},
	},
}

// names lists the rivals.
func names() (list []string) {
	for _, r := range rivals {
		list = append(list, r.name)
	}
	return list
}

// A mode is one way to ask.
type mode struct {
	name, says string
	load       load
	half       bool // at half of what the server can do
}

// modes is what is measured, in this order: half needs to know the peaks.
var modes = []mode{
	{name: "saturation", says: "as many as are answered, UDP", load: load{}},
	{name: "steady", says: "10,000 a second, UDP: each query is a wake-up of its own", load: load{Rate: 10_000}},
	{name: "half", says: "at half of the lower peak of ours and gdnsd, or of one's own where that is lower, UDP", half: true},
	{name: "tcp", says: "as many as are answered, TCP, 8 connections", load: load{TCP: true}},
	{name: "cookie", says: "as many as are answered, UDP, each with EDNS and a client's cookie", load: load{Cookie: true}},
	{name: "spread", says: "as many as are answered, UDP, on both cores, of which the load has one", load: load{}},
	{name: "signed", says: "as many as are answered, UDP, with signatures", load: load{Signed: true}},
}

func modeNames() (list []string) {
	for _, m := range modes {
		list = append(list, m.name)
	}
	return list
}

// chosen is the modes that are named.
func chosen(names []string) (list []mode) {
	for _, m := range modes {
		if slices.Contains(names, m.name) {
			list = append(list, m)
		}
	}
	return list
}

// A goal is what ours is held to: a ratio to a rival, in one figure.
type goal struct {
	mode, rival, figure string
	limit               float64
	atLeast             bool // ours is to be at least so many times the rival; otherwise at most
}

var goals = []goal{
	{"saturation", "echo", "cpu", 1.05, false},
	{"saturation", "gdnsd", "cpu", 1.00, false},
	{"saturation", "nsd", "cpu", 0.85, false},
	{"saturation", "knot", "cpu", 0.85, false},
	{"saturation", "coredns", "cpu", 0.20, false},
	{"saturation", "plain", "cpu", 0.35, false},
	{"saturation", "gdnsd", "user", 0.35, false},
	{"steady", "plain", "cpu", 0.80, false},
	{"steady", "gdnsd", "cpu", 1.15, false},
	{"half", "gdnsd", "p99", 1.00, false},
	{"signed", "knot", "cpu", 1.10, false},
	{"tcp", "plain", "qps", 2.00, true},
}
