package report

import (
	"math"
	"slices"
	"strconv"
	"time"

	"evenkeel/policy/balance/sim"
)

// mostLines is how many nodes are still told apart; of more, the page shows a
// band.
const mostLines = 12

// A Course is what a page shows of a play: a line for each node or, of more
// than twelve, a band. It is a few kilobytes a node, whatever the farm's size
// no more than a few dozen in all.
type Course struct {
	every       time.Duration
	nodes       []string // of the lines; none for a band
	fill, queue []track  // lines, or the lowest, the median and the highest
	ideal       track
	refused     track // a second, rounded up
}

// A track is a number at every point: thousandths, or things a second.
type track []int

// CourseOf keeps of r what a page needs.
func CourseOf(r sim.Result) Course {
	s := r.Series
	c := Course{every: s.Every, ideal: thousandths(s.Ideal), fill: tracks(s.Fill), queue: tracks(s.Queue)}
	c.refused = make(track, len(s.Refused))
	for i, x := range s.Refused {
		c.refused[i] = int(math.Ceil(bounded(x)))
	}
	if len(s.Fill) <= mostLines {
		c.nodes = r.Nodes
	}
	return c
}

func (c Course) band() bool { return len(c.fill) > 0 && len(c.nodes) == 0 }

// points is how long c is.
func (c Course) points() int { return len(c.ideal) }

// tracks turns the values of nodes into lines, or a band.
func tracks(nodes [][]float64) []track {
	if len(nodes) > mostLines {
		nodes = band(nodes)
	}
	out := make([]track, len(nodes))
	for i, xs := range nodes {
		out[i] = thousandths(xs)
	}
	return out
}

// band is the lowest, the median and the highest of all nodes at every point.
func band(nodes [][]float64) [][]float64 {
	out := make([][]float64, 3)
	at := make([]float64, len(nodes))
	for i := range nodes[0] {
		for j := range nodes {
			at[j] = nodes[j][i]
		}
		slices.Sort(at)
		out[0], out[1], out[2] = append(out[0], at[0]), append(out[1], at[len(at)/2]), append(out[2], at[len(at)-1])
	}
	return out
}

func thousandths(xs []float64) track {
	t := make(track, len(xs))
	for i, x := range xs {
		t[i] = int(math.Round(1000 * bounded(x)))
	}
	return t
}

// bounded is x as a drawing can bear it: a number, and not below zero.
func bounded(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(0, x), 1e6)
}

func (t track) peak() int {
	if len(t) == 0 {
		return 0
	}
	return max(0, slices.Max(t))
}

// path is t as the data of an SVG path, which the page's script reads back: x
// is the number of the point, y is the value, and all but the first are
// relative. Points where nothing changes are left out.
func (t track) path() string {
	if len(t) == 0 {
		return ""
	}
	return string(t.trace(append([]byte("M0 "), strconv.Itoa(t[0])...)))
}

// trace appends the way from the first point to the last.
func (t track) trace(d []byte) []byte {
	d = append(d, 'l')
	for i, last := 1, 0; i < len(t); i++ {
		if t[i] == t[last] && i+1 < len(t) && t[i+1] == t[i] {
			continue
		}
		d = step(d, i-last, t[i]-t[last])
		last = i
	}
	if len(t) == 1 {
		d = step(d, 0, 0)
	}
	return d
}

// around is the path of what lies between low and high: there on high, and
// back on low.
func around(low, high track) string {
	if len(high) == 0 {
		return ""
	}
	d := high.trace(append([]byte("M0 "), strconv.Itoa(high[0])...))
	last := len(high) - 1
	d = step(d, 0, low[last]-high[last])
	for i := last - 1; i >= 0; i-- {
		d = step(d, -1, low[i]-low[i+1])
	}
	return string(append(d, 'z'))
}

// step appends a relative point, with a space only where two numbers would grow
// together.
func step(d []byte, dx, dy int) []byte {
	for _, n := range [...]int{dx, dy} {
		if last := d[len(d)-1]; n >= 0 && last >= '0' && last <= '9' {
			d = append(d, ' ')
		}
		d = strconv.AppendInt(d, int64(n), 10)
	}
	return d
}
