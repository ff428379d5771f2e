package balance

import (
	"cmp"
	"math"
)

// The guard: a failing probe never starts a cascade. A node raises a wish, the
// others grant it, and only with every live node's grant does it fail, so that
// in the whole farm one node at a time fails for load. Grants are leases: who
// fails stops as soon as one of them is missing or too old to be relied on, and
// who takes one back from a node he can no longer see waits until that must have
// happened. Delay, loss and partition can only prevent.

// guard brings wish and grant up to this beat, and says whether the farm's
// leave to fail stands.
func (s State) guard(r Rules, obs Observation, f farm, k marks) (_ State, leave bool) {
	if q := s.started.Add(f.quarantine()); obs.Now.Before(q) {
		s.quiet = q // what a former self granted is not known
	}
	s = s.want(r, obs, f, k)
	s = s.release(f)
	s = s.yield(obs.Name, f)
	return s, s.leave(r, obs, f)
}

// want raises the wish when the mark to fail is passed for two beats, or a
// balancer's own step on the ladder, and drops it when that is over. A wish that
// cannot be granted, for want of room, would only stand in the way of others.
func (s State) want(r Rules, obs Observation, f farm, k marks) State {
	m := obs.Own
	ladder := m.Ladder > 0 && k.load >= m.Ladder
	over := m.Ladder > 0 && k.load >= back*m.Ladder ||
		s.hot > 0 || k.worst.Limit > 0 && k.worst.ratio() >= r.Degrade
	switch {
	case m.Broken != "":
		s.wish = Wish{}
	case s.forLoad: // it fails, and needs its leave as long as it does
	case m.Draining:
		s.wish = Wish{}
	case s.wish.Beat == 0 && s.grant.Node == "" && (s.hot >= 2 || ladder) && r.room(m, f):
		s.wish = Wish{Beat: obs.Beat, Load: s.urgency(r, k)}
	case s.wish.Beat != 0 && !(over && r.room(m, f)):
		s.wish = Wish{}
	}
	return s
}

// urgency is the load by which wishes are ordered, rounded as it travels so that
// all order it alike. A step on the ladder never outranks a node in trouble.
func (s State) urgency(r Rules, k marks) float64 {
	u := k.load
	if s.hot < 2 {
		u = min(u, r.Fail/2)
	}
	return math.Round(1000*u) / 1000
}

// release takes the grant back when the granted node is seen without that wish:
// who fails for load always carries it. When the node is gone, the grant is taken
// back for all to see, and this node neither grants nor fails until the other
// must have noticed.
func (s State) release(f farm) State {
	if s.grant.Node == "" {
		return s
	}
	p, known := f.find(s.grant.Node)
	switch {
	case !known || p.dead:
		s.grant, s.quiet = Grant{}, f.now.Add(f.quarantine())
	case p.Wish.Beat != s.grant.Beat:
		s.grant = Grant{}
	}
	return s
}

// yield grants the foremost wish it knows, unless that is its own. Its own
// wish is dropped then: it could not be used while the grant stands, and who
// has granted it becomes free for the foremost.
func (s State) yield(self string, f farm) State {
	if s.grant.Node != "" || s.forLoad || f.now.Before(s.quiet) {
		return s
	}
	best, name := s.wish, self
	for _, p := range f.peers {
		if p.fresh && p.Wish.Beat != 0 && (best.Beat == 0 || before(p.Wish, p.Name, best, name)) {
			best, name = p.Wish, p.Name
		}
	}
	if name != self {
		s.grant, s.wish = Grant{Node: name, Beat: best.Beat}, Wish{}
	}
	return s
}

// before orders wishes: the higher load first, then the name.
func before(a Wish, aName string, b Wish, bName string) bool {
	return cmp.Or(cmp.Compare(b.Load, a.Load), cmp.Compare(aName, bName)) < 0
}

// leave is the conjunction of (a) every other node not known dead has a fresh
// Fact, (b) enough stay, (c) they have room, and (d) every live node grants the
// present wish. Who fails already needs the same, but for (a): one Fact that is a
// little late is no reason for a probe to turn good and bad again.
func (s State) leave(r Rules, obs Observation, f farm) bool {
	if s.wish.Beat == 0 || s.grant.Node != "" || f.now.Before(s.quiet) {
		return false
	}
	want := Grant{Node: obs.Name, Beat: s.wish.Beat}
	for _, p := range f.peers {
		heard := p.fresh || s.forLoad && p.age <= leaseBeats*f.beat
		if !p.dead && (!heard || p.Grant != want) {
			return false
		}
	}
	return r.room(obs.Own, f)
}

// room is (b) and (c): enough nodes stay in service, they have room for what
// this node holds, and none of them is over its own mark to recover.
func (r Rules) room(own Measure, f farm) bool {
	stay, room := 0, 0.0
	for _, p := range f.peers {
		if p.dead || !p.Status.eligible() {
			continue
		}
		if !p.easy(r) {
			return false
		}
		stay++
		room += max(0, r.Degrade*float64(p.Limit)-float64(p.Connections))
	}
	return own.Connections >= 0 && stay >= r.inService(f.size) && room >= float64(own.Connections)
}

// easy says that p can take more: it is measured, over none of its marks, and
// not over that to recover. What cannot be measured has no room.
func (p peer) easy(r Rules) bool {
	return p.Status != Degraded && p.Connections >= 0 && p.QueueLimit > 0 &&
		Queue{Depth: p.Queue, Limit: p.QueueLimit}.ratio() <= r.Recover
}
