package node

import (
	"testing"
	"time"

	"evenkeel/queue"
)

// A port that the operator named and that nothing listens on is a broken
// service: the probe says no, once a restart would have been over.
func TestClosedPortIsBroken(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	var closed time.Time
	opened := false
	for _, step := range []struct {
		at     time.Duration
		closed []uint16
		want   string
	}{
		{-time.Minute, []uint16{443, 993}, "port 443"}, // the agent came before its server
		{-30 * time.Second, []uint16{993}, "port 993"},
		{0, nil, ""},
		{10 * time.Second, []uint16{443}, ""},
		{11500 * time.Millisecond, []uint16{443}, ""},
		{12 * time.Second, []uint16{443, 993}, "port 443"},
		{13 * time.Second, nil, ""},
		{20 * time.Second, []uint16{993}, ""},
		{22 * time.Second, []uint16{993}, "port 993"},
	} {
		s := queue.Sample{Closed: step.closed}
		opened = opened || len(step.closed) == 0
		now := t0.Add(step.at)
		closed = since(closed, now, len(s.Closed) > 0)
		if got := brokenOf(now, closed, opened, s.Closed); got != step.want {
			t.Errorf("after %v: got %q, want %q", step.at, got, step.want)
		}
	}
}
