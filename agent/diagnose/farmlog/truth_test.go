//go:build !race

package farmlog

import "testing"

// An outage is a run of at least ten refused requests without a gap above a minute.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		promise string
		gaps    []int64
		want    int64 // seconds of outage
	}{
		{"nine are none", []int64{0, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
		{"ten are one", []int64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 9},
		{"a minute is no gap", []int64{0, 0, 0, 0, 0, 60, 0, 0, 0, 0}, 60},
		{"more than a minute is", []int64{0, 0, 0, 0, 0, 61, 0, 0, 0, 0}, 0},
	} {
		tl := newTally(Story{Nodes: []string{"A"}})
		now := int64(1000)
		for _, g := range c.gaps {
			now += g
			tl.refused(now, 0)
		}
		tl.end(0)
		if got := union(tl.outages[0]); got != c.want {
			t.Errorf("%s: got %d s, want %d", c.promise, got, c.want)
		}
	}
	if got := union([]run{{10, 20, 10}, {15, 30, 10}, {16, 18, 10}, {40, 45, 10}}); got != 25 {
		t.Errorf("union: got %d s, want 25", got)
	}
}

// A failover is counted once, when the other node has more than half of what the
// first had, and the first had more than half of all.
func TestFailovers(t *testing.T) {
	tl := newTally(Story{Nodes: []string{"A", "B"}})
	tl.gaveUp(0, 50, 100)
	tl.leads(1, 100)
	tl.gaveUp(0, 51, 100)
	tl.leads(0, 51)
	tl.leads(1, 25)
	if tl.Failovers != 0 {
		t.Errorf("got %d, want none", tl.Failovers)
	}
	tl.leads(1, 26)
	tl.leads(1, 27)
	if tl.Failovers != 1 {
		t.Errorf("got %d, want 1", tl.Failovers)
	}
}
