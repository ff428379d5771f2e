package balance

import (
	"math"
	"time"
)

// A rate is how often something happens, of late. The slow one is what to plan
// with; the fast one notices within seconds that a herd is coming, for which
// the slow one takes a minute.
type rate struct{ slow, fast float64 }

const (
	window     = time.Minute     // over which the slow rate is taken, or since the start
	fastWindow = 4 * time.Second // over which the fast one is: with a longer one most herds would be over before they are seen
)

// see adds what happened within dt. age is how long there has been counting.
func (r rate) see(n float64, dt, age time.Duration) rate {
	now := n / dt.Seconds()
	r.slow += (now - r.slow) * weight(dt, min(window, age))
	r.fast += (now - r.fast) * weight(dt, min(fastWindow, age))
	return r
}

// weight is that of the last dt in a mean over span.
func weight(dt, span time.Duration) float64 {
	return 1 - math.Exp(-float64(dt)/float64(max(dt, span)))
}

// now is what to expect: too much makes the farm no worse than weights by
// capacity would, too little sends a herd to one node.
func (r rate) now() float64 { return max(r.slow, r.fast) }

// came is how many connections came since the last decision. Where it cannot be
// told who came, the growth must do, which does not see those who replaced others.
func (s State) came(m Measure) int {
	if m.Connections < 0 || s.connections < 0 {
		return 0
	}
	n := max(0, m.Connections-s.connections)
	if s.arrived > 0 && m.Arrived > s.arrived { // from 0 it may have been lost and come back
		n = max(n, int(m.Arrived-s.arrived))
	}
	return n
}

// covered is how many caches hold an answer of this node, as a rate: each
// answer fills one for the time of its TTL.
func (s State) covered(m Measure) float64 {
	if m.Covered < s.covers { // it started anew
		return 0
	}
	return (m.Covered - s.covers).Seconds()
}

// rates brings the rates up to now.
func (s State) rates(now time.Time, m Measure) State {
	dt, age := now.Sub(s.at), now.Sub(s.started)
	if dt <= 0 {
		return s
	}
	if m.Connections >= 0 && s.connections >= 0 {
		s.arrivals = s.arrivals.see(float64(s.came(m)), dt, age)
	}
	s.caches = s.caches.see(s.covered(m), dt, age)
	return s
}
