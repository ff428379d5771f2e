package main

import (
	"time"

	"evenkeel/agent/diagnose"
)

// What diagnose says as JSON. The names are promises to programs.
type (
	jsonDiagnosis struct {
		Files    int           `json:"files"`
		Bytes    int64         `json:"bytes"`
		Rows     int64         `json:"rows"`
		Rejected int64         `json:"rejected"`
		From     time.Time     `json:"from"`
		To       time.Time     `json:"to"`
		Nodes    []string      `json:"nodes"`
		Findings []jsonFinding `json:"findings"`
		Clear    []string      `json:"clear"`
		Blind    []string      `json:"blind"`
		Passed   int           `json:"passed"`
		Doubles  int           `json:"doubles"`
		Rejects  []jsonReject  `json:"rejects"`
		Faults   []jsonFault   `json:"faults"`
		Seconds  float64       `json:"seconds"`
		Judged   int64         `json:"judged"` // of rows: within the times that were asked for
		Top      jsonTop       `json:"top"`
	}
	jsonFinding struct {
		Kind       diagnose.Kind  `json:"kind"`
		Title      string         `json:"title"`
		Confidence float64        `json:"confidence"`
		From       time.Time      `json:"from"`
		To         time.Time      `json:"to"`
		Minutes    float64        `json:"minutes"`
		Nodes      []string       `json:"nodes"`
		Evidence   []jsonEvidence `json:"evidence"`
		Advice     string         `json:"advice"`
		Details    []string       `json:"details"`
	}
	jsonEvidence struct {
		File string `json:"file"`
		Line int64  `json:"line"`
		Text string `json:"text"`
	}
	jsonReject struct {
		File  string `json:"file"`
		Lines int64  `json:"lines"`
		First int64  `json:"first"`
		Why   string `json:"why"`
	}
	jsonFault struct {
		File  string `json:"file"`
		Error string `json:"error"`
	}
)

func (d diagnosis) json() jsonDiagnosis {
	out := jsonDiagnosis{
		Files: d.logs, Bytes: d.read.Bytes, Rows: d.read.Rows, Rejected: d.read.Rejected,
		From: d.report.From, To: d.report.To, Nodes: listed(d.found.Nodes),
		Findings: []jsonFinding{}, Clear: listed(d.report.Clear), Blind: listed(d.report.Blind),
		Passed: d.found.Passed, Doubles: d.found.Doubles, Rejects: []jsonReject{}, Faults: []jsonFault{}, Seconds: d.took.Seconds(),
		Judged: d.report.Rows, Top: topJSON(d.report.Top),
	}
	for _, f := range d.report.Findings {
		out.Findings = append(out.Findings, findingJSON(f))
	}
	for _, r := range d.read.Rejects {
		out.Rejects = append(out.Rejects, jsonReject{r.Name, r.Lines, r.First, r.Why})
	}
	for _, f := range d.faults() {
		out.Faults = append(out.Faults, jsonFault{f.Name, f.Err.Error()})
	}
	return out
}

func findingJSON(f diagnose.Finding) jsonFinding {
	out := jsonFinding{f.Kind, f.Title, f.Confidence, f.From, f.To, f.Minutes, listed(f.Nodes), []jsonEvidence{}, f.Advice, listed(f.Details)}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, jsonEvidence{e.File, e.Line, e.Text})
	}
	return out
}

// listed is never null.
func listed(words []string) []string { return append([]string{}, words...) }
