package diagnose

import (
	"fmt"
	"slices"
)

// A slowness is a server that was slow, minute after minute.
type slowness struct {
	kind    Kind
	nodes   []string // that saw it
	name    string   // the server; empty: logging on
	least   int32    // of requests, to be told of where it is no cause of an outage
	minutes []span
	ofSlow  pace   // of these minutes
	runs    []*run // of slow requests in these minutes
}

// slow are all slow servers, and slow logons, each once, whoever saw it.
func (f *farm) slow() (out []slowness) {
	all := map[string]*slowness{}
	for _, n := range f.nodes {
		seen(all, f.logons().slowOf(&n.auth, n.all(slowAuth)), SlowAuthentication, n.name, "")
		for _, server := range sortedKeys(n.backends) {
			seen(all, mailboxes().slowOf(n.backends[server], n.runs[slowBack][server]), SlowBackend, n.name, f.serverName(n, server))
		}
	}
	for _, name := range sortedKeys(all) {
		if users(all[name].runs) >= slowUsers {
			out = append(out, *all[name])
		}
	}
	return out
}

// seen adds what one node saw of a server.
func seen(all map[string]*slowness, s *slowness, kind Kind, node, name string) {
	if s == nil {
		return
	}
	s.kind, s.name, s.nodes = kind, name, []string{node}
	key := string(kind) + name
	if old := all[key]; old != nil {
		s.nodes = append(old.nodes, node)
		s.minutes = union(append(s.minutes, old.minutes...))
		s.ofSlow = s.ofSlow.join(old.ofSlow)
		s.runs = append(s.runs, old.runs...)
		s.least = min(s.least, old.least)
		byTime(s.runs)
	}
	all[key] = s
}

// slowOf are the slow minutes, if there are enough of them close together.
func (b bar) slowOf(s *series[pace], slowRuns []*run) *slowness {
	all := b.slowIn(s, s.first*s.step, (s.first+int64(len(s.at)))*s.step-1)
	out := &slowness{}
	for _, m := range near(all, 180) {
		inside := slices.DeleteFunc(slices.Clone(all), func(a span) bool { return a.from < m.from || a.to > m.to })
		if minutes(inside) >= slowFor {
			out.minutes = append(out.minutes, inside...)
		}
	}
	if len(out.minutes) == 0 {
		return nil
	}
	for _, m := range out.minutes {
		out.ofSlow = out.ofSlow.join(s.between(m.from, m.to))
	}
	out.least = slowFor * b.least
	for _, r := range slowRuns {
		if slices.ContainsFunc(out.minutes, func(m span) bool { return r.from <= m.to && r.to >= m.from }) {
			out.runs = append(out.runs, r)
		}
	}
	return out
}

// near joins what is no further apart than a gap.
func near(in []span, gap int64) (out []span) {
	for _, s := range in {
		if n := len(out); n > 0 && s.from-out[n-1].to <= gap {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (s slowness) title() string {
	worst := 0.0
	for _, r := range s.runs {
		worst = max(worst, r.worst)
	}
	mean := took(s.ofSlow.ms / float64(max(1, s.ofSlow.n)))
	if s.kind == SlowAuthentication {
		return fmt.Sprintf("logging on was slow on %s for %s: %s in the mean, up to %s", list(slices.Compact(s.nodes)), long(minutes(s.minutes)), mean, took(worst))
	}
	return fmt.Sprintf("the mailbox server %s was slow for %s: %s a request in the mean, up to %s", s.name, long(minutes(s.minutes)), mean, took(worst))
}

func (s slowness) details() (out []string) {
	for _, m := range s.minutes[:min(len(s.minutes), 10)] {
		out = append(out, fmt.Sprintf("Slow from %s for %s.", clock(m.from), long(float64(m.to-m.from)/60)))
	}
	return append(out, fmt.Sprintf("Of %s in these minutes, %s took a second or more.", plural(float64(s.ofSlow.n), "request"), share(float64(s.ofSlow.slow)/float64(max(1, s.ofSlow.n)))))
}

func (s slowness) advice() string {
	if s.kind == SlowAuthentication {
		return adviceAuth
	}
	return adviceBackend(s.name)
}

// slowness is told of where it is no cause of an outage: that is told already.
func (f *farm) slowness() (out []found) {
	for _, s := range f.slows {
		if len(s.runs) == 0 || s.ofSlow.n < s.least || slices.ContainsFunc(f.outages, func(o *outage) bool { return o.cause == cause{s.kind, s.name} }) {
			continue
		}
		lines := bounds(s.runs)
		x := f.of(s.kind, span{min(s.minutes[0].from, lines.from), max(s.minutes[len(s.minutes)-1].to, lines.to)}, append(slices.Clone(s.nodes), s.name))
		x.Nodes = slices.DeleteFunc(x.Nodes, func(n string) bool { return !f.has(n) })
		x.Title, x.Details, x.Advice = s.title(), s.details(), s.advice()
		x.Evidence = evidence(s.runs)
		x.Confidence = confidence(kindsIn(s.runs), len(s.minutes), direct)
		out = append(out, found{Finding: x, weight: 20 * minutes(s.minutes)})
	}
	return out
}

func (f *farm) has(name string) bool {
	return slices.ContainsFunc(f.nodes, func(n *node) bool { return n.name == name })
}
