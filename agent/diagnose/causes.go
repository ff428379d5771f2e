package diagnose

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

const (
	before     = 300  // seconds: what led to a full queue is so short before it
	handing    = 600  // seconds from one node's outage to that of the node that has its clients now
	storm      = 0.25 // of the sessions that a node had at most, arriving within two minutes
	stormLeast = 100  // sessions, less is no storm
	slowUsers  = 5    // users whose requests were slow: one's own are no server's fault
	slowPart   = 0.3  // of a node's sessions that a mailbox server must hold to fill its queue
	slowAsked  = 0.2  // or of its requests, of which a slow one gets fewer
	slowFor    = 3    // minutes of a quarter of an hour that are slow, for the server to be
)

// blame finds the cause of every outage, the earliest first, so that what a node
// handed on is put down to the same.
func (f *farm) blame() {
	for i, o := range f.outages {
		if p := f.giver(i); p != nil {
			o.handed = true
			o.cause = p.cause
			continue
		}
		o.cause = f.cause(o)
	}
}

// giver is the outage of the node whose clients came to the node of outage i
// just before it.
func (f *farm) giver(i int) *outage {
	o := f.outages[i]
	if o.why != full {
		return nil
	}
	for _, v := range f.failovers {
		if v.to != o.node || v.at < o.from-handing || v.at > o.from+60 {
			continue
		}
		for _, p := range slices.Backward(f.outages[:i]) {
			if p.node != o.node && (v.from == nil || p.node == v.from) && p.from <= v.at+60 && p.to >= v.at-before {
				return p
			}
		}
		if p := f.ailing(v); p != nil {
			return p
		}
	}
	return nil
}

// ailing is what befell the node whose clients left it, where that was no outage:
// it refused a few, or failed its probe, and was empty before it refused many.
func (f *farm) ailing(v failover) *outage {
	if v.from == nil {
		return nil
	}
	for _, c := range []class{full, missed} {
		for _, name := range sortedKeys(v.from.runs[c]) {
			for _, r := range v.from.runs[c][name] {
				if r.from > v.at+60 || r.to < v.at-before || c == missed && r.n < flapFails {
					continue
				}
				o := &outage{node: v.from, run: r, why: full, name: name, from: r.from, to: r.to}
				if c == missed {
					o.name = ""
				}
				if o.cause = f.cause(o); o.cause.kind != QueueFull { // else nothing is known of it
					return o
				}
			}
		}
	}
	return nil
}

// cause reads like the list of what to look for, the surest first.
func (f *farm) cause(o *outage) cause {
	n := o.node
	pool, _, _ := strings.Cut(o.name, "\x00")
	switch {
	case o.why == down && n.recycled(o, pool) != "" && o.to-o.from < 2*60:
		return cause{Recycle, pool}
	case o.why == down:
		return cause{PoolDown, pool}
	case o.why == other:
		return cause{Unavailable, pool}
	case n.recycled(o, pool) != "":
		return cause{Recycle, pool}
	case f.logons().slowAround(&n.auth, o) && f.toldSlow(SlowAuthentication, ""):
		return cause{SlowAuthentication, ""}
	}
	if server, ok := f.slowServer(o); ok {
		return cause{SlowBackend, server}
	}
	if h := n.hogAt(o); h != nil {
		return cause{Monopoly, h.name}
	}
	switch {
	case f.skewed() && f.tops(n, o.from):
		return cause{Skew, ""}
	case n.stormed(o):
		return cause{ReconnectStorm, pool}
	case n.stalled(o, pool) != nil:
		return cause{Stall, pool}
	}
	return cause{QueueFull, pool}
}

// recycled is the pool, of those whose worker ended just before an outage.
func (n *node) recycled(o *outage, pool string) string {
	for _, name := range sortedKeys(n.runs[abandoned]) {
		for _, r := range n.runs[abandoned][name] {
			if (name == pool || name == "") && r.n >= few && r.from >= o.from-before && r.from <= o.from+5 {
				return pool
			}
		}
	}
	return ""
}

// slowServer is a mailbox server that was slow before an outage, as the node saw
// it or as it says itself.
func (f *farm) slowServer(o *outage) (string, bool) {
	for _, server := range sortedKeys(o.node.backends) {
		if name := f.serverName(o.node, server); mailboxes().slowAround(o.node.backends[server], o) && o.node.depends(server, o) && f.toldSlow(SlowBackend, name) {
			return name, true
		}
	}
	for _, n := range f.nodes {
		if b := n.backends[""]; b != nil && mailboxes().slowAround(b, o) && f.serves(n, o) && f.toldSlow(SlowBackend, n.name) {
			return n.name, true
		}
	}
	return "", false
}

// serverName is how a server is called in findings: as the node that it is.
func (f *farm) serverName(n *node, server string) string {
	if server == "" {
		return n.name
	}
	for _, m := range f.nodes {
		if f.hosts.same(m.name, server) {
			return m.name
		}
	}
	return f.hosts.shown(server)
}

// hogAt is the client that asked for a large part of a node's work as an outage
// began.
func (n *node) hogAt(o *outage) *hog {
	for i := range n.hogs {
		if h := &n.hogs[i]; h.from <= o.from && h.to >= o.from-stretch && h.uses(o.name) {
			return h
		}
	}
	return nil
}

// skewed: half of what is above a fair share stands on the busiest node too. Of
// two nodes that is three quarters of the sessions.
func (f *farm) skewed() bool {
	n := len(f.told())
	if n < 2 {
		return false
	}
	fair := 1 / float64(n)
	return f.share >= fair+(1-fair)/2
}

// tops says whether a node had most of the sessions in the minutes before.
func (f *farm) tops(n *node, sec int64) bool {
	for _, back := range []int64{60, 120, 300} {
		mine := n.sessionsAt(sec - back)
		if mine > 0 && mine >= f.total(f.told(), sec-back)/2 {
			return true
		}
	}
	return false
}

// stormed says whether many sessions arrived in the minutes before an outage.
func (n *node) stormed(o *outage) bool { return n.isStorm(n.arrivedAround(o, 10)) }

func (n *node) isStorm(arrived float64) bool {
	return arrived >= stormLeast && arrived >= storm*n.sessions.peak()
}

// arrivedAround is how many sessions arrived within two minutes, from two before
// an outage to so many seconds after it began: rows are written when logging on
// has ended.
func (n *node) arrivedAround(o *outage, after int64) (most float64) {
	if n.sessions == nil {
		return 0
	}
	for from := o.from - 120; from+120 <= o.from+after; from += 10 {
		most = max(most, float64(n.sessions.arrived.between(from, from+120)))
	}
	return max(most, float64(n.sessions.arrived.between(o.from-110, o.from+10)))
}

// stalled is the run of requests that waited in the queue to the end of their
// time: that shows two minutes later.
func (n *node) stalled(o *outage, pool string) *run {
	for _, r := range n.runs[stalled][pool] {
		if r.n >= few && r.from >= o.from-60 && r.from <= o.to+180 {
			return r
		}
	}
	return nil
}

// serves says whether a mailbox server has a good part of the sessions of the node
// of an outage: else it can be as slow as it likes.
func (f *farm) serves(n *node, o *outage) bool {
	all := o.node.sessionsAt(o.from - 60)
	if n == o.node || all <= 0 {
		return true
	}
	mine := 0.0
	for _, s := range n.streams {
		for frontEnd, at := range s.sessions {
			if frontEnd != "" && f.node(frontEnd) == o.node {
				mine += float64(at.level.of(o.from - 60))
			}
		}
	}
	return mine >= slowPart*all
}

// depends says whether a good part of a node's requests before an outage went to
// a mailbox server, or it is that itself.
func (n *node) depends(server string, o *outage) bool {
	mine, all := int32(0), int32(0)
	for name, b := range n.backends {
		x := b.between(o.from-900, o.from+1).n
		switch name {
		case "": // what its own log says is in that of the proxy too
			continue
		case server:
			mine = x
		}
		all += x
	}
	return server == "" || float64(mine) >= slowAsked*float64(all)
}
