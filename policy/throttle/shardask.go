package throttle

import "time"

// check begins a request of c.
func (s *shard) check(now time.Duration, c Caller, hash uint32, l *Limits, a *Ask) (Ticket, Verdict) {
	if !s.open.spare(&s.slabs) {
		return 0, s.crowded(c.Component, a)
	}
	n := s.place(c, hash, now)
	b := s.budget(n)
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
	r.limits, r.budget, r.find = l, n, v.Find
	r.begun, r.mark = now, now
	switch {
	case a.Hanging:
		r.state = hanging
	case v.Wait > 0:
		r.state, r.wait = asleep, v.Wait
	}
	return t, v
}

// crowded is the verdict when no request can be remembered.
func (s *shard) crowded(c Component, a *Ask) Verdict {
	v := Verdict{Part: Full, Wait: time.Second, Limit: int64(s.options.Open)}
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

// inPart is the place of p in Budget.In, or -1.
func inPart(p Part) int {
	switch p {
	case AD:
		return 0
	case AB:
		return 1
	case RPC:
		return 2
	}
	return -1
}

// done charges and releases a request, whose slot is the caller's to give back.
func (s *shard) done(now time.Duration, r *request, cost *Cost) {
	s.rouse(now, r)
	b := s.budget(r.budget)
	b.settle(r.limits, now)
	for i := range b.In {
		b.In[i] -= uint16(r.in >> i & 1)
	}
	if r.state == hanging {
		b.done(r.limits, gaugeHanging, r.find, 0, &Cost{AD: cost.AD, AB: cost.AB, RPC: cost.RPC})
	} else {
		item := max(0, now-r.mark)
		b.Open--
		b.cost(item + b.done(r.limits, gaugeConcurrency, r.find, r.spent+item, cost))
	}
	s.idle(r.budget, r.limits)
}

// hold counts n more of p, for callers with a budget of their own.
func (s *shard) hold(now time.Duration, c Caller, hash uint32, l *Limits, p Part, n uint32) Verdict {
	i := s.place(c, hash, now)
	if !own(i) {
		return s.crowded(c.Component, &Ask{})
	}
	b := s.budget(i)
	b.settle(l, now)
	v := b.hold(l, p, n, s.options.Shadow)
	s.count(c.Component, v)
	s.idle(i, l)
	return v
}
