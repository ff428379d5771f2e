// Package config turns the configuration file into values that may be used
// without a second look.
//
// Three forms follow one another. What the file says is a tree of words, each
// with its place (tree.go, the only file that knows YAML). What it may say is
// one table, a line a key (keys.go). What is valid is a [Config]: no tags, no
// strings that are really something else, and nothing in it that a check has
// not passed (check.go).
//
// Start with [Find] and [Load]; [Config] is what they lead to, and [Problems]
// is what an operator reads when they do not.
package config

import (
	"crypto/tls"
	"net/netip"
	"time"

	"evenkeel/policy/throttle"
)

// Embedded is the [Config.File] of the configuration that is compiled in.
const Embedded = "embedded default"

// A Config is one valid configuration: every field keeps the promises of its
// comment, and the fields fit each other. Only [Load] makes one. It is a plain
// value, compared with reflect.DeepEqual by who reloads; its slices are not
// written to once it is returned.
type Config struct {
	File    string // where it was read from, or [Embedded]
	Node    Node
	Zone    Zone
	Listen  Listen
	Gate    Gate
	DNS     DNS
	Gossip  Gossip
	Admin   Admin
	Sources Sources
	Limits  Limits
	Health  Health

	Services []Service // protocols judged apart, at most 16

	Policy Policy

	State string        // folder for what must survive a restart; what the file names without a root is beside it; empty = nothing is kept
	Drain time.Duration // at shutdown, time for clients to turn away; 0 to 1h

	transfer []transferKey // until they are read; then nil
}

// A Node is this machine as the farm knows it.
type Node struct {
	Name      string       // one DNS label (RFC 1035, 2.3.1) in lower case, unique in the farm; never empty
	FQDN      string       // what healthcheck.htm shows, in the operator's letter case, without final dot; never empty
	Addresses []netip.Addr // what DNS hands out for this node; empty = to be found out
}

// A Zone is the part of the DNS that is delegated to the agents.
type Zone struct {
	Name           string        // fully qualified, lower case; short enough that any node name fits in front
	Answers        int           // most addresses in one answer, 1 to 8; 0 = as many as exact shares allow, up to 8
	TTLMin, TTLMax time.Duration // whole seconds, 1s <= TTLMin <= TTLMax <= 1h
	Records        []string      // further records, one zone-file line each, which dnsrr can read
	DNSSEC         DNSSEC
}

// A Listen says where this agent serves. No two addresses overlap; port 0
// lets the system choose one. An empty list turns that service off.
type Listen struct {
	DNS        []netip.AddrPort // UDP and TCP
	Health     []netip.AddrPort // healthcheck.htm and the HTTP dialects
	AgentCheck []netip.AddrPort // HAProxy's agent check
	Admin      netip.AddrPort   // dashboard, API and metrics; beyond loopback only as [Admin] says
	Gossip     netip.AddrPort   // TCP and UDP
	Gate       netip.AddrPort   // where front ends ask; not valid = nowhere; beyond loopback only as [Gate] says
}

// A Gossip says how the agents of a farm find and trust each other.
type Gossip struct {
	Join      []string       // HOST:PORT of any peers; the host is an IP address or a name
	Advertise netip.AddrPort // what peers use for us; not valid = to be found out, port 0 = the one listened on
	KeyFile   string         // where Key was read from; what the file names without a folder is beside it; empty = none
	Key       []byte         // 16, 24 or 32 bytes (AES-128, -192, -256); empty only where gossip stays on loopback
	Label     string         // keeps farms on one network apart; 1 to 255 bytes of printable ASCII
}

// A Sources says what is measured, and how much of it.
type Sources struct {
	Listener     Listener
	HTTPErr      HTTPErr
	IIS          string // the folder of its logs; empty = they are not read
	ExchangeLogs string // Exchange's folder Logging; empty = it is not read
}

// An HTTPErr says where HTTP.sys logs whom it turns away.
type HTTPErr struct {
	Path  string   // its folder; empty = it is not read
	Pools []string // application pools that count for this node's state; empty = those of Exchange's front end, but for OWACalendar
}

// A Listener narrows the source that counts the accept queue and connections
// of listening TCP sockets. Nothing in it means every one of them.
type Listener struct {
	Ports     []uint16     // never 0; empty = any
	Addresses []netip.Addr // the local addresses; empty = any
}

// A Limits says how much this node carries, and at which shares of that it
// changes its state: 0 < Recover < Degrade < Fail <= 1.
type Limits struct {
	Connections int           // at least 1; where Learn begins
	Learn       bool          // the limit of connections is learnt from what the node holds
	Queue       int           // places in the worst queue, at least 1; 0 = to be discovered
	Degrade     float64       // from here on new work goes elsewhere
	Recover     float64       // and below here it comes back
	Fail        float64       // from here on the node wishes to fail its probe
	Ramp        time.Duration // slow start of a node that came up; 0 to 24h, 0 = none
}

// A Health says how probes are answered.
type Health struct {
	Hold         time.Duration // how long a failing answer is kept at least; 0 to 1h
	MinInService int           // nodes that stay in service whatever the load, at least 1; 0 = half of the farm, rounded up

	TLS         []netip.AddrPort // healthcheck.htm over HTTPS; empty = nowhere
	Certificate tls.Certificate  // for that; without a chain = one is to be made

	certFile, keyFile string // where Certificate was read from, together; empty = nowhere
}

// defaults is the configuration of an empty file. configs/evenkeel.yaml shows
// the same to operators, and a test holds the two together.
func defaults() Config {
	at := netip.MustParseAddrPort
	return Config{
		Zone: Zone{Name: "mail.test.", TTLMin: 5 * time.Second, TTLMax: 30 * time.Second},
		Listen: Listen{
			DNS:        []netip.AddrPort{at("127.0.0.1:8053")},
			Health:     []netip.AddrPort{at("127.0.0.1:8080")},
			AgentCheck: []netip.AddrPort{at("127.0.0.1:3333")},
			Admin:      at("127.0.0.1:9853"),
			Gossip:     at("127.0.0.1:7946"),
		},
		Sources: Sources{HTTPErr: HTTPErr{Path: auto}, IIS: none, ExchangeLogs: none},

		Gate:   defaultGate(),
		DNS:    defaultDNS(),
		Gossip: Gossip{Label: "evenkeel"},
		Limits: Limits{Connections: 4000, Degrade: 0.70, Recover: 0.55, Fail: 0.90, Ramp: 300 * time.Second},
		Health: Health{Hold: 180 * time.Second},
		Policy: Policy{Ages: throttle.ExchangeAges()},
		Drain:  30 * time.Second,
	}
}
