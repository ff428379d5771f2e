package sim

import "evenkeel/policy/balance"

// spread turns what an agent decided into what it answers.
func (w *world) spread(a *agent) {
	nodes := a.plan.Nodes
	switch {
	case len(nodes) < len(w.nodes): // it hears nobody, and is not asked
		return
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
