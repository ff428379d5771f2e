package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/report"
	"evenkeel/policy/balance/sim"
)

func smallScenario(t *testing.T, more string) sim.Scenario {
	t.Helper()
	sc, err := config.Scenario("small.yaml", []byte("for: 5m\nnodes: [{name: a, limit: 100}, {name: b, limit: 200}]\nclients: {n: 50, storm: 1m}\n"+more))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func playable(names ...string) (rules []sim.Rule) {
	for _, n := range names {
		r, _ := sim.Find(n)
		rules = append(rules, r)
	}
	return rules
}

// How many play at once changes nothing, not even the order.
func TestPlaysAreOrdered(t *testing.T) {
	p := program{smallScenario(t, ""), playable("evenkeel", "round-robin", "least-loaded"), []uint64{9, 2}, true}
	var results []report.Simulation
	for _, procs := range []int{1, 4} {
		before := runtime.GOMAXPROCS(procs)
		s, err := p.play(t.Context(), new(score))
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, s)
	}
	for i, rule := range p.rules {
		a, b := results[0].Plays[i], results[1].Plays[i]
		if a.Rule.Name != rule.Name || b.Rule.Name != rule.Name {
			t.Errorf("play %d is of %s and %s, want %s", i, a.Rule.Name, b.Rule.Name, rule.Name)
		}
		if !reflect.DeepEqual(a.Results, b.Results) || !reflect.DeepEqual(a.Course, b.Course) {
			t.Errorf("%s: one processor and four differ", rule.Name)
		}
		if reflect.DeepEqual(a.Results[0], a.Results[1]) {
			t.Errorf("%s: two seeds are alike", rule.Name)
		}
		if len(a.Results[0].Series.Ideal) > 0 {
			t.Errorf("%s: the series is kept", rule.Name)
		}
	}
}

// Who interrupts gets neither half a table nor half a page.
func TestInterruptedSimulation(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	folder := t.TempDir()
	status, stdout, stderr := ask(ctx, "simulate", "million", "--rule", "evenkeel", "--html", filepath.Join(folder, "page.html"))
	if status != 1 || stdout != "" || stderr != "error: interrupted, so nothing is told of what was played\n" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRulesThatFit(t *testing.T) {
	with, without := smallScenario(t, "balancer: {kind: f5}"), smallScenario(t, "")
	free := func(rs []sim.Rule) int { return len(slices.DeleteFunc(rs, sim.Rule.NeedsBalancer)) }
	for _, tt := range []struct {
		promise string
		flags   simulateFlags
		sc      sim.Scenario
		n       int
		first   string
		last    string
	}{
		{"all, ours last", simulateFlags{}, with, len(sim.Rules()), "round-robin", "evenkeel"},
		{"none that needs a balancer where there is none", simulateFlags{}, without, free(sim.Rules()), "round-robin", "evenkeel"},
		{"ours without its parts", simulateFlags{ablation: true}, without, free(sim.Rules()) + free(sim.Ablations()), "round-robin", "evenkeel-no-arrivals"},
		{"in the order asked for, each once", simulateFlags{rules: []string{"evenkeel", "shed", "evenkeel"}}, without, 2, "evenkeel", "shed"},
		{"an ablation by name", simulateFlags{rules: []string{"evenkeel-no-sets"}}, without, 1, "evenkeel-no-sets", "evenkeel-no-sets"},
		{"some, and the ablations", simulateFlags{rules: []string{"evenkeel-no-sets", "shed"}, ablation: true}, without, 1 + free(sim.Ablations()), "evenkeel-no-sets", "evenkeel-no-arrivals"},
	} {
		rules, err := tt.flags.fitting(tt.sc)
		if err != nil || len(rules) != tt.n || rules[0].Name != tt.first || rules[len(rules)-1].Name != tt.last {
			t.Errorf("%s: got %d rules %v, %v; want %d from %s to %s", tt.promise, len(rules), rules, err, tt.n, tt.first, tt.last)
		}
	}
}

func TestSuggestions(t *testing.T) {
	known := []string{"evenkeel", "balancer-leastconn", "evenkeel-balancer"}
	for _, tt := range []struct{ name, want string }{
		{"evenkel", "did you mean evenkeel?"},
		{"Balancer", "did you mean balancer-leastconn or evenkeel-balancer?"},
		{"magic", "known: evenkeel, balancer-leastconn, evenkeel-balancer"},
		{"", "known: evenkeel, balancer-leastconn, evenkeel-balancer"},
	} {
		if got := suggestion(tt.name, known); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestProgress(t *testing.T) {
	s := &score{plays: 4}
	first, second := s.watch(t.Context()), s.watch(t.Context())
	for _, tt := range []struct {
		tell func(float64) bool
		done float64
		want string
	}{
		{first, 0, "small: 0 % of 4 plays"},
		{first, 0.5, "small: 12 % of 4 plays, 1m10s left"},
		{second, 0.5, "small: 25 % of 4 plays, 30s left"},
		{second, 1, "small: 38 % of 4 plays, 17s left"},
	} {
		if !tt.tell(tt.done) {
			t.Errorf("%v: the play was ended", tt.done)
		}
		if got := s.line("small", 10*time.Second); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if s.watch(ended)(0.1) {
		t.Error("a play goes on after the interrupt")
	}
}

// A terminal's line is empty again when all is played.
func TestProgressLeavesNothing(t *testing.T) {
	var w bytes.Buffer
	ended := make(chan struct{})
	close(ended)
	follow(&w, "small", &score{plays: 1}, ended)
	if !strings.HasSuffix(w.String(), clearLine) {
		t.Errorf("left %q", w.String())
	}
}

// A file beside a built-in scenario of its name is played by its path.
func TestScenarioByNameOrFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("morning", []byte("for: 5m\nnodes: [{name: mine}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"morning", []string{"ex01", "ex02", "ex03", "ex04"}},
		{"./morning", []string{"mine"}},
	} {
		sc, err := findScenario(tt.name)
		var nodes []string
		for _, n := range sc.Nodes {
			nodes = append(nodes, n.Name)
		}
		if err != nil || !slices.Equal(nodes, tt.want) {
			t.Errorf("%s: got nodes %v, %v; want %v", tt.name, nodes, err, tt.want)
		}
	}
}
