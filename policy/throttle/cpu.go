package throttle

import (
	"math"
	"time"
)

// What document 000 says of CPUStartPercent: no delay, but a yield, where it
// starts, and half a second when all CPUs are busy.
const mostSleep = 500 * time.Millisecond

// serviceStart is where service accounts are slowed at the latest: CPUStartPercent's
// own default.
const serviceStart = 0.75

// Sleep is how long a request is delayed when the share cpu of all CPUs is in
// use, 0 to 1, as a mean over 10 s; negative: not known. From CPUStart on it
// grows in proportion, from 0, which is a yield, to half a second; where CPUStart
// is all of the CPUs it is a yield. False: not delayed. It is asked before each
// item of a batch.
func (l *Limits) Sleep(cpu float64) (time.Duration, bool) {
	start := l.start()
	switch {
	case start < 0 || !(cpu >= start):
		return 0, false
	case start >= 1:
		return 0, true
	}
	return time.Duration(float64(mostSleep) * (min(cpu, 1) - start) / (1 - start)), true
}

// start is the share of all CPUs from which requests are delayed; negative: never.
func (l *Limits) start() float64 {
	if l.ServiceAccount && (l.CPUStart < 0 || l.CPUStart > serviceStart) {
		return serviceStart
	}
	return l.CPUStart
}

// slow: the node's load.
func (l *Limits) slow(cpu float64, v *Verdict) {
	if d, ok := l.Sleep(cpu); ok {
		v.meet(Delay, CPU, d, int64(math.Round(100*l.start())))
	}
}
