package sim

import (
	"maps"
	"slices"
	"time"
)

// A method is how a balancer picks.
type method uint8

const (
	none method = iota
	leastConnections
	roundRobin
)

// A kind is a product's way to probe, by its defaults.
type kind struct {
	every  time.Duration // between probes
	wait   time.Duration // a probe that takes longer has failed
	fall   int           // failed probes in a row that take a node out
	rise   int           // good ones that bring it back
	down   time.Duration // after it fell it is left alone for so long
	flush  bool          // who falls loses all its connections
	slow   time.Duration // after one rose, round robin for so long, by the number of nodes
	rampUp time.Duration // who rose gets its weight slowly
	agents bool          // takes weights from an agent check
}

// Sources: NetScaler's documentation of monitors (5 s, 2 s, 3 retries, 30 s down
// time), CTX124710 (down state flush, on by default), CTX120542 and CTX108886
// (after DOWN to UP it goes round robin, by weight, for as many requests as come
// in a second times services times packet engines, of which its example has
// seven); HAProxy's manual (inter 2 s, fall 3, rise 2, agent-check); F5's template
// for Exchange (10 s, 31 s, slow ramp 300 s).
var kinds = map[string]kind{
	"netscaler": {every: 5 * time.Second, wait: 2 * time.Second, fall: 3, rise: 1, down: 30 * time.Second, flush: true, slow: 7 * time.Second},
	"haproxy":   {every: 2 * time.Second, wait: 2 * time.Second, fall: 3, rise: 2, agents: true},
	"f5":        {every: 10 * time.Second, wait: 10 * time.Second, fall: 3, rise: 1, rampUp: 5 * time.Minute},
}

// Kinds returns the words that [Balancer].Kind may be, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// A balancer is a Balancer while the play goes on.
type balancer struct {
	kind
	pools   []backend
	slowFor instant // until when it goes round robin whatever its method
}

// A backend is what a balancer knows of a node.
type backend struct {
	up      bool
	bad, ok int
	next    instant // probe
	rose    instant
	percent float64 // of the agent check; 100 without
	credit  float64 // in the round robin
}

func newBalancer(w *world) *balancer {
	if w.rule.method == none {
		return nil
	}
	b := &balancer{kind: kinds[w.sc.Balancer.Kind], pools: make([]backend, len(w.nodes))}
	for i := range b.pools {
		b.pools[i] = backend{up: true, percent: 100, rose: -at(b.rampUp), next: at(b.every) * instant(i) / instant(len(w.nodes))}
	}
	return b
}

// watch probes every node whose time has come.
func (b *balancer) watch(w *world) {
	for i := range b.pools {
		p := &b.pools[i]
		if w.now < p.next {
			continue
		}
		p.next = w.now + at(b.every)
		if w.rule.agent && b.agents {
			p.percent = w.percent(i)
		}
		b.judge(w, i, w.probed(i, b.wait))
	}
}

func (b *balancer) judge(w *world, i int, good bool) {
	p := &b.pools[i]
	if good {
		p.bad, p.ok = 0, p.ok+1
	} else {
		p.bad, p.ok = p.bad+1, 0
	}
	switch {
	case p.up && p.bad >= b.fall:
		p.up, p.next = false, w.now+max(at(b.every), at(b.down))
		w.downs++
		if b.flush {
			w.cut(int16(i))
		}
	case !p.up && p.ok >= b.rise:
		p.up, p.rose, b.slowFor = true, w.now, w.now+at(b.slow)*instant(len(b.pools))
	}
}

// probed is the answer to a probe of node i.
func (w *world) probed(i int, wait time.Duration) bool {
	n := &w.nodes[i]
	if w.rule.probe == page {
		return !n.gone && w.agents[i].alive && w.serves(i) && !w.refuses(i)
	}
	return !n.gone && !n.full() && n.wait(w.now) <= wait
}

// refuses says that node i is over the load that the probe names, and has leave.
func (w *world) refuses(i int) bool {
	p := &w.agents[i].plan
	return w.rule.ladder > 0 && p.Own.Load > w.rule.ladder && (p.Leave || !w.rule.has(guard))
}

// percent is what the agent check says of node i.
func (w *world) percent(i int) float64 {
	a := &w.agents[i]
	if !a.alive {
		return w.lb.pools[i].percent // the balancer keeps what it heard last
	}
	for _, s := range a.plan.Nodes {
		if s.Name == w.nodes[i].Name && s.Fair > 0 {
			return min(200, max(1, 100*s.Share/s.Fair))
		}
	}
	return 0 // drained
}

// pick is the node of a client. The slice is good until the next call.
func (b *balancer) pick(w *world, me *client) []int16 {
	if me.node >= 0 && w.now < me.persists && b.takes(w, int(me.node)) && me.node != me.avoid {
		return append(w.scratch[:0], me.node)
	}
	best := -1
	if w.rule.method == roundRobin || w.now < b.slowFor {
		best = b.next(w, me)
	} else {
		best = b.least(w, me)
	}
	if best < 0 {
		return nil
	}
	return append(w.scratch[:0], int16(best))
}

// takes says that node i gets new sessions: drained nodes the operator took out.
func (b *balancer) takes(w *world, i int) bool {
	return b.pools[i].up && !w.nodes[i].drain && b.pools[i].percent > 0
}

// next goes round robin by weight, smoothly: who is chosen owes what all earned.
func (b *balancer) next(w *world, me *client) int {
	best, sum := -1, 0.0
	for i := range b.pools {
		if !b.takes(w, i) || int16(i) == me.avoid {
			continue
		}
		x := b.weight(w, i)
		b.pools[i].credit += x
		sum += x
		if best < 0 || b.pools[i].credit > b.pools[best].credit {
			best = i
		}
	}
	if best >= 0 {
		b.pools[best].credit -= sum
	}
	return best
}

func (b *balancer) least(w *world, me *client) int {
	best, least := -1, 0.0
	for i := range b.pools {
		if !b.takes(w, i) || int16(i) == me.avoid {
			continue
		}
		if l := float64(w.nodes[i].sessions+1) / b.weight(w, i); best < 0 || l < least {
			best, least = i, l
		}
	}
	return best
}

// weight is what an administrator configured, which is the capacity, times what
// the agent says, times the ramp.
func (b *balancer) weight(w *world, i int) float64 {
	p := &b.pools[i]
	x := float64(w.nodes[i].Limit) * p.percent / 100
	if since := w.now - p.rose; b.rampUp > 0 && since < at(b.rampUp) {
		x *= max(0.1, float64(since)/float64(at(b.rampUp)))
	}
	return x
}
