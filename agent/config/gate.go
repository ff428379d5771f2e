package config

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// A Gate says how front ends are answered that ask whether a client may.
type Gate struct {
	Allow       []netip.Prefix    // who may ask, beside this machine; never empty where listen.gate is beyond loopback
	FailOpen    bool              // what cannot be judged is allowed; else it is denied
	Hold        bool              // the gate itself waits out delays before it answers
	Deny        int               // status of a denial: 403 or 429
	Anonymous   bool              // who has no name is allowed unjudged; else he is judged by his address
	Domains     []throttle.Domain // in lower case, no two of one short name; a name without a domain is of the first
	Assume      time.Duration     // what a request is charged whose end the front end does not tell; 0 to 1m
	Release     time.Duration     // after this a request that was never done is taken for ended; 1s to 24h
	Shadow      bool              // decides and counts, and allows all
	Backoff     throttle.Backoff  // how MAPI sessions are held back; valid
	Budgets     int               // most callers whose budgets are kept apart; 1000 to 10,000,000
	Requests    int               // most requests that are open at once; 100 to 10,000,000
	Wait        time.Duration     // the longest that the gate holds a request; longer delays are denials; 0 to 1m
	Waiters     int               // most requests that the gate holds at once; below Connections, half of them by default
	Connections int               // most connections of front ends at once; 1 to 100,000
}

func defaultGate() Gate {
	return Gate{
		FailOpen: true, Deny: http.StatusForbidden, Assume: 100 * time.Millisecond, Release: 10 * time.Minute, Backoff: throttle.DefaultBackoff(),
		Budgets: 100_000, Requests: 65_536, Wait: time.Minute, Connections: 1024,
	}
}

// keys is the language of the section gate.
func (g *Gate) keys() language {
	return language{
		{"gate.allow", many(&g.Allow, prefix())},
		{"gate.fail", one(&g.FailOpen, either("open", "closed"))},
		{"gate.hold", one(&g.Hold, yesNo())},
		{"gate.deny", one(&g.Deny, status())},
		{"gate.anonymous", one(&g.Anonymous, either("allowed", "judged"))},
		{"gate.domains", many(&g.Domains, domain())},
		{"gate.assume", one(&g.Assume, duration(0, time.Minute))},
		{"gate.release", one(&g.Release, duration(time.Second, 24*time.Hour))},
		{"gate.shadow", one(&g.Shadow, yesNo())},
		{"gate.rpc_factor", one(&g.Backoff.Factor, factor())},
		{"gate.budgets", one(&g.Budgets, whole(1000, 10_000_000))},
		{"gate.requests", one(&g.Requests, whole(100, 10_000_000))},
		{"gate.wait", one(&g.Wait, duration(0, time.Minute))},
		{"gate.waiters", one(&g.Waiters, or("auto", whole(1, 100_000)))},
		{"gate.connections", one(&g.Connections, whole(1, 100_000))},
	}
}

// either is one of two words, the first of which is true.
func either(yes, no string) form[bool] {
	return form[bool]{yes + " or " + no, func(s string) (bool, error) {
		if s != yes && s != no {
			return false, noHint
		}
		return s == yes, nil
	}}
}

// status is how a client is turned away.
func status() form[int] {
	return form[int]{"403 or 429", func(s string) (int, error) {
		switch s {
		case "403":
			return http.StatusForbidden, nil
		case "429":
			return http.StatusTooManyRequests, nil
		}
		return 0, noHint
	}}
}

// factor is Exchange's "RPC Throttling Factor".
func factor() form[uint32] {
	return form[uint32]{fmt.Sprintf("a whole number from 0 to %d", throttle.MaxFactor), func(s string) (uint32, error) {
		n, err := strconv.ParseUint(s, 10, 32)
		if b := (throttle.Backoff{Factor: uint32(n)}); err != nil || b.Valid() != nil {
			return 0, noHint
		}
		return uint32(n), nil
	}}
}

// domain is a domain's short name and its name in the DNS.
func domain() form[throttle.Domain] {
	return form[throttle.Domain]{"a domain's two names, such as CONTOSO=contoso.example", func(s string) (throttle.Domain, error) {
		short, full, found := strings.Cut(strings.ToLower(s), "=")
		full = strings.TrimSuffix(full, ".")
		if !found || !isLabel(short) || !isName(full) {
			return throttle.Domain{}, noHint
		}
		return throttle.Domain{Short: short, Full: full}, nil
	}}
}

// gate compares what the section says. It goes before policy, which is to know
// the same domains.
func (r *reader) gate(c *Config) {
	if r.sound("gate.domains") {
		c.Policy.domains = c.Gate.Domains
		r.domains(c.Gate.Domains)
	}
	r.waiters(&c.Gate)
	at := c.Listen.Gate
	if !at.IsValid() || at.Addr().IsLoopback() || len(c.Gate.Allow) > 0 || !r.sound("listen.gate", "gate.allow") {
		return
	}
	r.refuse(r.at("listen.gate"), fmt.Sprintf("%s is beyond loopback, where anyone could use up the budgets of others: it needs gate.allow", at),
		"name the front ends, such as gate: {allow: [10.0.0.0/24]}; or listen on 127.0.0.1")
}

// waiters are half of the connections unless the file says how many. A request
// that is held keeps its connection: with none left for the others, these would
// not be judged.
func (r *reader) waiters(g *Gate) {
	if g.Waiters == 0 {
		g.Waiters = g.Connections / 2
	}
	r.ordered("gate.waiters", "gate.connections", g.Waiters < g.Connections, g.Waiters, g.Connections)
}

// domains refuses two for one short name.
func (r *reader) domains(all []throttle.Domain) {
	full := map[string]string{}
	for i, d := range all {
		if other, twice := full[d.Short]; twice && d.Short != "" {
			r.refuse(r.items["gate.domains"][i], fmt.Sprintf("%s is %s already", strings.ToUpper(d.Short), other), "")
			continue
		}
		full[d.Short] = d.Full
	}
}
