package balance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// quarantine is the law's own, of a farm of n.
func quarantine(n int) time.Duration { return farm{beat: Heartbeat(n)}.quarantine() }

// rules are those of the shipped configuration, with a hold short enough for
// many failures in one run.
func rules() Rules {
	return Rules{
		Degrade: 0.70, Recover: 0.55, Fail: 0.90,
		Hold: 20 * time.Second, Ramp: 300 * time.Second,
		TTLMin: 5 * time.Second, TTLMax: 30 * time.Second,
	}
}

var epoch = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// A told Fact is on its way, or has arrived.
type told struct {
	from int
	fact Fact
	born time.Time // by the arrival and the age it carried
	at   time.Time // of arrival
}

// An agent is one node of a modelled farm.
type agent struct {
	told   Fact      // the last one sent
	toldAt time.Time // zero: none yet
	name   string
	phase  time.Duration
	off    time.Time // down or asleep until then
	full   time.Time // when its sockets had no more room; zero: it was down, and not asleep
	state  State
	plan   Plan
	beat   uint64
	heard  []told // by node; from < 0: none
	hot    time.Time
	calm   time.Time
	ladder bool
}

// A model is a farm under a scheduler that delays, loses, parts, restarts and
// puts to sleep at random, and with a failure detector that may be wrong at any time.
type model struct {
	r      Rules
	rnd    *rand.Rand
	now    time.Time
	nodes  []*agent
	wire   []letter
	cut    [][]bool
	slow   [][]time.Duration // a link's delay; 0: as it comes
	blind  [][]bool          // i's cluster thinks j is gone
	faults chaos
	fails  int // how often a node got leave
}

// A chaos is how badly one run is treated. The zero chaos is a quiet network.
type chaos struct {
	every   int // ticks between disturbances
	loss    int // percent
	late    int // percent of messages that take up to the longest time assumed
	restart int // percent of disturbances
	sleep   int // percent of disturbances
}

func anyChaos(rnd *rand.Rand) chaos {
	return chaos{
		every: 1 << (3 + rnd.IntN(7)), loss: rnd.IntN(4) * 10, late: rnd.IntN(4) * 10,
		restart: rnd.IntN(3) * 10, sleep: rnd.IntN(3) * 10,
	}
}

type letter struct {
	to int
	told
}

func newModel(n int, seed uint64, faulty bool) *model {
	m := &model{r: rules(), rnd: rand.New(rand.NewPCG(seed, uint64(n))), now: epoch}
	m.r.Farm = n
	m.r.Degrade, m.r.Recover = 50, 50 // nobody ever degrades, and everybody has room: only the grants stand between
	if faulty {
		m.faults = anyChaos(m.rnd)
	}
	for i := range n {
		a := &agent{name: fmt.Sprint("mx", i), phase: time.Duration(m.rnd.IntN(5)) * 100 * time.Millisecond}
		a.reset(n, uint64(epoch.UnixMilli()))
		m.nodes = append(m.nodes, a)
		m.cut = append(m.cut, make([]bool, n))
		m.slow = append(m.slow, make([]time.Duration, n))
		m.blind = append(m.blind, make([]bool, n))
	}
	return m
}

// reset is a restart: all is forgotten, and the beat starts from the clock.
func (a *agent) reset(n int, beat uint64) {
	a.state, a.beat, a.toldAt, a.heard = State{}, beat, time.Time{}, make([]told, n)
	for i := range a.heard {
		a.heard[i].from = -1
	}
}

// tick is a tenth of a second in the life of the farm.
func (m *model) tick() {
	m.now = m.now.Add(100 * time.Millisecond)
	if m.faults.every > 0 && m.rnd.IntN(m.faults.every) == 0 {
		m.disturb()
	}
	m.deliver()
	for i, a := range m.nodes {
		if m.now.Before(a.off) || m.now.Sub(epoch)%(500*time.Millisecond) != a.phase {
			continue
		}
		m.live(i, a)
	}
}

// disturb changes one thing that the scheduler may change.
func (m *model) disturb() {
	n := len(m.nodes)
	i, j := m.rnd.IntN(n), m.rnd.IntN(n)
	switch chance := m.rnd.IntN(100); {
	case chance < m.faults.restart:
		m.restart(i)
		return
	case chance < m.faults.restart+m.faults.sleep:
		m.doze(i)
		return
	}
	switch m.rnd.IntN(5) {
	case 0: // one direction of one link
		m.cut[i][j] = !m.cut[i][j]
	case 1, 2: // a partition, which each failure detector sees at once or never
		side := m.rnd.UintN(1 << n)
		for i := range n {
			seen := m.rnd.IntN(3) > 0
			for j := range n {
				m.cut[i][j] = side>>i&1 != side>>j&1
				m.blind[i][j] = m.cut[i][j] && seen
			}
		}
	case 3: // all heals
		for i := range n {
			clear(m.cut[i])
			clear(m.blind[i])
		}
	case 4: // a failure detector errs, either way
		m.blind[i][j] = !m.blind[i][j]
	}
}

// restart ends a node for a while; its clock may have been set back meanwhile.
func (m *model) restart(i int) {
	a := m.nodes[i]
	a.off, a.plan, a.full = m.now.Add(time.Duration(m.rnd.IntN(500<<m.rnd.IntN(7)))*time.Millisecond), Plan{}, time.Time{}
	beat := uint64(m.now.UnixMilli())
	if m.rnd.IntN(4) == 0 {
		beat -= uint64(m.rnd.IntN(60000))
	}
	a.reset(len(m.nodes), beat)
}

// doze stops a node for a while.
func (m *model) doze(i int) {
	m.sleep(i, time.Duration(m.rnd.IntN(500<<m.rnd.IntN(8)))*time.Millisecond, time.Duration(m.rnd.IntN(10))*time.Second)
}

// sleep stops a node for d. It forgets nothing, and what comes for it first
// waits in its sockets, which have room for some time. Nobody is answered until the first beat after: that the loop
// beats at once then is assumed.
func (m *model) sleep(i int, d, room time.Duration) {
	if a := m.nodes[i]; !m.now.Before(a.off) {
		a.off, a.full, a.plan = m.now.Add(d), m.now.Add(room), Plan{}
	}
}

// deliver hands over what has arrived: the higher beat wins. Who hears of
// himself with a higher beat jumps above it. What waited for a node asleep looks
// as new as when it came: the wait is in nobody's count.
func (m *model) deliver() {
	m.wire = slices.DeleteFunc(m.wire, func(t letter) bool {
		if t.at.After(m.now) {
			return false
		}
		a := m.nodes[t.to]
		t.born = t.born.Add(m.now.Sub(t.at))
		switch {
		case m.now.Before(a.off) && t.at.Before(a.full):
			return false
		case m.now.Before(a.off):
		case t.from == t.to:
			a.beat = max(a.beat, t.fact.Beat)
		case a.heard[t.from].from < 0 || t.fact.Beat > a.heard[t.from].fact.Beat:
			a.heard[t.from] = t.told
		}
		return true
	})
}

// live is one beat of a node.
func (m *model) live(i int, a *agent) {
	a.beat++
	was := a.plan.Leave
	obs := Observation{Now: m.now, Name: a.name, Beat: a.beat, Own: m.measure(a), Nodes: m.view(i, a)}
	a.state, a.plan = Decide(m.r, a.state, obs)
	if a.plan.Leave && !was {
		m.fails++
	}
	if own := a.plan.Own; m.now.Sub(a.toldAt) >= Heartbeat(len(m.nodes)) ||
		own.Status != a.told.Status || own.Wish != a.told.Wish || own.Grant != a.told.Grant {
		a.told, a.toldAt = own, m.now
		for j := range m.nodes {
			m.send(i, j, told{i, own, m.now, time.Time{}})
		}
	}
	if m.rnd.IntN(10) == 0 { // push/pull: all that is known, with its age
		to := m.rnd.IntN(len(m.nodes))
		for _, t := range a.heard {
			if t.from >= 0 {
				m.send(i, to, t)
			}
		}
	}
}

func (m *model) send(from, to int, t told) {
	delay := time.Duration(m.rnd.IntN(400)) * time.Millisecond
	if m.rnd.IntN(100) < m.faults.late {
		delay = time.Duration(m.rnd.Int64N(int64(travel)))
	}
	if m.cut[from][to] || m.rnd.IntN(100) < m.faults.loss {
		return
	}
	if d := m.slow[from][to]; d > 0 {
		delay = d
	}
	t.at = m.now.Add(delay)
	t.born = t.born.Add(delay) // no clock travels: the way is not in the age
	m.wire = append(m.wire, letter{to, t})
}

func (m *model) view(i int, a *agent) []Node {
	var nodes []Node
	for j, t := range a.heard {
		if j == i {
			continue
		}
		n := Node{Name: m.nodes[j].name, Member: !m.blind[i][j]}
		if t.from >= 0 {
			n.Born, n.Fact = t.born, t.fact
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// measure has every node in trouble for most of the time. Mostly its queue is
// full; at times it is only that a balancer asks for a step on the ladder.
func (m *model) measure(a *agent) Measure {
	if m.now.After(a.calm) {
		a.hot = m.now.Add(time.Duration(m.rnd.IntN(90)) * time.Second)
		a.calm = a.hot.Add(time.Duration(m.rnd.IntN(30)) * time.Second)
		a.ladder = m.rnd.IntN(5) == 0
	}
	out := Measure{Connections: 10, Limit: 1000, Queues: []Queue{{Depth: 10, Limit: 100}}}
	switch {
	case !m.now.Before(a.hot):
	case a.ladder:
		out.Ladder = 0.05
	default:
		out.Queues[0].Depth = 92 + m.rnd.IntN(9)
	}
	return out
}

// check is what must hold at every instant of every run.
func (m *model) check(t *testing.T, seed uint64) {
	t.Helper()
	var failing []string
	for _, a := range m.nodes {
		if a.plan.Leave && !m.now.Before(a.off) {
			failing = append(failing, a.name)
		}
	}
	n := len(m.nodes)
	if len(failing) > 1 {
		t.Fatalf("n=%d seed=%d after %v: %v have leave to fail at once", n, seed, m.now.Sub(epoch), failing)
	}
	if n-len(failing) < (n+1)/2 || n == 1 && len(failing) == 1 {
		t.Fatalf("n=%d seed=%d after %v: %v fail, and too few stay", n, seed, m.now.Sub(epoch), failing)
	}
}
