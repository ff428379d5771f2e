package queue

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	cpustat "github.com/shirou/gopsutil/v3/cpu"
	"pgregory.net/rapid"
)

func TestRolling(t *testing.T) {
	steps := []struct {
		at          time.Duration
		busy, total float64
		want        float64 // below 0: not to be told
	}{
		{0, 1000, 5000, -1},                 // since boot, which says nothing of now
		{0, 1000, 5000, -1},                 // no time has passed
		{5 * time.Second, 1010, 5010, -1},   // all busy, but half a window is no window
		{10 * time.Second, 1010, 5020, 0.5}, // half of 10 s
		{15 * time.Second, 1010, 5030, 0},   // the busy half is out of the window
		{20 * time.Second, 1005, 5040, 0},   // iowait went into idle: not below 0
		{21 * time.Second, 1040, 5042, 1},   // not above 1
		{22 * time.Second, 7, 100, -1},      // other counters: begin again
		{32 * time.Second, 8, 104, 0.25},    // and wait for a whole window
		{time.Hour, 108, 304, 0.5},          // what there is, though it is long
		{time.Hour - 1, 109, 305, -1},       // the clock went back
	}
	var r rolling
	for i, s := range steps {
		r = r.see(t0.Add(s.at), cpuTime{s.busy, s.total})
		got, ok := r.share()
		if !ok {
			got = -1
		}
		if !(math.Abs(got-s.want) <= 1e-9) { // NaN is not near anything
			t.Errorf("step %d at %v: got %v, want %v", i, s.at, got, s.want)
		}
	}
}

// With readings at any pace the mean spans at least the window once it can,
// not much more, and does not collect marks.
func TestRollingWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r rolling
		now, total := t0, 0.0
		for range rapid.IntRange(1, 80).Draw(t, "readings") {
			gap := time.Duration(rapid.Int64Range(int64(100*time.Millisecond), int64(3*time.Second)).Draw(t, "gap"))
			now, total = now.Add(gap), total+gap.Seconds()
			r = r.see(now, cpuTime{total / 4, total})
			span := now.Sub(r.marks[0].at)
			if now.Sub(t0) >= cpuWindow+3*time.Second && (span < cpuWindow || span > cpuWindow+3*time.Second) {
				t.Fatalf("the window spans %v", span)
			}
			if share, ok := r.share(); ok && math.Abs(share-0.25) > 1e-9 {
				t.Fatalf("got %v of a machine that is always a quarter busy", share)
			}
		}
	})
}

func TestAdd(t *testing.T) {
	got := add(cpustat.TimesStat{User: 1, System: 2, Idle: 4, Nice: 8, Iowait: 16, Irq: 32, Softirq: 64, Steal: 128, Guest: 1, GuestNice: 8})
	if want := (cpuTime{235, 255}); got != want {
		t.Errorf("got %v, want %v: guests count once, stolen time is busy, iowait is not", got, want)
	}
}

func TestCPUSource(t *testing.T) {
	broken := errors.New("no such file")
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := &cpu{times: func(context.Context) (cpuTime, error) {
			if n++; n == 3 {
				return cpuTime{}, broken
			}
			return cpuTime{float64(n), float64(2 * n)}, nil
		}}
		want := []struct {
			gauges int
			err    error
		}{{0, nil}, {1, nil}, {0, broken}, {1, nil}}
		for i, w := range want {
			r, err := c.Read(t.Context())
			if len(r.Gauges) != w.gauges || err != w.err {
				t.Errorf("reading %d: got %+v, %v, want %d gauges and %v", i+1, r, err, w.gauges, w.err)
			}
			if w.gauges == 1 && r.Gauges[0] != (Gauge{"cpu", 0.5, 1}) {
				t.Errorf("reading %d: got %v, want half", i+1, r.Gauges[0])
			}
			time.Sleep(cpuWindow)
		}
	})
}
