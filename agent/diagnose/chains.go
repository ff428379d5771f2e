package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evenkeel/queue/maillog"
)

// A blamed is a cause and the outages that are put down to it.
type blamed struct {
	cause
	outages []*outage
}

// outageChains makes a chain of every cause.
func (f *farm) outageChains() (out []chain) {
	var all []*blamed
	for _, o := range f.outages {
		i := slices.IndexFunc(all, func(b *blamed) bool { return b.cause == o.cause })
		if i < 0 {
			i = len(all)
			all = append(all, &blamed{cause: o.cause})
		}
		all[i].outages = append(all[i].outages, o)
	}
	for _, b := range all {
		out = append(out, f.chain(b))
	}
	return out
}

// chain is the cause, and then what came of it.
func (f *farm) chain(b *blamed) chain {
	root := found{Finding: f.root(b), weight: 100 * b.minutes()}
	root.Minutes = b.minutes()
	if (b.kind == PoolDown || b.kind == Unavailable) && ofOne(b.runs()) {
		root.playDown()
	}
	if b.kind == Monopoly {
		root.who = []string{bare(b.name)}
	}
	out := chain{root}
	for _, x := range []Finding{f.cascaded(b), f.filled(b), f.stormy(b)} {
		if x.Kind != "" && x.Kind != root.Kind {
			out = append(out, found{Finding: x, weight: 100 * x.Minutes})
		}
	}
	return out
}

func (b *blamed) spans() (out []span) {
	for _, o := range b.outages {
		out = append(out, o.span())
	}
	return out
}

func (b *blamed) minutes() float64 { return minutes(b.spans()) }

func (b *blamed) runs() (out []*run) {
	for _, o := range b.outages {
		out = append(out, o.run)
	}
	return out
}

func (b *blamed) nodes() (out []string) {
	for _, o := range b.outages {
		out = append(out, o.node.name)
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// filledOnes are the outages of a full queue.
func (b *blamed) filledOnes() *blamed {
	out := &blamed{cause: b.cause}
	for _, o := range b.outages {
		if o.why == full {
			out.outages = append(out.outages, o)
		}
	}
	return out
}

// own are the outages of nodes that nobody had handed clients to just then.
func (b *blamed) own() *blamed {
	out := &blamed{cause: b.cause}
	for _, o := range b.outages {
		if !o.handed {
			out.outages = append(out.outages, o)
		}
	}
	return out
}

// cost is the end of the title of what refused requests.
func (b *blamed) cost() string {
	return plural(float64(total(b.runs())), "request") + " refused, " + long(b.minutes()) + " of outage"
}

// root is the finding of the cause itself.
func (f *farm) root(b *blamed) Finding {
	x := f.of(b.kind, bounds(b.runs()), b.nodes())
	x.Evidence = evidence(b.runs())
	x.Confidence = confidence(kindsOf(maillog.HTTPErr), len(b.outages), direct)
	x.Details = f.oneByOne(b)
	switch b.kind {
	case Skew:
		f.rootSkew(&x, b)
	case Recycle:
		f.rootRecycle(&x, b)
	case PoolDown:
		f.rootDown(&x, b)
	case SlowAuthentication, SlowBackend:
		f.rootSlow(&x, b)
	case Monopoly:
		f.rootHog(&x, b)
	case ReconnectStorm:
		x.Title = fmt.Sprintf("many sessions arrived at once on %s and filled the queue of %s %s; %s", list(x.Nodes), poolName(b.name), times(len(b.outages)), b.cost())
		x.Advice = adviceStorm
	case Stall:
		x.Title = fmt.Sprintf("%s stood still on %s: requests waited in its queue until their time was over; %s", poolName(b.name), list(x.Nodes), b.cost())
		x.Advice = adviceStall
	case Unavailable:
		x.Title = fmt.Sprintf("%s; %s", reasonOn(b.name, list(x.Nodes)), b.cost())
		x.Advice = adviceReason(b.name)
	default:
		x.Title = fmt.Sprintf("the queue of %s on %s was full %s; %s", poolName(b.name), list(x.Nodes), times(len(b.outages)), b.cost())
		x.Advice = adviceFull
	}
	return x
}

// ofOne says whether all rows are of one address that asks once a second at most.
// Who asks more may be a balancer that hides its clients.
func ofOne(rs []*run) bool {
	return !slices.ContainsFunc(rs, func(r *run) bool {
		return !r.asker.IsValid() || r.asker != rs[0].asker || r.n > r.length()+1
	})
}

// playDown is for what one alone has felt, who may be a monitor.
func (x *found) playDown() {
	x.Title += "; all from one address"
	x.Confidence = min(x.Confidence, direct)
	x.weight = min(x.weight, x.Minutes) // one client's
}

// reasonOn says that a 503 had a reason. HTTP.sys closes the connections that it
// refuses, and answers nothing.
func reasonOn(reason, nodes string) string {
	if reason == connectionsRefused {
		return "HTTP.sys refused new connections on " + nodes + ": less than 20 MB of non-paged pool were left"
	}
	return fmt.Sprintf("503 with the reason %s on %s", plain(cmp.Or(reason, "N/A")), nodes)
}

// oneByOne are the outages one by one, the longest first.
func (f *farm) oneByOne(b *blamed) (out []string) {
	os := slices.Clone(b.outages)
	slices.SortStableFunc(os, func(x, y *outage) int {
		return cmp.Or(cmp.Compare(y.to-y.from, x.to-x.from), cmp.Compare(x.from, y.from))
	})
	for _, o := range os[:min(len(os), 10)] {
		pool, _, _ := strings.Cut(o.name, "\x00")
		s := fmt.Sprintf("%s, %s: %s refused in %s, at most %s in a second, mostly %s", clock(o.from), o.node.name,
			plural(float64(o.run.n), "request"), long(float64(o.to-o.from)/60), num(float64(o.run.peak)), o.word(pool))
		if n := o.node.sessionsAt(o.from - 60); n > 0 {
			s += fmt.Sprintf("; %s sessions a minute before", num(n))
		}
		out = append(out, s+".")
	}
	return out
}

func (o *outage) word(pool string) string {
	switch o.why {
	case full:
		return "for a full queue of " + poolName(pool)
	case down:
		return "because " + poolName(pool) + " was off"
	}
	return plain(cmp.Or(pool, "without a reason"))
}

func (f *farm) rootSkew(x *Finding, b *blamed) {
	x.From, x.To = utc(f.from), utc(f.to) // it is of the whole time
	full := b.filledOnes().own()
	moves := plural(float64(len(f.failovers)), "failover") + "; "
	if f.coarse() { // nobody knows
		moves = ""
	}
	x.Title = fmt.Sprintf("%s of the MAPI sessions were on one of %d nodes; its queue filled %s at about %s sessions; %s%s of outage",
		share(f.share), len(f.told()), times(len(full.outages)), about(full.sessions()), moves, long(b.minutes()))
	x.Confidence = confidence(kindsOf(maillog.HTTPErr, f.busiest.sessions.kind), len(b.outages), direct)
	x.Advice = adviceSkew
	x.Evidence = distinct(append(x.Evidence[:min(len(x.Evidence), maxEvidence-1)], f.busiest.sessions.evidence...))
	for _, n := range f.told() {
		x.Nodes = append(x.Nodes, n.name)
	}
	slices.Sort(x.Nodes)
	x.Nodes = slices.Compact(x.Nodes)
	x.Details = append(x.Details, fmt.Sprintf("The busiest node had %.1f %% of the sessions, in the median of windows of five minutes.", 100*f.share))
	for _, v := range f.failovers[:min(len(f.failovers), 20)] {
		from := "another node"
		if v.from != nil {
			from = v.from.name
		}
		x.Details = append(x.Details, fmt.Sprintf("%s: %s sessions went from %s to %s.", clock(v.at), num(v.moved), from, v.to.name))
	}
}

// sessions is how many there were, in the median, as outages began.
func (b *blamed) sessions() float64 {
	var all []float64
	for _, o := range b.outages {
		at := 0.0
		for _, back := range []int64{0, 60, 120} {
			at = max(at, o.node.sessionsAt(o.from-back))
		}
		if at > 0 {
			all = append(all, at)
		}
	}
	return median(all)
}

func (f *farm) rootRecycle(x *Finding, b *blamed) {
	var ended []*run
	for _, n := range f.nodes {
		for _, r := range n.all(abandoned) {
			if r.n >= few && slices.ContainsFunc(b.outages, func(o *outage) bool { return o.node == n && r.from >= o.from-before && r.from <= o.to }) {
				ended = append(ended, r)
			}
		}
	}
	then := "its clients came back at once and filled the queue"
	if len(b.filledOnes().outages) == 0 {
		then = "until the next was there, nobody took its requests"
	}
	x.Title = fmt.Sprintf("the worker of %s ended %s on %s; %s; %s", poolName(b.name), times(max(1, len(ended))), list(x.Nodes), then, b.cost())
	x.Advice = adviceRecycle(b.name)
	x.Evidence = distinct(append(evidence(ended), x.Evidence...))
	s := bounds(append(ended, b.runs()...))
	x.From, x.To = utc(s.from), utc(s.to)
	x.Confidence = confidence(kindsOf(maillog.HTTPErr)|f.sessionKinds(), len(b.outages), direct)
}

func (f *farm) sessionKinds() (k kindSet) {
	for _, n := range f.told() {
		k |= 1 << n.sessions.kind
	}
	return k
}

func (f *farm) rootDown(x *Finding, b *blamed) {
	var reasons []string
	for _, o := range b.outages {
		if _, reason, ok := strings.Cut(o.name, "\x00"); ok && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	x.Confidence = confidence(kindsOf(maillog.HTTPErr), len(b.outages), 0.9) // the row names both pool and reason
	x.Title = fmt.Sprintf("%s was off on %s (%s); %s", poolName(b.name), list(x.Nodes), plain(strings.Join(reasons, ", ")), b.cost())
	x.Advice = adviceDown(b.name)
}
