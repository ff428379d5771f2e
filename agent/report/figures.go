package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"evenkeel/policy/balance/sim"
)

// A figure is a column: one number of a result, the less the better.
type figure struct {
	head   string // at a terminal, short
	title  string // on the page
	of     func(sim.Result) float64
	show   func(float64) string
	judged bool // the least is the best; a cost that buys something is not judged
}

// figures are the columns of every table, in their order.
func figures() []figure {
	return []figure{
		{"PEAK", "peak ÷ ideal", sim.Result.PeakOverIdeal, three, true},
		{"P99", "p99 ÷ ideal", func(r sim.Result) float64 { return r.P99OverIdeal }, three, true},
		{"IMB50", "imbalance, median", func(r sim.Result) float64 { return r.ImbalanceP50 }, three, true},
		{"IMBMAX", "imbalance, most", func(r sim.Result) float64 { return r.ImbalanceMax }, three, true},
		{"REFUSED", "refused", func(r sim.Result) float64 { return r.Refused }, count, true},
		{"CASC", "cascades", func(r sim.Result) float64 { return float64(r.Cascades) }, count, true},
		{"OUTAGE", "outage, client min", func(r sim.Result) float64 { return r.Outage }, count, true},
		{"LEVEL", "level after", level, lasting, true},
		{"DNS/S", "look-ups a second", func(r sim.Result) float64 { return r.LookUps }, func(f float64) string { return fmt.Sprintf("%.2f", f) }, false},
	}
}

// words explains the columns, in as few lines as there are.
var words = [...]string{
	"imbalance: max − min connections/limit of nodes past their ramp; ideal: the least peak that any",
	"placement could give; cascade: nearly all clients of a node move, and who receives them refuses",
}

// level is the time until the farm was level again, in seconds; infinite is
// never.
func level(r sim.Result) float64 {
	if r.Level < 0 {
		return math.Inf(1)
	}
	return r.Level.Seconds()
}

// spread is what seeds made of a figure: the middle one, and the worst.
func (f figure) spread(results []sim.Result) (median, worst float64) {
	all := make([]float64, len(results))
	for i, r := range results {
		all[i] = f.of(r)
	}
	slices.Sort(all)
	return all[(len(all)-1)/2], all[len(all)-1]
}

// best is the least median of all plays. There is none where all are alike, or
// where the figure is not judged.
func (f figure) best(plays []Play) (best float64, ok bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range plays {
		median, _ := f.spread(p.Results)
		least, most = min(least, median), max(most, median)
	}
	return least, f.judged && f.show(least) != f.show(most)
}

func three(f float64) string { return fmt.Sprintf("%.3f", f) }

// count shows a number of things without a fraction; what needs more than five
// digits in thousands or millions.
func count(f float64) string {
	switch {
	case f >= 9_950_000:
		return fmt.Sprintf("%.0fM", f/1e6)
	case f >= 999_500:
		return fmt.Sprintf("%.1fM", f/1e6)
	case f >= 99_999.5:
		return fmt.Sprintf("%.0fk", f/1e3)
	}
	return fmt.Sprintf("%.0f", f)
}

func lasting(seconds float64) string {
	if math.IsInf(seconds, 1) {
		return "never"
	}
	return short(time.Duration(seconds * float64(time.Second)))
}

// short is a duration in whole seconds, without zeros at its end: 2h, 51m.
func short(d time.Duration) string {
	s := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
