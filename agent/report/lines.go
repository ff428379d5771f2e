package report

import (
	"encoding/json"
	"io"

	"evenkeel/policy/balance/sim"
)

// A line is one seed's plays, as programs read it.
type line struct {
	Scenario string    `json:"scenario"`
	Seed     uint64    `json:"seed"`
	Rules    []outcome `json:"rules"`
}

// An outcome is what came of one rule.
type outcome struct {
	Rule          string  `json:"rule"`
	PeakOverIdeal float64 `json:"peak_over_ideal"`
	P99OverIdeal  float64 `json:"p99_over_ideal"`
	ImbalanceP50  float64 `json:"imbalance_p50"`
	ImbalanceMax  float64 `json:"imbalance_max"`
	Refused       float64 `json:"refused"`
	Cascades      int     `json:"cascades"`
	Outage        float64 `json:"outage_client_minutes"`
	Level         float64 `json:"level_seconds"` // -1 is never
	LookUps       float64 `json:"dns_qps"`
}

// Lines writes one JSON object a seed, each on a line of its own.
func (s Simulation) Lines(w io.Writer) error {
	e := json.NewEncoder(w)
	for i, seed := range s.Seeds {
		l := line{Scenario: s.Scenario.Name, Seed: seed}
		for _, p := range s.Plays {
			l.Rules = append(l.Rules, outcomeOf(p.Rule.Name, p.Results[i]))
		}
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func outcomeOf(rule string, r sim.Result) outcome {
	o := outcome{
		Rule: rule, PeakOverIdeal: r.PeakOverIdeal(), P99OverIdeal: r.P99OverIdeal,
		ImbalanceP50: r.ImbalanceP50, ImbalanceMax: r.ImbalanceMax,
		Refused: r.Refused, Cascades: r.Cascades, Outage: r.Outage, Level: -1, LookUps: r.LookUps,
	}
	if r.Level >= 0 {
		o.Level = r.Level.Seconds()
	}
	return o
}
