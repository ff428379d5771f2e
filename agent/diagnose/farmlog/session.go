package farmlog

import "math"

// An op is what is asked of a front end.
type op uint8

const (
	opOpen    op = iota // Connect, with what it takes to log on
	opExecute           // work, and after a while more
	opFetch             // Execute too: news are fetched
	opWait              // NotificationWait: answered when there is news, or after 5 minutes
	opClose             // Disconnect
	opOther             // of another protocol
	opProbe             // the balancer's health check
	opMonitor           // the server's own, of MAPI
)

// String is the request type as logs have it.
func (o op) String() string {
	return [...]string{"Connect", "Execute", "Execute", "NotificationWait", "Disconnect", "", "", "Connect"}[o]
}

// An act is what a person is going to ask.
type act struct {
	who int32
	gen uint32
	op  op
}

// A request is on its way. Times are milliseconds from the start of the story.
type request struct {
	arrived int64 // at HTTP.sys
	started int64 // by the pool
	end     int64 // the answer was sent, or could not be
	who     int32
	gen     uint32
	node    *node
	op      op
	cut     bool // the connection ended before the answer
	asked   *call
}

// maxWait is how long a NotificationWait may go on, in milliseconds.
const maxWait = 300_000

// actIn lays down what a person will ask, not before the next second.
func (f *farm) actIn(seconds int64, who int32, o op) {
	slot := &f.acts[(f.now+min(max(seconds, 1), farthest-1))%farthest]
	*slot = append(*slot, act{who, f.people[who].gen, o})
}

// act lets a person ask what was planned, unless it is void by now.
func (f *farm) act(a act) {
	p := &f.people[a.who]
	if a.gen != p.gen {
		return
	}
	if a.op == opOpen {
		if p.state == leaving {
			f.gone(a.who)
			return
		}
		p.on = f.pick()
	}
	f.arrive(request{arrived: f.within(), who: a.who, gen: a.gen, node: f.nodes[p.on], op: a.op})
}

// start is called when the pool takes a request up: it lays down the answer.
func (f *farm) start(r request, at int64) {
	p := &f.people[r.who]
	r.started = at
	switch r.op {
	case opOpen:
		r.end = at + 4*r.node.auth + f.about(15)
	case opExecute, opFetch:
		r.end = at + f.about(25) + p.home.slow/2 + f.about(float64(p.home.slow)/2)
	case opWait:
		r.end = at + f.wait()
		p.waits, p.waiting = true, at
	case opClose:
		r.end = at + f.about(6)
	}
	f.answerAt(r)
}

// wait is how long a NotificationWait goes on: to its end, or to the next news.
func (f *farm) wait() int64 {
	w := 300 + int64(1000*f.news(f.rng.IntN(20))*f.rng.ExpFloat64())
	if w >= maxWait {
		return maxWait + f.rng.Int64N(25)
	}
	return w
}

// news is how long it is to the next news in the mean, in seconds, for each of
// twenty waits. By day these mostly come in bursts, one change after the other, or
// now and then, and seldom for long none. At night there are as few as people.
func (f *farm) news(i int) float64 {
	mean := 40 * math.Max(1, f.story.calm) / f.day()
	switch {
	case i == 0:
		mean *= 100
	case i <= 10:
		mean /= 8
	}
	return mean
}

// asks is how many requests a session asks in a second at this time of the day: it
// waits, fetches half of the news, and works.
func (f *farm) asks() float64 {
	sum := 0.0
	for i := range 20 {
		mean := f.news(i)
		sum += mean * (1 - math.Exp(-maxWait/1000/mean)) / 20
	}
	return 1.5/sum + 1/f.think
}

// answer is called when a request ends: rows are written, and the session goes on.
func (f *farm) answer(r *request) {
	if r.asked != nil {
		f.answerCall(r)
		return
	}
	p := &f.people[r.who]
	if r.gen != p.gen && !r.cut {
		return
	}
	f.mapiRows(r, p)
	if !r.cut {
		f.follow(r, p)
	}
}

// follow is what a session does after an answer.
func (f *farm) follow(r *request, p *person) {
	switch r.op {
	case opClose:
		f.gone(r.who)
		return
	case opOpen:
		f.attach(r, p)
		if !r.node.up { // the balancer has changed its mind meanwhile
			f.cut(r.who, reset, reconnect)
			return
		}
	case opWait:
		p.waits = false
		if r.end-r.started < maxWait && f.rng.IntN(2) == 0 {
			f.actIn(1, r.who, opFetch)
		}
	}
	if p.state == leaving || f.now >= p.leaves {
		f.leave(p)
		if !p.waits {
			p.gen++ // nothing else is asked
			f.actIn(1, r.who, opClose)
		}
		return
	}
	if r.op == opOpen || r.op == opWait {
		f.actIn(1, r.who, opWait)
	}
	switch r.op {
	case opOpen:
		f.actIn(1, r.who, opExecute)
	case opExecute:
		f.actIn(int64(f.think*f.rng.ExpFloat64()), r.who, opExecute)
	}
}

func (f *farm) attach(r *request, p *person) {
	p.held, p.opened = true, p.opened+1
	r.node.attached++
	f.truth.leads(r.node.index, r.node.attached)
}

func (f *farm) detach(p *person) {
	if p.held {
		p.held = false
		f.nodes[p.on].attached--
	}
	p.waits = false
}

// A fate is what becomes of the connections of a session that is cut.
type fate uint8

const (
	reset fate = iota // by the balancer, a device or the client
	died              // with the worker
)

// cut ends a session's connections at a moment of this second. The person, who
// has noticed nothing but a gap, opens the session again in the next seconds.
func (f *farm) cut(who int32, why fate, within int64) {
	p := &f.people[who]
	n := f.nodes[p.on]
	if p.waits {
		reason := "Connection_Dropped"
		if why == died {
			reason = "Connection_Abandoned_By_AppPool"
		} else {
			f.answerAt(request{arrived: p.waiting, started: p.waiting, end: f.within(), who: who, node: n, op: opWait, cut: true})
		}
		f.httpErrRow(n, p, pMapi, 0, reason)
	}
	f.detach(p)
	p.gen++
	f.actIn(1+f.rng.Int64N(within), who, opOpen)
}
