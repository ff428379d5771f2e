package farmlog

// The balancer stands before the front ends. It asks each for
// /mapi/healthcheck.htm, takes out what fails, cuts all connections to that
// (down state flush), and asks again after a while.
const (
	probeEvery = 5  // seconds
	downTime   = 30 // seconds from the verdict to the next probe
	balancer   = "10.1.0.5"
	reconnect  = 14 // seconds in which clients that were cut come back
)

// pick gives a new session to a front end.
func (f *farm) pick() int {
	var up []int
	most := -1
	for i, n := range f.nodes {
		if n.up {
			up = append(up, i)
		}
		if n.up && (most < 0 || n.attached > f.nodes[most].attached) {
			most = i
		}
	}
	switch {
	case len(up) == 0:
		return f.rng.IntN(len(f.nodes)) // cannot be: the last stays in
	case f.story.share > 0 && f.rng.Float64() < f.story.share:
		return most
	case f.story.share > 0:
		f.turn++
		for up[f.turn%len(up)] == most && len(up) > 1 {
			f.turn++
		}
	default:
		f.turn++
	}
	return up[f.turn%len(up)]
}

// balance probes the nodes that are due.
func (f *farm) balance() {
	for i, n := range f.nodes {
		if f.now < n.probeAt || f.now%probeEvery != int64(i) {
			continue
		}
		if f.probe(n) {
			n.failed = 0
			f.comeBack(n)
			continue
		}
		n.failed++
		fails := f.story.fails
		if fails == 0 {
			fails = 3
		}
		if n.failed >= fails {
			f.takeOut(n)
		}
	}
}

// probe asks for the health check once, and says whether it passed. It is served
// by the pool that it is to judge.
func (f *farm) probe(n *node) bool {
	p := &n.pool
	switch {
	case n.off[pMapi] != "":
		f.probeRefused(n, n.off[pMapi])
		return false
	case p.waiting() >= p.limit:
		f.probeRefused(n, "QueueFull")
		return false
	case p.waiting() > 0 || p.rate < 1: // no answer within 2 s
		f.probeReset(n)
		return false
	case n.ill:
		f.answerAt(request{node: n, op: opProbe, arrived: f.now * 1000, end: f.within(), asked: &call{status: 503, took: f.about(4)}})
		return false
	}
	f.answerAt(request{node: n, op: opProbe, arrived: f.now * 1000, end: f.within(), asked: &call{status: 200, took: f.about(2)}})
	return true
}

func (f *farm) takeOut(n *node) {
	n.failed, n.probeAt = 0, f.now+downTime
	up := 0
	for _, m := range f.nodes {
		if m.up {
			up++
		}
	}
	if !n.up || up < 2 { // the last node is never taken out
		return
	}
	n.up = false
	f.event(n.name, "the balancer takes the node out", f.now, f.now)
	f.lose(n, reset, reconnect)
}

func (f *farm) comeBack(n *node) {
	if !n.up {
		n.up = true
		f.event(n.name, "the balancer takes the node in again", f.now, f.now)
	}
}
