package main

import (
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

// A ratio is ours to a rival, in one mode and figure.
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
		our, ok := t.row(r.Ours)
		for _, their := range t.Rows {
			if !ok || their.Server == r.Ours {
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
