package page

import (
	"math"
	"time"

	"evenkeel/agent/diagnose"
)

// An axis is the time that all of a page is drawn in.
type axis struct{ from, to time.Time }

// mostTime is the longest axis. What a broken clock wrote further off than this
// from the first row is left out, or it would squeeze all else into one pixel.
const mostTime = 10 * 366 * 24 * time.Hour

// axisOf holds everything that has a time, to whole seconds, so that a fragment
// of the address can name its ends.
func axisOf(r diagnose.Report) axis {
	var a axis
	a.add(r.From, r.To)
	for _, c := range r.Nodes {
		a.add(c.Start, end(c))
	}
	if a.from.IsZero() {
		return axis{}
	}
	a.from = a.from.UTC().Truncate(time.Second)
	a.to = a.to.UTC().Add(time.Second - 1).Truncate(time.Second)
	if !a.to.After(a.from) {
		a.to = a.from.Add(time.Second)
	}
	return a
}

func (a *axis) add(from, to time.Time) {
	if from.IsZero() || to.Before(from) || to.Sub(from) > mostTime {
		return
	}
	if a.from.IsZero() {
		a.from, a.to = from, to
		return
	}
	low, high := a.from, a.to
	if from.Before(low) {
		low = from
	}
	if to.After(high) {
		high = to
	}
	if high.Sub(low) <= mostTime {
		a.from, a.to = low, high
	}
}

// end is when the last step of c is over; its start where it has none.
func end(c diagnose.Course) time.Time {
	if c.Step <= 0 || int64(steps(c)) > int64(mostTime/c.Step) {
		return c.Start
	}
	return c.Start.Add(time.Duration(steps(c)) * c.Step)
}

// steps is how long the longest series of c is.
func steps(c diagnose.Course) int {
	return max(len(c.Sessions), len(c.Requests), len(c.Refused), len(c.Opened), len(c.Cut))
}

func (a axis) empty() bool { return a.from.IsZero() }

func (a axis) length() time.Duration { return a.to.Sub(a.from) }

// at is where an instant is: 0 at the left edge, 100 at the right, and never
// beyond.
func (a axis) at(t time.Time) float64 {
	x := 100 * float64(t.Sub(a.from)) / float64(a.length())
	return thousandths(min(max(0, x), 100))
}

func (a axis) place(from, to time.Time) (left, width float64) {
	left = a.at(from)
	return left, thousandths(a.at(to) - left)
}

// thousandths rounds, since nobody sees more.
func thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }

// fragment is the end of an address that shows a range of a, which the script
// reads.
func (a axis) fragment(from, to time.Time) string {
	if from.Before(a.from) {
		from = a.from
	}
	if to.After(a.to) {
		to = a.to
	}
	const form = "20060102T150405Z"
	return from.UTC().Format(form) + "-" + to.UTC().Format(form)
}

// ends are the first and the last time of a, as exact as they differ.
func (a axis) ends() [2]string {
	form := "2 Jan 15:04"
	switch {
	case a.length() < 10*time.Minute:
		form = "2 Jan 15:04:05"
	case a.length() > 300*24*time.Hour:
		form = "2 Jan 2006"
	}
	return [2]string{a.from.Format(form), a.to.Format(form)}
}

// A tick is a round time on the axis.
type tick struct {
	At   float64 // per cent
	Edge string  // left or right, where its text would leave the picture
	Text string
}

// ticks are at most six steps of time, which a telephone has room for; the
// script makes more where there is more.
func (a axis) ticks() (out []tick) {
	step := a.tickStep()
	for t := a.from.Truncate(step); !t.After(a.to); t = t.Add(step) {
		if !t.Before(a.from) {
			out = append(out, tick{a.at(t), edge(a.at(t)), tickText(t, step)})
		}
	}
	return out
}

func edge(at float64) string {
	switch {
	case at < 5:
		return "left"
	case at > 95:
		return "right"
	}
	return ""
}

func (a axis) tickStep() time.Duration {
	const day = 24 * time.Hour
	for _, s := range []time.Duration{
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute,
		15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 28 * day,
	} {
		if a.length() <= 6*s {
			return s
		}
	}
	return (a.length()/6/day + 1) * day
}

func tickText(t time.Time, step time.Duration) string {
	switch {
	case step >= 24*time.Hour || t.Equal(t.Truncate(24*time.Hour)):
		return t.Format("2 Jan")
	case step >= time.Minute:
		return t.Format("15:04")
	}
	return t.Format("15:04:05")
}
