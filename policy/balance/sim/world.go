package sim

import (
	"slices"
	"strings"
	"time"

	"evenkeel/policy/balance"
)

// A world is a play in progress.
type world struct {
	sc    Scenario
	rule  Rule
	law   balance.Rules
	seed  uint64
	most  int // addresses in an answer
	named int // agents that answer, the first by name
	epoch time.Time

	now, end instant
	nodes    []server
	agents   []agent
	caches   []cache
	clients  []client
	table    timetable
	lb       *balancer

	deaf     bool    // no word of anybody reaches anybody
	parted   instant // when the last cut began or healed
	wanting  int     // clients without the session that they want
	unserved uint64  // attempts for which no address worked
	looked   uint64  // look-ups that reached an agent
	downs    int     // nodes that the balancer took out

	scratch []int16
	meter   meter
}

// Play plays a scenario, which Check has passed, under a rule. The same seed
// gives the same clients under every rule. watch, if there is one, is told the
// share that has been played, about a hundred times; false ends the play early.
func Play(sc Scenario, rule Rule, seed uint64, watch func(done float64) bool) Result {
	w := newWorld(sc, rule, seed)
	every := max(1, w.end/100)
	for ; w.now < w.end; w.now++ {
		if watch != nil && w.now%every == 0 && !watch(float64(w.now)/float64(w.end)) {
			break
		}
		w.step()
	}
	return w.meter.result(w)
}

func newWorld(sc Scenario, rule Rule, seed uint64) *world {
	sc.Nodes = slices.Clone(sc.Nodes)
	slices.SortFunc(sc.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	w := &world{sc: sc, rule: rule, seed: mix(seed), end: at(sc.For), law: sc.Rules, most: sc.Answers}
	w.epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // any will do
	w.law.TTLMin, w.law.TTLMax = sc.TTL.Min, sc.TTL.Max
	if !rule.has(ramp) {
		w.law.Ramp = 0
	}
	if w.most == 0 {
		w.most = 8
	}
	if w.named = sc.Agents; w.named == 0 {
		w.named = len(sc.Nodes)
	}
	w.law.Farm = len(sc.Nodes)
	w.furnish()
	return w
}

func (w *world) furnish() {
	w.scratch = make([]int16, 0, len(w.sc.Nodes))
	for _, n := range w.sc.Nodes {
		w.nodes = append(w.nodes, server{Node: n, rate: 1, born: -at(n.Warm), open: -at(n.Warm)})
	}
	for _, r := range w.sc.Resolvers {
		w.caches = append(w.caches, cache{Resolver: r})
	}
	w.people()
	w.lb = newBalancer(w)
	w.skew()
	w.agents = make([]agent, len(w.nodes))
	for i := range w.agents {
		w.agents[i].index = i
		w.start(i)
	}
	w.meter = newMeter(w)
}

// skew fills the table of persistence.
func (w *world) skew() {
	s := w.sc.Balancer.Skew
	i := slices.IndexFunc(w.nodes, func(n server) bool { return n.Name == s.Node })
	for c := range w.clients {
		if i >= 0 && unit(w.draw(ofSkew, uint64(c), 0)) < s.Share {
			w.clients[c].node, w.clients[c].persists = int16(i), at(w.sc.Balancer.Persist)
		}
	}
}

// step is one tick. The order is that of causes: what happens, what the nodes
// do, who looks at them, and who acts on that.
func (w *world) step() {
	w.happen()
	for i := range w.nodes {
		w.nodes[i].flow(w.now, w.sc.Clients.Rate)
	}
	w.run()
	if w.lb != nil {
		w.lb.watch(w)
	}
	w.wake()
	w.meter.look(w)
}

func (w *world) draw(what, who, count uint64) uint64 { return draw(w.seed, what, who, count) }
