package throttle

import (
	"cmp"
	"slices"
	"time"
)

// A walk goes through the requests of an account in order, as often as is needed,
// by the arithmetic of a [Budget]. It throttles nothing: it tells what was used
// when a request began.
type walk struct {
	limits *Limits
	c      Component
	nodes  []course
}

// A course is what happened to one node's budget, in order.
type course struct {
	uses  []Use    // by beginning
	open  []moment // of being one of those at once
	spent []moment // of being charged
}

// A moment is a request's beginning or end. Ends come first: who goes makes room
// for who comes in the same instant.
type moment struct {
	at  time.Duration
	use int32
	end bool
}

// newWalk puts uses in order.
func newWalk(uses []Use, l *Limits, c Component) *walk {
	sortUses(uses)
	w := &walk{limits: l, c: c}
	for rest := uses; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(u Use) bool { return u.Node != rest[0].Node })
		if n < 0 {
			n = len(rest)
		}
		for len(w.nodes) < rest[0].Node {
			w.nodes = append(w.nodes, course{})
		}
		w.nodes = append(w.nodes, newCourse(rest[:n]))
		rest = rest[n:]
	}
	return w
}

// sortUses puts them in order: node by node, by beginning. Of those that begin
// together the order does not matter but for its being always the same.
func sortUses(uses []Use) {
	slices.SortFunc(uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Open, b.Open),
			cmp.Compare(a.Charged, b.Charged), cmp.Compare(a.AD, b.AD), cmp.Compare(a.RPC, b.RPC))
	})
}

func newCourse(uses []Use) course {
	return course{uses, moments(uses, func(u *Use) time.Duration { return u.Open }), moments(uses, (*Use).own)}
}

// own is for how long a request is charged as it goes. What it was charged beyond
// is charged at its end.
func (u *Use) own() time.Duration {
	if u.Hanging {
		return u.Open
	}
	return min(u.Charged, u.Open)
}

// cost is what is charged at the end.
func (u *Use) cost() Cost { return Cost{AD: u.AD, RPC: u.RPC, Time: u.Charged} }

// moments are all beginnings and ends in order, of what takes so long. uses are in
// order, so of one instant all ends of those that began earlier come first, and what
// takes no time ends before the next begins.
func moments(uses []Use, long func(*Use) time.Duration) []moment {
	out := make([]moment, 0, 2*len(uses))
	for i := range uses {
		at := uses[i].Start
		out = append(out, moment{at, int32(i), false}, moment{at + long(&uses[i]), int32(i), true})
	}
	slices.SortFunc(out, func(a, b moment) int {
		if a.at == b.at && a.use == b.use && a.end != b.end {
			if a.end {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.use, b.use))
	})
	return out
}

// used is the most of the rate in slot i that was used when a request began, on
// any node, if it refills like r.
func (w *walk) used(i int, r Rate) (out int64) {
	l := *w.limits
	for k := range l.Rate {
		l.Rate[k] = Rate{Unlimited: true}
	}
	l.Rate[i] = r
	for n := range w.nodes {
		out = max(out, w.nodes[n].used(&l, w.c, i))
	}
	return out
}

func (n *course) used(l *Limits, c Component, i int) (out int64) {
	b := Budget{Component: c}
	for _, m := range n.spent {
		u := &n.uses[m.use]
		if b.settleOne(l, m.at, i); m.end {
			cost := u.cost()
			b.done(l, u.Hanging, 0, u.own(), u.own(), &cost)
			continue
		}
		out = max(out, b.Used[i])
		if !u.Hanging {
			b.Open++
		}
	}
	return out
}

// settleOne is settle where only the rate in slot i matters.
func (b *Budget) settleOne(l *Limits, now time.Duration, i int) {
	d := now - b.At
	if b.At = now; b.Component.part(i) == NoPart || b.Used[i] == 0 && b.Open == 0 {
		return
	}
	r := &l.Rate[i]
	p := b.Component.part(i)
	b.Used[i] = max(0, l.capped(i, p, b.Used[i]+times(b.inFlight(p), d)-r.refilled(d)))
}

// part is what slot i of a rate holds.
func (c Component) part(i int) Part { return rateParts[c][i] }

// usage is what was used of a node.
func (n *course) usage() (u Usage) {
	if len(n.uses) == 0 {
		return u
	}
	u.First = n.uses[0].Start
	for _, use := range n.uses {
		u.Last = max(u.Last, use.Start+use.Open)
		if use.Hanging {
			u.Hanging++
			continue
		}
		u.Requests++
		u.Charged += use.Charged
	}
	u.AtOnce, u.HangingAtOnce = n.peak(false), n.peak(true)
	u.Hour, u.HourFrom = n.hour()
	return u
}

// peak is the most at once, of those that hang or of the others.
func (n *course) peak(hanging bool) (p Peak) {
	open := 0
	for _, m := range n.open {
		switch {
		case n.uses[m.use].Hanging != hanging:
		case m.end:
			open--
		default:
			if open++; open > p.N {
				p = Peak{open, m.at}
			}
		}
	}
	return p
}

// hour is the most that was charged to requests that came within an hour.
func (n *course) hour() (out, from time.Duration) {
	var sum time.Duration
	first := 0
	for _, u := range n.uses {
		for ; u.Start-n.uses[first].Start >= time.Hour; first++ {
			sum -= n.uses[first].charge()
		}
		if sum += u.charge(); sum > out {
			out, from = sum, n.uses[first].Start
		}
	}
	return out, from
}

// charge is what counts for the time of whole requests.
func (u *Use) charge() time.Duration {
	if u.Hanging {
		return 0
	}
	return u.Charged
}
