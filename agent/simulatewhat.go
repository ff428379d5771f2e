package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evenkeel/agent/config"
	"evenkeel/policy/balance/sim"
)

// program is what the flags and the scenario ask for.
func (f simulateFlags) program(name string) (program, error) {
	sc, err := findScenario(name)
	if err != nil {
		return program{}, err
	}
	if f.ttl > 0 {
		sc.TTL = sim.TTL{Min: f.ttl, Max: f.ttl}
	}
	p := program{scenario: sc, course: f.html != ""}
	if p.rules, err = f.fitting(sc); err != nil {
		return program{}, err
	}
	for i := range uint64(f.seeds) {
		p.seeds = append(p.seeds, f.seed+i)
	}
	return p, nil
}

// findScenario reads the scenario of a name or of a file.
func findScenario(name string) (sim.Scenario, error) {
	file, b, err := config.FindScenario(name, os.ReadFile)
	bare := name == filepath.Base(name) && filepath.Ext(name) == ""
	switch {
	case errors.Is(err, fs.ErrNotExist) && bare:
		return sim.Scenario{}, noScenario(name)
	case err != nil:
		return sim.Scenario{}, err
	}
	sc, err := config.Scenario(file, b)
	if err != nil {
		return sc, fmt.Errorf("the scenario cannot be played\n%v", err) // not wrapped: it is no configuration
	}
	return sc, nil
}

func noScenario(name string) error {
	all, err := config.Scenarios()
	if err != nil {
		return err
	}
	var known []string
	for _, sc := range all {
		known = append(known, sc.Name)
	}
	return hinted{fmt.Errorf("%w: no scenario %q is built in, and there is no such file", errUsage, name), suggestion(name, known)}
}

// suggestion is a hint for a name that is not known: the one that was likely
// meant, those that it is part of, or all.
func suggestion(name string, known []string) string {
	if near, ok := config.Nearest(name, known); ok {
		return "did you mean " + near + "?"
	}
	parts := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return name == "" || !strings.Contains(k, strings.ToLower(name)) })
	if len(parts) > 0 {
		return "did you mean " + strings.Join(parts, " or ") + "?"
	}
	return "known: " + strings.Join(known, ", ")
}

// fitting are the rules to play: those asked for, else all that the scenario
// has what they need for.
func (f simulateFlags) fitting(sc sim.Scenario) ([]sim.Rule, error) {
	rules := sim.Rules()
	if f.ablation {
		rules = append(rules, sim.Ablations()...)
	}
	if len(f.rules) == 0 {
		return slices.DeleteFunc(rules, func(r sim.Rule) bool { return !fits(r, sc) }), nil
	}
	var out []sim.Rule
	for _, name := range f.rules {
		r, err := findRule(name, sc)
		if err != nil {
			return nil, err
		}
		out = appendNew(out, r)
	}
	if f.ablation {
		for _, r := range sim.Ablations() {
			if fits(r, sc) {
				out = appendNew(out, r)
			}
		}
	}
	return out, nil
}

func fits(r sim.Rule, sc sim.Scenario) bool { return !r.NeedsBalancer() || sc.Balancer.Kind != "" }

func findRule(name string, sc sim.Scenario) (sim.Rule, error) {
	r, ok := sim.Find(name)
	if !ok {
		var known []string
		for _, r := range slices.Concat(sim.Rules(), sim.Ablations()) {
			known = append(known, r.Name)
		}
		return r, hinted{fmt.Errorf("%w: no rule %q", errUsage, name), suggestion(name, known)}
	}
	if !fits(r, sc) {
		return r, hinted{fmt.Errorf("%w: %s needs a balancer, and the scenario %s has none", errUsage, name, sc.Name), "give it one: balancer: {kind: netscaler}"}
	}
	return r, nil
}

// appendNew adds a rule that is not there yet: each is played once.
func appendNew(rules []sim.Rule, r sim.Rule) []sim.Rule {
	if slices.ContainsFunc(rules, func(o sim.Rule) bool { return o.Name == r.Name }) {
		return rules
	}
	return append(rules, r)
}
