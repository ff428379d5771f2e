package page

import (
	"math"
	"strconv"
	"strings"
	"time"

	"evenkeel/agent/diagnose"
)

// firstLines is how many lines of evidence of the first finding are shown before
// the others are folded away. All of the others' are.
const firstLines = 3

// A finding is a finding as the template wants it.
type finding struct {
	Number         int
	Kind, Title    string
	Grave          string // bad, warn or note
	Confidence     string // in words
	Percent        string // the same as a number
	When, Lasting  string // empty where it has no time
	Range          string // the part of the address that shows it with a margin
	From, To       int64  // milliseconds since 1970
	Strip          bool   // a small picture of the whole time shows it
	Left, Width    float64
	Nodes          []string
	Minutes        string // empty where nobody was refused
	Advice         string
	Evidence, More []line
	Details        []string
}

// A line is a piece of evidence.
type line struct{ Where, Text string }

func findings(r diagnose.Report, a axis) []finding {
	out, open := make([]finding, len(r.Findings)), firstLines
	for i, f := range r.Findings {
		out[i] = finding{
			Number: i + 1, Kind: visible(string(f.Kind)), Title: visible(f.Title), Grave: grave(f.Kind),
			Confidence: confidence(f.Confidence), Percent: percent(f.Confidence), Nodes: visibles(f.Nodes),
			Minutes: minutes(f.Minutes), Advice: visible(f.Advice), Details: visibles(f.Details),
		}
		out[i].lines(f.Evidence, open)
		out[i].times(f, a)
		out[i].Strip = out[i].When != "" && len(r.Nodes) > 0
		open = 0
	}
	return out
}

func (f *finding) lines(evidence []diagnose.Evidence, open int) {
	all := make([]line, len(evidence))
	for i, e := range evidence {
		all[i] = line{visible(e.File) + ":" + strconv.FormatInt(e.Line, 10), visible(e.Text)}
	}
	n := min(open, len(all))
	f.Evidence, f.More = all[:n], all[n:]
}

// times says when f was, where the axis has such a time.
func (f *finding) times(of diagnose.Finding, a axis) {
	if a.empty() || of.From.IsZero() || of.To.Before(of.From) || of.From.After(a.to) || of.To.Before(a.from) {
		return
	}
	f.When = between(of.From, of.To)
	if of.To.Sub(of.From) >= time.Second {
		f.Lasting = lasting(of.To.Sub(of.From))
	}
	f.From, f.To = of.From.UnixMilli(), of.To.UnixMilli()
	f.Left, f.Width = a.place(of.From, of.To)
	margin := max(10*time.Minute, of.To.Sub(of.From)/4)
	f.Range = a.fragment(of.From.Add(-margin), of.To.Add(margin))
}

// confidence is how sure a finding is, in words that no two people read as
// differently as a number.
func confidence(c float64) string {
	switch {
	case c >= 0.95:
		return "certain"
	case c >= 0.8:
		return "very likely"
	case c >= 0.6:
		return "likely"
	case c >= 0.35:
		return "possible"
	}
	return "a suspicion"
}

func percent(c float64) string {
	if math.IsNaN(c) {
		c = 0
	}
	return strconv.Itoa(int(math.Round(100*min(max(0, c), 1)))) + " %"
}

// minutes is for how long clients were refused.
func minutes(m float64) string {
	if !(m > 0) {
		return ""
	}
	s := strings.TrimSuffix(strconv.FormatFloat(m, 'f', 1, 64), ".0")
	if m < 0.05 {
		s = "under 0.1"
	}
	return "clients refused for " + s + " min"
}

// grave sorts kinds by colour: where clients were turned away, where something
// broke or was slow, and what is only worth knowing.
func grave(k diagnose.Kind) string {
	switch k {
	case diagnose.QueueFull, diagnose.Cascade, diagnose.Stall, diagnose.PoolDown, diagnose.LockedOut, diagnose.Unavailable:
		return "bad"
	case diagnose.HiddenClients, diagnose.Code, diagnose.Monopoly, diagnose.DeletedPolicy, diagnose.Throttled:
		return "note"
	}
	return "warn"
}
