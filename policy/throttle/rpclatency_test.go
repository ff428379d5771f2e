package throttle

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Between the ROPs of the last 40 s and those of the last 80 s lies what is
// counted for the minute, whenever they came.
func TestLastMinuteLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m lastMinute
		var all []time.Time
		at := rpc0
		for range rapid.IntRange(1, 100).Draw(t, "events") {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(15*time.Second)).Draw(t, "wait")))
			m = m.add(at, 1)
			all = append(all, at)
			low, high := 0.0, 0.0
			for _, e := range all {
				if at.Sub(e) < 40*time.Second {
					low++
				}
				if at.Sub(e) <= 80*time.Second {
					high++
				}
			}
			if got := m.sum(at); got < low || got > high {
				t.Fatalf("%g, want from %g to %g", got, low, high)
			}
		}
	})
}

// A steady stream is counted as what it is, at any instant; and one that ends
// is forgotten over the minute, in steps of a sample.
func TestLastMinuteSteady(t *testing.T) {
	var m lastMinute
	at := rpc0
	for i := range 40 * 200 {
		at = rpc0.Add(time.Duration(i) * time.Second / 40)
		m = m.add(at, 1)
		if i > 80*40 && (m.sum(at) < 2399 || m.sum(at) > 2401) {
			t.Fatalf("after %s: %g in the last minute, want 2400", at.Sub(rpc0), m.sum(at))
		}
	}
	for i, before := 0, 2401.0; i <= 80; i++ {
		got := m.sum(at.Add(time.Duration(i) * time.Second))
		if got > before || i == 80 && got != 0 {
			t.Fatalf("%d s after the last: %g, before %g", i, got, before)
		}
		before = got
	}
}

// The mean is of the last minute: old slowness is forgotten, and nothing is 0.
func TestLatency(t *testing.T) {
	var l Latency
	if got := l.Mean(rpc0); got != 0 {
		t.Errorf("of nothing: %s", got)
	}
	for i := range 60 {
		l = l.See(rpc0.Add(time.Duration(i)*time.Second), 25*time.Millisecond)
	}
	if got := l.Mean(rpc0.Add(59 * time.Second)); got != 25*time.Millisecond {
		t.Errorf("of 25 ms for a minute: %s", got)
	}
	l = l.See(rpc0.Add(59*time.Second), 85*time.Millisecond)
	if got, want := l.Mean(rpc0.Add(59*time.Second)), (60*25+85)*time.Millisecond/61; got != want {
		t.Errorf("and one of 85 ms: %s, want %s", got, want)
	}
	l = l.See(rpc0.Add(3*time.Minute), 7*time.Millisecond).See(rpc0.Add(3*time.Minute), -time.Second)
	if got := l.Mean(rpc0.Add(3 * time.Minute)); got != 3500*time.Microsecond {
		t.Errorf("two minutes later, of 7 ms and nonsense: %s, want 3.5ms", got)
	}
	if got := l.Mean(rpc0.Add(5 * time.Minute)); got != 0 {
		t.Errorf("of a minute of nothing: %s", got)
	}
}
