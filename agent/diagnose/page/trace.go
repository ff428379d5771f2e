package page

import (
	"math"
	"strconv"
	"time"
)

// unknown stands in the place of a value that cannot be told.
const unknown = -1

// whole is vs in whole numbers. What is above zero is one at least, or it would
// not be seen.
func whole(vs []float64) []int64 {
	out := make([]int64, len(vs))
	for i, v := range vs {
		switch {
		case math.IsNaN(v) || v < 0:
			out[i] = unknown
		case v > 0:
			out[i] = int64(max(1, math.Round(min(v, 1e9))))
		}
	}
	return out
}

// peak is the highest of vs; unknown where none is known.
func peak(vs []int64) int64 {
	most := int64(unknown)
	for _, v := range vs {
		most = max(most, v)
	}
	return most
}

// ceiling is the round number at or above v that stands at the upper edge.
func ceiling(v int64) int64 {
	unit := int64(1)
	for v > 20*unit {
		unit *= 10
	}
	if v > 10*unit && unit > 1 {
		return (v + unit - 1) / unit * unit
	}
	half := max(1, unit/2)
	return max(1, (v+half-1)/half*half)
}

// A series is a quantity of one node, in steps of time.
type series struct {
	values []int64
	start  time.Time
	step   time.Duration
}

// reduce is the lowest and the highest known value in every column of a picture
// of a; unknown where there is none. A value is never lost between columns.
func (s series) reduce(a axis, columns int) (low, high []int64) {
	low, high = make([]int64, columns), make([]int64, columns)
	first := float64(a.from.Sub(s.start)) / float64(max(1, s.step))
	each := float64(a.length()) / float64(max(1, s.step)) / float64(columns)
	for c := range columns {
		from, to := first+float64(c)*each, first+float64(c+1)*each
		low[c], high[c] = s.span(int(math.Floor(from+1e-9)), int(math.Ceil(to-1e-9)))
	}
	return low, high
}

// span is the lowest and the highest known value of steps from ≤ i < to.
func (s series) span(from, to int) (low, high int64) {
	low, high = unknown, unknown
	if s.step <= 0 {
		return low, high
	}
	for i := max(0, from); i < min(to, len(s.values)); i++ {
		v := s.values[i]
		if v == unknown {
			continue
		}
		if low == unknown || v < low {
			low = v
		}
		high = max(high, v)
	}
	return low, high
}

// A pen writes the path of a silhouette in steps: x is a column, y runs from 0,
// which is top, to 100, the ground.
type pen struct {
	open bool // it draws the upper edge alone
	d    []byte
	y    int
	rest int // columns at y that are not written yet
	down bool
}

// outline is the path of a series: what lies between the ground and its highs,
// and of a line the lows as well, so that a dense line is a band. It is empty
// where nothing is known, and where a count is zero.
func (p *pen) outline(low, high []int64, top int64, line bool) string {
	for c, h := range high {
		if h == unknown || h == 0 && !line {
			p.lift()
			continue
		}
		near, far := level(h, top), level(h, top)
		if l := level(low[c], top); line && abs(p.y-l) < abs(p.y-near) {
			near = l
		} else if line {
			far = l
		}
		p.lower(c, near)
		p.to(near)
		p.to(far)
		p.rest++
	}
	p.lift()
	return string(p.d)
}

// lower begins a piece at column c, if none is begun.
func (p *pen) lower(c, y int) {
	if p.down {
		return
	}
	p.y, p.down = 100, true
	if p.open {
		p.y = y
	}
	p.d = strconv.AppendInt(append(p.d, 'M'), int64(c), 10)
	p.d = strconv.AppendInt(append(p.d, ' '), int64(p.y), 10)
}

// level is where v is drawn. What is above zero is seen, however little it is.
func level(v, top int64) int {
	y := int(math.Round(100 - 100*float64(v)/float64(top)))
	if v > 0 {
		return min(y, 96)
	}
	return y
}

func (p *pen) to(y int) {
	if y == p.y {
		return
	}
	p.flush()
	p.d = strconv.AppendInt(append(p.d, 'V'), int64(y), 10)
	p.y = y
}

func (p *pen) flush() {
	if p.rest > 0 {
		p.d = strconv.AppendInt(append(p.d, 'h'), int64(p.rest), 10)
		p.rest = 0
	}
}

// lift ends a piece.
func (p *pen) lift() {
	if !p.down {
		return
	}
	p.flush()
	p.down = false
	if p.open {
		return
	}
	if p.y != 100 {
		p.d = append(p.d, "V100"...)
	}
	p.d = append(p.d, 'z')
}

func abs(x int) int { return max(x, -x) }
