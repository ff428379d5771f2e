package throttle

import "time"

// Check judges a request that begins, and counts it unless the verdict is Deny.
// It is charged from now on, or, after a Delay of some length, from
// [Limits.Wake]: who was told to wait does not use up his budget by it.
func (l *Limits) Check(b Budget, now time.Duration, a Ask) (Budget, Verdict) {
	v := b.check(l, now, &a, false)
	return b, v
}

func (b *Budget) check(l *Limits, now time.Duration, a *Ask, shadow bool) Verdict {
	b.settle(l, now)
	v := b.verdict(l, now, a)
	if shadow {
		v = v.shadowed(*a)
	}
	if v.Action == Deny {
		return v
	}

	i, _ := a.gauge()
	b.take(i, 1)
	b.take(gaugeFind, v.Find)
	b.use(l, &a.Spend)
	if v.Wait == 0 && !a.Hanging {
		b.Open++
	}
	return v
}

// use takes what a request uses up at once.
func (b *Budget) use(l *Limits, s *Spend) {
	if *s == (Spend{}) {
		return
	}
	for i, p := range rateParts[b.Component] {
		b.add(l, i, p, int64(s.of(p))*one)
	}
}

// Next judges the next item of a batch, whose request is charged now, and of
// which the last item has cost cost. After a Delay of some length it is not
// charged until [Limits.Wake].
func (l *Limits) Next(b Budget, now, cost time.Duration, cpu float64) (Budget, Verdict) {
	v := b.next(l, now, cost, cpu, false)
	return b, v
}

func (b *Budget) next(l *Limits, now, cost time.Duration, cpu float64, shadow bool) Verdict {
	b.settle(l, now)
	b.cost(cost)
	v := Verdict{Action: Allow}
	b.time(l, now, &v)
	l.slow(cpu, &v)
	if v = b.noted(v); shadow {
		v = v.shadowed(Ask{})
	}
	if v.Action == Delay && v.Wait > 0 {
		b.Open--
	}
	return v
}

// Wake ends the wait of a request that was delayed: it is charged since the
// instant since, which is not after now, and from now on.
func (l *Limits) Wake(b Budget, now, since time.Duration) Budget {
	b.wake(l, now, since)
	return b
}

func (b *Budget) wake(l *Limits, now, since time.Duration) {
	b.settle(l, now)
	b.charge(l, now-since)
	b.Open++
}

// Done ends a request that Check let in as a, of one item, which raised
// Held of FindCount by found, and whose time up to now was own. It releases what
// the request held, and charges what cost says beyond own: a request is at least
// as long as each part of it. One that hangs is charged its time in AD, AB and
// RPC, and no time of its own.
func (l *Limits) Done(b Budget, now time.Duration, a Ask, found uint32, own time.Duration, cost Cost) Budget {
	b.settle(l, now)
	b.done(l, a.Hanging, found, own, own, &cost)
	return b
}

// done is Done of a request that took own in all, and its last item item.
func (b *Budget) done(l *Limits, hanging bool, found uint32, own, item time.Duration, cost *Cost) {
	a := Ask{Hanging: hanging}
	i, _ := a.gauge()
	b.give(i, 1)
	b.give(gaugeFind, found)
	if *cost != (Cost{}) {
		item += b.costs(l, hanging, own, cost)
	}
	if !hanging {
		b.Open--
		b.cost(item)
	}
}

// costs charges cost, and is how much longer than own the request was by that.
func (b *Budget) costs(l *Limits, hanging bool, own time.Duration, cost *Cost) time.Duration {
	b.add(l, rateAD, AD, int64(cost.AD))
	b.add(l, rateAB, AB, int64(cost.AB))
	b.add(l, rateRPC, RPC, int64(cost.RPC))
	if hanging {
		return 0
	}
	more := max(0, max(cost.Time, cost.AD, cost.AB, cost.RPC)-own)
	b.charge(l, more)
	return more
}

// Hold judges n more of a part that outlives a request, and counts them unless
// the verdict is Deny: subscriptions, devices, cmdlets that wait. None more is
// allowed whatever is held. A part that the component does not have, or that
// does not outlive a request, is denied.
func (l *Limits) Hold(b Budget, p Part, n uint32) (Budget, Verdict) {
	v := b.hold(l, p, n, false)
	return b, v
}

func (b *Budget) hold(l *Limits, p Part, n uint32, shadow bool) Verdict {
	lasts := b.Component.gauge(p) == gaugeOwn
	v := Verdict{Action: Allow}
	switch {
	case !lasts:
		v.meet(Deny, p, 0, 0)
	case n > 0 && l.full(b, gaugeOwn, n):
		v.meet(Deny, p, 0, int64(l.Max[gaugeOwn]))
	}
	if v.Would = v.Action; v.Action == Deny {
		b.Slow = p
	}
	if shadow {
		v = v.shadowed(Ask{})
	}
	if v.Action != Deny && lasts {
		b.take(gaugeOwn, n)
	}
	return v
}

// Free gives back n of what Hold has counted, and no more than that.
func (l *Limits) Free(b Budget, p Part, n uint32) Budget {
	b.free(p, n)
	return b
}

func (b *Budget) free(p Part, n uint32) {
	if b.Component.gauge(p) == gaugeOwn {
		b.give(gaugeOwn, n)
	}
}
