package queue

import (
	"maps"
	"math"
	"slices"
	"time"
)

// memory is the time constant of a slope: what happened this long ago weighs
// 1/e. It spans four readings of the usual 500 ms, enough that one burst which
// is drained at once is no trend, and well below the 15 s for which slopes
// are extrapolated.
const memory = 2 * time.Second

// A slope is how fast one queue grows, an exponentially weighted mean of its
// changes. It is a value; seeing a depth makes the next.
//
// For even readings it is the depth's distance from its own 2 s mean, divided
// by 2 s: so it is never steeper than the range of depths seen over 2 s.
type slope struct {
	at        time.Time
	depth     int
	perSecond float64
}

// see returns the slope after one more depth. How far apart the readings are
// is in the weights, so that a late one counts for the time it covers.
func (s slope) see(at time.Time, depth int) slope {
	dt := at.Sub(s.at).Seconds()
	switch {
	case s.at.IsZero():
		return slope{at: at, depth: depth}
	case dt <= 0:
		return s
	}
	change := float64(depth-s.depth) / dt
	weight := -math.Expm1(-dt / memory.Seconds())
	return slope{at, depth, s.perSecond + weight*(change-s.perSecond)}
}

// A trend is the slopes of one source's queues, by name.
type trend map[string]slope

// see returns queues with their slopes; the argument is left as it is. A queue
// that is missing is forgotten, and begins again at 0.
func (t trend) see(at time.Time, queues []Queue) []Queue {
	out := slices.Clone(queues)
	for i := range out {
		q := &out[i]
		s := t[q.Name].see(at, q.Depth)
		t[q.Name], q.Slope = s, s.perSecond
	}
	maps.DeleteFunc(t, func(_ string, s slope) bool { return s.at.Before(at) })
	return out
}
