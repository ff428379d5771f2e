package throttle

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"time"
)

// A Throttling is a time in which requests were delayed or refused for one
// reason, with no five minutes between one of them and the next; or a lock-out.
type Throttling struct {
	Node     int
	Part     Part
	Action   Action        // Delay or Deny
	Locked   bool          // of Deny: until To, whatever is asked
	From, To time.Duration // from the first of them to the end of the last one's wait
	Requests int           // that were delayed or refused
	Waited   time.Duration // of Delay: all together
	Longest  time.Duration // of Delay: one of them
}

// Replay is what l makes of uses, by a [Ledger] that is told of them in order,
// which it puts them in. Requests come when they came, whatever became of those
// before: a client that waits for answers would ask later. Who is refused is not
// charged. Requests at once are not judged where [Size] does not size them; of those
// that are Rough none is one of them.
func Replay(uses []Use, l *Limits, c Component) []Throttling {
	sortUses(uses)
	p := newReplay(uses, l, c)
	slices.SortStableFunc(p.order, func(a, b int32) int { return cmp.Compare(uses[a].Start, uses[b].Start) })
	for _, i := range p.order {
		p.until(uses[i].Start)
		p.begin(i)
	}
	p.until(math.MaxInt64)
	slices.SortStableFunc(p.out, func(a, b Throttling) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Node, b.Node)) })
	return p.out
}

// A replay is a ledger and what is yet to end. A caller has two budgets in it,
// one for requests at once and one for time: a request may be one of those at
// once for longer than it is charged.
type replay struct {
	ledger  *Ledger
	c       Component
	uses    []Use
	order   []int32 // of uses: by beginning
	ends    []due   // the next first
	callers [][2]Caller
	last    map[Throttling]int // of out, by node, part and action
	out     []Throttling
}

// A due is a request that ends; without a ticket, a wait that is over.
type due struct {
	at     time.Duration
	ticket Ticket
	cost   Cost
}

func newReplay(uses []Use, l *Limits, c Component) *replay {
	places, times := *l, *l
	for i := range places.Rate {
		places.Rate[i] = Rate{Unlimited: true}
	}
	places.Cutoff = -1
	for i := range times.Max {
		times.Max[i] = Unlimited
	}
	if c.connects() {
		places.Max[gaugeConcurrency] = Unlimited
	}
	p := &replay{c: c, uses: uses, last: map[Throttling]int{}}
	room := max(1<<10, 16*(len(uses)+1))                                                                                   // one caller has a sixteenth of it
	o := Options{Budgets: 64, Open: room, Release: math.MaxInt64 / 4, Expect: math.MaxInt64 / 4, Seed: maphash.MakeSeed()} // the seed says where budgets lie, and decides nothing
	p.ledger = NewLedger(o, func(_ time.Time, c Caller) *Limits {
		if c.Name[0] == 't' {
			return &times
		}
		return &places
	})
	for i := range uses {
		for n := len(p.callers); n <= uses[i].Node; n++ {
			name := strconv.Itoa(n)
			p.callers = append(p.callers, [2]Caller{{"p" + name, c}, {"t" + name, c}})
		}
		p.order = append(p.order, int32(i))
	}
	return p
}

// instant is one for the ledger.
func instant(d time.Duration) time.Time { return time.Unix(0, 0).Add(d) }

// until does what is due by at.
func (p *replay) until(at time.Duration) {
	for len(p.ends) > 0 && p.ends[0].at <= at {
		d := p.ends[0]
		if p.ends = p.ends[1:]; d.ticket == 0 {
			p.ledger.Sweep(instant(d.at))
		} else {
			p.ledger.Done(instant(d.at), d.ticket, d.cost)
		}
	}
}

// later has d done, after what is due at the same instant.
func (p *replay) later(d due) {
	i, _ := slices.BinarySearchFunc(p.ends, d.at+1, func(e due, at time.Duration) int { return cmp.Compare(e.at, at) })
	p.ends = slices.Insert(p.ends, i, d)
}

// begin asks for one more.
func (p *replay) begin(i int32) {
	u := &p.uses[i]
	now, who, ask := instant(u.Start), p.callers[u.Node], Ask{Hanging: u.Hanging, CPU: -1}
	var place Ticket
	if !u.Rough {
		t, v := p.ledger.Check(now, who[0], ask)
		if v.Action != Allow {
			p.note(u, v)
			return
		}
		place = t
	}
	charge, v := p.ledger.Check(now, who[1], ask)
	if v.Action != Allow {
		p.note(u, v)
	}
	if v.Action == Deny {
		p.leave(now, place)
		return
	}
	if v.Wait > 0 {
		p.later(due{at: u.Start + v.Wait})
	}
	p.later(due{u.Start + v.Wait + u.own(), charge, u.cost()})
	if place != 0 {
		p.later(due{u.Start + v.Wait + u.Open, place, Cost{}})
	}
}

// leave gives a place back, if there is one.
func (p *replay) leave(now time.Time, place Ticket) {
	if place != 0 {
		p.ledger.Done(now, place, Cost{})
	}
}

// pause ends a [Throttling].
const pause = 5 * time.Minute

// note says that a request was throttled.
func (p *replay) note(u *Use, v Verdict) {
	t := Throttling{Node: u.Node, Part: v.Part, Action: v.Action, Locked: v.Action == Deny && v.Part == LocalTime && v.Wait > 0}
	key := t
	i, ok := p.last[key]
	if ok && t.Locked {
		ok = u.Start < p.out[i].To
	} else if ok {
		ok = u.Start-p.out[i].To < pause
	}
	if !ok {
		t.From = u.Start
		i = len(p.out)
		p.last[key], p.out = i, append(p.out, t)
	}
	o := &p.out[i]
	o.Requests++
	o.To = max(o.To, u.Start)
	if t.Locked || v.Action == Delay {
		o.To = max(o.To, u.Start+v.Wait)
	}
	if v.Action == Delay {
		o.Waited += v.Wait
		o.Longest = max(o.Longest, v.Wait)
	}
}
