package queue

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var t0 = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func TestSlope(t *testing.T) {
	steps := []struct {
		at    time.Duration
		depth int
		want  float64
	}{
		{0, 100, 0}, // one reading has no slope
		{2 * time.Second, 200, 50 * (1 - 1/math.E)},              // 50 a second, for one time constant
		{4 * time.Second, 300, 50 * (1 - 1/(math.E*math.E))},     // and one more
		{4 * time.Second, 900, 50 * (1 - 1/(math.E*math.E))},     // no time has passed: no news
		{3 * time.Second, 900, 50 * (1 - 1/(math.E*math.E))},     // nor when it went backwards
		{6 * time.Second, 300, 50 / math.E * (1 - math.Exp(-2))}, // it stands: the past fades
		{time.Hour, 300, 0},               // long ago
		{2 * time.Hour, 0, -300.0 / 3600}, // a late reading counts for all its time
	}
	var s slope
	for i, st := range steps {
		s = s.see(t0.Add(st.at), st.depth)
		if !(math.Abs(s.perSecond-st.want) <= 1e-9) { // NaN is not near anything
			t.Errorf("step %d at %v: got %v, want %v", i, st.at, s.perSecond, st.want)
		}
	}
}

// A burst that is drained before the next reading leaves no growth behind.
func TestBurstIsNoTrend(t *testing.T) {
	var s slope
	for i, depth := range []int{0, 0, 200, 0, 0, 0} {
		s = s.see(t0.Add(time.Duration(i)*500*time.Millisecond), depth)
		if grows := i == 2; (s.perSecond > 0) != grows {
			t.Errorf("reading %d, depth %d: got %v", i, depth, s.perSecond)
		}
	}
}

// Whatever a queue does, and at whatever even pace it is read, it is never
// steeper than the range of its depths over the time constant.
func TestSlopeIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 5000).Draw(t, "most")
		every := rapid.Int64Range(1, int64(10*time.Second)).Draw(t, "every")
		now, s := t0, slope{}
		for range rapid.IntRange(1, 60).Draw(t, "readings") {
			now = now.Add(time.Duration(every))
			s = s.see(now, rapid.IntRange(0, most).Draw(t, "depth"))
			if bound := float64(most) / memory.Seconds(); !(math.Abs(s.perSecond) <= bound+1e-6) {
				t.Fatalf("got %v, bound %v", s.perSecond, bound)
			}
		}
	})
}

func TestTrendForgets(t *testing.T) {
	tr := trend{}
	see := func(at time.Duration, qs ...Queue) []Queue { return tr.see(t0.Add(at), qs) }
	see(0, Queue{Name: "a"}, Queue{Name: "b"})
	if got := see(time.Second, Queue{Name: "b", Depth: 9}); got[0].Slope <= 0 || len(tr) != 1 {
		t.Errorf("b grows and a is gone: got %v, kept %v", got, tr)
	}
	if got := see(2*time.Second, Queue{Name: "a", Depth: 500}); got[0].Slope != 0 {
		t.Errorf("a is new, and has no slope: got %v", got)
	}
	if got := see(3*time.Second, []Queue(nil)...); got != nil || len(tr) != 0 {
		t.Errorf("no queues: got %v, kept %v", got, tr)
	}
}
