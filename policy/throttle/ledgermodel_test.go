package throttle

import (
	"hash/maphash"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The ledger is the model: whatever is done to both, in whatever order, with
// policies that change in between, every verdict and every budget is the same.
// So no debt is forgotten by eviction, reload or release.
func TestLedgerIsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		release := time.Duration(rapid.SampledFrom([]int64{10, 200}).Draw(t, "release")) * time.Minute
		policies := []*Limits{anyLimits(t), minutes(50, 90, 50, 60), bucket(300, 900000, 60000)}
		policies[1].CPUStart = 0.75
		which := func(c Caller) *Limits { return policies[len(c.Name)%len(policies)] }
		l := NewLedger(Options{Release: release, Expect: time.Minute, Lease: time.Hour, Seed: maphash.MakeSeed()}, func(_ time.Time, c Caller) *Limits { return which(c) })
		m := &model{release: release, expect: time.Minute, lease: time.Hour, limits: which, budgets: map[Caller]*kept{}, open: map[Ticket]*asked{}}
		l.Sweep(day)

		var tickets []Ticket
		now := time.Duration(0)
		at := func() time.Time { return day.Add(now) }
		caller := func(t *rapid.T) Caller {
			return Caller{rapid.SampledFrom([]string{"", "a", "b", "dd", "ee", "fff"}).Draw(t, "name"), rapid.SampledFrom([]Component{EWS, EAS, Submission, PowerShell}).Draw(t, "component")}
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
					b.Budget = settled(q.limits, b.Budget, now)
					b.In[2]++
					q.in, q.entered = true, now
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
				p := rapid.SampledFrom([]Part{Subscriptions, Devices, Concurrency, FindCount}).Draw(t, "part")
				b, lim := m.budget(c), which(c)
				b.Budget = settled(lim, b.Budget, now)
				var want Verdict
				b.Budget, want = lim.Hold(b.Budget, p, n)
				same("hold", l.Hold(at(), c, p, n), want)
				b.lease = now + time.Hour
				m.touched(c, lim)
				if rapid.Bool().Draw(t, "free") {
					n = rapid.Uint32Range(0, 4).Draw(t, "freed")
					l.Free(at(), c, p, n)
					b.Budget = lim.Free(b.Budget, p, n)
					m.touched(c, lim)
				}
			},
			"reload": func(t *rapid.T) { policies[0], policies[1] = policies[1], anyLimits(t) },
			"sweep": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "later"))
				got := l.Sweep(at())
				if released, freed := m.sweep(now); got.Released != released || got.Freed != freed {
					t.Fatalf("swept %+v, want %d released, %d freed", got, released, freed)
				}
				for c := range m.budgets {
					hash := l.hash(c.Name)
					may, must := m.evicted(now, c)
					if _, _, there := l.at(hash).lookup(c, uint32(hash)); !there && !may || there && must {
						t.Fatalf("%v is there: %t; may be given up: %t, must be: %t", c, there, may, must)
					} else if !there {
						delete(m.budgets, c)
						got.Evicted--
					}
				}
				if got.Evicted != 0 {
					t.Fatalf("given up, it is said: %d more than were", got.Evicted)
				}
			},
			"wait": func(t *rapid.T) {
				now += time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "later"))
			},
			"": func(t *rapid.T) {
				for c, want := range m.budgets {
					if got, want := l.Budget(at(), c), settled(which(c), want.Budget, now); got != want {
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
