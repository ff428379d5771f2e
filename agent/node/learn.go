package node

import (
	"fmt"
	"strconv"
	"time"

	"evenkeel/policy/balance"
)

// start is where the limit of connections begins that is to be learnt; 0: it is
// not to be.
func (n *Node) start() int {
	if !n.Learn {
		return 0
	}
	return n.Connections
}

// learn takes up what this beat tells of the connections that the node can hold.
func (mem memory) learn(counted time.Time, own balance.Measure, plan balance.Plan) memory {
	var dt time.Duration
	if mem.last != nil {
		dt = counted.Sub(mem.pace.counted)
	}
	mem.learner = mem.learner.See(dt, own, plan.Own.Status)
	return mem
}

// farAbove is how far over what is learnt a limit must be to be spoken of.
const farAbove = 1.1

// LimitHint says that the limit of connections that the operator set is far
// above what this node was seen to hold; empty: it is not, or that is not known.
func (v *View) LimitHint() string {
	l, limit := v.Learner.Learnt(), v.Plan.Own.Limit
	if !l.Known() || v.Learner.Limit() > 0 || float64(limit) <= farAbove*float64(l.High) {
		return ""
	}
	return fmt.Sprintf("%s; limits.connections is %d", LearntText(l), limit)
}

// LearntText puts what was learnt, or why nothing was, into a sentence.
func LearntText(l balance.Learnt) string {
	switch l.Why {
	case balance.LearntQueue:
		return fmt.Sprintf("the queue begins to grow at about %s connections (%s–%s)", about(l.Connections), about(l.Low), about(l.High))
	case balance.LearntCalm:
		return "the queue never grew"
	case balance.LearntFew:
		return "the queue grew too seldom to tell at how many connections"
	case balance.LearntAlike:
		return "the queue grows at no number of connections more than at fewer"
	}
	return "where the queue begins to grow is not known yet"
}

// about is n to three digits, with a comma between thousands.
func about(n int) string {
	unit := 1
	for n/unit >= 1000 {
		unit *= 10
	}
	s := strconv.Itoa((n + unit/2) / unit * unit)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
