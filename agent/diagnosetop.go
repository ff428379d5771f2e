package main

import (
	"fmt"
	"time"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/diagnose"
)

type (
	jsonTop struct {
		Users    []jsonLoad `json:"users"`
		Clients  []jsonLoad `json:"clients"`
		Agents   []jsonLoad `json:"agents"`
		Monitors []jsonLoad `json:"monitors"`
	}
	jsonLoad struct {
		Name     string  `json:"name"`
		Requests int64   `json:"requests"`
		Share    float64 `json:"share"`
		Seconds  float64 `json:"seconds"`
	}
)

func topJSON(t diagnose.Top) jsonTop {
	return jsonTop{loadsJSON(t.Users), loadsJSON(t.Clients), loadsJSON(t.Agents), loadsJSON(t.Monitors)}
}

func loadsJSON(loads []diagnose.Load) []jsonLoad {
	out := []jsonLoad{} // never null
	for _, l := range loads {
		out = append(out, jsonLoad{l.Name, l.Requests, l.Share, l.Took.Seconds()})
	}
	return out
}

// topLines are who asked for most.
func (d diagnosis) topLines(s size) (out []string) {
	t := d.report.Top
	for _, part := range []struct {
		title string
		loads []diagnose.Load
	}{{"users who asked for most:", t.Users}, {"addresses that asked for most:", t.Clients}, {"software that asked for most:", t.Agents}, {"monitors, which are no clients:", t.Monitors}} {
		if len(part.loads) > 0 {
			out = append(out, "", part.title)
		}
		for _, l := range part.loads {
			out = append(out, clipped(fmt.Sprintf("  %11s  %5.1f %%  %9s  %s", grouped(l.Requests), 100*l.Share, l.Took.Round(time.Second), dashboard.Plain(l.Name)), s.columns))
		}
	}
	return out
}
