package main

import (
	"math/bits"
	"time"
)

// A tally is what a run saw, as it is printed.
type tally struct {
	Sent     int           `json:"sent"`
	Answered int           `json:"answered"`
	Errors   int           `json:"errors"` // of the answered: those that are no answer, see judge
	Lost     int           `json:"lost"`   // not answered while somebody would wait
	Stray    int           `json:"stray"`  // came too late, twice or unasked
	Late     int           `json:"late"`   // sent a millisecond or more after they were due
	Octets   int           `json:"octets"` // of all answers
	Records  int           `json:"records"`
	InTime   int           `json:"in_time"` // of the answered: before the end of the run
	Took     time.Duration `json:"took_ns"`
	Mean     time.Duration `json:"mean_ns"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Error    string        `json:"error,omitempty"` // what was wrong with the last that was no answer

	waits histogram
	sum   time.Duration
}

// answer counts one.
func (t *tally) answer(wait time.Duration, octets, records int, err error) {
	t.Answered++
	t.Octets += octets
	t.Records += records
	if err != nil {
		t.Errors++
		t.Error = err.Error()
	}
	t.sum += wait
	t.waits.add(wait)
}

// close works out what is known at the end.
func (t *tally) close() {
	if t.Answered > 0 {
		t.Mean = t.sum / time.Duration(t.Answered)
	}
	t.P50, t.P99 = t.waits.quantile(0.50, t.Answered), t.waits.quantile(0.99, t.Answered)
}

const stepBits = 5 // 32 steps for each doubling: a value is known to 3 %

// A histogram counts times in steps that grow with them.
type histogram [64 << stepBits]uint32

// step is the number of the step that a time is in.
func step(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<stepBits {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - stepBits
	return (shift+1)<<stepBits + int(v>>shift) - 1<<stepBits
}

// floor is the least time of a step.
func floor(i int) time.Duration {
	if i < 1<<stepBits {
		return time.Duration(i)
	}
	shift := i>>stepBits - 1
	return time.Duration(1<<stepBits+i&(1<<stepBits-1)) << shift
}

func (h *histogram) add(d time.Duration) { h[step(d)]++ }

// quantile is the middle of the step in which a share q of n times ends, 0 of
// none.
func (h *histogram) quantile(q float64, n int) time.Duration {
	seen, want := 0.0, q*float64(n)
	for i, count := range h {
		if seen += float64(count); count > 0 && seen >= want {
			return (floor(i) + floor(i+1)) / 2
		}
	}
	return 0
}
