package queue

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"evenkeel/queue/maillog"
)

// logs is what t knows now.
func (t *logTally) logs(now time.Time) *Logs {
	out := &Logs{
		Requests: t.sortedRequests(), FrontEnds: t.front.sorted(), BackEnds: t.back.sorted(),
		Probes: t.probes, Sessions: t.best(now),
	}
	for _, name := range slices.Sorted(maps.Keys(t.pools)) {
		out.Pools = append(out.Pools, t.pools[name].pool(name))
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
		if now.Sub(u.at) <= overFor {
			out.Over = append(out.Over, u.name)
		}
	}
	return out
}

func word(kind int) string { return maillog.Kind(kind).String() }

func (p *poolTally) pool(name string) Pool {
	out := Pool{Name: name, Full: p.full, Off: p.off, Seen: p.seen, Stalled: p.stalled, Abandoned: p.abandoned}
	for _, why := range slices.Sorted(maps.Keys(p.refused)) {
		out.Refused = append(out.Refused, Refused{why, p.refused[why]})
	}
	return out
}

// queues are the pools whose queue ran over, as the others see a queue: who was
// turned away just now is known, how many wait is not. wanted are the pools that
// count; none: all.
func (t *logTally) queues(wanted []string) (out []Queue) {
	for _, name := range slices.Sorted(maps.Keys(t.pools)) {
		if p := t.pools[name]; p.news > 0 && (len(wanted) == 0 || slices.Contains(wanted, name)) {
			out = append(out, Queue{Name: name, Depth: Unmeasured, Refused: p.news})
		}
	}
	return out
}

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
