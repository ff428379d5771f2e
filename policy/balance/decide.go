package balance

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Decide is the whole of the farm's judgement as this node draws it. Every
// node draws its own Plan; equal facts give equal shares.
//
// A decision that comes over five seconds after prev was made finds its machine
// waking, and starts anew: see [Plan].Away.
func Decide(r Rules, prev State, obs Observation) (State, Plan) {
	away := prev.away(obs.Now)
	if away > 0 {
		prev = prev.wake()
	}
	f := see(r, obs)
	k := r.read(obs.Own, prev)
	s := prev.note(obs.Now, obs.Own, k)
	s, leave := s.guard(r, obs, f, k)
	wasFailing := s.forLoad
	s = s.judge(r, obs.Now, obs.Own, k, leave)
	if wasFailing && !s.forLoad {
		s.wish, leave = Wish{}, false // the next time it must ask anew
	}
	s = s.miss(f)

	plan := Plan{
		Own:   s.fact(r, obs, k),
		Serve: s.status != Failing && !(s.status == Draining && obs.Own.Drained),
		Leave: leave,
		Alone: obs.Now.Before(s.alone),
		Away:  away,
	}
	plan.Nodes = standings(obs, f, plan.Own)
	plan.TTL = r.ttl(plan.Nodes)
	plan.Open = r.divide(f, s, plan)
	s.books = s.books.see(r, obs.Now, plan)
	plan.Astray = s.books.found
	return s, plan
}

// miss notices that most of a farm of three or more fell silent at once. That is
// more likely one's own fault, so one suspects himself for a while, or until
// most are heard again.
func (s State) miss(f farm) State {
	next, heard, missing, late := f.count(s.heard)
	s.heard = next
	alone := f.now.Before(s.alone)
	switch {
	case alone && missing <= heard:
		s.alone = f.now
	case !alone && late > heard && late+heard >= 3:
		s.alone = f.now.Add(aloneFor)
	}
	return s
}

// fact is what this node tells the farm.
func (s State) fact(r Rules, obs Observation, k marks) Fact {
	steady := min(k.steady, s.filling(obs.Own))
	if s.status != Up && s.status != Unknown {
		steady = 0
	}
	return Fact{
		Beat: obs.Beat, Status: s.status, Why: s.why,
		Connections: obs.Own.Connections, Limit: max(1, obs.Own.Limit),
		Queue: k.worst.Depth, QueueLimit: k.worst.Limit,
		Load: k.load, Arrivals: s.arrivals.now(), Arrived: s.arrived, Caches: s.caches.slow, Up: obs.Now.Sub(s.ramp), Steady: steady,
		Wish: s.wish, Grant: s.grant,
	}
}

// filling is half of the time in which the connections reach their limit, if all
// who come stay: an answer that lives as long finds the node still under it.
func (s State) filling(m Measure) time.Duration {
	if rate := s.arrivals.now(); m.Connections >= 0 && rate > 0 {
		return seconds(max(0, float64(m.Limit-m.Connections)) / rate / 2)
	}
	return math.MaxInt64
}

// standings lists this node and all others, before they get their shares.
func standings(obs Observation, f farm, own Fact) []Standing {
	out := make([]Standing, 0, len(f.peers)+1)
	at, _ := slices.BinarySearchFunc(f.peers, obs.Name, func(p peer, name string) int { return strings.Compare(p.Name, name) })
	for _, p := range f.peers[:at] {
		out = append(out, p.standing(f))
	}
	out = append(out, Standing{Name: obs.Name, Status: own.Status, Why: own.Why, Heard: true, Fact: own})
	for _, p := range f.peers[at:] {
		out = append(out, p.standing(f))
	}
	return out
}

func (p peer) standing(f farm) Standing {
	s := Standing{Name: p.Name, Status: p.Status, Why: p.Why, Age: p.age, Heard: !p.Born.IsZero(), Fact: p.Fact}
	switch {
	case p.dead && p.Left:
		s.Status, s.Why = Down, "left"
	case p.dead:
		s.Status, s.Why = Down, "lost"
	case !s.Heard:
		s.Status, s.Why = Unknown, "unheard"
	case f.faded(p.age) == 1 && p.Status.eligible():
		s.Status, s.Why = Unknown, "late"
	case !p.fresh:
		s.Why = "late"
	}
	return s
}

// ttl is how long an answer may live: no longer than until a node that takes
// work may change its status, and so that it brings no more clients than the
// next one can make good; within the operator's bounds, and the same for every
// node, since an address is used in proportion to share × TTL.
func (r Rules) ttl(nodes []Standing) time.Duration {
	ttl, room, arrivals, caches := r.TTLMax, 0.0, 0.0, 0.0
	for _, n := range nodes {
		if !n.Heard || n.Status == Down {
			continue
		}
		arrivals, caches = arrivals+n.Arrivals, caches+n.Caches
		if n.Status.eligible() {
			ttl, room = min(ttl, n.Steady), room+float64(n.Limit)
		}
	}
	if arrivals > 0 && caches > 0 {
		ttl = min(ttl, seconds(perAnswer*room*caches/arrivals))
	}
	return max(r.TTLMin, ttl.Truncate(time.Second))
}

// divide writes the shares into the plan's nodes. It reports whether all are
// over their marks.
func (r Rules) divide(f farm, s State, plan Plan) (open bool) {
	takes, emergency := takers(plan.Nodes, s, plan.Alone)
	ls := make([]vessel, len(takes))
	for i, n := range takes {
		ls[i] = r.weigh(f, plan.Nodes[n])
	}
	switch {
	case r.Even:
		for i := range ls {
			ls[i].share = 1 / float64(len(ls))
		}
	case plan.Alone:
		byCapacity(ls)
	case emergency:
		fade(ls)
		byRoom(ls)
		open = true
	default:
		open = level(ls, flow(f, plan, takes))
	}
	total := capacity(ls)
	for i, n := range takes {
		plan.Nodes[n].Share, plan.Nodes[n].Fair = ls[i].share, ls[i].c/total
		plan.Nodes[n].Why = cmp.Or(plan.Nodes[n].Why, ls[i].why)
		if plan.Alone && plan.Nodes[n].Status == Down {
			plan.Nodes[n].Status, plan.Nodes[n].Why = Unknown, "alone"
		}
	}
	return open
}

// takers are the nodes that take new work, by their place in nodes: the
// eligible, and while one is alone those who vanished. Where there are none,
// the draining, and where there are none, the failing take it: there is always
// an answer while anything lives.
func takers(nodes []Standing, s State, alone bool) (takes []int, emergency bool) {
	for i, n := range nodes {
		vanished := alone && n.Status == Down && n.Fact.Status.eligible() && s.vanished(n.Name)
		if n.Heard && (n.Status.eligible() || vanished) {
			takes = append(takes, i)
		}
	}
	for _, last := range []Status{Draining, Failing} {
		if len(takes) > 0 {
			return takes, emergency
		}
		emergency = true
		for i, n := range nodes {
			if n.Heard && n.Status == last {
				takes = append(takes, i)
			}
		}
	}
	return takes, emergency
}

// vanished says that a node fell silent together with most of the farm.
func (s State) vanished(name string) bool {
	since, known := s.heard.of(name)
	return known && !since.Before(s.alone.Add(-aloneFor-detect))
}

// weigh puts a node into the words of the level-filling.
func (r Rules) weigh(f farm, n Standing) vessel {
	l := vessel{
		c:        float64(max(1, n.Limit)),
		v:        share(n.Connections, n.Limit),
		faded:    f.faded(n.Age),
		ramp:     1,
		degraded: n.Status == Degraded && !n.brimful(),
	}
	if n.Status == Unknown {
		l.v = math.NaN()
	}
	if r.Ramp > 0 {
		l.ramp = max(l.faded, float64(n.Up)/float64(r.Ramp)) // an old Fact counts for capacity alone
	}
	return l
}

// known is an age that can be added to another.
func known(age time.Duration) time.Duration { return min(age, 24*time.Hour) }

// flow is K: the new sessions expected before the next correction reaches the
// clients: while answers live, and while news travels. Ages are counted in whole
// heartbeats, one's own too, so that every node comes to the same K; and what a
// Fact tells was measured up to a beat before.
func flow(f farm, plan Plan, takes []int) float64 {
	var rate float64
	var ages time.Duration
	for _, n := range takes {
		rate += plan.Nodes[n].Arrivals
		beats := min(staleBeats, max(1, (known(plan.Nodes[n].Age)+f.beat-1)/f.beat))
		ages += beats * f.beat
	}
	age := ages/time.Duration(len(takes)) + measured
	return rate * (plan.TTL + age).Seconds()
}
