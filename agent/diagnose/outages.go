package diagnose

import (
	"cmp"
	"slices"

	"evenkeel/queue/maillog"
)

// An outage is a time in which a node refused requests for want of a service.
type outage struct {
	node     *node
	run      *run
	why      class  // of most of its refusals: full, down, other
	name     string // the pool, or the reason
	from, to int64

	cause  cause
	handed bool // it came with the clients of a node that was overrun before
}

func (o *outage) span() span { return span{o.from, o.to} }

// A cause is what an outage is put down to. Equal ones are one finding.
type cause struct {
	kind Kind
	name string // the pool, server, user or reason; empty where there is none
}

func (f *farm) findOutages() (out []*outage) {
	for _, n := range f.nodes {
		for _, r := range n.all(refused) {
			if r.n < few {
				continue
			}
			o := &outage{node: n, run: r, from: r.from, to: r.to}
			o.why, o.name = n.reason(o.span())
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b *outage) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.node.name, b.node.name))
	})
	return out
}

// reason is why most of the requests in a time were refused.
func (n *node) reason(s span) (why class, name string) {
	most := 0.0
	for _, c := range []class{full, down, other} {
		for _, key := range sortedKeys(n.runs[c]) {
			sum := 0.0
			for _, r := range n.runs[c][key] {
				sum += r.within(s)
			}
			if sum > most {
				most, why, name = sum, c, key
			}
		}
	}
	return why, name
}

// within is how many rows of a run are in a time, if they came evenly.
func (r *run) within(s span) float64 {
	from, to := max(r.from, s.from), min(r.to, s.to)
	if from > to {
		return 0
	}
	return float64(r.n) * float64(to-from+1) / float64(r.to-r.from+1)
}

// A failover is when the clients of a farm went from one node to another.
type failover struct {
	from, to *node // from may be nil: nobody knows who had them
	at       int64 // second
	moved    float64
}

const (
	moving  = 3  // steps of a minute in which two minutes lie, wherever they begin
	usual   = 30 // minutes whose median is how many sessions the farm has
	leastIn = 10 // sessions that a farm must have for its skew and failovers to count
)

// findFailovers goes through the minutes. More than half of the sessions of the
// farm arrive at a node that did not have most of them: a failover. At night, when
// few are there, that means nothing.
func (f *farm) findFailovers() (out []failover) {
	told := f.told()
	if len(told) < 2 || f.coarse() {
		return nil
	}
	step := f.sessionStep()
	var current *node
	var before []float64
	covered, least := f.covered(), max(leastIn, f.most()/10)
	for sec := covered.from - covered.from%step; sec <= covered.to; sec += step {
		now := f.total(told, sec)
		ref := median(before)
		if next, moved := arriving(told, current, sec, step); next != nil && ref >= least && moved > ref/2 && next.knownAt(sec) && current.lost(sec, step) {
			out = append(out, failover{from: current, to: next, at: next.arrival(sec, step), moved: moved})
			current = next
		} else if top := busiest(told, sec); top != nil && (current == nil || !f.recent(out, sec, step)) {
			current = top
		}
		before = append(before, now)
		if len(before) > usual {
			before = before[1:]
		}
	}
	return out
}

// sessionStep is the longest step in which sessions of nodes are known, in seconds.
func (f *farm) sessionStep() (step int64) {
	for _, n := range f.told() {
		step = max(step, n.sessions.level.step)
	}
	return step
}

// coarse says whether steps are too long to see sessions go from node to node.
func (f *farm) coarse() bool { return f.sessionStep() > window*60 }

// knownAt says whether it is known how many sessions a node had some minutes before
// they arrived there: they may have been there already, and the log begins.
func (n *node) knownAt(sec int64) bool { return n.sessionsAt(sec-2*window*60) >= 0 }

// lost says whether a node has lost most of its sessions some minutes later: else
// they were cut, and came back to where they had been.
func (n *node) lost(sec, step int64) bool {
	if n == nil {
		return true
	}
	left := n.sessionsAt(sec + (window+moving)*60 + step)
	return left < 0 || left <= n.sessionsAt(sec-60)/2
}

// recent says whether the last failover is so short ago that the sessions that
// left still count where they were.
func (f *farm) recent(out []failover, sec, step int64) bool {
	return len(out) > 0 && sec-out[len(out)-1].at < (window+1)*60+step
}

// told are the nodes whose sessions are known. Where proxies tell of theirs, a node
// of which mailbox servers alone tell is none: theirs may not be all that there are.
func (f *farm) told() (out []*node) {
	proxied := slices.ContainsFunc(f.nodes, func(n *node) bool { return n.sessions != nil && n.sessions.kind == maillog.HTTPProxy })
	for _, n := range f.nodes {
		if n.sessions != nil && (n.kinds != 0 || !proxied) {
			out = append(out, n)
		}
	}
	return out
}

func (f *farm) total(nodes []*node, sec int64) (sum float64) {
	for _, n := range nodes {
		sum += max(0, n.sessionsAt(sec))
	}
	return sum
}

// arriving is the node, other than the present one, at which most sessions
// arrive.
func arriving(nodes []*node, current *node, sec, step int64) (next *node, most float64) {
	for _, n := range nodes {
		if n == current {
			continue
		}
		if x := float64(n.sessions.arrived.between(sec, sec+max(step, moving*60))); x > most {
			next, most = n, x
		}
	}
	return next, most
}

// arrival is the step in which most arrived.
func (n *node) arrival(sec, step int64) (at int64) {
	best := count(-1)
	a := &n.sessions.arrived
	for s := sec - sec%a.step; s < sec+max(step, moving*60); s += a.step {
		if x := a.of(s); x > best {
			best, at = x, s
		}
	}
	return at
}

// busiest is the node that has most sessions; nil: none has any.
func busiest(nodes []*node, sec int64) (top *node) {
	most := 0.0
	for _, n := range nodes {
		if x := n.sessionsAt(sec); x > most {
			top, most = n, x
		}
	}
	return top
}

// skew is the share of the busiest node, the median over windows of five minutes
// in which the farm has at least a tenth of its most sessions and all nodes have
// logs; and which node was the busiest most often.
func (f *farm) skew() (share float64, busiest *node) {
	told := f.told()
	if len(told) < 2 {
		return 0, nil
	}
	most := f.most()
	var shares []float64
	times := map[*node]int{}
	f.windows(func(sec int64) {
		if slices.ContainsFunc(told, func(n *node) bool { return n.sessionsAt(sec) < 0 }) {
			return
		}
		sum := f.total(told, sec)
		if sum < leastIn || sum < most/10 {
			return
		}
		top := slices.MaxFunc(told, func(a, b *node) int { return cmp.Compare(a.sessionsAt(sec), b.sessionsAt(sec)) })
		shares = append(shares, top.sessionsAt(sec)/sum)
		times[top]++
	})
	for _, n := range told {
		if busiest == nil || times[n] > times[busiest] {
			busiest = n
		}
	}
	return median(shares), busiest
}

// most is how many sessions the farm had at most.
func (f *farm) most() (most float64) {
	told := f.told()
	f.windows(func(sec int64) { most = max(most, f.total(told, sec)) })
	return most
}

// windows are the ends of five minutes each, counted from midnight.
func (f *farm) windows(each func(sec int64)) {
	c := f.covered()
	for sec := c.from - c.from%300 + 240; sec <= c.to; sec += 300 {
		each(sec)
	}
}

// covered is the time of the logs that tell of sessions.
func (f *farm) covered() (c span) {
	for i, n := range f.told() {
		if i == 0 {
			c = n.sessions.covered[0]
		}
		for _, s := range n.sessions.covered {
			c = span{min(c.from, s.from), max(c.to, s.to)}
		}
	}
	return c
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}
