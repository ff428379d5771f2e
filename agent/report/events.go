package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"evenkeel/policy/balance/sim"
)

// A mark is an event on a time axis.
type mark struct {
	X, Width float64 // where it begins, and how long it lasts
	Text     string  // its words; empty where there is no room for them
	TextX    float64
	TextY    float64
	Anchor   string // of the text
	Title    string // all of it
}

const (
	labelRows   = 3
	labelHeight = 11.0
	labelGap    = 4.0
	perLetter   = 5.2 // the width of a letter of a label, on average and a bit more
)

// marks places the events of s on an axis. Words that would touch go to the
// next of a few rows; those that fit in none are left out, for they are in the
// list above the panels. rows is how many are used.
func (a axes) marks(events []sim.Event) (out []mark, rows int) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(x, y sim.Event) int { return cmp.Compare(x.At, y.At) })
	ends := [labelRows]float64{}
	for _, e := range events {
		m := a.mark(e)
		width := perLetter * float64(utf8.RuneCountInString(m.Text))
		from := m.X + 3
		if m.Anchor == "end" {
			from = m.X - 3 - width
		}
		row := slices.IndexFunc(ends[:], func(end float64) bool { return end <= from })
		if row < 0 {
			m.Text = ""
		} else {
			ends[row], rows = from+width+labelGap, max(rows, row+1)
		}
		m.TextY = headHeight + float64(max(0, row)+1)*labelHeight - 3
		out = append(out, m)
	}
	return out, rows
}

// mark is an event with its words beside its beginning, on the left where the
// right end of the axis is near.
func (a axes) mark(e sim.Event) mark {
	m := mark{X: a.x(e.At), Text: happens(e), Title: at(e), Anchor: "start"}
	m.Width = min(a.x(e.At+e.For), left+plotWidth) - m.X
	m.TextX = m.X + 3
	if m.TextX+perLetter*float64(utf8.RuneCountInString(m.Text)) > width {
		m.TextX, m.Anchor = m.X-3, "end"
	}
	return m
}

// happens is what an event does, and to whom, in few words.
func happens(e sim.Event) string {
	switch n := len(e.Nodes); {
	case n == 0:
		return string(e.Do)
	case n <= 2:
		return string(e.Do) + " " + strings.Join(e.Nodes, " ")
	default:
		return fmt.Sprintf("%s %s +%d", e.Do, e.Nodes[0], n-1)
	}
}

// at is all of an event in a line.
func at(e sim.Event) string {
	s := short(e.At) + ": " + string(e.Do)
	if len(e.Nodes) > 0 {
		s += " " + strings.Join(e.Nodes, ", ")
	}
	if e.For > 0 {
		s += " for " + short(e.For)
	}
	return s
}
