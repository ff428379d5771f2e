package balance

import (
	"fmt"
	"testing"
	"time"
)

// A herd is seen within seconds, and forgotten as soon; what comes all day is
// seen whole.
func TestRate(t *testing.T) {
	var r rate
	got := ""
	for beat := range 1200 {
		at := time.Duration(beat) * time.Second / 2
		n := 1.0 // two a second
		if at >= 5*time.Minute && at < 5*time.Minute+4*time.Second {
			n = 100
		}
		r = r.see(n, time.Second/2, at)
		switch at {
		case 4 * time.Minute, 5*time.Minute + time.Second, 5*time.Minute + 4*time.Second, 5*time.Minute + 30*time.Second, 9 * time.Minute:
			got += fmt.Sprintf("%v %.0f, ", at, r.now())
		}
	}
	if want := "4m0s 2, 5m1s 64, 5m4s 112, 5m30s 10, 9m0s 2, "; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// No answer brings more clients than the next can make good.
func TestTTLByClients(t *testing.T) {
	for _, c := range []struct {
		arrivals, caches float64
		want             time.Duration
	}{
		{0, 6, 30 * time.Second},     // nobody comes
		{10, 0, 30 * time.Second},    // it is not known who asks
		{10, 6, 5 * time.Second},     // few caches, each for many: the least
		{10, 40, 9 * time.Second},    // 8,000 connections, of which an answer may bring 2.4: 2.4 · 40 / 10
		{10, 6000, 30 * time.Second}, // each for hardly anyone
	} {
		w := newTeller(t, "mx2")
		w.nodes[0].Limit, w.nodes[0].Arrivals, w.nodes[0].Caches = 4000, c.arrivals, c.caches
		if got := w.pass(time.Second).TTL; got != c.want {
			t.Errorf("%v come a second, %v caches: TTL %v, want %v", c.arrivals, c.caches, got, c.want)
		}
	}
}

// Caches are counted by the time that their answers live.
func TestCaches(t *testing.T) {
	w := newTeller(t)
	var p Plan
	for range 600 { // three resolvers, each asks again as soon as it may
		w.own.Covered += 3 * time.Second / 2
		p = w.pass(time.Second / 2)
	}
	if got := p.Own.Caches; got < 2.9 || got > 3.1 {
		t.Errorf("three caches seen as %v", got)
	}
	w.own.Covered = time.Minute // counted anew
	if p = w.pass(time.Second / 2); p.Own.Caches > 3.1 {
		t.Errorf("a new count seen as %v caches", p.Own.Caches)
	}
}

// Who will be full within the life of an answer says so.
func TestTTLBeforeFull(t *testing.T) {
	w := newTeller(t, "mx2")
	w.own = Measure{Limit: 4000, Connections: 3000}
	got := ""
	for range 160 {
		w.own.Connections, w.own.Arrived = w.own.Connections+5, w.own.Arrived+5
		p := w.pass(time.Second / 2)
		if w.own.Connections%200 == 0 {
			got += fmt.Sprintf("%d %v, ", w.own.Connections, p.TTL)
		}
	}
	if want := "3200 30s, 3400 30s, 3600 20s, 3800 10s, "; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// Two nodes, both near to full: the one that just passed its limit is said to
// be degraded, and goes on to take what levels the farm.
func TestFullOfConnectionsAlone(t *testing.T) {
	w := newTeller(t, "mx2")
	w.r.Ramp = 0
	w.own = Measure{Limit: 4000, Connections: 4010}
	w.nodes[0].Limit, w.nodes[0].Connections = 4000, 4000
	if got := shares(w.pass(10 * time.Second)); got != "mx1 0.344 connections, mx2 0.656" {
		t.Error(got)
	}
	w.own.Queues = []Queue{{Depth: 800, Limit: 1000}}
	if got := shares(w.pass(10 * time.Second)); got != "mx1 0.005 queue, mx2 0.995" {
		t.Error(got)
	}
}
