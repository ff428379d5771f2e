package config

import (
	"fmt"
	"slices"
	"time"

	"evenkeel/policy/balance/sim"
)

// checkScript compares what a scenario file says in several places. Each value
// was found good alone.
func (r *reader) checkScript(s *script) {
	r.ordered("from", "for", s.From < s.For, Short(s.From), Short(s.For))
	r.ordered("ttl.min", "ttl.max", s.TTL.Min <= s.TTL.Max, Short(s.TTL.Min), Short(s.TTL.Max))
	r.ordered("rules.recover", "rules.degrade", s.Rules.Recover < s.Rules.Degrade, s.Rules.Recover, s.Rules.Degrade)
	r.ordered("rules.degrade", "rules.fail", s.Rules.Degrade < s.Rules.Fail, s.Rules.Degrade, s.Rules.Fail)
	r.counted("nodes", sum(s.groups, func(g group) int { return max(1, g.count) }), sim.MaxNodes, "- {name: ex, count: 2}")
	r.counted("resolvers", sum(s.crowds, func(c crowd) int { return c.count }), sim.MaxResolvers, "- {share: 1}")
	if !r.sound("nodes", "resolvers") {
		return
	}
	names := r.names(s.groups)
	r.named(s, names)
	r.skewed(s.Balancer, names)
	for i, e := range s.Events {
		r.event(s, e, r.items["events"][i], names)
	}
}

func sum[T any](of []T, count func(T) int) (n int) {
	for _, x := range of {
		n += count(x)
	}
	return n
}

// counted refuses a list of groups that is empty in all, or too much.
func (r *reader) counted(key string, n, most int, example string) {
	switch at := r.at(key); {
	case !r.sound(key):
	case n == 0:
		r.spoil(at, "want at least one", "write "+example)
	case n > most:
		r.spoil(at, fmt.Sprintf("%d are more than the %d that can be played", n, most), "")
	}
}

// names checks the groups of nodes one by one and returns what all nodes are
// called.
func (r *reader) names(groups []group) []string {
	var all []string
	from := map[string]place{}
	for i, g := range groups {
		item := r.items["nodes"][i]
		r.stalls(g.Node, item)
		if !r.sound(item.key, item.key+".name", item.key+".count") {
			continue
		}
		if g.Name == "" {
			r.refuse(item, "a node needs a name", "")
			continue
		}
		all = append(all, r.numbered(g, r.within(item, "name"), from)...)
	}
	return all
}

// numbered is the names of one group, those that are new.
func (r *reader) numbered(g group, at place, from map[string]place) []string {
	names := g.names()
	if last := names[len(names)-1]; len(last) > maxLabel {
		r.refuse(at, fmt.Sprintf("too long with its number: %s", show(last)), "")
	}
	for _, n := range names {
		if first, twice := from[n]; twice {
			r.refuse(at, fmt.Sprintf("node %s is listed twice, first in line %d", n, first.line), "")
			break
		}
		from[n] = at
	}
	return names
}

// stalls checks a stall that comes by itself.
func (r *reader) stalls(n sim.Node, item place) {
	s := n.Stall
	if s.At == 0 || !r.sound(item.key+".stall.at", item.key+".stall.for", item.key+".stall.every") {
		return
	}
	if s.For <= 0 {
		r.refuse(r.within(item, "stall.for", "stall.at"), "want how long a stall lasts, above 0s", "for: 20s")
		return
	}
	if s.Every < s.For {
		r.refuse(r.within(item, "stall.every", "stall.for"),
			fmt.Sprintf("a stall of %s comes every %s at the soonest: got %s", Short(s.For), Short(s.For), Short(s.Every)), "")
	}
}

// named checks how many agents the parent zone names.
func (r *reader) named(s *script, names []string) {
	switch at := r.at("agents"); {
	case !r.sound("agents", "balancer.kind"):
	case s.Agents > len(names):
		r.refuse(at, fmt.Sprintf("more than the %d nodes", len(names)), "")
	case s.Agents > 0 && s.Balancer.Kind != "":
		r.refuse(at, "there is a balancer, which asks all", "agents: all")
	}
}

func (r *reader) skewed(b sim.Balancer, names []string) {
	const node = "balancer.skew.node"
	switch at := r.at(node, "balancer.skew.share"); {
	case !r.sound(node, "balancer.kind"):
	case b.Skew.Node == "" && b.Skew.Share > 0:
		r.refuse(at, "want the node that the clients are remembered for", "node: ex01")
	case b.Skew.Node != "" && b.Kind == "":
		r.refuse(at, "there is no balancer to remember anybody", "add kind: netscaler")
	case b.Skew.Node != "":
		r.known(at, b.Skew.Node, names)
	}
}

// known refuses a node that the farm has not.
func (r *reader) known(at place, name string, names []string) {
	if name == "" || slices.Contains(names, name) {
		return // an empty one was refused where it was read
	}
	hint := ""
	if near, ok := closest(name, names); ok {
		hint = "did you mean " + near + "?"
	}
	r.refuse(at, "there is no node "+show(name), hint)
}

// event checks that something can happen, and within the play.
func (r *reader) event(s *script, e sim.Event, item place, names []string) {
	if !r.sound(item.key) {
		return
	}
	if e.Do == "" && r.sound(item.key+".do") {
		r.refuse(item, "want do: what happens", "do: "+string(sim.Crash))
	}
	if e.At >= s.For && r.sound("for", item.key+".at") {
		r.refuse(r.within(item, "at"), fmt.Sprintf("after the end of the play, which is at %s", Short(s.For)), "")
	}
	if e.Do == sim.StallNow && e.For <= 0 && r.sound(item.key+".for") {
		r.refuse(r.within(item, "for", "do"), "want how long the stall lasts, above 0s", "for: "+Short(20*time.Second))
	}
	for i, name := range e.Nodes {
		r.known(r.items[item.key+".nodes"][i], name, names)
	}
}

// within is the place of the first of keys that a list's item gives, else that
// of the item.
func (r *reader) within(item place, keys ...string) place {
	for _, k := range keys {
		if at, ok := r.given[item.key+"."+k]; ok {
			return at
		}
	}
	return item
}
