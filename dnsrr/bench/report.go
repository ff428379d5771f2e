package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A report is all that was measured.
type report struct {
	At       time.Time         `json:"at"`
	Machine  string            `json:"machine"`
	After    string            `json:"machine_after"`
	Rounds   int               `json:"rounds"`
	Seconds  float64           `json:"seconds"` // of one run
	Ours     string            `json:"ours"`    // the row that others are compared to
	Versions map[string]string `json:"versions"`
	Notes    []string          `json:"notes"`
	Tables   []table           `json:"tables"`
	Ratios   []ratio           `json:"ratios"`
	Goals    []verdict         `json:"goals"`
}

// A ratio is ours to a rival, in one mode and figure; or what a row is held
// against to that row.
type ratio struct {
	Mode   string `json:"mode"`
	Rival  string `json:"rival"`
	Figure string `json:"figure"`
	estimate
}

// A verdict is a goal, and how it was met: "yes" or "no" where the whole
// interval says so, otherwise "likely" or "unlikely" by the median.
type verdict struct {
	Goal string `json:"goal"`
	Met  string `json:"met"`
	ratio
}

// The figures that are compared, by the words that goals use.
const (
	figureCPU  = "cpu"
	figureUser = "user"
	figureQPS  = "qps"
	figureP99  = "p99"
)

// values are those of the rounds that went well.
func (r row) values(what string) (list []float64) {
	for _, f := range r.Figures {
		if v := f.value(what); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

// value is one figure of a run, NaN where it was not measured.
func (f figure) value(what string) float64 {
	var v float64
	switch {
	case f.Answered == 0:
		return math.NaN()
	case what == figureCPU:
		return f.each(f.CPU)
	case what == figureUser:
		return f.each(f.User)
	case what == figureQPS:
		return f.QPS
	case what == figureP99:
		v = float64(f.P99) / float64(time.Microsecond)
	}
	if v == 0 {
		return math.NaN()
	}
	return v
}

// compare estimates ours to theirs. User time is known from the kernel's
// samples alone, a handful in a run, so that only its sums say something.
func compare(our, their row, what string) estimate {
	var a, b []float64
	for i := range min(len(our.Figures), len(their.Figures)) {
		x, y := our.Figures[i].value(what), their.Figures[i].value(what)
		if !math.IsNaN(x) && !math.IsNaN(y) {
			a, b = append(a, x), append(b, y)
		}
	}
	if what == figureUser {
		return pooled(a, b)
	}
	return paired(a, b)
}

// compared fills in all ratios, and the goals that can be judged.
func (r *report) compared() {
	for _, t := range r.Tables {
		for _, their := range t.Rows {
			base := cmp.Or(their.Against, r.Ours)
			our, ok := t.row(base)
			if !ok || their.Server == base {
				continue
			}
			for _, what := range []string{figureCPU, figureUser, figureQPS, figureP99} {
				if e := compare(our, their, what); e.N > 0 && e.finite() {
					r.Ratios = append(r.Ratios, ratio{t.Mode, their.Server, what, e})
				}
			}
		}
	}
	for _, g := range goals {
		if x, ok := r.ratio(g.mode, g.rival, g.figure); ok {
			r.Goals = append(r.Goals, verdict{Goal: g.text(), Met: g.met(x.estimate), ratio: x})
		}
	}
}

// enough is the share of its core that a server takes when nothing else is
// short.
const enough = 0.97

// remarks say which rows of a table are to be read with care.
func (t table) remarks() (list []string) {
	for _, x := range t.Rows {
		for _, of := range []func(row) string{row.wrong, row.late, row.unsaturated} {
			if text := of(x); text != "" {
				list = append(list, fmt.Sprintf("%s, %s: %s", t.Mode, x.Server, text))
			}
		}
	}
	return list
}

// wrong tells of answers that are none.
func (x row) wrong() string {
	i := slices.IndexFunc(x.Figures, func(f figure) bool { return f.Errors > 0 })
	if i < 0 {
		return ""
	}
	f := x.Figures[i]
	return fmt.Sprintf("of %d answers of round %d %d are none: %s", f.Answered, i+1, f.Errors, f.Error)
}

// late tells that queries did not leave when they should: others had the core
// of the client.
func (x row) late() string {
	share := x.median(func(f figure) float64 { return float64(f.Late) / float64(f.Answered+f.Lost) })
	if !(share > 1-enough) { // which NaN is not
		return ""
	}
	return fmt.Sprintf("%.0f %% of the queries left late: waits are the machine's, and queries came in bursts", 100*share)
}

// unsaturated tells that a server was asked for all that it can and still was
// not at its end, and why.
func (x row) unsaturated() string {
	busy, rested := x.median(figure.busy), x.median(figure.rested)
	switch {
	case x.rate() != "all" || !(busy < enough):
		return ""
	case rested > 1-enough:
		return fmt.Sprintf("NOT saturated: %.0f %% busy, its core at rest for %.0f %%: the load was not enough, q/s are not its own", 100*busy, 100*rested)
	}
	return fmt.Sprintf("NOT saturated: %.0f %% busy, its core at rest for %.0f %%: others had it, q/s are not its own", 100*busy, 100*rested)
}

// finite reports that an estimate is a number: one of a time that was never
// seen to pass is not.
func (e estimate) finite() bool {
	return !math.IsNaN(e.Low+e.High) && !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0)
}

func (r *report) ratio(mode, rival, figure string) (ratio, bool) {
	i := slices.IndexFunc(r.Ratios, func(x ratio) bool { return x.Mode == mode && x.Rival == rival && x.Figure == figure })
	if i < 0 {
		return ratio{}, false
	}
	return r.Ratios[i], true
}

func (g goal) text() string {
	sign := "≤"
	if g.atLeast {
		sign = "≥"
	}
	return fmt.Sprintf("%s: %s %s %.2f × %s", g.mode, g.figure, sign, g.limit, g.rival)
}

// met judges an estimate by a goal.
func (g goal) met(e estimate) string {
	good := func(v float64) bool { return v <= g.limit }
	if g.atLeast {
		good = func(v float64) bool { return v >= g.limit }
	}
	switch {
	case e.sure() && good(e.Low) && good(e.High):
		return "yes"
	case e.sure() && !good(e.Low) && !good(e.High):
		return "no"
	case good(e.Median):
		return "likely"
	}
	return "unlikely"
}

// json prints everything.
func (r report) json(out io.Writer) error {
	r.compared()
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// versions asks the package manager, if there is one, what the rivals are.
func versions(ctx context.Context) map[string]string {
	found := map[string]string{}
	for _, r := range rivals {
		for _, name := range r.version {
			if out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", name).Output(); err == nil && len(out) > 0 {
				found[name] = strings.TrimSpace(string(out))
			}
		}
	}
	return found
}
