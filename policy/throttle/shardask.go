package throttle

import "time"

// check begins a request of c.
func (s *shard) check(now time.Duration, c Caller, hash uint32, l *Limits, a *Ask) (Ticket, Verdict) {
	if !s.open.spare(&s.slabs) {
		return 0, s.crowded(now, s.known(c, hash), l, a, true)
	}
	n := s.place(c, hash, now)
	b := s.budget(n)
	if s.greedy(b) {
		return 0, s.crowded(now, b, l, a, own(n))
	}
	found := b.Held[gaugeFind]
	v := b.check(l, now, a, s.options.Shadow)
	if v.Action == Allow && v.Would == Allow && !own(n) {
		v.Part = Full
	}
	s.count(c.Component, v)
	if v.Action == Deny {
		s.idle(n, l)
		return 0, v
	}

	r, t := s.open.take()
	r.limits, r.budget, r.find = l, n, b.Held[gaugeFind]-found
	r.begun, r.mark = now, now
	switch {
	case a.Hanging:
		r.state = hanging
	case v.Wait > 0:
		r.state, r.wait = asleep, v.Wait
	}
	return t, v
}

// crowded is the verdict on who finds no room: that of his policy, if it refuses
// him; else that his share is full, if it is, which is his doing; else that there
// is no room, where front ends may be lenient. own: nobody shares b.
func (s *shard) crowded(now time.Duration, b *Budget, l *Limits, a *Ask, own bool) Verdict {
	b.settle(l, now)
	v := b.verdict(l, now, a)
	switch {
	case v.Action == Deny:
	case own && s.greedy(b):
		_, p := a.gauge()
		v, b.Slow = Verdict{Part: p, Limit: int64(s.each)}, p
	default:
		return s.refuse(s.full(s.options.Open), b.Component, a)
	}
	if s.options.Shadow {
		v = v.shadowed(*a)
	}
	s.count(b.Component, v)
	return v
}

// greedy: b has as many requests open as one budget may.
func (s *shard) greedy(b *Budget) bool { return b.requests() >= s.each }

// full is the verdict when there is no more room than for so many.
func (s *shard) full(room int) Verdict {
	return Verdict{Part: Full, Wait: time.Second, Limit: int64(room)}
}

// refuse counts v, by which there is no room for what c asks.
func (s *shard) refuse(v Verdict, c Component, a *Ask) Verdict {
	if s.options.Shadow {
		v = v.shadowed(*a)
	}
	s.events.crowded++
	s.count(c, v)
	return v
}

// following judges the next item.
func (s *shard) following(now time.Duration, r *request, cpu float64) Verdict {
	b := s.budget(r.budget)
	s.rouse(now, r)
	if r.state == hanging {
		return Verdict{Action: Allow, Would: Allow}
	}
	item := max(0, now-r.mark)
	v := b.next(r.limits, now, item, cpu, s.options.Shadow)
	s.count(b.Component, v)
	r.spent, r.mark = r.spent+item, max(now, r.mark)
	if v.Action == Delay && v.Wait > 0 {
		r.state, r.wait = asleep, v.Wait
	}
	return v
}

// rouse ends a wait. Who goes on before it is over did not wait, and is charged
// from when he was told to.
func (s *shard) rouse(now time.Duration, r *request) {
	if r.state != asleep {
		return
	}
	if now >= r.mark+r.wait {
		r.mark += r.wait
	}
	r.state, r.wait = running, 0
	s.budget(r.budget).wake(r.limits, now, min(now, r.mark))
}

// enters and leaves note the parts in which a request is.
func (s *shard) enters(now time.Duration, r *request, p Part) {
	s.rouse(now, r)
	i, b := inPart(p), s.budget(r.budget)
	if i < 0 || r.in>>i&1 == 1 || b.In[i]+1 == 0 || b.Component.rate(p) < 0 {
		return
	}
	b.settle(r.limits, now)
	b.In[i]++
	r.in |= 1 << i
	r.entered[i] = now
}

func (s *shard) leaves(now time.Duration, r *request, p Part) {
	i, b := inPart(p), s.budget(r.budget)
	if i < 0 || r.in>>i&1 == 0 {
		return
	}
	b.settle(r.limits, now)
	b.In[i]--
	r.in &^= 1 << i
}

// done charges and releases a request, whose slot is the caller's to give back.
func (s *shard) done(now time.Duration, r *request, cost *Cost) {
	s.rouse(now, r)
	b := s.budget(r.budget)
	b.settle(r.limits, now)
	for i := range b.In {
		b.In[i] -= uint16(r.in >> i & 1)
	}
	item := max(0, now-r.mark)
	b.done(r.limits, r.state == hanging, r.find, r.spent+item, item, cost)
	s.idle(r.budget, r.limits)
}

// lost releases a request that was never done. That it ran for longer than is
// expected nobody has said, and so much is given back: else a front end that
// crashes would lock its users out for hours.
func (s *shard) lost(now time.Duration, r *request) {
	s.rouse(now, r)
	b, expect := s.budget(r.budget), s.options.Expect
	b.settle(r.limits, now)
	for p := AD; p <= RPC; p++ {
		if i := inPart(p); i >= 0 && r.in>>i&1 == 1 {
			b.forgive(r.limits, b.Component.rate(p), p, now-r.entered[i]-expect)
		}
	}
	if over := now - r.mark - expect; r.state == running && over > 0 {
		b.forgive(r.limits, rateCAS, CAS, over)
		b.forgive(r.limits, rateLocal, LocalTime, over)
		r.mark += over
	}
	s.done(now, r, &Cost{})
}

// hold counts n more of p, for callers with a budget of their own.
func (s *shard) hold(now time.Duration, c Caller, hash uint32, l *Limits, p Part, n uint32) Verdict {
	i := s.place(c, hash, now)
	if !own(i) {
		return s.refuse(s.full(s.options.Budgets), c.Component, &Ask{})
	}
	e := s.entry(i)
	b := &e.Budget
	b.settle(l, now)
	v := b.hold(l, p, n, s.options.Shadow)
	e.lease = seconds(now + s.options.Lease)
	s.count(c.Component, v)
	s.idle(i, l)
	return v
}
