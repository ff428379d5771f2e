package sim

import (
	"slices"
	"time"

	"evenkeel/policy/balance"
)

// spread turns what an agent decided into what it answers.
func (w *world) spread(a *agent) {
	nodes := a.plan.Nodes
	switch {
	case w.rule.blind:
		w.blind(a)
	case w.rule.weigh != nil:
		w.check(nodes)
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

// check is what the health checks of others see: who does not answer is out for
// as long, and no longer. Our hold after it is not theirs.
func (w *world) check(nodes []balance.Standing) {
	for i := range nodes {
		if nodes[i].Status == balance.Failing && w.nodes[i].gone {
			nodes[i].Status = balance.Down
		}
	}
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
	monitorEvery = 10 * time.Second
	monitorDown  = 10 * monitorEvery
	monitorUp    = 20 * monitorEvery
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
	return n.born-n.died >= at(monitorDown) && w.now < n.born+at(monitorUp)
}

// steady is the TTL of others, who have but one. gdnsd's is no longer than until
// a monitor may change its mind.
func (w *world) steady() time.Duration {
	ttl := w.sc.TTL.Max
	if !w.rule.monitor {
		return ttl
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		switch down := w.down(n); {
		case n.gone && !down:
			ttl = min(ttl, (n.died + at(monitorDown) - w.now).since())
		case down && !n.gone:
			ttl = min(ttl, (n.born + at(monitorUp) - w.now).since())
		case down:
			ttl = min(ttl, monitorUp)
		default:
			ttl = min(ttl, monitorDown)
		}
	}
	return min(w.sc.TTL.Max, max(ttl, monitorEvery, w.sc.TTL.Min))
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
		r.set = take(r.set, a.shares, unit(x))
	case shedding:
		r.set = a.shed(r.set, x)
	case multi:
		r.set = a.several(r.set, x)
	case whole:
		r.set = a.all(r.set, x)
	case pair:
		r.set = a.emptier(r.set, x)
	}
	return w.steady()
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

// take appends one address, by its share.
func take(dst []int16, shares []float64, x float64) []int16 {
	sum := 0.0
	for _, p := range shares {
		sum += p
	}
	last := int16(-1)
	for i, p := range shares {
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

// shed drops each node by its load and takes one of the others by its share. If
// it drops all, it drops none.
func (a *agent) shed(dst []int16, r uint64) []int16 {
	kept, any := slices.Clone(a.shares), false
	for i, n := range a.plan.Nodes {
		if unit(mix(r+uint64(i))) < dropped(load(n)) {
			kept[i] = 0
		}
		any = any || kept[i] > 0
	}
	if !any {
		kept = a.shares
	}
	return take(dst, kept, unit(mix(^r)))
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
	two := take(take(dst, a.shares, unit(r)), a.shares, unit(mix(r)))
	if len(two) < 2 {
		return two
	}
	if load(a.plan.Nodes[two[1]]) < load(a.plan.Nodes[two[0]]) {
		two[0] = two[1]
	}
	return two[:1]
}

// serves is what the probe of node i says.
func (w *world) serves(i int) bool {
	return w.agents[i].plan.Serve && w.now >= w.agents[i].fails
}

// wish lets a node fail when it wishes, and asks nobody: over the mark, or with
// refusals, and held as ours is.
func (w *world) wish(a *agent) {
	own := a.plan.Own
	over := own.QueueLimit > 0 && float64(own.Queue) >= w.law.Fail*float64(own.QueueLimit)
	if (over || own.Why == "refused") && w.now >= a.fails {
		a.fails = w.now + at(w.law.Hold)
	}
}
