package throttle

import (
	"sync/atomic"
	"time"
)

// A clock tells instants by the time since the first that it was told, in which
// a wall clock that is set does not show where time.Time knows better. Instants
// before the first are the first.
type clock struct {
	start atomic.Pointer[time.Time]
}

func (c *clock) since(now time.Time) time.Duration {
	start := c.start.Load()
	if start == nil {
		first := now // a variable of its own, since its address leaves
		c.start.CompareAndSwap(nil, &first)
		start = c.start.Load()
	}
	return max(0, now.Sub(*start))
}

// time is the instant that since tells as d.
func (c *clock) time(d time.Duration) time.Time {
	if start := c.start.Load(); start != nil {
		return start.Add(d)
	}
	return time.Time{}
}

// bounded counts to most and no further.
type bounded struct {
	used atomic.Int64
	most int64
}

func (b *bounded) take() bool {
	if b.used.Add(1) > b.most {
		b.give(1)
		return false
	}
	return true
}

func (b *bounded) give(n int) { b.used.Add(int64(-n)) }

func (b *bounded) full() bool { return b.used.Load() >= b.most }
