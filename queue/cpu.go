package queue

import (
	"context"
	"errors"
	"slices"
	"time"

	cpustat "github.com/shirou/gopsutil/v3/cpu"
)

// cpuWindow is the span of the rolling mean, the one by which Exchange judges
// a server's CPU: long enough that one burst is no state of the machine.
const cpuWindow = 10 * time.Second

// A cpu is the source of the gauge "cpu".
type cpu struct {
	times func(context.Context) (cpuTime, error)
	mean  rolling
}

// Name is part of metrics and status.
func (*cpu) Name() string { return "cpu" }

// Read has no gauge before a whole window has passed: a burst at the start is no
// state of the machine, and what was busy since boot says nothing of now.
func (c *cpu) Read(ctx context.Context) (Reading, error) {
	t, err := c.times(ctx)
	if err != nil {
		return Reading{}, err
	}
	c.mean = c.mean.see(time.Now(), t)
	share, ok := c.mean.share()
	if !ok {
		return Reading{}, nil
	}
	return Reading{Gauges: []Gauge{{Name: "cpu", Value: share, Limit: 1}}}, nil
}

// A cpuTime is how long the CPUs have run, all together, in seconds since any
// beginning.
type cpuTime struct{ busy, total float64 }

// machineTime asks the system.
func machineTime(ctx context.Context) (cpuTime, error) {
	all, err := cpustat.TimesWithContext(ctx, false)
	switch {
	case err != nil:
		return cpuTime{}, err
	case len(all) == 0:
		return cpuTime{}, errors.New("the system lists no CPU")
	}
	return add(all[0]), nil
}

// add leaves guests out, since Linux has them in User and Nice already, and
// takes stolen time as busy: it is not to be had.
func add(t cpustat.TimesStat) cpuTime {
	busy := t.User + t.Nice + t.System + t.Irq + t.Softirq + t.Steal
	return cpuTime{busy, busy + t.Idle + t.Iowait}
}

// A rolling is the readings of the last window, oldest first. It is a value;
// seeing a reading makes the next, and the former must not be used again.
type rolling struct{ marks []mark }

// A mark is one reading.
type mark struct {
	at time.Time
	cpuTime
}

// see adds a reading. Counters that went down are another machine's, or this
// one's after a change of its CPUs: the mean begins again.
func (r rolling) see(at time.Time, t cpuTime) rolling {
	if n := len(r.marks); n > 0 && (t.total < r.marks[n-1].total || at.Before(r.marks[n-1].at)) {
		r.marks = r.marks[:0]
	}
	r.marks = append(r.marks, mark{at, t})
	old := 0 // the youngest that is a whole window old, where there is one
	for old+1 < len(r.marks) && at.Sub(r.marks[old+1].at) >= cpuWindow {
		old++
	}
	r.marks = slices.Delete(r.marks, 0, old)
	return r
}

// share is how much of the window was busy, 0 to 1, and whether it can be
// told. Single counters may go back a little (iowait does), hence the bounds.
func (r rolling) share() (float64, bool) {
	if len(r.marks) < 2 {
		return 0, false
	}
	first, last := r.marks[0], r.marks[len(r.marks)-1]
	if last.at.Sub(first.at) < cpuWindow {
		return 0, false
	}
	total := last.total - first.total
	if total <= 0 {
		return 0, false
	}
	return min(1, max(0, (last.busy-first.busy)/total)), true
}
