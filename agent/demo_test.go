package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"evenkeel/agent/dashboard"
)

func TestImbalance(t *testing.T) {
	node := func(state string, ramp, load float64) dashboard.Node {
		return dashboard.Node{State: state, RampSeconds: ramp, Utilisation: &load}
	}
	silent := dashboard.Node{State: "up", RampSeconds: 60}
	for _, c := range []struct {
		promise string
		nodes   []dashboard.Node
		want    string
	}{
		{"no node", nil, "-"},
		{"one node has nobody to be even with", []dashboard.Node{node("up", 60, 0.5)}, "-"},
		{"fullest less emptiest", []dashboard.Node{node("up", 60, 0.5), node("up", 60, 0.75), node("up", 60, 0.25)}, "0.500"},
		{"who is not up does not count", []dashboard.Node{node("up", 60, 0.5), node("degraded", 60, 1)}, "-"},
		{"nor who is still ramping", []dashboard.Node{node("up", 60, 0.5), node("up", 9.9, 0)}, "-"},
		{"nor who is not measured", []dashboard.Node{node("up", 60, 0.5), silent}, "-"},
	} {
		if got := ratio(imbalance(c.nodes, settled)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.promise, got, c.want)
		}
	}
}

// The slow node is slow once in each cycle, for a tenth of it; a short demo is
// one cycle, so that it shows what happens too.
func TestTheStall(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		want   string
	}{
		{0, "7.5s to 13.5s, 1m7.5s to 1m13.5s"},
		{2 * time.Minute, "7.5s to 13.5s, 1m7.5s to 1m13.5s"},
		{20 * time.Second, "2.5s to 4.5s, 22.5s to 24.5s"},
	} {
		f := demoFlags{length: c.length}
		cycle, _, _ := f.stall()
		var got string
		for at, was := time.Duration(0), false; at < 2*cycle; at += 100 * time.Millisecond {
			switch is := f.stalled(at); {
			case is && !was && got == "":
				got, was = fmt.Sprint(at), is
			case is && !was:
				got, was = got+fmt.Sprint(", ", at), is
			case !is && was:
				got, was = got+fmt.Sprint(" to ", at), is
			}
		}
		if got != c.want {
			t.Errorf("a demo of %v stalls %s, want %s", c.length, got, c.want)
		}
	}
}

// The limits of a farm are 1:1:2, and its clients fill them to a known part.
func TestDemoLimitsFitTheClients(t *testing.T) {
	f := demoFlags{nodes: 3, clients: 1200}
	sum := 0
	for i := range f.nodes {
		m, err := newMachine(f, i, 0)
		if err != nil {
			t.Skipf("this system has no %v: %v", m.addr, err)
		}
		m.listener.Close()
		sum += m.limit
		if want := []int{500, 500, 1000}[i]; m.limit != want {
			t.Errorf("node %d has a limit of %d, want %d", i, m.limit, want)
		}
		if stalls := m.server.Stalled != nil; stalls != (i == 1) {
			t.Errorf("node %d stalls: %v; only the second one should", i, stalls)
		}
	}
	if got := float64(f.clients) / float64(sum); math.Abs(got-demoFill) > 0.01 {
		t.Errorf("the clients fill %.2f of the farm, want %v", got, demoFill)
	}
}
