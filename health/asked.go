package health

import (
	"sync/atomic"
	"time"
)

// askedFor is how long a max=N is remembered after it was last asked for. The
// slowest balancers probe every 15 to 30 s.
const askedFor = time.Minute

// An asked remembers the lowest max=N of late in one word, so that probes never
// wait for each other: milliseconds since 1970, and N in the lowest bits.
//
// It keeps one N, not all: when the lowest is asked for no more, the next lowest
// is known again at its next probe.
type asked struct{ word atomic.Uint64 }

const askedBits = 10 // highestMax fits

func (a *asked) note(now time.Time, n int) {
	next := uint64(now.UnixMilli())<<askedBits | uint64(n)
	for {
		old := a.word.Load()
		if low, _ := unpack(old, now); low != 0 && low < n {
			return
		}
		if a.word.CompareAndSwap(old, next) {
			return
		}
	}
}

// lowest is what is remembered at that time, or 0.
func (a *asked) lowest(now time.Time) (n int, at time.Time) { return unpack(a.word.Load(), now) }

// unpack forgets what is too old, and what is from the future: the clock was
// set back since, and nobody knows how old it is.
func unpack(word uint64, now time.Time) (n int, at time.Time) {
	at = time.UnixMilli(int64(word >> askedBits))
	if word == 0 || now.Sub(at).Abs() > askedFor {
		return 0, time.Time{}
	}
	return int(word & (1<<askedBits - 1)), at
}
