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

// Top is the n callers who have used most of p, or hold most of it, at now, the
// first of them first; of several who have spent the same, any. It holds no lock
// for longer than 64 budgets take.
func (l *Ledger) Top(now time.Time, p Part, n int) []Spender {
	at := l.clock.since(now)
	var out []Spender
	for i := range l.shards {
		s := &l.shards[i]
		for k := 0; ; k++ {
			found, more := s.spenders(at, k, p, least(out, n))
			if !more {
				break
			}
			out = best(append(out, found...), n, bySpent)
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

// least is what a caller must have spent to come before the last of the n of out:
// with a million who have spent the same none is looked at twice.
func least(out []Spender, n int) int64 {
	if len(out) < n || n <= 0 {
		return 1
	}
	return out[n-1].Used + 1
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

// spenders are those of block k who may have spent least of p or more. False:
// there is no block k.
func (s *shard) spenders(now time.Duration, k int, p Part, least int64) (out []Spender, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k >= len(s.blocks) {
		return nil, false
	}
	for i := range uint32(perBlock) {
		b := &s.blocks[k][i].Budget
		if b.mostSpent(p, now) < least {
			continue
		}
		n := uint32(k*perBlock) + i
		c := s.caller(n)
		out = append(out, s.looked(s.clock.time(now), c).spender(*b, now, c, p))
	}
	return slices.DeleteFunc(out, func(s Spender) bool { return s.Used < least }), true
}

// mostSpent is what of p was spent at most, as a Spender has it, without a look
// at the policy.
func (b *Budget) mostSpent(p Part, now time.Duration) int64 {
	if i := b.Component.gauge(p); i >= 0 {
		return int64(b.Held[i])
	}
	i := b.Component.rate(p)
	if i < 0 {
		return 0
	}
	return p.limit(b.Used[i] + times(b.inFlight(p), max(0, now-b.At)))
}

// spender is what c, who stands at b, has spent of p at now.
func (l *Limits) spender(b Budget, now time.Duration, c Caller, p Part) Spender {
	b.settle(l, now)
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
	if v.Action == Allow {
		return Spender{}, false
	}
	out := l.spender(b, now, c, v.Part)
	out.Action, out.Wait = v.Action, v.Wait
	return out, true
}
