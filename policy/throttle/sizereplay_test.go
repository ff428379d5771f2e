package throttle

import (
	"slices"
	"testing"
	"time"
)

// Twenty-eight at once are one too many for 27, and are not charged.
func TestReplayAtOnce(t *testing.T) {
	var uses []Use
	for i := range 28 {
		uses = append(uses, Use{Start: time.Duration(i), Open: time.Minute, Charged: 0})
	}
	s := Size(uses, whose(t, Exchange2013, nil), EWS)
	want := []Throttling{{Part: Concurrency, Action: Deny, From: 27, To: 27, Requests: 1}}
	if !slices.Equal(s.Throttled, want) {
		t.Errorf("got %+v, want %+v", s.Throttled, want)
	}
	if want := (Nearest{name("EwsMaxConcurrency"), 28.0 / 27}); s.Nearest != want {
		t.Errorf("nearest %v, want %v", s.Nearest, want)
	}
}

// A lock-out is told with its end, once, with those who asked meanwhile.
func TestReplayLockedOut(t *testing.T) {
	uses := every(10, time.Minute, 0)
	uses[0].Open, uses[0].Charged = time.Minute, 2*time.Hour // at its end, all at once
	s := Size(uses, whose(t, Exchange2013, nil), EWS)
	if len(s.Throttled) != 2 {
		t.Fatalf("got %+v, want two lock-outs", s.Throttled)
	}
	for i, from := range []time.Duration{time.Minute, 6 * time.Minute} {
		if got := s.Throttled[i]; !got.Locked || got.From != from || got.To != from+5*time.Minute {
			t.Errorf("got %+v, want a lock-out from %v for five minutes", got, from)
		}
	}
	if got := s.Throttled[0].Requests; got != 5 {
		t.Errorf("the first met %d requests, want 5", got)
	}
}
