package throttle

import "time"

// What Exchange has in its own configuration files, or does not tell.
const (
	maxDelay    = 60 * time.Second // 2010 SP1: one request is delayed for a minute at most; since 2013 we take the same
	maxDelayRCA = 5 * time.Second  // Rca.MaxDelayInSeconds of 2016 and 2019
	maxDelayEAS = 45 * time.Second // MaxThrottlingDelay of 2016 and 2019
	multiplier  = 5                // Rca.MaxMicroDelayMultiplier, taken for every component: our choice, since Exchange's rule is not published

	onePercent = 600 * time.Millisecond // of a minute
	month      = 30 * 24 * time.Hour
)

// compile makes the limits of every component from the settings. What no setting
// limits is unlimited.
func (e *Effective) compile() {
	var all [components][rates]made
	for c := range e.limits {
		e.limits[c] = unlimitedIn(e.Policy, Component(c))
		e.limits[c].Minute = e.Generation != Exchange2013
		e.limits[c].Reject = e.Generation == Exchange2010RTM
	}
	for _, s := range e.Settings {
		if c, of := s.Parameter.Component(); of {
			e.take(c, s, &all[c])
		} else {
			e.everywhere(s)
		}
	}
	for c := range all {
		for slot, m := range all[c] {
			if m.said {
				e.limits[c].Rate[slot] = m.rate()
			}
		}
	}
}

// take puts a setting of one component in its place: the limits, or those of its
// rates that are in the making.
func (e *Effective) take(c Component, s Setting, of *[rates]made) {
	l, part := &e.limits[c], s.Parameter.Part()
	if parameters[s.Parameter].does == asCutoff {
		l.Cutoff = cut(s.Value)
	} else if slot := c.gauge(part); slot >= 0 {
		if n, limited := s.Value.limit(); limited {
			l.Max[slot] = uint32(min(n, Unlimited-1))
		}
	} else if slot := c.rate(part); slot >= 0 {
		of[slot].take(s)
	}
}

// unlimitedIn is Limits without any limit.
func unlimitedIn(policy string, c Component) Limits {
	l := Limits{Policy: policy, Cutoff: -1, CPUStart: -1, MaxDelay: maxDelay, Multiplier: multiplier}
	switch c {
	case RCA, RCAShared:
		l.MaxDelay = maxDelayRCA
	case EAS:
		l.MaxDelay = maxDelayEAS
	}
	for i := range l.Max {
		l.Max[i] = Unlimited
	}
	for i := range l.Rate {
		l.Rate[i].Unlimited = true
	}
	return l
}

// everywhere sets what is of no component in particular.
func (e *Effective) everywhere(s Setting) {
	n, ok := s.Value.limit()
	for c := range e.limits {
		switch parameters[s.Parameter].does {
		case asCPUStart:
			if ok && Component(c).slowedByCPU() {
				e.limits[c].CPUStart = float64(n) / 100
			}
		case asService:
			e.limits[c].ServiceAccount = ok && n != 0
		}
	}
}

// slowedByCPU says that CpuStartPercent counts for callers of c: document 000
// names these four. Service accounts are slowed in every component.
func (c Component) slowedByCPU() bool {
	return c == EWS || c == EAS || c == POP || c == IMAP
}

// cut is how far below zero; negative: never.
func cut(v Value) time.Duration {
	if n, ok := v.limit(); ok {
		return time.Duration(n) * time.Millisecond
	}
	return -1
}

// A made is a Rate in the making: its numbers are of several parameters.
type made struct {
	Rate
	said bool // there is a parameter for it
}

// take puts one number in its place. A rate of which any number is not limited
// limits nothing: an endless burst is never used up, what comes back without end
// is back at once, and so is what is counted in no period.
func (m *made) take(s Setting) {
	n, ok := s.Value.limit()
	m.said, m.Unlimited = true, m.Unlimited || !ok
	size, per := scale(s.Parameter)
	n = min(n, most/size) // more than that is never used
	switch parameters[s.Parameter].does {
	case asLimit:
		m.Cap, m.Refill = n*size, n*size
	case asBurst:
		m.Cap = n * size
	case asRefill:
		m.Refill = n * size
	case asPeriod:
		m.Per = time.Duration(n * size)
		m.Unlimited = m.Unlimited || n == 0
	}
	if per > 0 {
		m.Per = per
	}
}

// rate is the Rate without the leftovers of a limit that is none.
func (m *made) rate() Rate {
	if m.Unlimited {
		return Rate{Unlimited: true}
	}
	return m.Rate
}

// scale is what one of a parameter's number is worth in a Rate, and the period
// that its unit implies; 0 for none.
func scale(p Parameter) (size int64, per time.Duration) {
	switch p.Unit() {
	case PercentMinute:
		return int64(onePercent), time.Minute
	case Millis:
		return int64(time.Millisecond), 0
	case MillisPerHour:
		return int64(time.Millisecond), time.Hour
	case Seconds:
		return int64(time.Second), 0
	case PerMinute:
		return one, time.Minute
	case PerDay:
		return one, 24 * time.Hour
	case PerMonth:
		return one, month
	}
	return one, 0
}
