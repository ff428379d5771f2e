package throttle

import (
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A model is a ledger as one would write it who had all the memory and time
// there is: a map of budgets, none of which is lost, and a map of requests.
type model struct {
	limits  func(c Caller) *Limits
	budgets map[Caller]*kept
	open    map[Ticket]*asked
}

// kept is a budget, and until when it was said to be needed when last touched.
type kept struct {
	Budget
	clear time.Duration
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

func (m *model) check(now time.Duration, t Ticket, c Caller, a Ask) Verdict {
	b, l := m.budget(c), m.limits(c)
	var v Verdict
	b.Budget, v = l.Check(b.Budget, now, a)
	if v.Action == Deny {
		m.touched(c, l)
		return v
	}
	q := &asked{c: c, limits: l, ask: a, found: v.Find, begun: now, since: now, from: now}
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
	if now < q.from {
		q.from = q.since
	}
	b := m.budget(q.c)
	b.Budget = q.limits.Wake(b.Budget, now, q.from)
	q.waits = false
}

func (m *model) next(now time.Duration, q *asked, cpu float64) (v Verdict) {
	m.wakes(now, q)
	b := m.budget(q.c)
	b.Budget, v = q.limits.Next(b.Budget, now, now-q.from, cpu)
	q.own += now - q.from
	q.since, q.from = now, now
	if v.Action == Delay && v.Wait > 0 {
		q.from, q.waits = now+v.Wait, true
	}
	return v
}

func (m *model) done(now time.Duration, t Ticket, cost Cost) {
	q := m.open[t]
	m.wakes(now, q)
	b := m.budget(q.c)
	b.Budget = q.limits.Settle(b.Budget, now)
	if q.in {
		b.In[2]--
	}
	own := now - q.from
	if q.ask.Hanging {
		own, cost.Time = 0, 0
	}
	last := b.Last
	b.Budget = q.limits.Done(b.Budget, now, q.ask, q.found, q.own+own, cost)
	more := max(0, max(cost.Time, cost.AD, cost.AB, cost.RPC)-q.own-own)
	if b.cost(own + more); q.ask.Hanging {
		b.Last = last
	}
	delete(m.open, t)
	m.touched(q.c, q.limits)
}

func (m *model) sweep(now, release time.Duration) (released, evicted int) {
	bySlot := func(a, b Ticket) int { return int(a.slot()) - int(b.slot()) } // as the ledger has them, which shows in Last
	for _, t := range slices.SortedFunc(maps.Keys(m.open), bySlot) {
		q := m.open[t]
		if most := release; now-q.begun >= most && !q.ask.Hanging || now-q.begun >= max(hangs, most) {
			m.done(now, t, Cost{})
			released++
		} else if q.waits && now >= q.from {
			m.wakes(now, q)
		}
	}
	for c, b := range m.budgets {
		l := m.limits(c)
		if seen := time.Duration(seconds(b.clear)) * time.Second; !b.busy() && b.clear < math.MaxInt64 && seen <= now-keep {
			if b.clear = l.Clear(b.Budget); b.clear <= now-keep {
				delete(m.budgets, c)
				evicted++
			}
		}
	}
	return released, evicted
}

// The ledger is the model: whatever is done to both, in whatever order, with
// policies that change in between, every verdict and every budget is the same.
// So no debt is forgotten by eviction, reload or release.
func TestLedgerIsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const release = 10 * time.Minute
		policies := []*Limits{anyLimits(t), minutes(50, 90, 50, 60), bucket(300, 900000, 60000)}
		policies[1].CPUStart = 0.75
		which := func(c Caller) *Limits { return policies[len(c.Name)%len(policies)] }
		l := NewLedger(Options{Release: release, Expect: time.Minute, Seed: maphash.MakeSeed()}, func(_ time.Time, c Caller) *Limits { return which(c) })
		m := &model{limits: which, budgets: map[Caller]*kept{}, open: map[Ticket]*asked{}}
		l.Sweep(day)

		var tickets []Ticket
		now := time.Duration(0)
		at := func() time.Time { return day.Add(now) }
		caller := func(t *rapid.T) Caller {
			return Caller{rapid.SampledFrom([]string{"", "a", "b", "dd", "ee", "fff"}).Draw(t, "name"), rapid.SampledFrom([]Component{EWS, EAS, Submission}).Draw(t, "component")}
		}
		ticket := func(t *rapid.T) (Ticket, *asked) {
			if len(tickets) == 0 {
				t.Skip("none is open")
			}
			tk := rapid.SampledFrom(tickets).Draw(t, "ticket")
			return tk, m.open[tk]
		}
		same := func(what string, got, want Verdict) {
			if got != want {
				t.Fatalf("%s: got %+v, want %+v", what, got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"check": func(t *rapid.T) {
				c, a := caller(t), anyAsk(t)
				tk, got := l.Check(at(), c, a)
				same("check", got, m.check(now, tk, c, a))
				if tk != 0 {
					tickets = append(tickets, tk)
				}
			},
			"next": func(t *rapid.T) {
				tk, q := ticket(t)
				cpu := rapid.Float64Range(-1, 1).Draw(t, "cpu")
				got := l.Next(at(), tk, cpu)
				switch {
				case q == nil:
					same("next", got, Verdict{})
				case q.ask.Hanging:
					same("next", got, Verdict{Action: Allow, Would: Allow})
				default:
					same("next", got, m.next(now, q, cpu))
				}
			},
			"enter": func(t *rapid.T) {
				tk, q := ticket(t)
				l.Enter(at(), tk, RPC)
				if q == nil {
					return
				}
				m.wakes(now, q)
				if b := m.budget(q.c); !q.in && q.c.Component.rate(RPC) >= 0 {
					b.Budget = q.limits.Settle(b.Budget, now)
					b.In[2]++
					q.in = true
				}
			},
			"done": func(t *rapid.T) {
				tk, q := ticket(t)
				d := rapid.Int64Range(0, int64(time.Minute))
				cost := Cost{AD: time.Duration(d.Draw(t, "ad")), RPC: time.Duration(d.Draw(t, "rpc")), Time: time.Duration(d.Draw(t, "time"))}
				if got := l.Done(at(), tk, cost); got != (q != nil) {
					t.Fatalf("done is %t", got)
				}
				if q != nil {
					m.done(now, tk, cost)
				}
			},
			"hold": func(t *rapid.T) {
				c, n := caller(t), rapid.Uint32Range(0, 3).Draw(t, "n")
				p := rapid.SampledFrom([]Part{Subscriptions, Devices, Concurrency}).Draw(t, "part")
				b, lim := m.budget(c), which(c)
				var want Verdict
				b.Budget, want = lim.Hold(lim.Settle(b.Budget, now), p, n)
				same("hold", l.Hold(at(), c, p, n), want)
				m.touched(c, lim)
				if rapid.Bool().Draw(t, "free") && want.Action != Deny {
					l.Free(at(), c, p, n)
					b.Budget = lim.Free(b.Budget, p, n)
					m.touched(c, lim)
				}
			},
			"reload": func(t *rapid.T) { policies[0], policies[1] = policies[1], anyLimits(t) },
			"sweep": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "later"))
				got := l.Sweep(at())
				if released, evicted := m.sweep(now, release); got.Released != released || got.Evicted != evicted {
					t.Fatalf("swept %+v, want %d released, %d evicted", got, released, evicted)
				}
			},
			"wait": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "later"))
			},
			"": func(t *rapid.T) {
				for c, want := range m.budgets {
					if got, want := l.Budget(at(), c), which(c).Settle(want.Budget, now); got != want {
						t.Fatalf("%v: got %+v, want %+v", c, got, want)
					}
				}
				if got := l.Stats(); got.Budgets != len(m.budgets) || got.Open != len(m.open) {
					t.Fatalf("got %+v, want %d budgets, %d open", got, len(m.budgets), len(m.open))
				}
			},
		})
	})
}
