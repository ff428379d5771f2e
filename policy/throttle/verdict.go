package throttle

import "time"

// meet takes in one more reason. A refusal is worse than a delay. Of two
// refusals, or two delays, the longer counts: all parts refill at the same time,
// so that after the longest wait the others are clear too, and their sum would
// wait for nothing. Of two that are as long, the part that is listed first.
func (v *Verdict) meet(a Action, p Part, wait time.Duration, limit int64) {
	switch {
	case a > v.Action:
		return
	case a == v.Action && (wait < v.Wait || wait == v.Wait && p > v.Part):
		return
	}
	v.Action, v.Part, v.Wait, v.Limit = a, p, wait, limit
}

// limit is how a Verdict states a limit: of time in milliseconds, as Exchange
// does, of anything else in number.
func (p Part) limit(n int64) int64 {
	if p.timed() {
		return n / int64(time.Millisecond)
	}
	return n / one
}

// timed: p is time, not a number.
func (p Part) timed() bool { return p.minute() || p == LocalTime }

// shadowed is v where verdicts are not enforced.
func (v Verdict) shadowed(a Ask) Verdict {
	v.Action, v.Wait, v.Find = Allow, 0, a.Find
	return v
}

// verdict judges b, which is settled, at now. It changes b by a lock-out alone.
func (b *Budget) verdict(l *Limits, now time.Duration, a *Ask) Verdict {
	v := Verdict{Action: Allow, Find: a.Find}
	b.room(l, a, &v)
	b.find(l, a, &v)
	b.spend(l, &a.Spend, &v)
	b.time(l, now, &v)
	l.slow(a.CPU, &v)
	return b.noted(v)
}

// noted ends a verdict.
func (b *Budget) noted(v Verdict) Verdict {
	b.Slow = NoPart
	if v.Action != Allow {
		b.Slow = v.Part
	}
	if v.Action == Deny {
		v.Find = 0
	}
	v.Would = v.Action
	return v
}

// room: requests at once. Over the limit the new one fails, and those that are
// open stay.
func (b *Budget) room(l *Limits, a *Ask, v *Verdict) {
	i, p := a.gauge()
	if l.full(b, i, 1) {
		v.meet(Deny, p, 0, int64(l.Max[i]))
	}
}

// gauge is what a request counts as while it is open.
func (a *Ask) gauge() (int, Part) {
	if a.Hanging {
		return gaugeHanging, Hanging
	}
	return gaugeConcurrency, Concurrency
}

// full: n more in the gauge in slot i would be over the limit.
func (l *Limits) full(b *Budget, i int, n uint32) bool {
	return l.Max[i] != Unlimited && uint64(b.Held[i])+uint64(n) > uint64(l.Max[i])
}

// time: what was used of each part that is time.
func (b *Budget) time(l *Limits, now time.Duration, v *Verdict) {
	for i, p := range rateParts[b.Component] {
		switch {
		case l.Rate[i].Unlimited:
		case p.minute():
			b.minute(l, i, p, v)
		case p == LocalTime:
			b.local(l, now, v)
		}
	}
}

// minute: with nothing left the first version of 2010 refuses, and SP1 delays
// just long enough.
func (b *Budget) minute(l *Limits, i int, p Part, v *Verdict) {
	r := &l.Rate[i]
	left := r.Cap - b.Used[i]
	if left > 0 {
		return
	}
	wait := r.until(min(int64(positive), r.Cap) - left)
	switch {
	case wait == most || r.Cap <= 0: // nothing will ever be left
		v.meet(Deny, p, 0, p.limit(r.Cap))
	case l.Reject:
		v.meet(Deny, p, min(wait, longest), p.limit(r.Cap))
	default:
		v.meet(Delay, p, min(wait, longest), p.limit(r.Cap))
	}
}

// local: below zero a micro-delay, at the cutoff a lock-out, after which the
// caller is judged anew.
func (b *Budget) local(l *Limits, now time.Duration, v *Verdict) {
	r := &l.Rate[rateLocal]
	balance := r.Cap - b.Used[rateLocal]
	if l.Cutoff >= 0 && b.Locked <= now && balance <= -int64(l.Cutoff) {
		b.Locked = now + lockOut
	}
	switch {
	case r.Cap == 0 && r.Refill == 0: // the zero Rate
		v.meet(Deny, LocalTime, 0, 0)
	case l.Cutoff >= 0 && b.Locked > now:
		v.meet(Deny, LocalTime, b.Locked-now, LocalTime.limit(int64(l.Cutoff)))
	case balance < 0:
		v.meet(Delay, LocalTime, l.micro(b.Last), LocalTime.limit(r.Cap))
	}
}

// micro is the delay of who is below zero. Exchange does not publish its
// formula; ours lets a caller go on at the pace at which he recharges, as long
// as that is no more than Multiplier times what his last request cost.
func (l *Limits) micro(last uint32) time.Duration {
	cost := int64(last) * int64(time.Microsecond)
	d := time.Duration(min(l.Multiplier*float64(cost), most))
	if r := &l.Rate[rateLocal]; r.Refill > 0 {
		d = min(d, time.Duration(mulDiv(cost, int64(max(1, r.Per)), r.Refill)))
	}
	return max(0, min(d, l.MaxDelay))
}

// spend: what a request uses up by being made. It is refused unless all of it is
// there; more than the whole of a limit is refused even then.
func (b *Budget) spend(l *Limits, s *Spend, v *Verdict) {
	if *s == (Spend{}) {
		return
	}
	for i, p := range rateParts[b.Component] {
		r, n := &l.Rate[i], int64(s.of(p))*one
		if n == 0 || r.Unlimited || b.Used[i]+n <= r.Cap {
			continue
		}
		wait := r.until(min(b.Used[i]+n-r.Cap, b.Used[i]))
		if wait == most {
			wait = 0
		}
		v.meet(Deny, p, wait, p.limit(r.Cap))
	}
}

// of is how much of p a request uses up.
func (s *Spend) of(p Part) uint32 {
	switch p {
	case Messages:
		return s.Messages
	case Recipients:
		return s.Recipients
	case Cmdlets:
		return s.Cmdlets
	case Destructive:
		return s.Destructive
	case DeviceDeletes:
		return s.DeviceDeletes
	case Notifications:
		return s.Notifications
	}
	return 0
}
