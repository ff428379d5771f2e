package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/diagnose"
	"evenkeel/agent/logs"
)

// A size is that of a terminal, in characters.
type size struct{ columns, rows int }

// The least that is written for, and the widest that reads well.
const (
	leastColumns = 80
	mostColumns  = 110
	leastRows    = 24
)

// sizeOf is how much of w can be seen at once.
func sizeOf(w io.Writer) size {
	s := size{leastColumns, leastRows}
	if f, ok := w.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			s = size{min(max(columns, 40), mostColumns), max(rows, leastRows)}
		}
	}
	return s
}

// text shows the diagnosis: on one screen if it can be done, or all of it.
func (d diagnosis) text(s size, all bool) printer {
	return func(w io.Writer) error {
		lines := d.head(s)
		if all {
			lines = append(lines, d.whole(s)...)
		} else {
			lines = append(lines, d.screen(s, s.rows-len(lines)-1)...) // below it the shell asks for more
		}
		_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
		return err
	}
}

// head says what was read.
func (d diagnosis) head(s size) (out []string) {
	rate := float64(d.read.Bytes) / max(d.took.Seconds(), 1e-3)
	out = folded(s.columns, "", fmt.Sprintf("%s, %s, %s of %s (%s), read in %s, %s/s", numberOf(d.logs, "log"), d.rows(), bytesText(d.read.Bytes),
		numberOf(len(d.found.Nodes), "node"), dashboard.Plain(strings.Join(d.found.Nodes, ", ")), d.took.Round(100*time.Millisecond), bytesText(int64(rate))))
	out = append(out, spanText(d.report.From, d.report.To)+" UTC")
	var less []string
	for _, n := range []struct {
		n    int64
		what string
	}{
		{int64(d.found.Logs() - d.logs), "logs of other times, left out"},
		{int64(d.found.Passed), "files that are no logs"},
		{int64(d.found.Doubles), "logs found twice, read once"},
		{d.read.Rejected, "lines that are no rows"},
	} {
		if n.n > 0 {
			less = append(less, n.what+": "+grouped(n.n))
		}
	}
	if len(less) > 0 {
		out = append(out, folded(s.columns, "", strings.Join(less, "; "))...)
	}
	return append(out, d.faultLines(s)...)
}

// rows says how many were read, and how many of them are within the times that were
// asked for.
func (d diagnosis) rows() string {
	all := grouped(d.read.Rows) + " rows"
	if d.read.Rows == 1 {
		all = "1 row"
	}
	if d.report.Rows < d.read.Rows {
		all += " (" + grouped(d.report.Rows) + " judged)"
	}
	return all
}

// faults are those of finding and of reading.
func (d diagnosis) faults() []logs.Fault {
	return slices.Concat(d.found.Faults, d.read.Faults)
}

// mostFaults are shown; who wants the rest asks for JSON.
const mostFaults = 3

func (d diagnosis) faultLines(s size) (out []string) {
	faults := d.faults()
	for i, f := range faults {
		if i == mostFaults {
			return append(out, fmt.Sprintf("not read: %d more (--json has all)", len(faults)-i))
		}
		out = append(out, folded(s.columns, "", dashboard.Plain(fmt.Sprintf("not read, or not to its end: %s: %v", f.Name, f.Err)))...)
	}
	return out
}

// screen shows the worst in full and the others by their titles, on so many
// lines. The worst is shown in any case.
func (d diagnosis) screen(s size, lines int) (out []string) {
	findings := d.report.Findings
	if len(findings) == 0 {
		return append([]string{"", "nothing is wrong, as far as these logs show"}, d.looked(s)...)
	}
	last := []string{"", d.more()}
	lines -= len(last)
	for i, f := range findings {
		block := append([]string{""}, inShort(s, i+1, f)...)
		left := len(findings) - i - 1
		if i > 0 && len(out)+len(block)+left > lines {
			return append(append(out, titles(s, findings[i:], i+1, lines-len(out))...), last...)
		}
		out = append(out, block...)
	}
	return append(out, last...)
}

// titles are findings without the rest: whole where there is room for all, else
// a line each.
func titles(s size, findings []diagnose.Finding, number, lines int) (out []string) {
	out = append(out, "")
	for i, f := range findings {
		out = append(out, numbered(s, number+i, f.Title)...)
	}
	if len(out) <= lines {
		return out
	}
	return clippedTitles(s, findings, number, lines)
}

func clippedTitles(s size, findings []diagnose.Finding, number, lines int) (out []string) {
	for i, f := range findings {
		if left := len(findings) - i; i >= max(lines-1, 0) && left > 1 {
			return append(out, fmt.Sprintf("    and %d more", left))
		}
		out = append(out, clipped(fmt.Sprintf("%2d  %s", number+i, dashboard.Plain(f.Title)), s.columns))
	}
	return out
}

// more says what -v would show.
func (d diagnosis) more() string {
	lines := 0
	for _, f := range d.report.Findings {
		lines += len(f.Evidence)
	}
	return fmt.Sprintf("-v shows all %s, what was not found (%d) and what could not be seen (%d)", numberOf(lines, "line"), len(d.report.Clear), len(d.report.Blind))
}

// indent is where a finding's text begins, behind its number.
const indent = "    "

// inShort is a finding with one of its lines.
func inShort(s size, number int, f diagnose.Finding) []string {
	out := heading(s, number, f)
	if len(f.Evidence) > 0 {
		out = append(out, clipped(indent+"see "+lineOf(f.Evidence[0]), s.columns))
	}
	return append(out, folded(s.columns, indent, dashboard.Plain(f.Advice))...)
}

// numbered is a title behind its number.
func numbered(s size, number int, title string) []string {
	out := folded(s.columns, indent, dashboard.Plain(title))
	out[0] = fmt.Sprintf("%2d  %s", number, strings.TrimPrefix(out[0], indent))
	return out
}

func heading(s size, number int, f diagnose.Finding) []string {
	out := numbered(s, number, f.Title)
	facts := []string{spanText(f.From, f.To)}
	if len(f.Nodes) > 0 {
		facts = append(facts, dashboard.Plain(strings.Join(f.Nodes, ", ")))
	}
	if f.Minutes > 0 {
		facts = append(facts, fmt.Sprintf("%.1f min of refusals", f.Minutes))
	}
	return append(out, folded(s.columns, indent, strings.Join(append(facts, sureness(f.Confidence)), "; "))...)
}

// lineOf is where a line is; the name of a file may be anything.
func lineOf(e diagnose.Evidence) string { return fmt.Sprintf("%s:%d", dashboard.Plain(e.File), e.Line) }

// sureness is a confidence in words.
func sureness(c float64) string {
	switch {
	case c >= 0.95:
		return "almost certain"
	case c >= 0.8:
		return "very likely"
	case c >= 0.6:
		return "likely"
	case c >= 0.4:
		return "possible"
	}
	return "uncertain"
}

// whole shows all there is.
func (d diagnosis) whole(s size) (out []string) {
	for i, f := range d.report.Findings {
		out = append(append(out, ""), heading(s, i+1, f)...)
		for _, detail := range f.Details {
			out = append(out, folded(s.columns, indent, dashboard.Plain(detail))...)
		}
		out = append(out, folded(s.columns, indent, "do: "+dashboard.Plain(f.Advice))...)
		for _, e := range f.Evidence {
			out = append(out, indent+lineOf(e), indent+"  "+dashboard.Plain(e.Text))
		}
	}
	if len(d.report.Findings) == 0 {
		out = append(out, "", "nothing is wrong, as far as these logs show")
	}
	out = append(out, d.topLines(s)...)
	out = append(out, d.looked(s)...)
	if len(d.read.Rejects) > 0 {
		out = append(out, "", "lines that are no rows:")
	}
	for _, r := range d.read.Rejects {
		out = append(out, fmt.Sprintf("  %s:%d: %s, the first for %s", dashboard.Plain(r.Name), r.First, numberOf(int(r.Lines), "line"), r.Why))
	}
	return out
}

// looked says what was looked for, and what could not be.
func (d diagnosis) looked(s size) (out []string) {
	for _, part := range []struct {
		title string
		lines []string
	}{{"not found:", d.report.Clear}, {"could not be seen:", d.report.Blind}} {
		if len(part.lines) > 0 {
			out = append(out, "", part.title)
		}
		for _, line := range part.lines {
			block := folded(s.columns, "  ", dashboard.Plain(line))
			block[0] = "- " + strings.TrimPrefix(block[0], "  ")
			out = append(out, block...)
		}
	}
	return out
}
