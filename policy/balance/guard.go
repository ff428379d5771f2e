package balance

import (
	"cmp"
	"math"
	"time"
)

// The guard: a failing probe never starts a cascade. A node raises a wish, the
// others grant it, and only with every live node's grant does it fail, so that
// in the whole farm one node at a time fails for load. Grants are leases: who
// fails stops as soon as one of them is missing or its Fact is no longer fresh,
// and who takes one back from a node he can no longer see waits until that must
// have happened. Delay, loss and partition can only prevent.

// guard brings wish and grant up to this beat, and says whether the farm's
// leave to fail stands.
func (s State) guard(r Rules, obs Observation, f farm, k marks) (_ State, leave bool) {
	if s.started.Equal(obs.Now) {
		s.quiet = obs.Now.Add(f.quarantine()) // what a former self granted is not known
	}
	s = s.want(r, obs, k)
	s = s.release(f)
	s = s.yield(obs.Name, f)
	return s, s.leave(r, obs, f)
}

// want raises the wish when the mark to fail is passed for two beats, or a
// balancer's own step on the ladder, and drops it when that is over.
func (s State) want(r Rules, obs Observation, k marks) State {
	m := obs.Own
	ladder := m.Ladder > 0 && k.load >= m.Ladder
	over := m.Ladder > 0 && k.load >= back*m.Ladder ||
		k.refused || k.worst.Limit > 0 && k.worst.ratio() >= r.Degrade
	switch {
	case m.Draining || m.Broken != "":
		s.wish = Wish{}
	case s.load: // it fails, and needs its leave as long as it does
	case s.wish.Beat == 0 && (s.hot >= 2 || ladder):
		s.wish = Wish{Beat: obs.Beat, Load: math.Round(1000*k.load) / 1000} // as it travels, so that all order it alike
	case s.wish.Beat != 0 && !over:
		s.wish = Wish{}
	}
	return s
}

// release takes the grant back when the granted node is seen up without that
// wish. When it is gone, the grant is taken back for all to see, and this node
// neither grants nor fails until the other must have noticed.
func (s State) release(f farm) State {
	if s.grant.Node == "" {
		return s
	}
	p, known := f.find(s.grant.Node)
	switch {
	case !known || p.dead:
		s.grant, s.quiet = Grant{}, f.now.Add(f.quarantine())
	case p.Status != Failing && p.Wish.Beat != s.grant.Beat:
		s.grant = Grant{}
	}
	return s
}

// yield grants the foremost wish it knows, unless that is its own. Its own
// wish is dropped then: it could not be used while the grant stands, and who
// has granted it becomes free for the foremost.
func (s State) yield(self string, f farm) State {
	if s.grant.Node != "" || s.load || f.now.Before(s.quiet) {
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

// leave is the conjunction of design rules (a) to (d).
func (s State) leave(r Rules, obs Observation, f farm) bool {
	if s.wish.Beat == 0 || s.grant.Node != "" || f.now.Before(s.quiet) || obs.Own.Connections < 0 {
		return false
	}
	stay, room := 0, 0.0
	for _, p := range f.peers {
		if p.dead {
			continue
		}
		if !p.fresh || p.Grant != (Grant{Node: obs.Name, Beat: s.wish.Beat}) {
			return false
		}
		if !p.Status.eligible() {
			continue
		}
		if !p.easy(r) {
			return false
		}
		stay++
		room += max(0, r.Degrade*float64(p.Limit)-float64(p.Connections))
	}
	return stay >= r.inService(f.size) && room >= float64(obs.Own.Connections)
}

// easy says that p can take more: it is measured, and not over its mark to
// recover. What cannot be measured has no room.
func (p peer) easy(r Rules) bool {
	return p.Connections >= 0 && p.QueueLimit > 0 &&
		Queue{Depth: p.Queue, Limit: p.QueueLimit}.ratio() <= r.Recover
}

// Quarantine is how long a node of a farm of n that has just started, or took
// a grant back from one it lost, neither grants nor fails.
func Quarantine(n int) time.Duration { return farm{beat: Heartbeat(n)}.quarantine() }
