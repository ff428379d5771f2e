package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evenkeel/configs"
	"evenkeel/policy/balance"
	"evenkeel/policy/balance/sim"
)

// Scenario makes a scenario of b, which was read from a file of that name. What
// b does not say is as in a farm of our own (the rules are those of
// configs/evenkeel.yaml); only the nodes must be given. Without a name in it,
// it is called what the file is, without folder and ending.
//
// What it returns has passed [sim.Scenario.Check]. An error is always
// [Problems], and holds every mistake.
func Scenario(name string, b []byte) (sim.Scenario, error) {
	r, b := newReader(name, b)
	s := newScript(name)
	if v := r.parse(b); v.kind != nothing {
		r.walk(s.keys(), "", v, map[string]place{})
	}

	r.checkScript(s)
	sc := sim.Scenario{}
	if len(r.problems) == 0 {
		sc = s.cast()
		r.playable(sc)
	}
	if len(r.problems) > 0 {
		return sim.Scenario{}, slices.Clip(r.problems).sorted()
	}
	return sc, nil
}

// FindScenario reads the scenario that name stands for: one that is compiled
// in, of configs/scenarios, else a file. The error wraps fs.ErrNotExist where it
// is neither. read is os.ReadFile outside of tests.
func FindScenario(name string, read func(string) ([]byte, error)) (file string, b []byte, err error) {
	if b, ok := configs.Scenario(name); ok {
		return name + ".yaml", b, nil
	}
	b, err = read(name)
	if err != nil {
		return "", nil, fmt.Errorf("scenario: %w", err)
	}
	return name, b, nil
}

// Scenarios are those that are compiled in, by name.
func Scenarios() ([]sim.Scenario, error) {
	var all []sim.Scenario
	for _, name := range configs.Scenarios() {
		b, _ := configs.Scenario(name)
		sc, err := Scenario(name+".yaml", b)
		if err != nil {
			return nil, err
		}
		all = append(all, sc)
	}
	return all, nil
}

// Nearest is the one of known that name is most likely a misspelling of.
func Nearest(name string, known []string) (string, bool) { return closest(name, known) }

// longest is what can be played in sensible time.
const longest = 7 * 24 * time.Hour

// perConnection is the requests a second that a node serves for each connection
// of its limit, where nobody says more: five times of what the clients of a full
// node ask by default, so that the queue stays out of the story.
const perConnection = 0.25

// A script is what a file says: a scenario whose nodes and resolvers are still
// groups of so many.
type script struct {
	sim.Scenario
	groups []group
	crowds []crowd
}

// A group is nodes that are alike.
type group struct {
	sim.Node
	count int // ex becomes ex01, ex02 and so on; 0 is one node of just that name
}

// A crowd is resolvers that are alike.
type crowd struct {
	sim.Resolver
	count int
}

// newScript is what a file that says nothing means.
func newScript(file string) *script {
	base := filepath.Base(file)
	s := &script{Scenario: sim.Scenario{
		Name: strings.TrimSuffix(base, filepath.Ext(base)),
		For:  4 * time.Hour,
		Clients: sim.Clients{
			N: 8000, Storm: time.Hour, Session: 2 * time.Hour, Pause: 10 * time.Second,
			Rate: 0.1, Legs: 3, Again: 10 * time.Second, PinFor: 30 * time.Minute,
		},
		TTL:      sim.TTL{Min: 5 * time.Second, Max: 30 * time.Second},
		Gossip:   sim.Gossip{Delay: 500 * time.Millisecond},
		Rules:    balance.Rules{Degrade: 0.70, Recover: 0.55, Fail: 0.90, Hold: 180 * time.Second, Ramp: 300 * time.Second},
		Balancer: sim.Balancer{Persist: 12 * time.Hour},
	}}
	for _, share := range []float64{0.40, 0.25, 0.15, 0.10, 0.07, 0.03} {
		s.crowds = append(s.crowds, crowd{sim.Resolver{Share: share}, 1})
	}
	return s
}

// cast is the scenario with every node and resolver by itself.
func (s *script) cast() sim.Scenario {
	sc := s.Scenario
	for _, g := range s.groups {
		for _, name := range g.names() {
			n := g.Node
			n.Name = name
			if n.Service == 0 {
				n.Service = perConnection * float64(n.Limit)
			}
			sc.Nodes = append(sc.Nodes, n)
		}
	}
	for _, c := range s.crowds {
		sc.Resolvers = append(sc.Resolvers, slices.Repeat([]sim.Resolver{c.Resolver}, c.count)...)
	}
	return sc
}

// names numbers the nodes of g, with as many digits for the first as for the
// last, and at least two.
func (g group) names() []string {
	if g.count == 0 {
		return []string{g.Name}
	}
	names, width := make([]string, g.count), max(2, len(fmt.Sprint(g.count)))
	for i := range names {
		names[i] = fmt.Sprintf("%s%0*d", g.Name, width, i+1)
	}
	return names
}

// playable asks the player itself. Its words come without a place, and only for
// what has none of its own here.
func (r *reader) playable(sc sim.Scenario) {
	err := sc.Check()
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		r.refuse(place{}, strings.TrimSpace(line), "")
	}
}
