package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// courseSteps is how many steps a course has at most: more than a screen has
// points, so that one can zoom.
const courseSteps = 4000

func (f *farm) courses() (out []Course) {
	step := f.courseStep()
	for _, n := range f.nodes {
		out = append(out, f.course(n, step))
	}
	return out
}

// courseStep is the shortest step that all series have, and that is not too many.
func (f *farm) courseStep() int64 {
	step := int64(10)
	for _, n := range f.nodes {
		step = max(step, n.requests.step, n.refused.step, n.cut.step)
		if n.sessions != nil {
			step = max(step, n.sessions.arrived.step)
		}
	}
	for (f.to-f.from)/step >= courseSteps {
		step = wider(step)
	}
	return step
}

func (f *farm) course(n *node, step int64) Course {
	first := f.from / step
	steps := int(f.to/step - first + 1)
	c := Course{Node: n.name, Start: utc(first * step), Step: time.Duration(step) * time.Second}
	c.Requests, c.Refused, c.Cut = laid(&n.requests, first, steps, step), laid(&n.refused, first, steps, step), laid(&n.cut, first, steps, step)
	c.Opened, c.Sessions = make([]float64, steps), make([]float64, steps)
	if n.sessions != nil {
		c.Opened = laid(&n.sessions.arrived, first, steps, step)
	}
	for i := range c.Sessions {
		c.Sessions[i] = n.sessionsIn((first+int64(i))*step, step)
	}
	c.Spans = n.spans()
	return c
}

// laid is a series in other steps, which are as long or longer.
func laid(s *series[count], first int64, steps int, step int64) []float64 {
	out := make([]float64, steps)
	for i, x := range s.at {
		if j := (s.first+int64(i))*s.step/step - first; j >= 0 && j < int64(steps) {
			out[j] += float64(x)
		}
	}
	return out
}

// sessionsIn is how many sessions there were in a step, at most.
func (n *node) sessionsIn(sec, step int64) float64 {
	x := n.sessionsAt(sec)
	for s := sec + 60; s < sec+step; s += 60 {
		x = max(x, n.sessionsAt(s))
	}
	return x
}

// maxSpans bounds what a page must draw; the largest are kept.
const maxSpans = 500

func (n *node) spans() (out []Span) {
	for _, k := range []struct {
		class class
		kind  Kind
		least int64
		label string
	}{
		{full, QueueFull, few, "refused"},
		{down, PoolDown, few, "refused"},
		{other, Unavailable, few, "refused"},
		{answered, Unavailable, few, "answered with 503"},
		{stalled, Stall, few, "waited to the end of their time"},
		{abandoned, WorkerEnded, few, "lost"},
		{missed, ProbeFailed, flapFails, "failed"},
		{locked, LockedOut, lockedLeast, "refused"},
		{delayed, Throttled, delayedLeast, "delayed"},
	} {
		for _, name := range sortedKeys(n.runs[k.class]) {
			for _, r := range enough(n.runs[k.class][name], k.least) {
				out = append(out, Span{k.kind, utc(r.from), utc(r.to), fmt.Sprintf("%s: %s %s", label(name), num(float64(r.n)), k.label)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Span) int { return cmp.Compare(b.To.Sub(b.From), a.To.Sub(a.From)) })
	out = out[:min(len(out), maxSpans)]
	slices.SortStableFunc(out, func(a, b Span) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Label, b.Label))
	})
	return out
}

func label(name string) string {
	return plain(cmp.Or(strings.Trim(strings.ReplaceAll(name, "\x00", " "), " "), "a pool"))
}
