package diagnose

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestNoCascade: the clients went over, and the node that has them now is well;
// it is the first that is overrun again.
func TestNoCascade(t *testing.T) {
	var w world
	w.hold("EX1", 0, 200, 8*hour, 10*hour)
	w.hold("EX2", 5000, 4, 8*hour, 12*hour)
	for _, at := range []time.Duration{10 * hour, 11 * hour} { // both are put down to a recycle
		w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, at-minute, second, 100)
		w.errs("EX1", "QueueFull", mapiPool, 503, at, 4*minute, 400)
	}
	w.hold("EX2", 0, 200, 10*hour+2*minute, 12*hour)
	r := w.report(t)
	if kindsFound(r)[0] != Recycle || slices.Contains(kindsFound(r), Cascade) {
		show(t, r)
		t.Error("a cascade")
	}
}

// TestHandedOn: what is overrun because it was handed the clients of another is
// put down to what befell that one.
func TestHandedOn(t *testing.T) {
	for _, c := range []struct {
		later time.Duration // from the failover to the second outage
		want  string
	}{{8 * minute, "[recycle cascade queue-full]"}, {12 * minute, "[skew queue-full recycle queue-full]"}} {
		var w world
		w.hold("EX1", 0, 200, 8*hour, 10*hour)
		w.hold("EX2", 5000, 50, 8*hour, 12*hour)
		w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 10*hour-minute, second, 100)
		w.errs("EX1", "QueueFull", mapiPool, 503, 10*hour, 2*minute, 400)
		w.hold("EX2", 0, 200, 10*hour+minute, 12*hour)
		w.errs("EX2", "QueueFull", mapiPool, 503, 10*hour+minute+c.later, 4*minute, 400)
		r := w.report(t)
		if got := fmt.Sprint(kindsFound(r)); got != c.want {
			show(t, r)
			t.Errorf("%v later: found %s, want %s", c.later, got, c.want)
		}
	}
}

// TestHandedOnByOneThatWasIll: the node whose clients came refused only a few, or
// failed its probe, before it was empty. That is no outage, and yet the same cause.
func TestHandedOnByOneThatWasIll(t *testing.T) {
	for _, c := range []struct {
		promise string
		ill     func(w *world)
		want    Kind
	}{
		{"it refused a few", func(w *world) { w.errs("EX1", "QueueFull", mapiPool, 503, 10*hour, minute, 5) }, Skew},
		{"its probe failed", func(w *world) { w.fail("EX1", 10*hour, 3) }, Skew},
		{"one probe was lost", func(w *world) { w.fail("EX1", 10*hour, 1) }, ReconnectStorm},
		{"it was well", func(*world) {}, ReconnectStorm},
		{"it was ill long before", func(w *world) { w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, minute, 5) }, ReconnectStorm},
	} {
		var w world
		w.hold("EX1", 0, 200, 8*hour, 10*hour)
		w.hold("EX2", 5000, 20, 8*hour, 12*hour)
		w.hold("EX2", 0, 200, 10*hour+minute, 12*hour)
		c.ill(&w)
		w.errs("EX2", "QueueFull", mapiPool, 503, 10*hour+90*second, 4*minute, 400)
		if r := w.report(t); kindsFound(r)[0] != c.want {
			show(t, r)
			t.Errorf("%s: found %v, want first %s", c.promise, kindsFound(r), c.want)
		}
	}
}
