package balance

import (
	"math"
	"time"
)

// A Learnt is where a node's queues begin to grow, as far as it was seen. The
// zero Learnt is not known.
type Learnt struct {
	Connections int // from here on; 0: not known
	Low, High   int // it lies within these, with 95 % confidence; both 0 when not known
	Why         string
}

// Known says that there is such a number.
func (l Learnt) Known() bool { return l.Connections > 0 }

// What a Learnt says of why it is known, or not.
const (
	LearntQueue  = "queue"  // known: above it a queue soon becomes busy, below it hardly ever
	LearntCalm   = "calm"   // no queue ever became busy
	LearntFew    = "few"    // episodes too few to tell
	LearntAlike  = "alike"  // episodes come at all levels alike: it is not connections that fill the queue
	LearntUnseen = "unseen" // the node was not watched yet, or its queues or connections cannot be measured
)

// The rungs of the histogram: the lowest is below firstRung, and each further
// one is a sixteenth of an octave (4.4 %) wide.
const (
	perOctave = 16
	firstRung = 8
	rungs     = 1 + 21*perOctave
	most      = 10_000_000 // connections that a limit can be
)

// rung is the place of a number of connections in the histogram.
func rung(connections int) int {
	if connections < firstRung {
		return 0
	}
	return min(rungs-1, 1+int(perOctave*math.Log2(float64(connections)/firstRung)))
}

// foot is the least number of connections on rung i.
func foot(i int) int {
	if i <= 0 {
		return 0
	}
	return int(math.Ceil(firstRung * math.Exp2(float64(i-1)/perOctave)))
}

// How sure one must be. DESIGN.md argues each.
const (
	above      = 5               // rungs from the change upwards that are near: a quarter more connections
	below      = perOctave       // rungs under it that are: down to half
	atLeast    = 1.5             // episodes, faded: two of the same week
	plenty     = 6               // episodes with which a change would have been seen
	perEpisode = 5 * time.Minute // that an episode counts as watched: it came at most this often
	gain       = 5.0             // of log likelihood, over that of one rate below and above
	within     = 1.92            // of log likelihood: the 95 % interval of one parameter (half of chi squared 3.84)
)

// A tally is what was seen over some of the rungs.
type tally struct {
	n float64 // episodes
	t float64 // seconds watched
}

func (a tally) add(b tally) tally { return tally{a.n + b.n, a.t + b.t} }
func (a tally) sub(b tally) tally { return tally{max(0, a.n-b.n), max(0, a.t-b.t)} }

// likelihood is the logarithm of that of a, at its own rate, if episodes come as
// a Poisson process; up to what is the same for every way to divide a sum.
func (a tally) likelihood() float64 {
	if a.n < 1e-9 || a.t <= 0 {
		return 0
	}
	return a.n * math.Log(a.n/a.t)
}

// gain is how much likelier it is that episodes come more often over a rung than
// under it, than that they come alike; 0 where they do not.
func (over tally) gain(under tally) float64 {
	if over.n*under.t <= under.n*over.t {
		return 0
	}
	return over.likelihood() + under.likelihood() - over.add(under).likelihood()
}

// estimate finds the rung at which the rate of episodes changes most surely.
func (l *Learner) estimate() Learnt {
	sums := l.sums()
	all := sums[rungs]
	best, top := 0, 0.0
	for i := 1; i < rungs; i++ {
		if g := sums.gain(i); g > 0 && g >= top { // where nobody was in between, the highest
			best, top = i, g
		}
	}
	switch {
	case top >= gain:
		low, high := sums.interval(best, top-within)
		return Learnt{Connections: foot(best), Low: foot(low), High: foot(high + 1), Why: LearntQueue}
	case all.t == 0:
		return Learnt{Why: LearntUnseen}
	case all.n < 0.5:
		return Learnt{Why: LearntCalm}
	case all.n < plenty:
		return Learnt{Why: LearntFew}
	}
	return Learnt{Why: LearntAlike}
}

// ladder holds at i what was seen on all rungs below i.
type ladder [rungs + 1]tally

func (l *Learner) sums() (s ladder) {
	for i := range rungs {
		n := l.episodes[i]
		s[i+1] = s[i].add(tally{n, l.calm[i] + n*perEpisode.Seconds()})
	}
	return s
}

// gain is that of a change at rung i against what is near below: what is far
// below, such as all nights, is another life. Both what is near above and all
// that is above must speak for it. The one keeps a change from being seen where
// a day begins, the other where a node once stood still that often held more.
func (s *ladder) gain(i int) float64 {
	near, all := s[min(rungs, i+above)].sub(s[i]), s[rungs].sub(s[i])
	if near.n < atLeast {
		return 0
	}
	under := s[i].sub(s[max(0, i-below)])
	return min(near.gain(under), all.gain(under))
}

// interval spans the rungs around best at which a change is likely enough.
func (s *ladder) interval(best int, least float64) (low, high int) {
	low, high = best, best
	for low > 1 && s.gain(low-1) >= least {
		low--
	}
	for high < rungs-1 && s.gain(high+1) >= least {
		high++
	}
	return low, high
}
