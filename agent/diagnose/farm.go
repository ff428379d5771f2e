package diagnose

import (
	"cmp"
	"maps"
	"slices"

	"evenkeel/queue/maillog"
)

// A farm is all streams, merged by node.
type farm struct {
	from, to int64 // seconds
	rows     int64
	kinds    kindSet
	nodes    []*node // sorted by name
	hosts    hosts

	auth      series[pace] // of all nodes together
	slows     []slowness
	outages   []*outage // in the order of time
	failovers []failover
	share     float64 // of the busiest node, median; 0: not known
	busiest   *node
}

// A node is what the logs say of one.
type node struct {
	name     string
	kinds    kindSet // of its own logs
	sessions *sessionSeries
	requests series[count]
	refused  series[count]
	cut      series[count]
	auth     series[pace]
	backends map[string]*series[pace] // by server, as this node saw it; "": itself
	runs     [classes]map[string][]*run
	hogs     []hog
	streams  []*stream
}

// sessionSeries are a node's sessions, by the kind of log that tells most truly.
type sessionSeries struct {
	kind     maillog.Kind
	covered  []span
	level    series[level]
	arrived  series[count]
	evidence []Evidence // at the peak
}

// few is how many rows make a run that counts. By agreement it is so for
// outages: less is what a farm has every day.
const few = 10

func newFarm(streams []*stream) *farm {
	f := &farm{auth: series[pace]{step: 60}, hosts: hostsOf(streams)}
	for _, s := range streams {
		f.span(s)
		n := f.node(s.node)
		n.kinds |= s.kinds
		n.streams = append(n.streams, s)
	}
	for _, s := range streams {
		f.countSessions(s)
	}
	slices.SortFunc(f.nodes, func(a, b *node) int { return cmp.Compare(a.name, b.name) })
	for _, n := range f.nodes {
		n.merge()
		f.auth.merge(&n.auth)
	}
	f.slows = f.slow()
	f.outages = f.findOutages()
	f.failovers = f.findFailovers()
	f.share, f.busiest = f.skew()
	return f
}

func (f *farm) span(s *stream) {
	if f.rows == 0 {
		f.from, f.to = s.first, s.last
	}
	f.from, f.to = min(f.from, s.first), max(f.to, s.last)
	f.rows += s.rows
	f.kinds |= s.kinds
}

// node finds the node of a name, which may be written with its domain, and in
// any case.
func (f *farm) node(name string) *node {
	for _, n := range f.nodes {
		if f.hosts.same(n.name, name) {
			return n
		}
	}
	n := &node{name: name, backends: map[string]*series[pace]{},
		requests: series[count]{step: 10}, refused: series[count]{step: 10}, cut: series[count]{step: 10}, auth: series[pace]{step: 60}}
	f.nodes = append(f.nodes, n)
	return n
}

// rank says which kind of log tells a node's sessions most truly: the proxy knows
// each session, the mailbox server as well and by which front end it came; IIS
// knows mailbox and client.
func rank(k kindSet) int {
	switch {
	case k&kindsOf(maillog.HTTPProxy) != 0:
		return 3
	case k&kindsOf(maillog.MapiHTTP, maillog.RPCAccess) != 0:
		return 2
	}
	return 1
}

// countSessions gives a stream's sessions to the nodes that they were at.
func (f *farm) countSessions(s *stream) {
	for _, frontEnd := range slices.Sorted(maps.Keys(s.sessions)) {
		n := f.node(cmp.Or(frontEnd, s.node))
		switch have := n.sessions; {
		case have == nil || rank(s.kinds) > rank(1<<have.kind):
			n.sessions = &sessionSeries{kind: s.sessionKind(), level: series[level]{step: 60}, arrived: series[count]{step: 10}}
		case rank(s.kinds) < rank(1<<have.kind):
			continue
		}
		n.sessions.add(s.sessions[frontEnd], s.covered)
	}
}

func (s *stream) sessionKind() maillog.Kind {
	switch rank(s.kinds) {
	case 3:
		return maillog.HTTPProxy
	case 2:
		return maillog.MapiHTTP
	}
	return maillog.IIS
}

// add lays the sessions of a further log over those that are known: of different
// mailbox servers they are different ones.
func (t *sessionSeries) add(s *sessions, covered []span) {
	sum := series[count]{step: t.level.step}
	for _, l := range []*series[level]{&t.level, &s.level} {
		for sum.step < l.step {
			sum.widen()
		}
		c := series[count]{step: l.step, first: l.first}
		for _, x := range l.at {
			c.at = append(c.at, count(x))
		}
		sum.merge(&c)
	}
	t.level = series[level]{step: sum.step, first: sum.first}
	for _, x := range sum.at {
		t.level.at = append(t.level.at, level(x))
	}
	t.arrived.merge(&s.arrived)
	t.covered = union(append(t.covered, covered...))
	t.evidence = append(t.evidence, s.mark.evidence())
}

// merge adds up the node's streams. Requests are taken from IIS, or else from the
// proxy: both write the same ones.
func (n *node) merge() {
	var ledgers []*ledger
	for _, s := range n.streams {
		ledgers = append(ledgers, &s.ledger)
		if n.countsRequests(s) {
			n.requests.merge(&s.requests)
			n.refused.merge(&s.refused)
		}
		n.cut.merge(&s.cut)
		n.auth.merge(&s.auth)
		for _, server := range slices.Sorted(maps.Keys(s.backends)) {
			b := n.backends[server]
			if b == nil {
				b = &series[pace]{step: 60}
				n.backends[server] = b
			}
			b.merge(s.backends[server])
		}
		for _, h := range s.hogs {
			if h.tells() {
				n.hogs = append(n.hogs, h)
			}
		}
	}
	for c := range classes {
		n.runs[c] = collect(ledgers, c)
	}
}

// countsRequests says whether a log is one by which a node's requests are counted.
func (n *node) countsRequests(s *stream) bool {
	site := slices.ContainsFunc(n.streams, func(s *stream) bool {
		return s.kinds&kindsOf(maillog.IIS) != 0 && len(s.requests.at) > 0
	})
	return !site || s.kinds&kindsOf(maillog.HTTPProxy) == 0
}

// all are the runs of a class, of every name, in the order of time.
func (n *node) all(c class) (out []*run) {
	for _, name := range slices.Sorted(maps.Keys(n.runs[c])) {
		out = append(out, n.runs[c][name]...)
	}
	byTime(out)
	return out
}

// A span is seconds from the first to the last.
type span struct{ from, to int64 }

// union joins what overlaps, in the order of time.
func union(spans []span) (out []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// minutes is the length of all together.
func minutes(spans []span) (sum float64) {
	for _, s := range union(slices.Clone(spans)) {
		sum += float64(s.to-s.from) / 60
	}
	return sum
}

// sessionsAt is how many sessions a node had in a minute; negative: it cannot be
// told.
func (n *node) sessionsAt(sec int64) float64 {
	if n.sessions == nil {
		return -1
	}
	for _, c := range n.sessions.covered {
		if sec >= c.from-59 && sec <= c.to+59 {
			return float64(n.sessions.level.of(sec))
		}
	}
	return -1
}
