package throttle

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"time"
)

// A model is a ledger as one would write it who had all the memory and time
// there is: a map of budgets, none of which is lost, and a map of requests. What
// is charged, forgotten and given back it reckons by part, in its own words.
type model struct {
	release, expect, lease time.Duration
	limits                 func(c Caller) *Limits
	budgets                map[Caller]*kept
	open                   map[Ticket]*asked
}

// kept is a budget, until when it was said to be needed when last touched, and
// until when what it holds is kept.
type kept struct {
	Budget
	clear, lease time.Duration
}

type asked struct {
	c         Caller
	limits    *Limits
	ask       Ask
	found     uint32
	begun     time.Duration
	from      time.Duration // charged since, or to be charged from
	since     time.Duration // of a wait: when it was told
	own       time.Duration // what items before took
	waits, in bool
	entered   time.Duration // RPC, if it is in
}

func (m *model) budget(c Caller) *kept {
	if m.budgets[c] == nil {
		m.budgets[c] = &kept{Budget: Budget{Component: c.Component}}
	}
	return m.budgets[c]
}

func (m *model) touched(c Caller, l *Limits) {
	if b := m.budgets[c]; !b.busy() {
		b.clear = l.Clear(b.Budget)
	}
}

// settled is b at now: time is used by who is there, and by nobody else.
func settled(l *Limits, b Budget, now time.Duration) Budget {
	d := now - b.At
	if d <= 0 {
		return b
	}
	b.At = now
	using := map[Part]uint32{CAS: b.Open, LocalTime: b.Open, AD: uint32(b.In[0]), AB: uint32(b.In[1]), RPC: uint32(b.In[2])}
	for i, p := range rateParts[b.Component] {
		r, n := l.Rate[i], using[p]
		switch {
		case p == NoPart:
		case r.Unlimited:
			b.Used[i] = new(fading).faded(p, b.Used[i], n, d)
		default:
			used := new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(d)))
			back := new(big.Int).Mul(big.NewInt(r.Refill), big.NewInt(int64(d)))
			back.Div(back, big.NewInt(int64(r.Per)))
			used.Add(used, big.NewInt(b.Used[i])).Sub(used, back)
			b.Used[i] = max(0, remembered(r, p, used.Int64()))
		}
	}
	return b
}

// remembered is used, or what of it is kept.
func remembered(r Rate, p Part, used int64) int64 {
	if !r.Unlimited && slices.Contains([]Part{AD, CAS, AB, RPC}, p) {
		minute := r.Refill / int64(r.Per/time.Minute)
		return min(used, max(r.Cap, r.Cap+minute-int64(time.Millisecond)))
	}
	return min(used, most)
}

// spent adds d, or takes -d off, what was used of p.
func spent(l *Limits, b *Budget, p Part, d time.Duration) {
	if i := b.Component.rate(p); i >= 0 && d > 0 {
		b.Used[i] = remembered(l.Rate[i], p, b.Used[i]+int64(d))
	} else if i >= 0 && d < 0 {
		back := int64(-d)
		if l.Rate[i].Unlimited {
			back = new(fading).faded(p, 0, 1, -d) // of which so much has faded since
		}
		b.Used[i] = max(0, b.Used[i]-back)
	}
}

func (m *model) check(now time.Duration, t Ticket, c Caller, a Ask) Verdict {
	b, l := m.budget(c), m.limits(c)
	b.Budget = settled(l, b.Budget, now)
	held := b.Held[gaugeFind]
	var v Verdict
	b.Budget, v = l.Check(b.Budget, now, a)
	if v.Action == Deny {
		m.touched(c, l)
		return v
	}
	q := &asked{c: c, limits: l, ask: a, found: min(v.Find, math.MaxUint32-held), begun: now, since: now, from: now}
	if v.Wait > 0 && !a.Hanging {
		q.from, q.waits = now+v.Wait, true
	}
	m.open[t] = q
	return v
}

// wakes ends the wait of q.
func (m *model) wakes(now time.Duration, q *asked) {
	if !q.waits {
		return
	}
	b := m.budget(q.c)
	b.Budget = settled(q.limits, b.Budget, now)
	if now < q.from {
		q.from = q.since
	}
	for _, p := range []Part{CAS, LocalTime} {
		spent(q.limits, &b.Budget, p, now-q.from)
	}
	b.Open++
	q.waits = false
}

func (m *model) next(now time.Duration, q *asked, cpu float64) (v Verdict) {
	m.wakes(now, q)
	b := m.budget(q.c)
	b.Budget = settled(q.limits, b.Budget, now)
	b.Budget, v = q.limits.Next(b.Budget, now, now-q.from, cpu)
	q.own += now - q.from
	q.since, q.from = now, now
	if v.Action == Delay && v.Wait > 0 {
		q.from, q.waits = now+v.Wait, true
	}
	return v
}

// done ends q: one that hangs has no time of its own.
func (m *model) done(now time.Duration, t Ticket, cost Cost) {
	q := m.open[t]
	m.wakes(now, q)
	b := m.budget(q.c)
	b.Budget = settled(q.limits, b.Budget, now)
	if q.in {
		b.In[2]--
	}
	b.Held[gaugeFind] -= q.found
	spent(q.limits, &b.Budget, AD, cost.AD)
	spent(q.limits, &b.Budget, AB, cost.AB)
	spent(q.limits, &b.Budget, RPC, cost.RPC)
	if q.ask.Hanging {
		b.Held[gaugeHanging]--
	} else {
		b.Held[gaugeConcurrency]--
		b.Open--
		item := now - q.from
		more := max(0, max(cost.Time, cost.AD, cost.AB, cost.RPC)-q.own-item)
		spent(q.limits, &b.Budget, CAS, more)
		spent(q.limits, &b.Budget, LocalTime, more)
		b.cost(item + more)
	}
	delete(m.open, t)
	m.touched(q.c, q.limits)
}

// lost ends who was never done. What he was charged beyond what is expected he
// gets back.
func (m *model) lost(now time.Duration, t Ticket) {
	q := m.open[t]
	m.wakes(now, q)
	b := m.budget(q.c)
	b.Budget = settled(q.limits, b.Budget, now)
	if q.in {
		spent(q.limits, &b.Budget, RPC, -max(0, now-q.entered-m.expect))
	}
	if over := max(0, now-q.from-m.expect); !q.ask.Hanging {
		spent(q.limits, &b.Budget, CAS, -over)
		spent(q.limits, &b.Budget, LocalTime, -over)
		q.from += over
	}
	m.done(now, t, Cost{})
}

func (m *model) sweep(now time.Duration) (released int, freed uint64) {
	bySlot := func(a, b Ticket) int { return cmp.Compare(a.slot(), b.slot()) } // as the ledger has them, which shows in Last
	for _, t := range slices.SortedFunc(maps.Keys(m.open), bySlot) {
		q := m.open[t]
		if most := m.release; now-q.begun >= most && !q.ask.Hanging || now-q.begun >= max(time.Hour, most) {
			m.lost(now, t)
			released++
		} else if q.waits && now >= q.from {
			m.wakes(now, q)
		}
	}
	for c, b := range m.budgets {
		if held := b.Held[gaugeOwn]; held > 0 && now >= time.Duration(seconds(b.lease))*time.Second {
			freed += uint64(held)
			b.Budget = settled(m.limits(c), b.Budget, now)
			b.Held[gaugeOwn] = 0
			m.touched(c, m.limits(c))
		}
	}
	return released, freed
}

// evicted is what becomes of a budget in a sweep: it may be given up if it is
// clear by the policy of now, and is if it was known to be by all policies by
// which it was looked at.
func (m *model) evicted(now time.Duration, c Caller) (may, must bool) {
	b := m.budgets[c]
	if b.busy() {
		return false, false
	}
	at := m.limits(c).Clear(b.Budget)
	b.clear = max(b.clear, at)
	return at <= now-keep, time.Duration(seconds(b.clear))*time.Second <= now-keep
}
