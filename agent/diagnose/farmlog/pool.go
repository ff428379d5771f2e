package farmlog

import "math"

// A pool takes requests up, so many a second, and lets the others wait in a
// queue that has so many places.
type pool struct {
	limit int
	rate  float64 // requests that can be taken up in a second
	left  float64 // of the rate, in this second
	queue []request
	head  int // of queue: what stands before it is taken up
}

func (p *pool) waiting() int { return len(p.queue) - p.head }

func (p *pool) pop() request {
	r := p.queue[p.head]
	p.head++
	if p.head == len(p.queue) || p.head > 4096 {
		p.queue = append(p.queue[:0], p.queue[p.head:]...)
		p.head = 0
	}
	return r
}

// cost is how many requests an op is: logging on takes three.
func (r *request) cost() float64 {
	if r.op == opOpen {
		return 3
	}
	return 1
}

// serve begins a node's second: what waits goes first.
func (f *farm) serve(n *node) {
	f.expire(n)
	p := &n.pool
	p.left = p.rate + math.Min(0, p.left) + fraction(p.left, p.rate)
	for p.waiting() > 0 && p.left > 0 {
		r := p.pop()
		if !f.void(&r) {
			p.left -= r.cost()
			f.start(r, max(r.arrived, f.within()))
		}
	}
}

// patience is how long HTTP.sys lets a request wait in a queue, in milliseconds.
const patience = 120_000

// expire takes from a queue what has waited too long. The client tries again.
func (f *farm) expire(n *node) {
	p := &n.pool
	for p.waiting() > 0 && f.now*1000-p.queue[p.head].arrived > patience {
		r := p.pop()
		if !f.void(&r) {
			f.httpErrRow(n, &f.people[r.who], pMapi, 0, "Timer_ReqQueue")
			f.actIn(15+f.rng.Int64N(30), r.who, r.op)
		}
	}
}

// fraction is what a slow pool has saved up, less than one request.
func fraction(left, rate float64) float64 {
	if rate > 1 || left <= 0 {
		return 0
	}
	return math.Min(left, 1-rate)
}

// void tells whether nobody waits for a request any more.
func (f *farm) void(r *request) bool {
	return r.gen != f.people[r.who].gen
}

// arrive brings a request of MAPI to a front end.
func (f *farm) arrive(r request) {
	n := r.node
	p := &n.pool
	switch {
	case n.off[pMapi] != "":
		f.refuse(r, n.off[pMapi])
	case p.waiting() == 0 && p.left > 0:
		p.left -= r.cost()
		f.start(r, r.arrived)
	case p.waiting() < p.limit:
		p.queue = append(p.queue, r)
	default:
		f.refuse(r, "QueueFull")
	}
}

// refuse answers 503, of which HTTP.sys alone knows. The client tries again.
func (f *farm) refuse(r request, reason string) {
	p := &f.people[r.who]
	f.httpErrRow(r.node, p, pMapi, 503, reason)
	f.truth.refused(f.now, r.node.index)
	f.actIn(15+f.rng.Int64N(30), r.who, r.op)
}

// abandon empties the queue of a pool: the clients' connections are gone, and
// they try again.
func (f *farm) abandon(n *node, why fate, within int64) {
	for n.pool.waiting() > 0 {
		r := n.pool.pop()
		if f.void(&r) {
			continue
		}
		reason := "Client_Reset"
		if why == died {
			reason = "Connection_Abandoned_By_ReqQueue"
		}
		p := &f.people[r.who]
		f.httpErrRow(n, p, pMapi, 0, reason)
		if !p.held {
			p.gen++
			f.actIn(1+f.rng.Int64N(within), r.who, opOpen)
		}
	}
}

// lose takes all sessions from a node.
func (f *farm) lose(n *node, why fate, within int64) {
	f.abandon(n, why, within)
	all := 0
	for _, m := range f.nodes {
		all += m.attached
	}
	if why == reset {
		f.truth.gaveUp(n.index, n.attached, all)
	}
	for i := range f.people {
		if p := &f.people[i]; p.held && p.on == n.index {
			f.cut(int32(i), why, within)
		}
	}
}
