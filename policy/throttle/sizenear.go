package throttle

import "time"

// Near is the greatest share that was used of a limit of c, for who knows no more
// than how many were at once, and the most that was charged in a minute and in an
// hour: 1 is all of it. Of burst and recharge all is what an hour may use at most.
func (l *Limits) Near(c Component, atOnce float64, minute, hour time.Duration) (share float64, part Part) {
	more := func(used, limit float64, p Part) {
		if x := used / max(limit, 1); x > share {
			share, part = x, p
		}
	}
	if n := l.Max[gaugeConcurrency]; n != Unlimited && !c.connects() {
		more(atOnce, float64(n), Concurrency)
	}
	for i, p := range rateParts[c] {
		switch r := &l.Rate[i]; {
		case r.Unlimited:
		case p == LocalTime && !l.Minute:
			more(float64(hour), float64(r.Cap)+float64(r.Refill), p)
		case p == CAS && l.Minute:
			more(float64(minute), float64(r.Cap), p)
		}
	}
	return share, part
}
