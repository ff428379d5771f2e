package throttle

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyLimits are limits of either generation, some of them very tight.
func anyLimits(t *rapid.T) *Limits {
	l := &Limits{
		Cutoff:         time.Duration(rapid.Int64Range(-1, int64(time.Hour)).Draw(t, "cutoff")),
		CPUStart:       rapid.Float64Range(-0.5, 1).Draw(t, "cpu"),
		Reject:         rapid.Bool().Draw(t, "reject"),
		MaxDelay:       time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "max delay")),
		Multiplier:     rapid.Float64Range(0, 10).Draw(t, "multiplier"),
		ServiceAccount: rapid.Bool().Draw(t, "service"),
	}
	for i := range l.Max {
		l.Max[i] = rapid.SampledFrom([]uint32{0, 1, 3, 1000, Unlimited}).Draw(t, "max")
	}
	for i := range l.Rate {
		l.Rate[i] = Rate{
			Cap:       rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "cap"),
			Refill:    rapid.SampledFrom([]int64{0, 1, 900e9, 54e9, 3600e9}).Draw(t, "refill"),
			Per:       rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 24 * time.Hour}).Draw(t, "per"),
			Unlimited: rapid.IntRange(0, 3).Draw(t, "unlimited") == 0,
		}
	}
	return l
}

func anyComponent(t *rapid.T) Component {
	return Component(rapid.IntRange(0, int(components)-1).Draw(t, "component"))
}

// anyBudget is one that something has happened to under l.
func anyBudget(t *rapid.T, l *Limits) Budget {
	b := Budget{Component: anyComponent(t), At: anyInstant(t)}
	for i, p := range rateParts[b.Component] {
		b.add(l, i, p, rapid.SampledFrom([]int64{0, 1, 1e9, 60e9, 3e12, most}).Draw(t, "used"))
	}
	for i := range b.In {
		b.In[i] = rapid.SampledFrom([]uint16{0, 0, 1, 7, math.MaxUint16}).Draw(t, "in")
	}
	b.Open = rapid.SampledFrom([]uint32{0, 0, 1, 2, 100, math.MaxUint32}).Draw(t, "open")
	b.Last = rapid.Uint32().Draw(t, "last")
	return b
}

func anyInstant(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(0, int64(400*24*time.Hour)).Draw(t, "instant"))
}

func anyAsk(t *rapid.T) Ask {
	n := rapid.SampledFrom([]uint32{0, 0, 1, 20, Unlimited})
	return Ask{
		Hanging: rapid.Bool().Draw(t, "hanging"), Find: n.Draw(t, "find"), Paged: rapid.Bool().Draw(t, "paged"),
		Spend: Spend{n.Draw(t, "messages"), n.Draw(t, "recipients"), n.Draw(t, "cmdlets"), n.Draw(t, "destructive"), n.Draw(t, "deletes"), n.Draw(t, "notes")},
		CPU:   rapid.Float64Range(-1, 1.5).Draw(t, "cpu"),
	}
}

// A budget never holds more than its cap: never is less than nothing used, and of
// a part of a minute never more than clears in a minute.
func TestNeverAboveCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		b := anyBudget(t, l)
		for range 4 {
			b = l.Settle(b, b.At+anyInstant(t))
			b.charge(l, anyInstant(t))
			for i, p := range rateParts[b.Component] {
				if b.Used[i] < 0 {
					t.Fatalf("%v: more than the cap is left: %+v", p, b)
				}
				r := l.Rate[i]
				wait := r.until(int64(positive) - r.Cap + b.Used[i])
				if most := max(longest, r.until(int64(positive))) + 1; p.minute() && !r.Unlimited && wait > most {
					t.Fatalf("%v: %v to wait: %+v of %+v", p, wait, b, r)
				}
			}
		}
	})
}

// Settled in steps is settled at once, but for a nanosecond a step, as long as
// numbers are not at their end.
func TestStepsAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		b := anyBudget(t, l)
		steps := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 20).Draw(t, "steps")
		inSteps, now := b, b.At
		for _, d := range steps {
			now += time.Duration(d)
			inSteps = l.Settle(inSteps, now)
		}
		once := l.Settle(b, now)
		if inSteps.At != once.At {
			t.Fatalf("at %v and %v", inSteps.At, once.At)
		}
		for i := range once.Used {
			d, off := inSteps.Used[i]-once.Used[i], int64(len(steps))
			if l.Rate[i].Unlimited {
				off += (b.Used[i] + once.Used[i]) >> 38 // the series of share leaves 2 of 10¹² out, which is less
				d, off = d+off, 2*off
			}
			if (d < 0 || d > off) && once.Used[i] < most/2 {
				t.Fatalf("rate %d: %d in steps, %d at once", i, inSteps.Used[i], once.Used[i])
			}
		}
	})
}

// A clock that goes back earns nothing and charges nothing.
func TestClockGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		b := anyBudget(t, l)
		if got := l.Settle(b, b.At-anyInstant(t)); got != b {
			t.Fatalf("got %+v, want %+v", got, b)
		}
	})
}

// A verdict is a function of policy, budget, instant and what is asked: asked
// twice it is the same, and a refusal leaves nothing behind but a lock-out.
func TestVerdictIsAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ask := anyLimits(t), anyAsk(t)
		b := anyBudget(t, l)
		now := b.At + anyInstant(t)
		b1, v1 := l.Check(b, now, ask)
		b2, v2 := l.Check(b, now, ask)
		if b1 != b2 || v1 != v2 {
			t.Fatalf("%+v, %+v and %+v, %+v", b1, v1, b2, v2)
		}
		settled := l.Settle(b, now)
		settled.Locked, settled.Slow = b1.Locked, b1.Slow
		if v1.Action == Deny && b1 != settled {
			t.Fatalf("refused, and changed from %+v to %+v", settled, b1)
		}
		if (v1.Part == NoPart) != (v1.Action == Allow) || v1.Wait < 0 || v1.Action == Delay && v1.Wait > max(longest, l.MaxDelay) || v1.Find > ask.Find {
			t.Fatalf("%+v", v1)
		}
	})
}

// From the instant at which a budget is said to be clear it is that of a caller
// never seen, so that to give it up then loses nothing; and if it is told that
// instant before, then something is owed before.
func TestClear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLimits(t)
		b := anyBudget(t, l)
		b.Open, b.In = 0, [3]uint16{}
		at := l.Clear(b)
		if at == math.MaxInt64 {
			return
		}
		owed := func(b Budget) bool {
			for i, p := range rateParts[b.Component] {
				if p != NoPart && b.Used[i] > 0 && !l.Rate[i].Unlimited {
					return true
				}
			}
			return false
		}
		if got := l.Settle(b, at); owed(got) {
			t.Fatalf("clear at %v: %+v", at, got)
		}
		if before := l.Settle(b, at-2); at > b.At+2 && !owed(before) {
			t.Fatalf("clear at %v, and 2 ns before: %+v", at, before)
		}
	})
}

// Whoever comes when he was told to finds what he lacked, if nothing else of his
// is in flight; a delay that was cut to a minute is no promise.
func TestWaitIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ask := anyLimits(t), quiet()
		b := anyBudget(t, l)
		b.Open, b.In = 0, [3]uint16{}
		ask.Spend = Spend{Messages: 1, Recipients: 1, DeviceDeletes: 1}
		_, v := l.Check(b, b.At, ask)
		if v.Wait == 0 || v.Part == LocalTime || v.Part.minute() && v.Wait == longest {
			return
		}
		if _, again := l.Check(b, b.At+v.Wait, ask); again.Part == v.Part && again.Wait > 0 {
			t.Fatalf("told %+v, and then %+v", v, again)
		}
	})
}
