package throttle

import (
	"cmp"
	"iter"
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
	uses []Use   // by beginning
	ends []int32 // of uses: by the end of being charged
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

func newCourse(uses []Use) course { return course{uses, endsOf(uses, (*Use).own)} }

// open is for how long a request is one of those at once.
func (u *Use) open() time.Duration { return u.Open }

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

// endsOf are uses by their ends, of what takes so long; of those that end together
// who began first is first.
func endsOf(uses []Use, long func(*Use) time.Duration) []int32 {
	out := make([]int32, len(uses))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(cmp.Compare(uses[a].Start+long(&uses[a]), uses[b].Start+long(&uses[b])), cmp.Compare(a, b))
	})
	return out
}

// A moment is a request's beginning or end.
type moment struct {
	at  time.Duration
	use *Use
	end bool
}

// moments are all beginnings and ends in order. Of one instant all ends of those
// that began earlier come first, since who goes makes room for who comes, and what
// takes no time ends before the next begins.
func (n *course) moments(ends []int32, long func(*Use) time.Duration) iter.Seq[moment] {
	return func(yield func(moment) bool) {
		next := 0
		for _, e := range ends {
			ended := &n.uses[e]
			at := ended.Start + long(ended)
			for ; next < len(n.uses) && (n.uses[next].Start < at || n.uses[next].Start == at && next <= int(e)); next++ {
				if !yield(moment{n.uses[next].Start, &n.uses[next], false}) {
					return
				}
			}
			if !yield(moment{at, ended, true}) {
				return
			}
		}
	}
}

// A high is the most that was used of a rate when a request began, and since when
// there had always been something: what a greater Refill takes off goes by that.
type high struct {
	used  int64
	after time.Duration
}

// used is that of the rate in slot i on any node, if it refills like r; it goes no
// further once there is more than enough.
func (w *walk) used(i int, r Rate, enough int64) (out high) {
	l := *w.limits
	for k := range l.Rate {
		l.Rate[k] = Rate{Unlimited: true}
	}
	l.Rate[i] = r
	for n := range w.nodes {
		if h := w.nodes[n].used(&l, w.c, i, enough); h.used > out.used {
			out = h
		}
		if out.used > enough {
			break
		}
	}
	return out
}

func (n *course) used(l *Limits, c Component, i int, enough int64) (out high) {
	b := Budget{Component: c}
	var since time.Duration
	for m := range n.moments(n.ends, (*Use).own) {
		if b.settleOne(l, m.at, i); b.Used[i] == 0 {
			since = m.at
		}
		if m.end {
			cost := m.use.cost()
			b.done(l, m.use.Hanging, 0, m.use.own(), m.use.own(), &cost)
			continue
		}
		if b.Used[i] > out.used {
			if out = (high{b.Used[i], m.at - since}); out.used > enough {
				break
			}
		}
		if !m.use.Hanging {
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
	ends := endsOf(n.uses, (*Use).open)
	work := func(u *Use) bool { return !u.Hanging }
	hang := func(u *Use) bool { return u.Hanging }
	u.AtOnce, u.HangingAtOnce = n.peak(ends, work), n.peak(ends, hang)
	if u.Sure, u.HangingSure = u.AtOnce.N, u.HangingAtOnce.N; slices.ContainsFunc(n.uses, func(u Use) bool { return u.Rough }) {
		u.Sure = n.peak(ends, func(u *Use) bool { return !u.Hanging && !u.Rough }).N
		u.HangingSure = n.peak(ends, func(u *Use) bool { return u.Hanging && !u.Rough }).N
	}
	u.Hour, u.HourFrom = n.hour()
	return u
}

// peak is the most at once of some.
func (n *course) peak(ends []int32, of func(*Use) bool) (p Peak) {
	open := 0
	for m := range n.moments(ends, (*Use).open) {
		switch {
		case !of(m.use):
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
