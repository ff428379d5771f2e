package page

import (
	"fmt"
	"strings"
	"time"

	"evenkeel/agent/diagnose"
)

// A timeline is every node's course on one axis.
type timeline struct {
	From, To int64 // milliseconds since 1970
	When     string
	Ends     [2]string // of the strip
	Ticks    []tick
	Grid     string // path of the ticks
	Strip    []mark // the sessions of every node and what was refused, small
	Columns  int    // of every picture
	Figures  []figure
}

// A mark is a line of the strip.
type mark struct{ Kind, Path string }

// A figure is one node's.
type figure struct {
	Node  string
	Start int64   // milliseconds since 1970
	Step  float64 // milliseconds
	Plots []plot
	Lanes []lane
}

// A plot is one quantity of a node.
type plot struct {
	Kind   string // its name in markup and style
	Name   string
	Line   bool   // a level, drawn with its lows; else a count, drawn as its highs
	Peak   string // the highest value, and that it is that
	Top    string // the value at the upper edge; empty where no node has any
	Path   string
	Values string // packed, see pack
	Length int
}

// A quantity is what a plot is of.
type quantity struct {
	kind string
	line bool
	of   func(diagnose.Course) []float64
}

// quantities are those of every node, in the order of the page.
func quantities() []quantity {
	return []quantity{
		{"sessions", true, func(c diagnose.Course) []float64 { return c.Sessions }},
		{"requests", true, func(c diagnose.Course) []float64 { return c.Requests }},
		{"refused", false, func(c diagnose.Course) []float64 { return c.Refused }},
		{"opened", false, func(c diagnose.Course) []float64 { return c.Opened }},
		{"cut", false, func(c diagnose.Course) []float64 { return c.Cut }},
	}
}

// columns is the width of the static pictures, and stripColumns that of the
// strip: a browser stretches both to what there is.
const (
	columns      = 600
	stripColumns = 300
)

// timelineOf draws every course that has steps. All nodes have the same scale,
// or they could not be compared.
func timelineOf(r diagnose.Report, a axis) *timeline {
	if a.empty() || len(r.Nodes) == 0 {
		return nil
	}
	t := &timeline{From: a.from.UnixMilli(), To: a.to.UnixMilli(), When: between(a.from, a.to), Ends: a.ends(), Ticks: a.ticks(), Columns: columns}
	var grid strings.Builder
	for _, k := range t.Ticks {
		fmt.Fprintf(&grid, "M%g 0v1", k.At)
	}
	t.Grid = grid.String()
	for _, c := range r.Nodes {
		t.Figures = append(t.Figures, figure{
			Node: visible(c.Node), Start: c.Start.UnixMilli(), Step: float64(c.Step) / float64(time.Millisecond), Lanes: lanes(c.Spans, a),
		})
	}
	for _, q := range quantities() {
		t.draw(q, r.Nodes, a)
	}
	return t
}

// draw adds a quantity to every figure, and to the strip where it belongs there.
func (t *timeline) draw(q quantity, nodes []diagnose.Course, a axis) {
	all, most := make([][]int64, len(nodes)), int64(unknown)
	for i, c := range nodes {
		all[i] = whole(q.of(c))
		most = max(most, peak(all[i]))
	}
	top, word := ceiling(most), ""
	if most != unknown {
		word = grouped(top)
	}
	for i, c := range nodes {
		s := series{all[i], c.Start, c.Step}
		low, high := s.reduce(a, columns)
		t.Figures[i].Plots = append(t.Figures[i].Plots, plot{
			Kind: q.kind, Name: q.name(c.Step), Line: q.line, Peak: shown(all[i]), Top: word,
			Path: new(pen).outline(low, high, top, q.line), Values: pack(all[i]), Length: len(all[i]),
		})
		if q.kind == "sessions" || q.kind == "refused" {
			_, high := s.reduce(a, stripColumns)
			m := mark{q.kind, (&pen{open: q.line}).outline(high, high, top, q.line)}
			t.Strip = append([]mark{m}, t.Strip...) // what was refused is beneath
		}
	}
}

// name says of a count in which time it is.
func (q quantity) name(step time.Duration) string {
	if q.kind == "sessions" || step <= 0 {
		return q.kind
	}
	if step%time.Second != 0 {
		return q.kind + " / " + step.String()
	}
	return q.kind + " / " + lasting(step)
}

// shown is the peak of a series, or that there is none.
func shown(vs []int64) string {
	if p := peak(vs); p >= 0 {
		return "max " + grouped(p)
	}
	return "unknown"
}
