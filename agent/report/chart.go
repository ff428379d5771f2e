package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"evenkeel/policy/balance/sim"
)

// Measures of a panel, in the units of its viewBox, which are about pixels.
const (
	width       = 420.0
	left        = 30.0
	plotWidth   = width - left - 8
	fillHeight  = 150.0
	gap         = 25.0 // between the plots; the marks of what was refused are in it
	queueHeight = 40.0
	footHeight  = 16.0
	headHeight  = 14.0 // the name of the upper plot
	mostFill    = 2000 // thousandths; what is above leaves the plot, and its peak is written
)

// axes are what all panels of a page have in common, so that they can be
// compared.
type axes struct {
	length time.Duration
	points int
	top    int // thousandths of connections/limit at the upper edge
	events []sim.Event
}

// newAxes makes room for every play.
func newAxes(s Simulation) axes {
	a := axes{length: s.Scenario.For, points: 1, top: 1050, events: s.Scenario.Events}
	for _, p := range s.Plays {
		a.points = max(a.points, p.Course.points())
		for _, t := range append(slices.Clone(p.Course.fill), p.Course.ideal) {
			a.top = max(a.top, t.peak())
		}
	}
	a.top = min(mostFill, (a.top+99)/100*100)
	return a
}

// x is where an instant is.
func (a axes) x(at time.Duration) float64 {
	return tenths(left + plotWidth*float64(at)/float64(a.length))
}

// tenths rounds, since nobody sees more.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }

// A panel is one play, drawn. All positions are ready for the template.
type panel struct {
	Height          float64
	Fill, Queue     plot
	Ticks           []tick // of time
	Marks           []mark
	Refused         string // path of the points at which somebody was
	RefusedTo       string // from points
	RefusedAt       string // point and number a second, by turns
	Step            string // x of a point's number: scale and offset
	Seconds, Points int    // of a point, and how many there are
	Over            string // the peak, where it left the plot
}

// A plot is a rectangle with lines in it.
type plot struct {
	Y, Height float64
	Transform string // from points and thousandths
	Ticks     []tick // of values
	Limit     float64
	Lines     []curve
	Band      string
	Ideal     string
}

// A curve is a line of a plot.
type curve struct {
	Name  string
	Color int // of the palette
	Dash  bool
	Path  string
}

// A tick is a place on an axis, and its word.
type tick struct {
	At   float64
	Text string
}

// panel draws a course.
func (a axes) panel(c Course) panel {
	marks, rows := a.marks(a.events)
	top := headHeight + float64(rows)*labelHeight
	p := panel{Marks: marks, Ticks: a.times(), Seconds: int(c.every.Seconds()), Points: c.points()}
	p.Fill = plot{Y: top, Height: fillHeight, Ticks: a.levels(top), Ideal: c.ideal.path(), Limit: height(top, 1000, a.top)}
	p.Queue = plot{Y: top + fillHeight + gap, Height: queueHeight}
	p.Queue.Ticks = []tick{{p.Queue.Y + queueHeight, "0"}, {p.Queue.Y, "1"}}
	p.Height = p.Queue.Y + queueHeight + footHeight
	p.Fill.draw(c, c.fill, a.scale(top+fillHeight, fillHeight/float64(a.top)))
	p.Queue.draw(c, c.queue, a.scale(p.Queue.Y+queueHeight, queueHeight/1000))
	p.Refused, p.RefusedAt = c.refused.marks()
	p.RefusedTo = fmt.Sprintf("translate(%g %g) scale(%.5f 1)", left, top+fillHeight+4, a.step())
	p.Step = fmt.Sprintf("%g %.5f", tenths(left+a.step()/2), a.step())
	if peak := slices.MaxFunc(append([]track{{0}}, c.fill...), func(x, y track) int { return x.peak() - y.peak() }).peak(); peak > a.top {
		p.Over = "up to " + strconv.FormatFloat(float64(peak)/1000, 'f', 1, 64)
	}
	return p
}

// step is the width of a point.
func (a axes) step() float64 { return plotWidth / float64(a.points) }

// scale is the transform from points and values to the panel: a point is drawn
// in the middle of its time.
func (a axes) scale(bottom, perUnit float64) string {
	return fmt.Sprintf("translate(%g %g) scale(%.5f %.6f)", tenths(left+a.step()/2), bottom, a.step(), -perUnit)
}

// height is where a value is in a plot that begins at y.
func height(y float64, value, top int) float64 {
	return tenths(y + fillHeight*(1-float64(value)/float64(top)))
}

// draw adds the lines of nodes, or their band and median.
func (p *plot) draw(c Course, ts []track, transform string) {
	p.Transform = transform
	if c.band() {
		p.Band = around(ts[0], ts[2])
		p.Lines = []curve{{Name: "median", Path: ts[1].path()}}
		return
	}
	for i, t := range ts {
		p.Lines = append(p.Lines, curve{Name: c.nodes[i], Color: i % colors, Dash: i >= colors, Path: t.path()})
	}
}

// colors is the size of the palette. Node seven has the colour of node one, and
// dashes.
const colors = 6

// levels are the ticks of connections/limit.
func (a axes) levels(y float64) []tick {
	var out []tick
	for v := 0; v <= a.top; v += 500 {
		out = append(out, tick{height(y, v, a.top), strconv.FormatFloat(float64(v)/1000, 'f', 1, 64)})
	}
	return out
}

// times are the ticks of time: round, and at most six steps.
func (a axes) times() []tick {
	step := 24 * time.Hour
	for _, s := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour} {
		if a.length <= 6*s {
			step = s
			break
		}
	}
	var out []tick
	for at := time.Duration(0); at <= a.length; at += step {
		out = append(out, tick{a.x(at), short(at)})
	}
	return out
}

// marks is the points at which t is above zero, as a path of strokes, and what
// it is there.
func (t track) marks() (path, values string) {
	var d, v []byte
	for i := 0; i < len(t); i++ {
		if t[i] == 0 {
			continue
		}
		from := i
		for ; i < len(t) && t[i] > 0; i++ {
			v = fmt.Appendf(v, "%d %d ", i, t[i])
		}
		d = fmt.Appendf(d, "M%d 0h%d", from, i-from)
	}
	return string(d), string(v)
}
