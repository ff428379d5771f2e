package throttle

import (
	"math"
	"math/bits"
	"time"
)

// memory is how long p is remembered where it is unlimited: of what was used a
// third (1/e) is left after so long. That is a minute, as parts of a minute are told, and of
// LocalTime as much as the burst that EWS and RCA have of Exchange: one request
// without a pause looks as if a burst were used up.
func (p Part) memory() time.Duration {
	if p == LocalTime {
		return 5 * time.Minute
	}
	return time.Minute
}

// A fading is how much is forgotten of unlimited rates in one span of time. It is
// reckoned once for all parts that are remembered for as long: it costs more than
// all else that is done to them.
type fading struct {
	memory time.Duration
	share  uint64 // of 1<<63
}

// faded is what is left of used after d, in which n requests used p up. Two spans
// one after the other are one, but for a nanosecond or two.
func (f *fading) faded(p Part, used int64, n uint32, d time.Duration) int64 {
	if m := p.memory(); f.memory != m {
		f.memory, f.share = m, uint64(share(float64(d)/float64(m))*(1<<63))
	}
	gone, _ := bits.Mul64(uint64(used)<<1, f.share)
	if used -= int64(gone); n == 0 {
		return used
	}
	more, _ := bits.Mul64(uint64(times(n, f.memory))<<1, f.share)
	return min(most, used+int64(more))
}

// share is 1 - 1/eˣ, x not negative. Who comes again within a fourth of a second is
// spared the exponential: four terms are exact enough then.
func share(x float64) float64 {
	if x < 1.0/256 {
		return x * (1 - x/2*(1-x/3*(1-x/4)))
	}
	return -math.Expm1(-x)
}
