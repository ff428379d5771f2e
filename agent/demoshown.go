package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/demo"
)

// A demoLine is one second of the demo.
type demoLine struct {
	T         float64          `json:"t"` // seconds since the start
	Nodes     []dashboard.Node `json:"nodes"`
	Imbalance *float64         `json:"imbalance"` // max − min utilisation of the nodes up and past their ramp; null with fewer than two
	Spread    *float64         `json:"spread"`    // the same of all nodes
	Clients   demo.Counts      `json:"clients"`
}

// show tells once a second what the first agent sees: in place on a terminal,
// where the last picture stays at the end, else one below the other.
func (d *demoFarm) show(ctx context.Context, stdout io.Writer) {
	last := ""
	tell := func(text string) { io.WriteString(stdout, text) }
	if terminal, ok := screenOf(stdout); ok && !d.flags.json {
		terminal.enter()
		defer func() { terminal.leave(); io.WriteString(stdout, last) }()
		var head strings.Builder
		d.introduce(&head)
		tell = func(text string) { last = text; terminal.show(head.String() + text) }
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s, ok := d.agents[0].status(); ok {
			tell(d.picture(s))
		}
	}
}

// picture is one second of the demo, as a line for machines or for people.
func (d *demoFarm) picture(s dashboard.Status) string {
	l := demoLine{
		T: time.Since(d.began).Seconds(), Nodes: s.Nodes, Clients: d.crowd.Counts(),
		Imbalance: imbalance(s.Nodes, settled), Spread: imbalance(s.Nodes, func(dashboard.Node) bool { return true }),
	}
	var b strings.Builder
	if d.flags.json {
		json.NewEncoder(&b).Encode(l)
		return b.String()
	}
	fmt.Fprintf(&b, "\n%.0f s: max − min load %s of nodes up and past their ramp, %s of all\n", l.T, ratio(l.Imbalance), ratio(l.Spread))
	fmt.Fprintf(&b, "clients: %d connected, %d refused, %d impatient, %d of %d questions unanswered\n\n",
		l.Clients.Open, l.Clients.Refused, l.Clients.Impatient, l.Clients.Unanswered, l.Clients.Asked)
	s.Table(&b)
	return b.String()
}

// imbalance is max − min utilisation of the nodes that count, nil with fewer
// than two.
func imbalance(nodes []dashboard.Node, counts func(dashboard.Node) bool) *float64 {
	var all []float64
	for _, n := range nodes {
		if n.Utilisation != nil && counts(n) {
			all = append(all, *n.Utilisation)
		}
	}
	if len(all) < 2 {
		return nil
	}
	d := slices.Max(all) - slices.Min(all)
	return &d
}

// settled nodes are up and past their slow start.
func settled(n dashboard.Node) bool { return n.State == "up" && n.RampSeconds >= demoRamp.Seconds() }

func ratio(r *float64) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *r)
}
