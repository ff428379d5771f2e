package queue

import (
	"slices"
	"time"
)

// merge is both; what has one name in both is one. A nil is none.
func (a *Logs) merge(b *Logs) *Logs {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := &Logs{
		Files: slices.Concat(a.Files, b.Files), Hints: slices.Concat(a.Hints, b.Hints),
		Pools:    united(a.Pools, b.Pools, Pool.merge),
		Requests: united(a.Requests, b.Requests, Requests.merge), Legs: united(a.Legs, b.Legs, Legs.merge), Throttled: united(a.Throttled, b.Throttled, Throttled.merge),
		FrontEnds: united(a.FrontEnds, b.FrontEnds, Passed.merge), BackEnds: united(a.BackEnds, b.BackEnds, Passed.merge),
		Sessions: a.Sessions, Over: latest(slices.Concat(a.Over, b.Over)), Probes: a.Probes + b.Probes,
	}
	if s := b.Sessions; s != nil && (out.Sessions == nil || rank(s.Log) < rank(out.Sessions.Log)) {
		out.Sessions = s
	}
	return out
}

// united is a and b, in this order; merge reports whether two are one, and which.
func united[T any](a, b []T, merge func(T, T) (T, bool)) []T {
	out := slices.Clone(a)
next:
	for _, y := range b {
		for i, x := range out {
			if both, one := merge(x, y); one {
				out[i] = both
				continue next
			}
		}
		out = append(out, y)
	}
	return out
}

func (r Requests) merge(o Requests) (Requests, bool) {
	one := r.Log == o.Log && r.Protocol == o.Protocol && r.Type == o.Type && r.Waits == o.Waits
	r.N += o.N
	return r, one
}

func (l Legs) merge(o Legs) (Legs, bool) {
	return Legs{l.Log, l.Legs + o.Legs, l.Failed + o.Failed}, l.Log == o.Log
}

func (t Throttled) merge(o Throttled) (Throttled, bool) {
	return Throttled{t.Log, t.Delayed + o.Delayed, t.Delay + o.Delay, t.Refused + o.Refused}, t.Log == o.Log
}

func (p Passed) merge(o Passed) (Passed, bool) {
	return Passed{p.Server, p.N + o.N}, p.Server == o.Server
}

func (r Refused) merge(o Refused) (Refused, bool) {
	return Refused{r.Reason, r.N + o.N}, r.Reason == o.Reason
}

func (c Count) plus(o Count) Count { return Count{c.N + o.N, later(c.Last, o.Last)} }

// merge: a pool is off since the one of whom it was heard last says so.
func (p Pool) merge(o Pool) (Pool, bool) {
	one := p.Name == o.Name
	p.Refused = united(p.Refused, o.Refused, Refused.merge)
	p.Full, p.Stalled, p.Abandoned = later(p.Full, o.Full), p.Stalled.plus(o.Stalled), p.Abandoned.plus(o.Abandoned)
	if o.Seen.After(p.Seen) {
		p.Off, p.Seen = o.Off, o.Seen
	}
	return p, one
}

// latest is each user once, the latest first, and the first of them.
func latest(all []Over) []Over {
	slices.SortStableFunc(all, func(a, b Over) int { return b.At.Compare(a.At) })
	var out []Over
	for _, u := range all {
		known := slices.ContainsFunc(out, func(o Over) bool { return o.User == u.User })
		if !known && len(out) < mostOver {
			out = append(out, u)
		}
	}
	return out
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
