package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// markdown prints the tables, the ratios beside the medians.
func (r report) markdown(out io.Writer) error {
	r.compared()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s; afterwards %s\n\n", r.At.Format(time.DateTime), r.Machine, r.After)
	fmt.Fprintf(&b, "%d rounds of %gs. Medians; the second number of a ratio is its 95 %% interval by the order of the paired rounds (of their sums for user time; below %d rounds the range).\n", r.Rounds, r.Seconds, fewest)
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		fmt.Fprintf(&b, "%s %s; ", name, r.Versions[name])
	}
	b.WriteString("\n")
	for _, t := range r.Tables {
		r.mode(&b, t)
	}
	r.judged(&b)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// mode prints one table.
func (r report) mode(b *strings.Builder, t table) {
	fmt.Fprintf(b, "\n### %s: %s\n\n", t.Mode, t.Says)
	b.WriteString("| server | A records | rate | µs CPU | user | system | busy | q/s | p50 µs | p99 µs | lost | RSS MB | PSS MB | " +
		r.Ours + " / it: CPU | user | q/s | p99 |\n|---|" + strings.Repeat("--:|", 16) + "\n")
	for _, x := range t.Rows {
		fmt.Fprintf(b, "| %s | %.1f | %s |", x.label(), x.Addresses, x.rate())
		for _, cell := range x.cells() {
			fmt.Fprintf(b, " %s |", cell)
		}
		for _, what := range []string{figureCPU, figureUser, figureQPS, figureP99} {
			cell := ""
			if y, ok := r.ratio(t.Mode, x.Server, what); ok {
				cell = y.text()
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
}

// label is the row's name, and what it is compared to if not to ours.
func (x row) label() string {
	if x.Against == "" || x.Against == x.Server {
		return x.Server
	}
	return x.Server + " (to " + x.Against + ")"
}

// judged prints the goals.
func (r report) judged(b *strings.Builder) {
	if len(r.Goals) > 0 {
		b.WriteString("\n### goals\n\n| goal | measured | met |\n|---|--:|---|\n")
	}
	for _, g := range r.Goals {
		fmt.Fprintf(b, "| %s | %s | %s |\n", g.Goal, g.text(), g.Met)
	}
	b.WriteString("\n")
}

func (e estimate) text() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", e.Median, e.Low, e.High) }

// rate is what was asked for, in words.
func (x row) rate() string {
	for _, f := range x.Figures {
		if f.Rate > 0 {
			return fmt.Sprint(f.Rate)
		}
	}
	return "all"
}

// cells are the medians of a row, and of user and system time the means.
func (x row) cells() []string {
	var answered, lost float64
	var user, system time.Duration
	for _, f := range x.Figures {
		answered, lost = answered+float64(f.Answered), lost+float64(f.Lost+f.Errors)
		user, system = user+f.User, system+f.System
	}
	if answered == 0 {
		return slices.Repeat([]string{""}, 10)
	}
	mean := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/answered) }
	return []string{
		fmt.Sprintf("%.2f", x.median(func(f figure) float64 { return f.each(f.CPU) })), mean(user), mean(system),
		fmt.Sprintf("%.0f %%", 100*x.median(figure.busy)),
		fmt.Sprintf("%.0f", x.median(func(f figure) float64 { return f.QPS })),
		known(x.median(func(f figure) float64 { return float64(f.P50.Microseconds()) })),
		known(x.median(func(f figure) float64 { return float64(f.P99.Microseconds()) })),
		fmt.Sprintf("%.2f %%", 100*lost/(answered+lost)),
		fmt.Sprintf("%.1f", x.median(func(f figure) float64 { return float64(f.Resident) / 1e6 })),
		fmt.Sprintf("%.1f", x.median(func(f figure) float64 { return float64(f.Proportional) / 1e6 })),
	}
}

// median is that of the rounds that went well.
func (x row) median(of func(figure) float64) float64 {
	var values []float64
	for _, f := range x.Figures {
		if f.Answered > 0 {
			values = append(values, of(f))
		}
	}
	return middle(values).Median
}

// known is a figure, or nothing where dnsperf was not asked to note it.
func known(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", v)
}
