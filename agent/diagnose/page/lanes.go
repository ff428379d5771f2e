package page

import (
	"cmp"
	"slices"
	"time"

	"evenkeel/agent/diagnose"
)

// A lane is a row of bars of one kind that do not overlap.
type lane struct {
	Kind  string // empty in the second lane of a kind
	Grave string
	Bars  []bar
}

// A bar is a span as it is drawn.
type bar struct {
	Left, Width float64
	From, To    int64 // milliseconds since 1970
	Text, Title string
}

// mostBars is how many bars a node has of a kind: more is more than can be told
// apart and makes browsers slow, so neighbours become one.
const mostBars = 300

// mostRows is how many lanes a kind has: what overlaps more than so many becomes
// one bar with what it overlaps.
const mostRows = 4

// lanes sorts a node's spans into lanes, kinds in the order in which they are
// first seen.
func lanes(spans []diagnose.Span, a axis) (out []lane) {
	var order []diagnose.Kind
	of := map[diagnose.Kind][]diagnose.Span{}
	for _, s := range spans {
		if s.To.Before(s.From) || s.From.After(a.to) || s.To.Before(a.from) {
			continue
		}
		if len(of[s.Kind]) == 0 {
			order = append(order, s.Kind)
		}
		of[s.Kind] = append(of[s.Kind], s)
	}
	for _, k := range order {
		for i, row := range rows(groups(of[k])) {
			l := lane{Grave: grave(k)}
			if i == 0 {
				l.Kind = visible(string(k))
			}
			for _, g := range row {
				l.Bars = append(l.Bars, g.bar(a))
			}
			out = append(out, l)
		}
	}
	return out
}

// A group is spans that are drawn as one bar.
type group struct {
	from, to time.Time
	n        int
	label    string // of the first
}

func (g *group) add(h group) {
	g.n += h.n
	if h.to.After(g.to) {
		g.to = h.to
	}
}

func (g group) bar(a axis) bar {
	b := bar{From: g.from.UnixMilli(), To: g.to.UnixMilli(), Text: visible(g.label)}
	if g.n > 1 {
		b.Text = grouped(int64(g.n)) + " × " + b.Text
	}
	b.Left, b.Width = a.place(g.from, g.to)
	b.Title = between(g.from, g.to) + "  " + b.Text
	return b
}

// groups joins what stands closest until there are few enough.
func groups(spans []diagnose.Span) []group {
	out := make([]group, len(spans))
	for i, s := range spans {
		out[i] = group{s.From, s.To, 1, s.Label}
	}
	slices.SortStableFunc(out, func(x, y group) int { return cmp.Or(x.from.Compare(y.from), x.to.Compare(y.to)) })
	if len(out) <= mostBars {
		return out
	}
	gaps := make([]time.Duration, len(out)-1)
	for i := range gaps {
		gaps[i] = out[i+1].from.Sub(out[i].to)
	}
	slices.Sort(gaps)
	near := gaps[len(out)-mostBars]
	joined := out[:1]
	for _, g := range out[1:] {
		if last := &joined[len(joined)-1]; g.from.Sub(last.to) <= near {
			last.add(g)
			continue
		}
		joined = append(joined, g)
	}
	return joined
}

// rows deals groups to as few rows as they need to stand apart.
func rows(gs []group) (out [][]group) {
next:
	for _, g := range gs {
		for i, row := range out {
			if !g.from.Before(row[len(row)-1].to) {
				out[i] = append(row, g)
				continue next
			}
		}
		if len(out) < mostRows {
			out = append(out, []group{g})
			continue
		}
		last := out[mostRows-1]
		last[len(last)-1].add(g)
	}
	return out
}
