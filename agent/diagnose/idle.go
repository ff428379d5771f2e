package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

const (
	cutsLeast   = 30  // waits that were cut, of a network or software
	cutsClients = 3   // clients they were of
	cutsShare   = 0.6 // of them at one age
	youngest    = 20  // seconds; what is cut younger is cut for other reasons
)

// A spike is that most waits of a group of clients were cut at one age.
type spike struct {
	age      int // in steps
	node     string
	group    string // "network 10.1.2.0/24", "software Outlook-iOS"
	n, of    int64
	clients  int
	kinds    kindSet
	evidence []Evidence
}

// idle are devices between that cut what they take for idle. Several nodes and
// networks that tell of one age are one finding: it is one device, or some alike.
func (f *farm) idle() (out []found) {
	ages := map[int][]spike{}
	for _, n := range f.nodes {
		for _, s := range n.spikes() {
			age := round(s.age)
			ages[age] = append(ages[age], s)
		}
	}
	for _, age := range slices.Sorted(maps.Keys(ages)) {
		out = append(out, f.idleAt(age, ages[age]))
	}
	return out
}

// spikes are those of a node by network, or, where no network has one, by software.
func (n *node) spikes() []spike {
	networks, agents := groups{}, groups{}
	var kinds kindSet
	for _, s := range n.streams {
		networks.merge(s.networks)
		agents.merge(s.agents)
		if len(s.networks) > 0 {
			kinds |= s.kinds
		}
	}
	out := networks.spikes(n.name, "network ", kinds)
	if len(out) == 0 {
		out = agents.spikes(n.name, "software ", kinds)
	}
	return out
}

func (g groups) spikes(node, what string, kinds kindSet) (out []spike) {
	for _, name := range sortedKeys(g) {
		a := g[name]
		age, at := a.spike()
		s := spike{age: age, node: node, group: what + plain(name), n: at, of: a.n, clients: a.clients.count(), kinds: kinds}
		for d := -1; d <= 1; d++ {
			if m := a.marks[age+d]; m != nil {
				s.evidence = append(s.evidence, m.evidence())
			}
		}
		if a.n >= cutsLeast && s.clients >= cutsClients && float64(at) >= cutsShare*float64(a.n) && age*ageStep >= youngest && len(s.evidence) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func (f *farm) idleAt(age int, all []spike) found {
	var nodes, named []string
	var n int64
	var kinds kindSet
	x := Finding{}
	slices.SortStableFunc(all, func(a, b spike) int { return cmp.Compare(b.n, a.n) })
	for _, s := range all {
		nodes, n, kinds = append(nodes, s.node), n+s.n, kinds|s.kinds
		if !slices.Contains(named, s.group) {
			named = append(named, s.group)
		}
		x.Evidence = append(x.Evidence, s.evidence...)
		x.Details = append(x.Details, fmt.Sprintf("%s, %s: %s of %s that were cut, about %s.", s.node, s.group, num(float64(s.n)), num(float64(s.of)), plural(float64(s.clients), "client")))
	}
	evidence, details := distinct(x.Evidence), x.Details[:min(len(x.Details), 10)]
	x = f.of(IdleTimeout, span{f.from, f.to}, nodes)
	x.Evidence, x.Details, x.Advice = evidence, details, adviceIdle
	x.Title = fmt.Sprintf("connections that wait are cut at the age of %s: %s, from the %s", ageText(age), times(int(n)), list(named))
	x.Confidence = confidence(kinds, int(n/cutsLeast), direct)
	return found{Finding: x, weight: float64(n) / 10}
}

// round is an age, in seconds, as devices are configured: full minutes, halves or
// tens where it is nearly so.
func round(age int) int {
	sec := age * ageStep
	for _, whole := range []int{60, 30, 10} {
		if r := (sec + whole/2) / whole * whole; r-sec <= ageStep && sec-r <= ageStep {
			return r
		}
	}
	return sec
}

func ageText(sec int) string {
	if sec%60 == 0 {
		return plural(float64(sec/60), "minute")
	}
	return fmt.Sprintf("%d s", sec)
}
