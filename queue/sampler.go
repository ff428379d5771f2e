package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how many periods a reading counts. Two may be lost to a busy
// machine, which is when numbers are wanted most; the third is news.
const patience = 3

// A Sampler keeps the newest reading of every source. Each source is read in a
// goroutine of its own: one that hangs costs its own numbers, and no one waits.
type Sampler struct {
	every time.Duration
	slots []slot
}

// A slot is one source and what it last said; its goroutine alone stores.
type slot struct {
	src  Source
	last atomic.Pointer[result]
}

// A result is never changed once stored.
type result struct {
	at      time.Time // when Read returned
	good    time.Time // when a Read last returned without an error; zero: never
	reading Reading
	err     error
}

// NewSampler returns a Sampler that will read each source once every period,
// which must be positive. It reads nothing before Run.
func NewSampler(every time.Duration, sources ...Source) *Sampler {
	s := &Sampler{every: every, slots: make([]slot, len(sources))}
	for i, src := range sources {
		s.slots[i].src = src
	}
	return s
}

// Run reads until ctx is done and the last Read has returned.
func (s *Sampler) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for i := range s.slots {
		wg.Go(func() { s.slots[i].run(ctx, s.every) })
	}
	wg.Wait()
}

func (sl *slot) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	slopes := trend{}
	for {
		r, err := sl.src.Read(ctx)
		if ctx.Err() != nil {
			return // the last reading was cut off by us, which is nobody's fault
		}
		sl.note(time.Now(), r, err, slopes)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// note makes a reading the current one.
func (sl *slot) note(at time.Time, r Reading, err error, slopes trend) {
	next := &result{at: at, err: err}
	if last := sl.last.Load(); last != nil {
		next.good = last.good
	}
	if err == nil {
		next.good = at
	}
	if err == nil || r.Logs != nil { // of logs, what could be read counts though something could not
		next.reading = r
		next.reading.Queues = slopes.see(at, r.Queues)
	}
	sl.last.Store(next)
}

// Sample returns what is known now. It never waits and never fails: what is
// missing is said in Faults. Any number of goroutines may call it.
func (s *Sampler) Sample(now time.Time) Sample {
	out := Sample{At: now, Sources: make([]Status, 0, len(s.slots))}
	for i := range s.slots {
		status, r := s.slots[i].judge(now, patience*s.every)
		out.Sources = append(out.Sources, status)
		if status.Err != nil {
			out.Faults = append(out.Faults, Fault{status.Name, status.Err})
		}
		if status.Err != nil && (r.Logs == nil || errors.Is(status.Err, ErrStale)) {
			continue
		}
		out.Queues = append(out.Queues, r.Queues...)
		out.Ports = append(out.Ports, r.Ports...)
		out.Gauges = append(out.Gauges, r.Gauges...)
		out.Arrived += r.Arrived
		out.Closed = append(out.Closed, r.Closed...)
		out.Logs = out.Logs.merge(r.Logs)
	}
	slices.SortStableFunc(out.Queues, func(a, b Queue) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(out.Ports, func(a, b Port) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortStableFunc(out.Gauges, func(a, b Gauge) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// judge says how the source fares, and its reading where there is one to use.
func (sl *slot) judge(now time.Time, stale time.Duration) (Status, Reading) {
	s := Status{Name: sl.src.Name(), Age: -1}
	_, s.Logs = sl.src.(*LogSource)
	last := sl.last.Load()
	if last == nil {
		s.Err = ErrStale
		return s, Reading{}
	}
	if !last.good.IsZero() {
		s.Age = max(0, now.Sub(last.good)) // now may have been asked for before the reading came
	}
	switch {
	case now.Sub(last.at) > stale:
		s.Err = ErrStale
	case last.err != nil:
		s.Err = last.err
	}
	return s, last.reading
}
