package diagnose

import (
	"slices"
	"testing"
	"time"
)

// incident: nearly all sessions on one of two nodes, whose queue fills; the
// balancer moves all to the other, twice.
func incident(w *world) {
	const h = time.Hour
	w.hold("EX1", 0, 600, 8*h, 10*h)
	w.hold("EX2", 5000, 6, 8*h, 14*h)
	w.errs("EX1", "QueueFull", mapiPool, 503, 10*h, 4*time.Minute, 1200)
	w.hold("EX2", 0, 600, 10*h+2*time.Minute, 12*h)
	w.hold("EX1", 6000, 6, 10*h+5*time.Minute, 12*h)
	w.errs("EX2", "QueueFull", mapiPool, 503, 12*h, 6*time.Minute, 1800)
	w.hold("EX1", 0, 600, 12*h+2*time.Minute, 14*h)
}

func TestIncident(t *testing.T) {
	var w world
	incident(&w)
	r := w.report(t)
	show(t, r)
	if got := kindsFound(r); len(got) == 0 || got[0] != Skew || !slices.Contains(got, Cascade) || !slices.Contains(got, QueueFull) {
		t.Fatalf("found %v", got)
	}
	first := r.Findings[0]
	if first.Minutes != 10 {
		t.Errorf("%v minutes of outage, 10 were", first.Minutes)
	}
	if want := "99 % of the MAPI sessions were on one of 2 nodes; its queue filled twice at about 610 sessions; 2 failovers; 10 minutes of outage"; first.Title != want {
		t.Errorf("title\n%s, want\n%s", first.Title, want)
	}
}
