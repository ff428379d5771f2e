package node

import (
	"sync"
	"time"
)

// A Sleep measures how long this machine sleeps. The zero Sleep is ready; all
// who reckon ages with each other must ask the same one, from any goroutine.
//
// The monotonic clock of most systems stands still while the machine sleeps, and
// with it every age. Linux has a clock that goes on and that nobody can set. Elsewhere
// the wall clock must do: that it was set forth by over five seconds and that
// the machine slept for so long look the same, and count as sleep; that it was
// set back is nothing.
type Sleep struct {
	mu    sync.Mutex // guards the two below
	last  clocks     // when it was last asked
	slept time.Duration
}

// Slept returns how long the machine slept since the first call, as far as the
// monotonic clock did not count it. It only grows. Less than five seconds at a time
// are not seen.
func (s *Sleep) Slept() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := look()
	s.slept += now.since(s.last)
	s.last = now
	return s.slept
}

// clocks are two clocks at one moment.
type clocks struct {
	awake time.Time     // its monotonic reading
	all   time.Duration // goes on in sleep; from any start
	wall  bool          // all is the wall clock
}

// look reads both clocks, again if this process stood still in between.
func look() clocks {
	for {
		now := time.Now()
		all, known := sinceBoot()
		if !known {
			return clocks{now, time.Duration(now.UnixNano()), true}
		}
		if time.Since(now) < jump {
			return clocks{now, all, false}
		}
	}
}

// jump is how far two clocks may part between two looks, or a beat be late,
// before it means something.
const jump = 5 * time.Second

// since is how long the machine slept between last and c.
func (c clocks) since(last clocks) time.Duration {
	d := c.all - last.all - c.awake.Sub(last.awake)
	if last.awake.IsZero() || c.wall != last.wall || d <= jump {
		return 0
	}
	return d
}
