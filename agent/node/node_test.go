package node

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// filling is a queue that fills from 400 s on, when the slow start is over, by
// 40 places a second, stands at 950, and is empty at 500 s.
func filling(at time.Duration) queue.Sample {
	depth := 40 * int((at-400*time.Second)/time.Second)
	switch {
	case !between(at, 400*time.Second, 500*time.Second):
		return calm(at)
	case depth < 950:
		return holding(2000, depth, 40)
	}
	return holding(2000, 950, 0)
}

// The story that the agent is for: a node that fills up gets no new work before
// it is full, its probe says yes all the time, since its neighbours never gave
// leave, and it comes back slowly.
func TestQueueFills(t *testing.T) {
	l := live(t, world{sample: filling, others: neighbours}, 15*time.Minute)
	// At 400 places it will be full in 15 s, which is seen in two beats; at 720 the mark is passed.
	want := "0s 200 up -, 6m50.5s 200 degraded slope, 6m58s 200 degraded queue, 8m25s 200 up -"
	if got := l.story(probed); got != want {
		t.Errorf("balancers are told\n%s, want\n%s", got, want)
	}
	for _, c := range []struct {
		at       time.Duration
		low, top int // of a thousand answers, ex01's
	}{
		{399 * time.Second, 320, 350}, // a third
		{440 * time.Second, 2, 5},     // its floor: a hundredth of its fair share
		{506 * time.Second, 60, 75},   // the slow start begins with a tenth of twice the fair share
		{810 * time.Second, 320, 350}, // and is over
	} {
		if got := answers(l.at(c.at)); got["ex01"] < c.low || got["ex01"] > c.top || got["ex01"]+got["ex02"]+got["ex03"] != askers {
			t.Errorf("at %v DNS answers %v, want ex01 within %d..%d", c.at, got, c.low, c.top)
		}
	}
}

// A node alone in the world never fails for load, and is always answered.
func TestAlwaysAnAnswer(t *testing.T) {
	l := live(t, world{sample: func(time.Duration) queue.Sample { return holding(9000, 1001, 0) }}, time.Minute)
	if got, want := l.story(probed), "0s 200 degraded queue"; got != want {
		t.Errorf("balancers are told %s, want %s", got, want)
	}
	for _, m := range l.shown {
		if got := answers(m); got["ex01"] != askers {
			t.Fatalf("at %v DNS answers %v, want ex01 always", m.at, got)
		}
	}
}

func TestSourcesComeAndGo(t *testing.T) {
	hit := func(at time.Duration) bool { return between(at, 6*time.Minute, 7*time.Minute) }
	blind := func(at time.Duration) queue.Sample {
		s := calm(at)
		s.Queues[0].Refused = 40
		if hit(at) {
			s = queue.Sample{Sources: s.Sources, Faults: []queue.Fault{{Source: "listener", Err: errors.New("it hangs")}}}
		}
		return s
	}
	l := live(t, world{sample: blind, others: neighbours}, 10*time.Minute)
	// And 40 refusals of an hour ago, read again, are nobody refused just now.
	if got, want := l.story(probed), "0s 200 up -, 6m0s 200 unknown blind, 7m0s 200 up -"; got != want {
		t.Errorf("balancers are told %s, want %s", got, want)
	}
	load := func(m moment) string { return fmt.Sprint(m.report.Load) }
	if got, want := l.story(load), "0s 0.5, 6m0s NaN, 7m0s 0.5"; got != want {
		t.Errorf("the load is %s, want %s", got, want)
	}
	if got := answers(l.at(390 * time.Second)); got["ex01"] < 320 || got["ex01"] > 350 {
		t.Errorf("blind, it gets %v, want its capacity's third", got)
	}
	for _, line := range []string{"source cannot be read", "source read again"} {
		if n := strings.Count(l.log, line); n != 1 {
			t.Errorf("%q is said %d times, want once", line, n)
		}
	}
}

// Who leaves does not wait for the next beat.
func TestDrainIsAtOnce(t *testing.T) {
	const when = 10*time.Second + 123*time.Millisecond
	l := live(t, world{sample: calm, others: neighbours, drain: when}, time.Minute)
	if got, want := l.story(probed), "0s 200 up -, 10.123s 200 draining drain"; got != want {
		t.Errorf("balancers are told %s, want %s", got, want)
	}
	if got := answers(l.at(when)); got["ex01"] != 0 || got["ex02"] < 490 {
		t.Errorf("DNS answers %v, want the others half each", got)
	}
	at := func(f telling) bool { return f.at == when && f.fact.Status == balance.Draining }
	if n := tellings(l.facts, at); n != 1 {
		t.Errorf("the farm is told %d times at once, want once", n)
	}
}

// Drain before Run is for an agent that is told to stop while it starts.
func TestDrainBeforeRun(t *testing.T) {
	var l life
	l.start = epoch
	n := l.node(t, world{sample: calm}, &bytes.Buffer{})
	n.Drain(-1)
	n.beat(epoch, memory{})
	if got, want := l.shown[0].report.State.String(), "draining"; got != want {
		t.Errorf("the first beat is %s, want %s", got, want)
	}
}

// An hour with one bad quarter: what changed is said when it changes, and the
// 7200 beats say nothing else.
func TestLogHasOnlyChanges(t *testing.T) {
	l := live(t, world{others: neighbours, sample: func(at time.Duration) queue.Sample {
		if between(at, 20*time.Minute, 35*time.Minute) {
			return holding(2000, 800, 0)
		}
		return calm(at)
	}}, time.Hour)
	want := `level=INFO msg="node changed" node=ex01 from=- to=up why=ramp share=0.067
level=INFO msg="node changed" node=ex02 from=- to=up why=- share=0.467
level=INFO msg="node changed" node=ex03 from=- to=up why=- share=0.467
level=WARN msg="node changed" node=ex01 from=up to=degraded why=queue share=0.003
level=INFO msg="node changed" node=ex01 from=degraded to=up why=ramp share=0.067
`
	if l.log != want {
		t.Errorf("the log of an hour is\n%s\nwant\n%s", l.log, want)
	}
}

// A table that DNS refuses changes nothing, and is said once.
func TestRefusedTable(t *testing.T) {
	l := live(t, world{sample: calm, zone: "mail..test."}, time.Minute)
	if len(l.tables) != 0 || strings.Count(l.log, "dns table refused") != 1 {
		t.Errorf("%d tables were published, and the log is\n%s", len(l.tables), l.log)
	}
	if got, want := l.story(probed), "0s 200 up -"; got != want {
		t.Errorf("balancers are told %s, want %s", got, want)
	}
}

// One neighbour that cannot be understood does not take the others' answers
// away: neither by a name that has no place in the zone, nor by its bytes.
func TestStrangeNeighbour(t *testing.T) {
	for _, strange := range []func(*Heard){
		func(h *Heard) { h.Name = "ex03.corp.test" },
		func(h *Heard) { h.Name = "EX02" },
		func(h *Heard) { h.Fact = []byte("from a later version") },
	} {
		l := live(t, world{sample: calm, others: func(at time.Duration) []Heard {
			all := neighbours(at)
			if at >= 30*time.Second {
				strange(&all[1])
			}
			return all
		}}, 400*time.Second)
		if got := answers(l.at(399 * time.Second)); got["ex01"] < 490 || got["ex02"] < 490 || got["ex03"] != 0 {
			t.Errorf("DNS answers %v, want ex01 and ex02 half each", got)
		}
		if strings.Contains(l.log, "refused") || strings.Count(l.log, "facts that cannot be read") != 1 {
			t.Errorf("the log is\n%s", l.log)
		}
	}
}

// What a balancer asked by ?max= counts for a minute.
func TestAskedLadder(t *testing.T) {
	for _, c := range []struct {
		percent int
		ago     time.Duration
		want    float64
	}{
		{0, 0, 0}, {80, 0, 0.8}, {80, 59 * time.Second, 0.8}, {80, time.Minute, 0},
	} {
		n := &Node{Asked: func() (int, time.Time) { return c.percent, epoch.Add(-c.ago) }}
		if got := n.measure(epoch, queue.Sample{}).Ladder; got != c.want {
			t.Errorf("%d %% asked %v ago: %v, want %v", c.percent, c.ago, got, c.want)
		}
	}
}

// Nothing but Local and Log need be there.
func TestBareNode(t *testing.T) {
	full := (&life{start: epoch}).node(t, world{sample: calm}, &bytes.Buffer{})
	n := &Node{Name: "ex01", Rules: rules(), Log: full.Log, Local: full.Local}
	if n.View() != nil {
		t.Error("a view before the first beat")
	}
	mem := n.beat(epoch, memory{})
	if v := n.View(); v == nil || v != mem.last || v.Plan.Own.Status != balance.Up || v.Plan.Nodes[0].Share != 1 {
		t.Errorf("the view is %+v", v)
	}
}
