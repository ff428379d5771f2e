package config

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/configs"
	"evenkeel/policy/balance/sim"
)

// farm is the least that a scenario file must say.
const farm = "nodes: [{name: ex, count: 2}]\n"

func mustCast(t *testing.T, text string) sim.Scenario {
	t.Helper()
	sc, err := Scenario("dir/f.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return sc
}

func TestShippedScenarios(t *testing.T) {
	if len(configs.Scenarios()) == 0 {
		t.Errorf("got %v, want the files of configs/scenarios", configs.Scenarios())
	}
	for _, name := range configs.Scenarios() {
		b, ok := configs.Scenario(name)
		sc, err := Scenario(name+".yaml", b)
		if !ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
			continue
		}
		if sc.Name != name || sc.About == "" || strings.Contains(sc.About, "\n") {
			t.Errorf("%s is called %q, about %q; want its file's name and a line", name, sc.Name, sc.About)
		}
		if head, _, _ := strings.Cut(string(b), "\n\n"); !strings.HasPrefix(head, "# ") || !strings.Contains(head, "\n# Make it your farm: ") {
			t.Errorf("%s: the file does not begin with what it shows and what to change", name)
		}
	}
}

func TestASmallFileIsEnough(t *testing.T) {
	sc := mustCast(t, farm)
	if sc.Name != "f" || sc.For != 4*time.Hour || len(sc.Resolvers) != 6 || sc.Clients.N != 8000 || sc.Balancer.Kind != "" {
		t.Errorf("got %+v", sc)
	}
	if n := sc.Nodes; len(n) != 2 || n[0] != (sim.Node{Name: "ex01", Limit: 4000, Service: 1000, Queue: 1000}) || n[1].Name != "ex02" {
		t.Errorf("got nodes %+v", n)
	}
}

// The law of a play is that of an agent without a configuration.
func TestTheLawIsTheAgents(t *testing.T) {
	c, sc := defaults(), mustCast(t, farm)
	got := []any{sc.Rules.Degrade, sc.Rules.Recover, sc.Rules.Fail, sc.Rules.Hold, sc.Rules.Ramp, sc.Rules.MinInService, sc.TTL.Min, sc.TTL.Max, sc.Answers}
	want := []any{c.Limits.Degrade, c.Limits.Recover, c.Limits.Fail, c.Health.Hold, c.Limits.Ramp, c.Health.MinInService, c.Zone.TTLMin, c.Zone.TTLMax, c.Zone.Answers}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGroups(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"[{name: EX9}]", "ex9"},
		{"[{name: ex, count: 1}]", "ex01"},
		{"[{name: a-, count: 2}, {name: b}]", "f:1:16"},
		{"[{name: a, count: 2}, {name: b}]", "a01 a02 b"},
	} {
		sc, err := Scenario("f", []byte("nodes: "+tt.text))
		var names []string
		for _, n := range sc.Nodes {
			names = append(names, n.Name)
		}
		if got := strings.Join(names, " "); err == nil && got != tt.want || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %s, %v; want %s", tt.text, got, err, tt.want)
		}
	}
	sc := mustCast(t, "nodes: [{name: ex, count: 1000, limit: 8}]\nresolvers: [{count: 3, share: 2}, {share: 5, fixed: true}]")
	if sc.Nodes[0].Name != "ex0001" || sc.Nodes[999].Name != "ex1000" || sc.Nodes[0].Service != 2 {
		t.Errorf("got %+v to %+v", sc.Nodes[0], sc.Nodes[999])
	}
	if want := []sim.Resolver{{Share: 2}, {Share: 2}, {Share: 2}, {Share: 5, Fixed: true}}; !slices.Equal(sc.Resolvers, want) {
		t.Errorf("got resolvers %+v", sc.Resolvers)
	}
}

// Every key reaches the field that it is named for.
func TestEveryScenarioKey(t *testing.T) {
	sc := mustCast(t, `
name: mine
about: what it shows
for: 2h
from: 1m
nodes: [{name: a, limit: 7, service: 9.5, queue: 3, stall: {at: 6, for: 2s, every: 5s, rate: 0.5}, warm: 4s}]
clients: {n: 11, come: 1s, storm: 2s, go: 3s, leave: 4s, session: 5s, pause: 6s, rate: 0.7, legs: 8, again: 9s, pin: 0.1, pin_for: 11s, sort: 0.2}
resolvers: [{share: 3, least: 1s, most: 2s, fixed: true}]
ttl: {min: 2s, max: 3s}
answers: 4
agents: all
gossip: {delay: 5s, loss: 0.6}
rules: {degrade: 0.5, recover: 0.4, fail: 0.6, hold: 7s, ramp: 8s, min_in_service: 9}
balancer: {kind: f5, persist: 10s, skew: {node: a, share: 0.3}}
events: [{at: 1h, do: drain, nodes: [a], for: 2m}, {at: 1h, do: deaf}]
`)
	want := sim.Scenario{Name: "mine", About: "what it shows", For: 2 * time.Hour, From: time.Minute,
		Nodes:     []sim.Node{{Name: "a", Limit: 7, Service: 9.5, Queue: 3, Stall: sim.Stall{At: 6, For: 2e9, Every: 5e9, Rate: 0.5}, Warm: 4e9}},
		Clients:   sim.Clients{N: 11, Come: 1e9, Storm: 2e9, Go: 3e9, Leave: 4e9, Session: 5e9, Pause: 6e9, Rate: 0.7, Legs: 8, Again: 9e9, Pin: 0.1, PinFor: 11e9, Sort: 0.2},
		Resolvers: []sim.Resolver{{Share: 3, Least: 1e9, Most: 2e9, Fixed: true}},
		TTL:       sim.TTL{Min: 2e9, Max: 3e9}, Answers: 4, Gossip: sim.Gossip{Delay: 5e9, Loss: 0.6},
		Balancer: sim.Balancer{Kind: "f5", Persist: 10e9, Skew: sim.Skew{Node: "a", Share: 0.3}},
		Events:   []sim.Event{{At: time.Hour, Do: sim.Drain, Nodes: []string{"a"}, For: 2 * time.Minute}, {At: time.Hour, Do: sim.Deaf}},
	}
	want.Rules.Degrade, want.Rules.Recover, want.Rules.Fail = 0.5, 0.4, 0.6
	want.Rules.Hold, want.Rules.Ramp, want.Rules.MinInService = 7e9, 8e9, 9
	if !reflect.DeepEqual(sc, want) {
		t.Errorf("got  %+v\nwant %+v", sc, want)
	}
	if got := mustCast(t, farm+"agents: 1").Agents; got != 1 {
		t.Errorf("got %d agents, want 1", got)
	}
	for _, kind := range sim.Kinds() {
		mustCast(t, farm+"balancer: {kind: "+kind+"}")
	}
	for _, do := range sim.Acts() {
		mustCast(t, farm+"events: [{at: 1m, do: "+string(do)+", for: 1m}]")
	}
}

func scenarioMistakes(t *testing.T, text string) []string {
	t.Helper()
	sc, err := Scenario("f", []byte(text))
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("%s\ngot %+v, %v, want problems", text, sc, err)
	}
	var out []string
	for _, p := range ps {
		line := p.headline()
		if p.Hint != "" {
			line += " (" + p.Hint + ")"
		}
		out = append(out, line)
	}
	return out
}

func TestAllMistakesOfAScenarioAtOnce(t *testing.T) {
	got := scenarioMistakes(t, `for: 1h
from: 2h
nodes:
  - {name: ex, count: 2, limt: 5}
  - {name: ex01}
  - {limit: 5, stall: {at: 4, for: 9s, every: 3s}}
  - {name: y, stall: {at: 4}}
clients: {n: many}
balancer: {kind: netscaler, skew: {node: ex03, share: 0.5}}
events:
  - {at: 2h, do: crsh, nodes: [ex1]}
  - {at: 5m}
  - {at: 5m, do: stall}
resolver: []
`)
	want := []string{
		"f:1:6: for: too low for from, which is 2h: got 1h",
		"f:4:26: nodes[0].limt: unknown key (did you mean limit?)",
		"f:5:12: nodes[1].name: node ex01 is listed twice, first in line 4",
		"f:6:5: nodes[2]: a node needs a name",
		"f:6:47: nodes[2].stall.every: a stall of 9s comes every 9s at the soonest: got 3s",
		"f:7:27: nodes[3].stall.at: want how long a stall lasts, above 0s (for: 20s)",
		"f:8:14: clients.n: want a whole number from 1 to 4000000, got many",
		"f:9:42: balancer.skew.node: there is no node ex03 (did you mean ex01?)",
		"f:11:10: events[0].at: after the end of the play, which is at 1h",
		"f:11:18: events[0].do: want one of crash, deaf, drain, partition, recycle, stall, unplug, got crsh (did you mean crash?)",
		"f:11:32: events[0].nodes[0]: there is no node ex1 (did you mean ex01?)",
		"f:12:5: events[1]: want do: what happens (do: crash)",
		"f:13:18: events[2].do: want how long the stall lasts, above 0s (for: 20s)",
		"f:14:1: resolver: unknown key (did you mean resolvers?)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// One mistake is said once.
func TestMistakesOfAScenarioAlone(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "f: nodes: want at least one (write - {name: ex, count: 2})"},
		{"nodes: []", "f:1:8: nodes: want at least one (write - {name: ex, count: 2})"},
		{"nodes: 2", "f:1:8: nodes: want a list, got 2 (write - {name: ...})"},
		{"nodes: [ex01]", "f:1:9: nodes[0]: want keys (name, count, limit, service, queue, stall, warm), got ex01"},
		{"nodes: [{name: a, count: 1000}, {name: b, count: 25}]", "f:1:8: nodes: 1025 are more than the 1024 that can be played"},
		{"nodes: [{name: " + strings.Repeat("a", 62) + ", count: 2}]", "f:1:16: nodes[0].name: too long with its number: " + strings.Repeat("a", 57) + "..."},
		{farm + "resolvers: []", "f:2:12: resolvers: want at least one (write - {share: 1})"},
		{farm + "resolvers: [{share: 0}]", "f:2:21: resolvers[0].share: want a number from 0.000001 to 1000000, got 0"},
		{farm + "resolvers: [{fixed: yes}]", "f:2:21: resolvers[0].fixed: want true or false, got yes"},
		{farm + "gossip: {loss: .nan}", "f:2:16: gossip.loss: want a number from 0 to 1, got .nan"},
		{farm + "ttl: {min: 1m}", "f:2:12: ttl.min: too high for ttl.max, which is 30s: got 1m"},
		{farm + "rules: {fail: 0.6}", "f:2:15: rules.fail: too low for rules.degrade, which is 0.7: got 0.6"},
		{farm + "rules: {recover: 0.8}", "f:2:18: rules.recover: too high for rules.degrade, which is 0.7: got 0.8"},
		{farm + "balancer: {skew: {share: 0.5}}", "f:2:26: balancer.skew.share: want the node that the clients are remembered for (node: ex01)"},
		{farm + "balancer: {skew: {node: ex01}}", "f:2:25: balancer.skew.node: there is no balancer to remember anybody (add kind: netscaler)"},
		{farm + "balancer: {kind: nginx}", "f:2:18: balancer.kind: want one of f5, haproxy, netscaler, got nginx"},
		{farm + "agents: 3", "f:2:9: agents: more than the 2 nodes"},
		{farm + "agents: 2\nbalancer: {kind: f5}", "f:2:9: agents: there is a balancer, which asks all (agents: all)"},
		{farm + "services: []", "f:2:1: services: unknown key (known here: name, about, for, from, nodes, clients, resolvers, ttl, answers, agents, gossip, rules, balancer, events)"},
	} {
		if got := scenarioMistakes(t, tt.text); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.text, strings.Join(got, "\n     "), tt.want)
		}
	}
}

// The bounds here are those of the player.
func TestBoundsOfAScenario(t *testing.T) {
	most := mustCast(t, "nodes: [{name: a, count: 1000}, {name: b, count: 24}]\nresolvers: [{count: 60000}]\nclients: {n: 4000000}")
	for _, more := range []func(*sim.Scenario){
		func(s *sim.Scenario) { s.Nodes = append(s.Nodes, sim.Node{Name: "c", Limit: 1, Service: 1, Queue: 1}) },
		func(s *sim.Scenario) { s.Resolvers = append(s.Resolvers, sim.Resolver{Share: 1}) },
		func(s *sim.Scenario) { s.Clients.N++ },
	} {
		s := most
		if more(&s); s.Check() == nil {
			t.Error("the player takes more than a file may say")
		}
	}
}

func TestNearest(t *testing.T) {
	if got, ok := Nearest("incidnet", []string{"morning", "incident"}); !ok || got != "incident" {
		t.Errorf("got %q, %v, want incident", got, ok)
	}
	if got, ok := Nearest("evening", []string{"morning", "incident"}); ok {
		t.Errorf("got %q, want none", got)
	}
}

func FuzzScenario(f *testing.F) {
	for _, name := range configs.Scenarios() {
		b, _ := configs.Scenario(name)
		f.Add(b)
	}
	f.Add([]byte("nodes: [{name: ex, stall: {at: 1}}, ]\nevents: [{nodes: [x, '']}, 3]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		sc, err := Scenario("f", b)
		var ps Problems
		switch {
		case err == nil && sc.Check() != nil:
			t.Errorf("a scenario that cannot be played: %v", sc.Check())
		case err != nil && (!errors.As(err, &ps) || len(ps) == 0):
			t.Errorf("got %v, want problems", err)
		}
	})
}

// The file that shows every key has every key, and can be played.
func TestEveryKeyOfAScenario(t *testing.T) {
	b, err := os.ReadFile("../../configs/scenarios/every-key.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Scenario("every-key.yaml", b); err != nil {
		t.Fatal(err)
	}
	s := newScript("every-key.yaml")
	for _, lang := range []language{s.keys(), new(group).keys(), new(crowd).keys(), eventKeys(new(sim.Event))} {
		for _, row := range lang {
			key := row.path[strings.LastIndex(row.path, ".")+1:]
			if !regexp.MustCompile(`(?m)(^|[ {])` + key + `:`).Match(b) {
				t.Errorf("no %s in configs/scenarios/every-key.yaml", row.path)
			}
		}
	}
}
