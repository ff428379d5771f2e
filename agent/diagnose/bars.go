package diagnose

import "slices"

// A bar is from when on a minute is slow: so many were seen in it, or in so many
// minutes up to it, or on the whole farm in up to twice as many, and this share of
// them took a second or more.
type bar struct {
	least   int32
	minutes int64
	share   float64
	farm    *series[pace] // nil: what other nodes saw says nothing of this one
}

// slow judges the step of a series that a second is in, and says from when on it
// was slow. One in which nothing was slow is not.
func (b bar) slow(s *series[pace], sec int64) (from int64, ok bool) {
	p := s.of(sec)
	if p.slow == 0 {
		return 0, false
	}
	from = sec
	if p.n < b.least {
		from = sec - 60*(b.minutes-1)
		p = s.between(from, sec+s.step)
	}
	for m := int64(1); p.n < b.least && b.farm != nil && m <= 2*b.minutes; m++ { // no longer than it must be: before that, all was well
		from = sec - 60*(m-1)
		p = b.farm.between(from, sec+s.step)
	}
	for from < sec && s.of(from).slow == 0 {
		from += s.step
	}
	return min(from, sec), p.n >= b.least && float64(p.slow) >= b.share*float64(p.n)
}

// slowIn are the times in which steps are slow that begin in a time. Between two,
// where nobody asked, it was slow as well, if that is no longer than a bar looks back.
func (b bar) slowIn(s *series[pace], from, to int64) (out []span) {
	for sec := from - from%s.step; sec <= to; sec += s.step {
		begin, ok := b.slow(s, sec)
		if !ok {
			continue
		}
		if n := len(out); n > 0 && sec-out[n-1].to < 60*b.minutes && s.between(out[n-1].to, sec).n == 0 {
			begin = min(begin, out[n-1].to)
		}
		out = append(out, span{begin, sec + s.step})
	}
	return union(out)
}

// logons are few in a minute, since connections last, but they are all alike: nodes
// share the domain controllers. Requests to mailboxes are many, and some of them
// are large.
func (f *farm) logons() bar { return bar{5, 5, 0.5, &f.auth} }
func mailboxes() bar        { return bar{20, 5, 0.3, nil} }

// slowAround says whether what is measured was slow in some of the minutes before
// an outage, and in the last of them: a full queue makes much slow that is not its
// cause.
func (b bar) slowAround(s *series[pace], o *outage) bool {
	steps := b.slowIn(s, o.from-900, o.from+60)
	if minutes(steps) < slowFor {
		return false
	}
	last := steps[len(steps)-1].to
	return last > o.from-120 || last > o.from-60*b.minutes && s.between(last, o.from).n == 0
}

// toldSlow says whether enough users suffered.
func (f *farm) toldSlow(kind Kind, name string) bool {
	return slices.ContainsFunc(f.slows, func(s slowness) bool { return s.kind == kind && s.name == name })
}
