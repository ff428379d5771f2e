package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The queue neither loses nor invents a request: what came is served, refused or
// waits, and there are never more than there are places.
func TestQueueKeepsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := server{Node: Node{Limit: 1000, Service: rapid.Float64Range(1, 200).Draw(t, "service"), Queue: rapid.IntRange(1, 300).Draw(t, "places")}, rate: 1}
		n.Stall = Stall{At: 400, For: 5 * time.Second, Every: 20 * time.Second, Rate: rapid.Float64Range(0, 1).Draw(t, "left")}
		n.sessions = rapid.IntRange(0, 500).Draw(t, "sessions")
		rate, came, served := rapid.Float64Range(0, 2).Draw(t, "rate"), 0.0, 0.0
		for now := range instant(600) {
			before, refused := n.queue, n.refused
			in := rate * tick.Seconds() * max(0, float64(n.sessions)-n.queue)
			n.flow(now, rate)
			out := before + in - n.queue - (n.refused - refused)
			if most := n.speed(now) * tick.Seconds(); out < -1e-6 || out > most+1e-6 {
				t.Fatalf("tick %d served %.3f of at most %.3f", now, out, most)
			}
			if n.queue < 0 || n.queue > float64(n.Queue) {
				t.Fatalf("%.3f wait at %d places", n.queue, n.Queue)
			}
			came, served = came+in, served+out
		}
		if got := served + n.refused + n.queue; math.Abs(got-came) > 1e-6*max(1, came) {
			t.Fatalf("%.3f came, %.3f are accounted for", came, got)
		}
	})
}

// A session that waits asks for no more: a node that serves nothing has as many
// requests as sessions, and refuses none, where an open queue would overflow.
func TestClosedLoop(t *testing.T) {
	n := server{Node: Node{Limit: 1000, Service: 100, Queue: 200}, sessions: 150, stalled: math.MaxInt32}
	for now := range at(time.Hour) {
		n.flow(now, 0.2)
	}
	if n.queue < 149.9 || n.queue > 150 || n.refused != 0 || n.full() {
		t.Errorf("%.2f wait, %.2f refused", n.queue, n.refused)
	}
	n.sessions = 250 // more than there are places: what is too much is refused
	for now := range at(time.Minute) {
		n.flow(now, 0.2)
	}
	if !n.full() || n.refused == 0 {
		t.Errorf("%.2f wait, %.2f refused", n.queue, n.refused)
	}
}

// A client is let in with all legs of its authentication, or with none.
func TestAdmit(t *testing.T) {
	n := server{Node: Node{Limit: 100, Service: 1, Queue: 7}}
	for i, want := range []struct {
		in      bool
		queue   float64
		refused float64
	}{{true, 3, 0}, {true, 6, 0}, {false, 6, 3}, {false, 6, 6}} {
		if in := n.admit(3); in != want.in || n.queue != want.queue || n.refused != want.refused {
			t.Errorf("client %d: let in %v, queue %v, refused %v; want %v", i+1, in, n.queue, n.refused, want)
		}
	}
	if n.sessions != 2 || n.connections() != 4 || n.arrived != 4 || n.fill() != 0.04 {
		t.Errorf("%d sessions, %d connections came", n.sessions, n.arrived)
	}
}

func TestWarmStart(t *testing.T) {
	n := server{Node: Node{Service: 300, Warm: time.Minute}, born: at(time.Hour)}
	for after, want := range map[time.Duration]float64{0: 100, 30 * time.Second: 200, time.Minute: 300, time.Hour: 300} {
		if got := n.speed(at(time.Hour + after)); !agrees(got, want) {
			t.Errorf("%v after its start it serves %v, want %v", after, got, want)
		}
	}
}

// A stall of its own begins when there are too many connections, lasts, and
// comes again while there are so many. It cuts no longer one short.
func TestStall(t *testing.T) {
	n := server{Node: Node{Limit: 100, Service: 100, Queue: 1000, Stall: Stall{At: 40, For: 5 * time.Second, Every: 20 * time.Second, Rate: 0.1}}, rate: 1}
	many := func(d time.Duration) bool { return d >= 10*time.Second && d < 60*time.Second }
	stalls := func(d time.Duration) bool {
		since := (d - 10*time.Second) % (20 * time.Second)
		return many(d) && since < 5*time.Second || d >= 100*time.Second && d < 130*time.Second
	}
	for now := range at(3 * time.Minute) {
		n.sessions = 19
		if d := now.since(); many(d) || d >= 110*time.Second && d < 111*time.Second {
			n.sessions = 20
		}
		if now == at(100*time.Second) {
			n.hold(now + at(30*time.Second)) // from outside
		}
		n.flow(now, 0)
		want := 100.0
		if stalls(now.since()) {
			want = 10
		}
		if got := n.speed(now); got != want {
			t.Fatalf("%v: it serves %v, want %v", now.since(), got, want)
		}
	}
}

// A probe waits behind the queue, and nobody waits longer than a minute.
func TestWait(t *testing.T) {
	for _, c := range []struct {
		queue, service float64
		want           time.Duration
	}{{0, 100, 0}, {200, 100, 2 * time.Second}, {6000, 100, time.Minute}, {6001, 100, time.Minute}, {1, 0, time.Minute}} {
		n := server{Node: Node{Service: c.service}, queue: c.queue}
		if got := n.wait(0); got != c.want {
			t.Errorf("%v requests at %v a second: %v, want %v", c.queue, c.service, got, c.want)
		}
	}
}
