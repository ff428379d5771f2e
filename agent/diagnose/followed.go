package diagnose

import (
	"fmt"
	"slices"

	"evenkeel/queue/maillog"
)

// cascaded is told where a node that was overrun handed its clients to another,
// which was overrun then too.
func (f *farm) cascaded(b *blamed) (x Finding) {
	var told []string
	var spread []*run
	var nodes []string
	for i, v := range f.failovers {
		gave := v.gave(b.outages)
		took := f.took(b.outages, i)
		if gave == nil || took == nil {
			continue
		}
		told = append(told, fmt.Sprintf("%s: %s was overrun, %s sessions went to %s, and that was overrun at %s.",
			clock(gave.from), gave.node.name, num(v.moved), v.to.name, clock(took.from)))
		spread = append(spread, gave.run, took.run)
		nodes = append(nodes, gave.node.name, took.node.name)
	}
	if len(told) == 0 {
		return x
	}
	byTime(spread)
	spread = slices.Compact(spread)
	x = f.of(Cascade, bounds(spread), nodes)
	x.Title = fmt.Sprintf("%s a node that was overrun handed its clients to the next, and overran it", times(len(told)))
	x.Confidence = confidence(kindsOf(maillog.HTTPErr)|f.sessionKinds(), len(told), direct)
	x.Evidence, x.Details, x.Advice = evidence(spread), told[:min(len(told), 20)], adviceCascade
	x.Minutes = minutes(spans(spread))
	return x
}

// gave is the outage because of which the clients went.
func (v failover) gave(os []*outage) *outage {
	for _, o := range slices.Backward(os) {
		if o.node != v.to && (v.from == nil || o.node == v.from) && o.from <= v.at+60 && o.to >= v.at-before {
			return o
		}
	}
	return nil
}

// took is the next outage of the node that the clients of failover i went to,
// while it had them.
func (f *farm) took(os []*outage, i int) *outage {
	v, until := f.failovers[i], f.to
	if i+1 < len(f.failovers) {
		until = f.failovers[i+1].at + 60
	}
	for _, o := range os {
		if o.node == v.to && o.why == full && o.from >= v.at-60 && o.from <= until {
			return o
		}
	}
	return nil
}

// filled is told where the cause is another than the queue itself.
func (f *farm) filled(b *blamed) (x Finding) {
	full := b.filledOnes()
	if len(full.outages) == 0 || b.kind == QueueFull {
		return x
	}
	pools := map[string]bool{}
	for _, o := range full.outages {
		pools[poolName(o.name)] = true
	}
	x = f.of(QueueFull, bounds(full.runs()), full.nodes())
	x.Title = fmt.Sprintf("the queue of %s was full %s; %s", list(sortedKeys(pools)), times(len(full.outages)), full.cost())
	x.Confidence = confidence(kindsOf(maillog.HTTPErr), len(full.outages), 0.9)
	x.Evidence, x.Details, x.Advice = evidence(full.runs()), f.oneByOne(full), adviceFull
	x.Minutes = full.minutes()
	return x
}

// stormy is told where many sessions arrived at once around the outages.
func (f *farm) stormy(b *blamed) (x Finding) {
	var rs []*run
	var nodes []string
	var worst float64
	var kinds kindSet
	for _, o := range b.outages {
		n := o.node
		arrived := n.arrivedAround(o, 120)
		if !n.isStorm(arrived) {
			continue
		}
		rs, nodes = append(rs, o.run), append(nodes, n.name)
		worst = max(worst, arrived)
		kinds |= 1 << n.sessions.kind
	}
	if len(rs) == 0 {
		return x
	}
	x = f.of(ReconnectStorm, bounds(rs), nodes)
	x.Title = fmt.Sprintf("%s, up to %s sessions arrived within two minutes as the queue filled", times(len(rs)), num(worst))
	x.Confidence = confidence(kinds|kindsOf(maillog.HTTPErr), len(rs), derived)
	x.Evidence, x.Advice = evidence(rs), adviceStorm
	return x
}

func (f *farm) rootSlow(x *Finding, b *blamed) {
	var s slowness
	for _, s = range f.slows {
		if b.cause == (cause{s.kind, s.name}) {
			break
		}
	}
	x.Title = s.title() + "; the queue was full " + times(len(b.filledOnes().outages)) + ", " + b.cost()
	x.Advice = s.advice()
	x.Evidence = distinct(append(evidence(s.runs), x.Evidence...))
	x.Details = append(s.details(), x.Details...)
	x.Confidence = confidence(kindsIn(s.runs)|kindsOf(maillog.HTTPErr), len(b.outages), direct)
	all := bounds(append(slices.Clone(s.runs), b.runs()...))
	x.From, x.To = utc(all.from), utc(all.to)
}

func (f *farm) rootHog(x *Finding, b *blamed) {
	for _, n := range f.nodes {
		for _, h := range n.hogs {
			if h.name != b.name || !slices.Contains(x.Nodes, n.name) {
				continue
			}
			x.Title = h.title(n.name) + "; " + b.cost()
			x.Details = append(x.Details, h.detail(n.name))
			x.Evidence = distinct(append([]Evidence{h.seen.evidence()}, x.Evidence...))
			s := bounds([]*run{{from: h.from, to: min(h.to, f.to)}, {from: x.From.Unix(), to: x.To.Unix()}})
			x.From, x.To = utc(max(s.from, f.from)), utc(s.to)
		}
	}
	x.Advice = adviceHog(b.name)
}
