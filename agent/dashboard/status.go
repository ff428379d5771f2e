// Package dashboard shows what an agent saw and decided: as JSON for machines,
// as a table for people, and over the local HTTP API.
//
// Start with [Of], which makes a [Status] of a [node.View].
package dashboard

import (
	"fmt"
	"io"
	"math"
	"net/netip"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"evenkeel/agent/node"
	"evenkeel/policy/balance"
)

// A Status is what `status --json` and /api/v1/status give. Its names are a
// promise: add, do not change.
type Status struct {
	Node    string   `json:"node"`
	Version string   `json:"version"`
	At      string   `json:"at"`    // RFC 3339, by the agent's clock
	Open    bool     `json:"open"`  // all nodes are over their marks
	Alone   bool     `json:"alone"` // most of the farm vanished at once
	TTL     float64  `json:"ttl_seconds"`
	TTLMax  float64  `json:"ttl_max_seconds"` // of answers given before: a resolver may hold one for so long
	Nodes   []Node   `json:"nodes"`
	Sources []Source `json:"sources"`
	Members []Member `json:"members"`

	Services []Service `json:"services"` // those that are configured, as they stand at this node
	Serial   uint32    `json:"serial"`   // of the zone's SOA

	Alarms []string `json:"alarms"` // what an operator must see; empty most of the time
	Hints  []string `json:"hints"`  // what an operator could make better; empty most of the time

	// Of the new connections of the last 15 minutes, or TTLs if those are longer, how many went to
	// other nodes than the answers sent them to, at least, 0..1, and which node
	// got most of them. Null: not known; see [balance.Astray].
	Astray   *float64 `json:"astray"`
	AstrayTo string   `json:"astray_to"` // empty: none

	Throttle *Throttle `json:"throttle"` // what clients are allowed here; null: listen.gate is off
	Logs     *Logs     `json:"logs"`     // what this node's logs say; null: none is read
}

// A Node is one node of the farm as this agent sees it. A null is a number
// that is not known.
type Node struct {
	Name             string   `json:"name"`
	Addresses        []string `json:"addresses"`
	State            string   `json:"state"`
	Why              string   `json:"why"`
	Share            float64  `json:"share"`
	Utilisation      *float64 `json:"utilisation"` // connections/limit
	Connections      *int     `json:"connections"`
	ConnectionsLimit int      `json:"connections_limit"`
	Queue            *int     `json:"queue"` // places taken in its worst queue
	QueueLimit       int      `json:"queue_limit"`
	AgeSeconds       float64  `json:"age_seconds"`  // of its Fact; -1: none heard
	RampSeconds      float64  `json:"ramp_seconds"` // how long its slow start has run
	Lacks            []string `json:"lacks"`        // services that it does not carry now

	Learnt *Learnt `json:"learnt,omitempty"` // of the agent's own node alone
}

// A Learnt is where the queues of a node begin to grow, as far as it was seen;
// see [balance.Learnt]. It is shown beside the limit, whether that follows it or not.
type Learnt struct {
	Connections *int   `json:"connections"`
	Low         *int   `json:"low"` // with 95 % confidence it lies between these
	High        *int   `json:"high"`
	Why         string `json:"why"` // queue; or why it is not known: unseen, calm, few, alike
	Text        string `json:"text"`
}

// A Source is one thing that is measured here. Age −1: never read.
type Source struct {
	Name       string  `json:"name"`
	Up         bool    `json:"up"`
	AgeSeconds float64 `json:"age_seconds"`
	Error      string  `json:"error"` // empty while it is up
}

// A Service is a protocol that is judged apart.
type Service struct {
	Name   string `json:"name"`
	Up     bool   `json:"up"`
	Why    string `json:"why"`    // port N, probe; empty while it is up
	Detail string `json:"detail"` // what the probe said
}

// A Member is what the cluster knows of a node.
type Member struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	State   string `json:"state"`
}

// Of puts a view into the words of the API.
func Of(v *node.View, version string, members []Member, alarms []string) Status {
	s := Status{
		Node: v.Name, Version: version, At: v.At.Format(time.RFC3339Nano),
		Open: v.Plan.Open, Alone: v.Plan.Alone, TTL: v.Plan.TTL.Seconds(), TTLMax: v.Longest.Seconds(),
		Nodes: []Node{}, Sources: []Source{}, Members: append([]Member{}, members...), Alarms: append([]string{}, alarms...), Hints: []string{},
		Services: servicesOf(v.Services), Serial: v.Serial,
	}
	for _, n := range v.Plan.Nodes {
		s.Nodes = append(s.Nodes, nodeOf(n, v.Addrs[n.Name], v.Lacks[n.Name]))
		if n.Name == v.Name {
			s.Nodes[len(s.Nodes)-1].Learnt = learntOf(v.Learner.Learnt())
		}
	}
	if a := v.Plan.Astray; a.Known {
		s.Astray, s.AstrayTo = &a.Share, a.More
	}
	for _, hint := range []string{v.Astray(), v.LimitHint()} {
		if hint != "" {
			s.Hints = append(s.Hints, hint)
		}
	}
	if l := v.Sample.Logs; l != nil {
		s.Hints, s.Logs = append(s.Hints, l.Hints...), logsOf(v.At, l)
	}
	for _, src := range v.Sample.Sources {
		out := Source{Name: src.Name, Up: src.Err == nil, AgeSeconds: -1}
		if src.Age >= 0 {
			out.AgeSeconds = src.Age.Seconds()
		}
		if src.Err != nil {
			out.Error = src.Err.Error()
		}
		s.Sources = append(s.Sources, out)
	}
	return s
}

func nodeOf(n balance.Standing, addrs []netip.Addr, lacks []string) Node {
	out := Node{
		Name: n.Name, Addresses: []string{}, State: n.Status.String(), Why: n.Why, Share: n.Share,
		ConnectionsLimit: n.Limit, QueueLimit: n.QueueLimit, AgeSeconds: -1, RampSeconds: n.Up.Seconds(),
		Lacks: append([]string{}, lacks...),
	}
	for _, a := range addrs {
		out.Addresses = append(out.Addresses, a.String())
	}
	if !n.Heard {
		return out
	}
	out.AgeSeconds = n.Age.Seconds()
	if n.Connections >= 0 {
		u := float64(n.Connections) / float64(n.Limit)
		out.Connections, out.Utilisation = &n.Connections, &u
	}
	if n.QueueLimit > 0 {
		out.Queue = &n.Queue
	}
	return out
}

func servicesOf(all []node.Carried) []Service {
	out := []Service{}
	for _, c := range all {
		out = append(out, Service{Name: c.Name, Up: c.Why == "", Why: c.Why, Detail: c.Detail})
	}
	return out
}

func learntOf(l balance.Learnt) *Learnt {
	out := &Learnt{Why: l.Why, Text: node.LearntText(l)}
	if l.Known() {
		out.Connections, out.Low, out.High = &l.Connections, &l.Low, &l.High
	}
	return out
}

// Table writes s for people: the farm first, then what is wrong. Much of it was
// said by other machines, so every line is made [Plain].
func (s Status) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "NODE", "STATE", "WHY", "SHARE", "LOAD", "CONNECTIONS", "QUEUE", "AGE", "ADDRESSES")
	for _, n := range s.Nodes {
		row(t, n.Name, n.State, dash(n.Why), fmt.Sprintf("%.1f%%", 100*n.Share),
			percent(n.Utilisation), of(n.Connections, n.ConnectionsLimit), of(n.Queue, n.QueueLimit),
			age(n.AgeSeconds), dash(strings.Join(n.Addresses, " ")))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return s.notes(w)
}

// row writes cells to a table; what one holds never makes two of it.
func row(t io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = Plain(c)
	}
	fmt.Fprintln(t, strings.Join(cells, "\t"))
}

func (s Status) notes(w io.Writer) error {
	var b strings.Builder
	note := func(format string, args ...any) { fmt.Fprintln(&b, Plain(fmt.Sprintf(format, args...))) }
	if s.Open {
		note("open: all nodes are over their marks, work goes where room is left")
	}
	if s.Alone {
		note("alone: most of the farm vanished at once, keeping the last nodes for a minute")
	}
	for _, a := range s.Alarms {
		note("alarm: %s", a)
	}
	for _, h := range s.Hints {
		note("hint: %s", h)
	}
	for _, n := range s.Nodes {
		if n.Learnt != nil {
			note("learnt: %s", n.Learnt.Text)
		}
	}
	s.lacking(note)
	s.Throttle.notes(note)
	s.Logs.notes(note)
	for _, src := range s.Sources {
		if src.Up {
			note("source %s: read %s ago", src.Name, age(src.AgeSeconds))
		} else {
			note("source %s: FAULT: %s", src.Name, src.Error)
		}
	}
	for _, m := range s.Members {
		if m.State != "alive" {
			note("member %s at %s: %s", m.Name, m.Address, m.State)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lacking notes what no longer carries all of its services.
func (s Status) lacking(note func(format string, args ...any)) {
	for _, n := range s.Nodes {
		if len(n.Lacks) > 0 {
			note("lacks: %s does not carry %s", n.Name, strings.Join(n.Lacks, ", "))
		}
	}
	for _, svc := range s.Services {
		if !svc.Up {
			note("service %s: FAULT: %s", svc.Name, strings.TrimSuffix(svc.Why+": "+svc.Detail, ": "))
		}
	}
}

// Plain makes one line of s that a terminal can only show: no control character
// is left that would move its cursor or give it orders (C1 and bidirectional
// ones are among them), white space is a space, and bytes that are no UTF-8
// are U+FFFD.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func percent(u *float64) string {
	if u == nil {
		return "?"
	}
	return fmt.Sprintf("%.0f%%", math.Round(100**u))
}

func of(n *int, limit int) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprintf("%d/%d", *n, limit)
}

func age(s float64) string {
	if s < 0 {
		return "never"
	}
	return fmt.Sprintf("%.1fs", s)
}
