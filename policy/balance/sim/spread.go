package sim

import (
	"time"

	"evenkeel/policy/balance"
)

// spread turns what an agent decided into what it answers.
func (w *world) spread(a *agent) {
	nodes := a.plan.Nodes
	switch {
	case len(nodes) < len(w.nodes): // it hears nobody, and is not asked
		return
	case w.rule.blind:
		w.blind(a)
	case w.rule.weigh != nil:
		w.rule.weigh(nodes, a.shares)
	case !w.rule.has(horizon):
		room(nodes, a.shares)
	default:
		for i, n := range nodes {
			a.shares[i] = n.Share
		}
	}
	if w.rule.monitor {
		w.monitored(a)
	}
	a.compile(a.shares)
}

// blind is what is in a zone file: everybody, but for whom the operator took out.
func (w *world) blind(a *agent) {
	for i := range w.nodes {
		a.shares[i] = 1
		if w.nodes[i].drain {
			a.shares[i] = 0
		}
	}
}

// gdnsd's defaults: a check every 10 s, 10 bad ones in a row are down, 20 good ones up.
const (
	monitorDown = 100 * time.Second
	monitorUp   = 200 * time.Second
)

// monitored takes out who gdnsd's monitors call down; if less than half of the
// weight is left, everybody is back.
func (w *world) monitored(a *agent) {
	all, left := 0.0, 0.0
	for i := range w.nodes {
		n := &w.nodes[i]
		weight := float64(n.Limit)
		if n.drain {
			weight = 0
		}
		all += weight
		a.shares[i] = weight
		if !w.down(n) {
			left += weight
		}
	}
	if left < all/2 {
		return
	}
	for i := range w.nodes {
		if w.down(&w.nodes[i]) {
			a.shares[i] = 0
		}
	}
}

func (w *world) down(n *server) bool {
	if n.gone {
		return w.now >= n.died+at(monitorDown)
	}
	return n.died > 0 && n.born-n.died >= at(monitorDown) && w.now < n.born+at(monitorUp)
}

// answer writes an answer for the resolver into r.set, and says how long it lives.
func (a *agent) answer(w *world, r *cache, id uint64) time.Duration {
	count := uint64(a.counts[id])
	a.counts[id]++
	me := uint64(a.index)
	x := w.draw(ofAnswer, me<<32|id, count)
	switch w.rule.form {
	case nested:
		ttl := a.ours(w, r, x, mix(w.seed^me<<32^id)+count*golden)
		a.covered += ttl
		return ttl
	case single:
		r.set = a.one(r.set, unit(x))
	case multi:
		r.set = a.several(r.set, x)
	case whole:
		r.set = a.all(r.set, x)
	case pair:
		r.set = a.emptier(r.set, x)
	}
	return w.sc.TTL.Max
}

// ours is the answer of our law.
func (a *agent) ours(w *world, r *cache, chance, walk uint64) time.Duration {
	x, most := unit(walk), w.most
	if !w.rule.has(sequence) {
		x = unit(chance)
	}
	if !w.rule.has(sets) {
		most = 1
	}
	r.set = a.pick(r.set, x, most)
	if !w.rule.has(adaptive) {
		return w.sc.TTL.Max
	}
	return a.plan.TTL
}

// one takes an address by its share.
func (a *agent) one(dst []int16, x float64) []int16 {
	sum := 0.0
	for _, p := range a.shares {
		sum += p
	}
	last := int16(-1)
	for i, p := range a.shares {
		if p <= 0 {
			continue
		}
		last = int16(i)
		if x -= p / sum; x < 0 {
			break
		}
	}
	if last < 0 {
		return dst
	}
	return append(dst, last)
}

// several takes each address with the odds of its share against the largest,
// from a random place on.
func (a *agent) several(dst []int16, r uint64) []int16 {
	largest := 0.0
	for _, p := range a.shares {
		largest = max(largest, p)
	}
	n := len(a.shares)
	for k := range n {
		i := (k + int(r%uint64(n))) % n
		if a.shares[i] > 0 && unit(mix(r+uint64(i))) < a.shares[i]/largest {
			dst = append(dst, int16(i))
		}
	}
	return dst
}

// all gives every address, from a random place on.
func (a *agent) all(dst []int16, r uint64) []int16 {
	n := len(a.shares)
	for k := range n {
		if i := (k + int(r%uint64(n))) % n; a.shares[i] > 0 {
			dst = append(dst, int16(i))
		}
	}
	return dst
}

// emptier takes two by their shares, and the less loaded of them.
func (a *agent) emptier(dst []int16, r uint64) []int16 {
	two := a.one(a.one(dst, unit(r)), unit(mix(r)))
	if len(two) < 2 {
		return two
	}
	if load(a.plan.Nodes[two[1]]) < load(a.plan.Nodes[two[0]]) {
		two[0] = two[1]
	}
	return two[:1]
}

// leave says that node i may fail, under the guard or without.
func (w *world) serves(i int) bool {
	a := &w.agents[i]
	if w.rule.has(guard) {
		return a.plan.Serve
	}
	return a.plan.Serve && a.plan.Own.Wish == balance.Wish{} && a.plan.Own.Load < w.law.Fail
}
