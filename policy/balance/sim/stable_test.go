package sim

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// A course is how a farm takes a step.
type course struct {
	first  float64       // the imbalance that the step causes
	halved time.Duration // after the step; -1 s is never
	later  float64       // the most since it halved
	level  float64       // the most since it was within noise for the first time
}

func (c course) String() string {
	return fmt.Sprintf("%.3f at first, halved after %v, then at most %.3f, and once level at most %.3f", c.first, c.halved, c.later, c.level)
}

// What chance makes is no swing: noise in a level farm, chance about any level.
const (
	noise  = 0.05
	chance = 0.02
)

// swings says that the farm goes on to and fro: the imbalance exceeds half of
// what it was at first again, or never halves (unless it was noise), or does not stay level.
func (c course) swings() bool {
	return c.halved < 0 && c.first > noise || c.later > max(noise, c.first/2+chance) || c.level > noise+chance
}

// read is the course of an imbalance, second by second, that was at its most
// within the time of settling.
func read(spread []float64, within int) (c course) {
	c.halved = -time.Second
	c.first = slices.Max(spread[:within])
	high, level := slices.Index(spread, c.first), false
	for i, x := range spread[high:] {
		if c.halved < 0 && x <= c.first/2 {
			c.halved = time.Duration(high+i) * time.Second
		}
		if c.halved >= 0 {
			c.later = max(c.later, x)
		}
		if level = level || x <= noise; level {
			c.level = max(c.level, x)
		}
	}
	return c
}

// The reader of a course is tested too, or a farm that swings would pass.
func TestSwings(t *testing.T) {
	for _, c := range []struct {
		name   string
		spread []float64
		want   bool
	}{
		{"it settles", []float64{0, 0.6, 0.5, 0.3, 0.2, 0.1, 0.04, 0.05, 0.06}, false},
		{"it is hardly moved", []float64{0.01, 0.03, 0.02, 0.04, 0.03}, false},
		{"it comes back to more than half", []float64{0, 0.6, 0.3, 0.1, 0.35}, true},
		{"it never halves", []float64{0, 0.6, 0.5, 0.5, 0.5}, true},
		{"level, and to the other side", []float64{0, 0.6, 0.3, 0.04, 0.2, 0.04, 0.1}, true},
	} {
		if got := read(c.spread, 3); got.swings() != c.want {
			t.Errorf("%s: swings %v: %v", c.name, !c.want, got)
		}
	}
}

// settling is how a farm of n like nodes takes the loss of every fourth, or
// their return.
func settling(t *testing.T, back bool, n int, ttl, delay time.Duration) course {
	const step = time.Hour
	s := Scenario{Name: "step", For: 150 * time.Minute, From: step, Rules: law, TTL: TTL{min(ttl, 5*time.Second), ttl}, Gossip: Gossip{Delay: delay},
		Clients: Clients{N: 500 * n, Storm: 30 * time.Minute, Session: time.Hour, Pause: 10 * time.Second, Rate: 0.1, Legs: 3, Again: 10 * time.Second},
	}
	for i := range 20 {
		s.Resolvers = append(s.Resolvers, Resolver{Share: 1 / float64(i+1)})
	}
	gone := Event{At: step, Do: Unplug}
	for i := range n {
		name := fmt.Sprintf("ex%02d", i)
		s.Nodes = append(s.Nodes, Node{Name: name, Limit: 2000, Service: 1000, Queue: 1000})
		if i%4 == min(3, n-1) {
			gone.Nodes = append(gone.Nodes, name)
		}
	}
	s.Events = []Event{gone}
	if back {
		s.Events[0].At, s.Events[0].For = step-30*time.Minute, 30*time.Minute
	}
	w := furnished(t, s, "evenkeel")
	w.until(s.For)
	return read(w.meter.spread, int((2*ttl+law.Ramp+2*time.Minute)/time.Second))
}

// After a step the farm does not swing. Here some corners; EVENKEEL_SWEEP plays
// the rest.
func TestNoOscillation(t *testing.T) {
	all := os.Getenv("EVENKEEL_SWEEP") != ""
	for _, n := range []int{2, 4, 16, 64} {
		for _, ttl := range []int{1, 5, 30, 300} {
			for _, delay := range []int{200, 2_000, 10_000} {
				if corner := n == 4 && (ttl == 5 && delay == 10_000 || ttl == 300 && delay == 200); !all && !corner {
					continue
				}
				for _, back := range []bool{false, true} {
					c := settling(t, back, n, time.Duration(ttl)*time.Second, time.Duration(delay)*time.Millisecond)
					line := fmt.Sprintf("n=%d ttl=%ds delay=%dms return=%v: %v", n, ttl, delay, back, c)
					t.Log(line)
					if c.swings() {
						t.Error(line)
					}
				}
			}
		}
	}
}
