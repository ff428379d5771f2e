package throttle

import (
	"cmp"
	"slices"
	"time"
)

// A Spender is what one caller uses of a part. Time is in ms, all else in number.
type Spender struct {
	Caller Caller
	Part   Part
	Used   int64
	Limit  int64         // -1: none
	Action Action        // of a request that would begin now
	Wait   time.Duration // as in Verdict: how long a Delay is, or for how long he is locked out
}

// Top is, for one part of these after the other, the n callers who have used most
// of it, or hold most of it, at now, the first of them first; of several who have
// spent the same, any. All budgets are looked at once, and no lock is held for
// longer than 64 of them take.
func (l *Ledger) Top(now time.Time, n int, of ...Part) (out []Spender) {
	at, r := l.clock.since(now), newRanking(n, of)
	for i := range l.shards {
		for k := 0; l.shards[i].rank(at, k, r); k++ {
		}
	}
	for _, p := range of {
		if p < parts {
			out = append(out, r.first[p]...)
		}
	}
	return out
}

// Throttled is the n callers who were refused or delayed, and would be now: the
// longest wait first.
func (l *Ledger) Throttled(now time.Time, n int) []Spender {
	at := l.clock.since(now)
	var out []Spender
	for i := range l.shards {
		s := &l.shards[i]
		for k := 0; ; k++ {
			found, more := s.slowed(at, k)
			if !more {
				break
			}
			out = best(append(out, found...), n, byWait)
		}
	}
	return out
}

func bySpent(a, b Spender) int { return cmp.Or(cmp.Compare(b.Used, a.Used), byCaller(a, b)) }

func byWait(a, b Spender) int {
	return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(a.Action, b.Action), byCaller(a, b))
}

func byCaller(a, b Spender) int {
	return cmp.Or(cmp.Compare(a.Caller.Name, b.Caller.Name), cmp.Compare(a.Caller.Component, b.Caller.Component))
}

// best is the first n of all in order.
func best(all []Spender, n int, order func(a, b Spender) int) []Spender {
	slices.SortFunc(all, order)
	return all[:min(len(all), max(0, n))]
}

// spender is what c, who stands at b, settled, has spent of p at now.
func (l *Limits) spender(b Budget, now time.Duration, c Caller, p Part) Spender {
	ask := wants(p)
	v := b.verdict(l, now, &ask)
	out := Spender{Caller: c, Part: p, Action: v.Action, Wait: v.Wait, Limit: -1}
	if i := b.Component.gauge(p); i >= 0 {
		if out.Used = int64(b.Held[i]); l.Max[i] != Unlimited {
			out.Limit = int64(l.Max[i])
		}
	} else if i := b.Component.rate(p); i >= 0 {
		if out.Used = p.limit(b.Used[i]); !l.Rate[i].Unlimited {
			out.Limit = p.limit(l.Rate[i].Cap)
		}
	}
	return out
}

// wants is the least that is asked for of p.
func wants(p Part) Ask {
	a := Ask{CPU: -1, Hanging: p == Hanging}
	switch p {
	case FindCount:
		a.Find = 1
	case Messages:
		a.Spend.Messages = 1
	case Recipients:
		a.Spend.Recipients = 1
	case Cmdlets:
		a.Spend.Cmdlets = 1
	case Destructive:
		a.Spend.Destructive = 1
	case DeviceDeletes:
		a.Spend.DeviceDeletes = 1
	case Notifications:
		a.Spend.Notifications = 1
	}
	return a
}

// slowed are those of block k who were not simply allowed when they last asked,
// and would not be now. False: there is no block k.
func (s *shard) slowed(now time.Duration, k int) (out []Spender, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.blocks) {
		return nil, false
	}
	for i := range uint32(perBlock) {
		if s.blocks[k][i].Slow == NoPart {
			continue
		}
		if x, over := s.still(now, uint32(k*perBlock)+i); over {
			out = append(out, x)
		}
	}
	return out, true
}

// still is how the caller with the number n stands by the part that slows him.
// False: none would any more.
func (s *shard) still(now time.Duration, n uint32) (Spender, bool) {
	b, c := *s.budget(n), s.caller(n)
	l := s.looked(s.clock.time(now), c)
	b.settle(l, now)
	p, ask := b.Slow, wants(b.Slow)
	v := b.verdict(l, now, &ask)
	if i := c.Component.gauge(p); v.Action == Allow && i >= 0 && l.full(&b, i, 1) {
		v.meet(Deny, p, 0, 0)
	}
	share := v.Action == Allow && (p == Concurrency || p == Hanging) && s.greedy(&b)
	if share {
		v.meet(Deny, p, 0, int64(s.each))
	}
	if v.Action == Allow {
		return Spender{}, false
	}
	out := l.spender(b, now, c, v.Part)
	if share {
		out.Limit = v.Limit
	}
	out.Action, out.Wait = v.Action, v.Wait
	return out, true
}
