// Package page draws a report as one HTML page that needs nothing but itself: it
// can be sent by mail, opened from a disk, and read without script, which only
// adds zooming.
//
// Start with [Write].
package page

import (
	"bufio"
	"embed"
	"html/template"
	"io"
	"strings"

	"evenkeel/agent/diagnose"
)

//go:embed web
var files embed.FS

// About is what a page says of itself and of what was read for it.
type About struct {
	Files    int64
	Bytes    int64 // before decompression, as they are on disk
	Rows     int64 // that were understood
	Rejected int64 // rows that were not
	Version  string
}

// Write writes r as a page. The same r and about give the same bytes. Whatever
// stands in a log is shown as text, with characters that would hide or reorder
// it made visible. The only errors are those of w.
func Write(w io.Writer, r diagnose.Report, about About) error {
	t, err := template.ParseFS(files, "web/*")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := t.ExecuteTemplate(out, "page.html", viewOf(r, about)); err != nil {
		return err
	}
	return out.Flush()
}

// A view is the whole page in the order of its template.
type view struct {
	Title, Lead string
	Fine        bool // nothing was found
	Facts       []string
	Rejected    string    // empty where every row was understood
	Findings    []finding // above the timeline
	Timeline    *timeline // nil where nothing has a time
	Others      []finding // below it
	Clear       []string
	Blind       []string
	Version     string
}

func viewOf(r diagnose.Report, about About) view {
	a := axisOf(r)
	all, t := findings(r, a), timelineOf(r, a)
	n := above(len(all), t)
	return view{
		Title: title(a), Lead: lead(r), Fine: len(r.Findings) == 0, Facts: facts(r, about, a), Rejected: rejected(about),
		Findings: all[:n], Timeline: t, Others: all[n:],
		Clear: visibles(r.Clear), Blind: visibles(r.Blind), Version: visible(about.Version),
	}
}

// fewNodes is the most nodes whose timeline stands between the first finding and
// the others: a longer one would hide them.
const fewNodes = 4

// above is how many findings stand above the timeline.
func above(findings int, t *timeline) int {
	if t == nil || len(t.Figures) > fewNodes {
		return findings
	}
	return min(1, findings)
}

// title is the days that the logs are of.
func title(a axis) string {
	if a.empty() {
		return "Diagnosis"
	}
	return "Diagnosis of " + days(a.from, a.to.Add(-1)) // midnight is no day yet
}

// lead is the answer in a sentence.
func lead(r diagnose.Report) string {
	switch len(r.Findings) {
	case 0:
		return "Nothing wrong was found."
	case 1:
		return visible(r.Findings[0].Title)
	}
	return numbered(int64(len(r.Findings)), "finding") + ". The worst: " + visible(r.Findings[0].Title)
}

// facts are what was read, in a few words each.
func facts(r diagnose.Report, about About, a axis) []string {
	out := []string{numbered(about.Files, "file"), size(about.Bytes), numbered(about.Rows, "row")}
	if !a.empty() {
		out = append(out, between(a.from, a.to)+" UTC")
	}
	if len(r.Nodes) > 0 {
		names := make([]string, len(r.Nodes))
		for i, c := range r.Nodes {
			names[i] = visible(c.Node)
		}
		out = append(out, numbered(int64(len(names)), "node")+": "+strings.Join(names, ", "))
	}
	return out
}

func rejected(about About) string {
	if about.Rejected <= 0 {
		return ""
	}
	return numbered(about.Rejected, "row") + " not understood"
}
