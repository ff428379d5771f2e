package sim

import (
	"time"

	"evenkeel/policy/balance"
)

// limited gives a node the limit that its agent has learnt. It begins at what
// the node is said to hold; what it can hold, Stall.At, nobody is told.
func (a *agent) limited(m balance.Measure) balance.Measure {
	a.learner = a.learner.From(m.Limit)
	m.Limit = a.learner.Limit()
	return m
}

// learn takes up a beat, as package node does. It must come after the decision.
func (a *agent) learn(dt time.Duration, m balance.Measure) {
	a.learner = a.learner.See(dt, m, a.plan.Own.Status)
}
