package queue

import (
	"cmp"
	"slices"
	"time"

	"evenkeel/queue/maillog"
)

// logs is what t knows now.
func (t *logTally) logs(now time.Time) *Logs {
	out := &Logs{
		Requests: t.sortedRequests(), FrontEnds: t.front.sorted(), BackEnds: t.back.sorted(),
		Probes: t.probes, Sessions: t.best(now), Hints: t.unseen(),
	}
	if t.stranger.IsValid() {
		out.Hints = append(out.Hints, "source httperr: rows are of a server with the address "+t.stranger.String()+", which this machine has not: they say nothing of this node")
	}
	for _, p := range t.sorted() {
		out.Pools = append(out.Pools, p.pool())
	}
	for kind := range t.throttle {
		if c := t.throttle[kind]; c != (Throttled{}) {
			c.Log = word(kind)
			out.Throttled = append(out.Throttled, c)
		}
		t.legs[kind].expire(t.latest, 1)
		if l := t.legs[kind]; l.through+l.failed > 0 {
			out.Legs = append(out.Legs, Legs{word(kind), l.through, l.failed})
		}
	}
	for _, u := range t.over {
		if now.Sub(u.At) <= overFor {
			out.Over = append(out.Over, u)
		}
	}
	return out
}

func word(kind int) string { return maillog.Kind(kind).String() }

func (t *logTally) sortedRequests() (out []Requests) {
	for kind := range t.requests {
		for protocol, types := range t.requests[kind] {
			for name, n := range types {
				for i, waits := range []bool{false, true} {
					if n[i] > 0 {
						out = append(out, Requests{word(kind), maillog.Protocol(protocol).String(), name, waits, n[i]})
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Requests) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Type, b.Type))
	})
	return out
}

// best is what the log says of sessions that tells most.
func (t *logTally) best(now time.Time) (best *Sessions) {
	seen := min(sessionWindow, max(0, now.Sub(t.since)))
	for _, kind := range []maillog.Kind{maillog.HTTPProxy, maillog.IIS, maillog.MapiHTTP} {
		n, estimated := t.sessions[kind].count(now)
		if t.told[kind] && best == nil {
			best = &Sessions{kind.String(), n, estimated, seen}
		}
	}
	return best
}
