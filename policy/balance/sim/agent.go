package sim

import (
	"time"

	"evenkeel/policy/balance"
)

// An agent is one node's: what it heard, decided, told and answers.
type agent struct {
	index   int
	alive   bool
	since   instant // when it last started or died
	side    bool    // of a partition
	due     instant
	state   balance.State
	plan    balance.Plan
	nodes   []balance.Node // the others, by name
	beat    uint64
	queue   float64 // in the last beat, for the slope
	looks   instant
	learner balance.Learner // of its limit; outlives a crash, as what is kept on disk does
	fails   instant         // until when its probe says no, where it asks nobody for leave

	told []word // newest last
	mixture
	shares  []float64
	counts  []uint32      // answers to each resolver
	covered time.Duration // the TTLs of all answers, added up
}

// A word is a Fact as it was told.
type word struct {
	at   instant
	fact balance.Fact
}

// memory is how many words of an agent may be under way.
const memory = 32

// longest is the most that may lie between two decisions: one that comes later
// finds its machine waking.
const longest = 4500 * time.Millisecond

// period is the loop's.
const period = 500 * time.Millisecond

// start lets an agent begin that knows nobody yet.
func (w *world) start(i int) {
	a := &w.agents[i]
	*a = agent{index: i, alive: true, since: w.now, side: a.side, beat: a.beat + 1<<20, due: w.now, counts: a.counts, shares: a.shares, told: a.told, nodes: a.nodes[:0], learner: a.learner}
	if a.counts == nil {
		a.counts = make([]uint32, len(w.caches))
		a.shares = make([]float64, len(w.nodes))
	}
	for j := range w.nodes {
		if j != i && i < w.named {
			a.nodes = append(a.nodes, balance.Node{Name: w.nodes[j].Name})
		}
	}
}

// run is the beat of every agent whose time has come.
func (w *world) run() {
	for i := range w.agents {
		if a := &w.agents[i]; a.alive && w.now >= a.due {
			w.hear(i)
			w.decide(i)
		}
	}
}

// hear brings what node i knows of the others up to now. A later word counts,
// whichever way it came; its age is known, as gossip counts the time it waits.
func (w *world) hear(i int) {
	a := &w.agents[i]
	for k := range a.nodes {
		j := k
		if j >= i {
			j++
		}
		n, b := &a.nodes[k], &w.agents[j]
		apart := w.deaf || a.side != b.side
		n.Member = w.member(a, b, uint64(i)<<16|uint64(j))
		if apart {
			continue
		}
		for m := len(b.told) - 1; m >= 0 && b.told[m].fact.Beat > n.Beat; m-- {
			if w.arrived(b.told[m], i, j) {
				n.Fact, n.Born = b.told[m].fact, w.clock(b.told[m].at)
				break
			}
		}
	}
}

// arrived says that a word of j has reached i.
func (w *world) arrived(s word, i, j int) bool {
	r := w.draw(ofGossip, uint64(i)<<16|uint64(j), s.fact.Beat)
	if unit(mix(r)) < w.sc.Gossip.Loss {
		return false
	}
	return w.now >= s.at+at(lasting(w.sc.Gossip.Delay, r))
}

// member is what the cluster says of b to a: it takes a few seconds to notice.
func (w *world) member(a, b *agent, pair uint64) bool {
	noticed := at(2500*time.Millisecond + time.Duration(unit(w.draw(ofDetect, pair, uint64(b.since)))*float64(2500*time.Millisecond)))
	if a.side != b.side || w.deaf {
		return b.alive && w.now < w.parted+noticed
	}
	return b.alive || w.now < b.since+noticed
}

// clock is an instant as the law wants it.
func (w *world) clock(i instant) time.Time { return w.epoch.Add(i.since()) }

// decide is one beat of node i.
func (w *world) decide(i int) {
	a, n := &w.agents[i], &w.nodes[i]
	a.beat++
	m := n.measure(a, w.now)
	m.Covered, m.Ladder = a.covered, w.rule.ladder
	if !w.rule.has(arrivals) {
		m.Arrived = 0
	}
	if w.rule.learn {
		m = a.limited(m)
	}
	a.state, a.plan = balance.Decide(w.law, a.state, balance.Observation{
		Now: w.clock(w.now), Name: n.Name, Beat: a.beat, Own: m, Nodes: a.nodes,
	})
	if w.rule.learn {
		a.learn((w.now - a.looks).since(), m)
	}
	a.queue, a.looks = n.queue, w.now
	if !w.rule.has(guard) {
		w.wish(a)
	}
	w.tell(a)
	w.spread(a)
	a.due = w.now + w.pace(a)
}

// pace is the time to the next beat. In a large farm a node that is well within
// its marks waits for a heartbeat: nothing that it could decide goes out sooner.
func (w *world) pace(a *agent) instant {
	if len(w.agents) <= 16 || a.plan.Own.Status != balance.Up || a.queue > 0 && a.plan.Own.Queue*5 > a.plan.Own.QueueLimit {
		return at(period)
	}
	return min(at(balance.Heartbeat(len(w.agents))), at(longest))
}

// measure is what an agent sees of its node.
func (n *server) measure(a *agent, now instant) balance.Measure {
	q := balance.Queue{Depth: int(n.queue), Limit: n.Queue}
	if dt := now - a.looks; dt > 0 && a.looks > 0 {
		q.Slope = (n.queue - a.queue) / dt.since().Seconds()
	}
	m := balance.Measure{
		Connections: n.connections(), Arrived: n.arrived, Limit: n.Limit,
		Queues: []balance.Queue{q}, Refused: uint64(n.refused), Draining: n.drain,
	}
	if n.gone {
		m.Broken = "port 443"
	}
	return m
}

// tell gives the Fact to the others: every heartbeat, and sooner when it says
// something new.
func (w *world) tell(a *agent) {
	f := a.plan.Own
	if len(a.told) > 0 {
		old := a.told[len(a.told)-1]
		moved := abs(f.Connections-old.fact.Connections)*20 >= f.Limit
		same := f.Status == old.fact.Status && f.Wish == old.fact.Wish && f.Grant == old.fact.Grant
		if same && !moved && w.now < old.at+at(balance.Heartbeat(len(w.agents))) {
			return
		}
	}
	if len(a.told) == memory {
		copy(a.told, a.told[1:])
		a.told = a.told[:memory-1]
	}
	a.told = append(a.told, word{w.now, f})
}

func abs(n int) int { return max(n, -n) }
