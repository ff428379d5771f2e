package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evenkeel/queue/maillog"
)

// stalls are pools that stood still, each told once.
func (f *farm) stalls() (out []found) {
	pools := map[string][]*run{}
	nodes := map[string][]string{}
	for _, n := range f.nodes {
		for _, pool := range sortedKeys(n.runs[stalled]) {
			rs := enough(n.runs[stalled][pool], few)
			if len(rs) == 0 || slices.ContainsFunc(f.outages, func(o *outage) bool { return o.node == n && o.cause == cause{Stall, pool} }) {
				continue
			}
			pools[pool], nodes[pool] = append(pools[pool], rs...), append(nodes[pool], n.name)
		}
	}
	for _, pool := range sortedKeys(pools) {
		rs := pools[pool]
		byTime(rs)
		x := f.of(Stall, bounds(rs), nodes[pool])
		x.Title = fmt.Sprintf("%s on %s stood still %s: %s waited in its queue until their time was over", poolName(pool), list(x.Nodes), times(len(rs)), plural(float64(total(rs)), "request"))
		x.Evidence, x.Advice = evidence(rs), adviceStall
		x.Confidence = confidence(kindsIn(rs), len(rs), direct)
		out = append(out, found{Finding: x, weight: 50 * (minutes(spans(rs)) + 2*float64(len(rs)))}) // each waited two minutes
	}
	return out
}

func enough(rs []*run, least int64) []*run {
	return slices.DeleteFunc(slices.Clone(rs), func(r *run) bool { return r.n < least })
}

const (
	flapFails = 2         // probes that a balancer wants to see failed, at least
	flapHour  = 4         // times that a probe fails within an hour to be flapping
	flapDay   = 8         // or within a day
	day       = 24 * 3600 // seconds
)

// probes are balancers' probes that failed and came back, time and again. Once
// or twice is a restart.
func (f *farm) probes() (out []found) {
	for _, n := range f.nodes {
		for _, name := range sortedKeys(n.runs[missed]) {
			rs := slices.DeleteFunc(enough(n.runs[missed][name], flapFails), (*run).stays)
			if mostWithin(rs, 3600) < flapHour && mostWithin(rs, day) < flapDay {
				continue
			}
			prober, path, _ := strings.Cut(name, " ")
			x := f.of(ProbeFlap, bounds(rs), []string{n.name})
			x.Title = fmt.Sprintf("the probe of %s for %s on %s failed and came back %s", plain(prober), plain(path), n.name, times(len(rs)))
			x.Evidence, x.Advice = evidence(rs), adviceFlap
			x.Confidence = confidence(kindsIn(rs), len(rs), direct)
			for _, r := range rs[:min(len(rs), 10)] {
				x.Details = append(x.Details, fmt.Sprintf("%s: failed %s in %s.", clock(r.from), times(int(r.n)), long(float64(r.length())/60)))
			}
			out = append(out, found{Finding: x, weight: 5 * float64(len(rs))})
		}
	}
	return mergeProbes(out)
}

// stays says whether a probe that failed was not seen to come back. HTTPERR cannot
// show that it did.
func (r *run) stays() bool { return !r.closed && r.kinds&kindsOf(maillog.HTTPErr) == 0 }

// mergeProbes makes one finding of what several paths and probers of a node tell:
// the one that failed most often stands for them.
func mergeProbes(in []found) (out []found) {
	for _, x := range in {
		i := slices.IndexFunc(out, func(o found) bool { return slices.Equal(o.Nodes, x.Nodes) })
		switch {
		case i < 0:
			out = append(out, x)
		case x.weight > out[i].weight:
			x.Details = append(x.Details, "Also: "+out[i].Title+".")
			out[i] = x
		default:
			out[i].Details = append(out[i].Details, "Also: "+x.Title+".")
		}
	}
	return out
}

// mostWithin is how many runs begin within a time, at most.
func mostWithin(rs []*run, within int64) (n int) {
	for i := range rs {
		j := i
		for j < len(rs) && rs[j].from-rs[i].from < within {
			j++
		}
		n = max(n, j-i)
	}
	return n
}

// outageProbes says whether a probe failed because requests were refused: most of
// its failures lie in outages that clients felt.
func (f *farm) outageProbes(x Finding) bool {
	in, all := 0, 0
	for _, n := range f.nodes {
		if !slices.Contains(x.Nodes, n.name) {
			continue
		}
		for _, r := range enough(n.all(missed), flapFails) {
			all++
			if slices.ContainsFunc(f.outages, func(o *outage) bool {
				return o.node == n && o.run.clients() >= few && r.from <= o.to+60 && r.to >= o.from-60
			}) {
				in++
			}
		}
	}
	return 2*in > all
}

// leaning is a farm whose sessions stand on few nodes, though nobody was refused.
// Of a small farm it is no matter; of a large one it is what the next outage is
// made of.
func (f *farm) leaning() (out []found) {
	blamed := slices.ContainsFunc(f.outages, func(o *outage) bool { return o.cause.kind == Skew })
	if !f.skewed() || blamed || f.busiest.sessions.peak() < leanLeast {
		return nil
	}
	names := []string{}
	for _, n := range f.told() {
		names = append(names, n.name)
	}
	x := f.of(Skew, span{f.from, f.to}, names)
	x.Title = fmt.Sprintf("%s of the MAPI sessions were on one of %d nodes, at most %s; nobody was refused because of it", share(f.share), len(names), num(f.busiest.sessions.peak()))
	x.Confidence = confidence(1<<f.busiest.sessions.kind, 0, derived)
	x.Evidence = distinct(f.busiest.sessions.evidence)
	x.Advice = "Nothing, if the other nodes are meant to stand by. Else: " + adviceSkew
	if len(x.Evidence) > 0 {
		out = append(out, found{Finding: x, weight: 10})
	}
	return out
}

// leanLeast is how many sessions one node must have for a skew without harm to be
// told: a quarter of those at which a queue of the usual length was seen to fill.
const leanLeast = 1000

func (t *sessionSeries) peak() (p float64) {
	for _, x := range t.level.at {
		p = max(p, float64(x))
	}
	return p
}

// codes are codes that people look up.
func (f *farm) codes() (out []found) {
	byCode := map[string][]*run{}
	nodes := map[string][]string{}
	for _, n := range f.nodes {
		for code, rs := range n.runs[coded] {
			byCode[code] = append(byCode[code], rs...)
			nodes[code] = append(nodes[code], n.name)
		}
	}
	for _, code := range sortedKeys(byCode) {
		rs := byCode[code]
		byTime(rs)
		if total(rs) < few {
			continue
		}
		x := f.of(Code, bounds(rs), nodes[code])
		x.Title = fmt.Sprintf("%s is in the logs %s: %s", code, times(int(total(rs))), codeMeans(code))
		x.Advice = codeAdvice(code)
		x.Evidence, x.Confidence = evidence(rs), 0.95
		out = append(out, found{Finding: x, weight: 1})
	}
	return out
}

// answered are 503s that IIS or Exchange gave.
func (f *farm) answered() (out []found) {
	for _, n := range f.nodes {
		for _, code := range sortedKeys(n.runs[answered]) {
			rs := enough(n.runs[answered][code], few)
			if len(rs) == 0 || strings.HasSuffix(code, "\x00ActiveSync") && f.heldBack(rs, "\x00ActiveSync") {
				continue
			}
			x := f.of(Unavailable, bounds(rs), []string{n.name})
			x.Minutes = minutes(spans(rs))
			if f.inOutages(n, rs) { // its minutes are told already
				x.Minutes = 0
			}
			x.Title = fmt.Sprintf("503 by IIS or Exchange itself on %s (%s): %s in %s", n.name, plain(cmp.Or(strings.ReplaceAll(code, "\x00", " "), "without a reason")), plural(float64(total(rs)), "request"), long(minutes(spans(rs))))
			x.Advice, x.Evidence = adviceReason(code), evidence(rs)
			x.Confidence = confidence(kindsIn(rs), len(rs), direct)
			out = append(out, found{Finding: x, weight: 30 * x.Minutes})
		}
	}
	return onePerNode(out)
}

// inOutages says whether runs are within outages of their node.
func (f *farm) inOutages(n *node, rs []*run) bool {
	return !slices.ContainsFunc(rs, func(r *run) bool {
		return !slices.ContainsFunc(f.outages, func(o *outage) bool { return o.node == n && r.from <= o.to+60 && r.to >= o.from-60 })
	})
}

// heldBack says whether budgets of some users were used up at the time of runs,
// for a protocol: then that is why.
func (f *farm) heldBack(rs []*run, protocol string) bool {
	for _, n := range f.nodes {
		for _, c := range []class{locked, delayed} {
			for _, name := range sortedKeys(n.runs[c]) {
				if strings.HasSuffix(name, protocol) && slices.ContainsFunc(n.runs[c][name], func(r *run) bool { return r.far(bounds(rs).from) <= before || r.far(bounds(rs).to) <= before }) {
					return true
				}
			}
		}
	}
	return false
}

// offs are pools that were off and for which few asked, so that it was no outage.
func (f *farm) offs() (out []found) {
	for _, n := range f.nodes {
		for _, name := range sortedKeys(n.runs[down]) {
			rs := slices.DeleteFunc(slices.Clone(n.runs[down][name]), func(r *run) bool {
				return r.clients() < few || slices.ContainsFunc(f.outages, func(o *outage) bool { return o.node == n && o.from <= r.to && o.to >= r.from })
			})
			if len(rs) == 0 {
				continue
			}
			pool, reason, _ := strings.Cut(name, "\x00")
			x := f.of(PoolDown, bounds(rs), []string{n.name})
			x.Minutes = minutes(spans(rs))
			x.Title = fmt.Sprintf("%s was off on %s (%s); %s refused in %s", poolName(pool), n.name, plain(reason), plural(float64(total(rs)), "request"), long(x.Minutes))
			x.Evidence, x.Advice, x.Confidence = evidence(rs), adviceDown(pool), confidence(kindsIn(rs), len(rs), 0.9)
			y := found{Finding: x, weight: min(float64(total(rs)), 100*x.Minutes)} // as many as asked lost a minute
			if ofOne(rs) {
				y.playDown()
			}
			out = append(out, y)
		}
	}
	return out
}

// onePerNode: IIS and the proxy both write a 503, each with its own code. The
// first word is IIS's, whose codes are numbers.
func onePerNode(in []found) (out []found) {
	for _, x := range in {
		i := slices.IndexFunc(out, func(o found) bool { return slices.Equal(o.Nodes, x.Nodes) && overlap(o.Finding, x.Finding) })
		if i < 0 {
			out = append(out, x)
			continue
		}
		out[i].Details = append(out[i].Details, x.Title+".")
		out[i].Minutes = max(out[i].Minutes, x.Minutes)
	}
	return out
}
