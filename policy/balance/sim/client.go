package sim

import "time"

// A client is one user's Outlook.
type client struct {
	prev, next int32   // of those that have something to do at the same instant
	due        instant // that instant; none when it has nothing to do any more
	leaves     instant
	pinned     instant // until when it holds to pin
	persists   instant // until when the balancer remembers node
	node       int16   // where its session is, or was last; -1 before the first
	pin        int16   // the address that it holds, whatever the TTL said
	resolver   uint16
	avoid      int16  // an address that did not answer a moment ago; -1 is none
	session    uint16 // sessions that it had
	tries      uint16
	phase      phase
	pins       bool
	sorts      bool
}

// A phase is what a client is doing.
type phase uint8

const (
	away    phase = iota // not there yet, gone, or between two sessions
	wanting              // it wants a session and has none
	holding
)

// A timetable holds who has something to do, by instant. Lists are chained
// through the clients, so that it costs nothing beside them.
type timetable struct {
	first   []int32 // by instant; -1 is nobody
	clients []client
}

func newTimetable(end instant, clients []client) timetable {
	t := timetable{make([]int32, end), clients}
	for i := range t.first {
		t.first[i] = -1
	}
	return t
}

// put makes client c due at the instant i; beyond the end is never.
func (t timetable) put(c int32, i instant) {
	me := &t.clients[c]
	me.due, me.prev, me.next = i, -1, -1
	if int(i) >= len(t.first) {
		return
	}
	if head := t.first[i]; head >= 0 {
		me.next = head
		t.clients[head].prev = c
	}
	t.first[i] = c
}

// take makes c due no more.
func (t timetable) take(c int32) {
	me := &t.clients[c]
	if int(me.due) >= len(t.first) {
		return
	}
	if me.prev >= 0 {
		t.clients[me.prev].next = me.next
	} else if t.first[me.due] == c {
		t.first[me.due] = me.next
	}
	if me.next >= 0 {
		t.clients[me.next].prev = me.prev
	}
}

// people makes the clients, and says when each comes.
func (w *world) people() {
	c := w.sc.Clients
	w.clients = make([]client, c.N)
	w.table = newTimetable(w.end, w.clients)
	shares := newUrn(w.sc.Resolvers)
	for i := range w.clients {
		me, id := &w.clients[i], uint64(i)
		me.node, me.pin, me.avoid, me.leaves = -1, -1, -1, w.end
		me.resolver = shares.pick(unit(w.draw(ofResolver, id, 0)))
		me.pins = unit(w.draw(ofKind, id, 0)) < c.Pin
		me.sorts = unit(w.draw(ofKind, id, 1)) < c.Sort
		if c.Go > 0 {
			me.leaves = at(c.Go) + instant(humped(w.draw(ofLeave, id, 0))*float64(at(c.Leave)))
		}
		w.table.put(int32(i), at(c.Come)+instant(humped(w.draw(ofCome, id, 0))*float64(at(c.Storm))))
	}
}

// wake lets everyone act who is due now.
func (w *world) wake() {
	for c := w.table.first[w.now]; c >= 0; {
		next := w.clients[c].next
		w.act(c)
		c = next
	}
	w.table.first[w.now] = -1
}

func (w *world) act(c int32) {
	me := &w.clients[c]
	me.due = w.end
	switch {
	case me.phase == holding:
		w.nodes[me.node].sessions--
		me.phase, me.persists = away, w.now+at(w.sc.Balancer.Persist)
		if w.now < me.leaves {
			w.table.put(c, w.after(w.sc.Clients.Pause, ofPause, c, me.session))
		}
	case w.now >= me.leaves:
		w.still(me)
	default:
		w.want(me)
		w.connect(c, me)
	}
}

// after is a time from now, by chance, and never now.
func (w *world) after(mean time.Duration, what uint64, c int32, count uint16) instant {
	return w.now + max(1, at(lasting(mean, w.draw(what, uint64(c), uint64(count)))))
}

func (w *world) want(me *client) {
	if me.phase != wanting {
		me.phase = wanting
		w.wanting++
	}
}

// still ends the wish for a session.
func (w *world) still(me *client) {
	if me.phase == wanting {
		w.wanting--
	}
	me.phase = away
}

// connect tries the addresses that c has, one after the other.
func (w *world) connect(c int32, me *client) {
	for _, n := range w.candidates(me) {
		s := &w.nodes[n]
		switch {
		case n == me.avoid:
		case s.gone && s.mute:
			me.avoid = n
			w.table.put(c, w.now+at(deadConnect))
			return
		case s.gone: // says no at once
		case s.admit(w.sc.Clients.Legs):
			w.hold(c, me, n)
			return
		default:
			w.retry(c, me)
			return
		}
	}
	me.avoid, me.pinned = -1, 0
	w.unserved++
	w.retry(c, me)
}

// deadConnect is how long Windows tries to reach a host that says nothing.
const deadConnect = 21 * time.Second

func (w *world) retry(c int32, me *client) {
	me.tries++
	w.table.put(c, w.after(w.sc.Clients.Again, ofAgain, c, me.tries))
}

func (w *world) hold(c int32, me *client, n int16) {
	w.still(me)
	me.phase, me.node, me.avoid = holding, n, -1
	me.persists = w.now + at(w.sc.Balancer.Persist)
	me.session++
	end := w.after(w.sc.Clients.Session, ofSession, c, me.session)
	w.table.put(c, min(end, max(me.leaves, w.now+1)))
}

// cut ends all sessions of node n from outside. Their clients come back at
// once, which is within five seconds; those of a node that says nothing any more
// must first want something of it, and wait until TCP gives up.
func (w *world) cut(n int16) {
	w.nodes[n].cut += w.nodes[n].sessions
	w.nodes[n].sessions = 0
	for i := range w.clients {
		me := &w.clients[i]
		if me.phase != holding || me.node != n {
			continue
		}
		me.persists = max(me.persists, w.now+at(w.sc.Balancer.Persist))
		w.table.take(int32(i))
		w.want(me)
		me.tries++
		if w.nodes[n].mute {
			w.table.put(int32(i), at(deadConnect)+w.after(w.interval(), ofAgain, int32(i), me.tries))
			continue
		}
		back := instant(unit(w.draw(ofAgain, uint64(i), uint64(me.tries)))*float64(at(atOnce))) + 1
		w.table.put(int32(i), w.now+back)
	}
}

// atOnce is the time within which Outlook comes back after a cut.
const atOnce = 5 * time.Second

// interval is the mean time between two requests of a session.
func (w *world) interval() time.Duration {
	return time.Duration(float64(time.Second) / max(w.sc.Clients.Rate, 1e-3))
}
