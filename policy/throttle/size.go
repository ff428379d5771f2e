package throttle

import (
	"cmp"
	"slices"
	"time"
)

// A Use is one request of an account, as a log tells of it. Instants are given
// since any one beginning, the same for all.
type Use struct {
	Node    int           // from 0: which of the node's budgets it counts in, since each node keeps its own
	Start   time.Duration // when it came
	Open    time.Duration // how long it was one of those at once
	Charged time.Duration // what it was charged for its time, less or more than Open; nothing if it hangs
	AD, RPC time.Duration // of it, where that is known: what policies of 2010 limit apart
	Hanging bool          // it waited, and did not work
	Rough   bool          // Start is known to a second only, as of a log of whole seconds: who came after the end of another may seem to have come before
}

// A Sized is what the requests of one account needed in one component, and what
// a policy makes of them.
type Sized struct {
	Component Component
	Present   Effective    // the policy
	Nodes     []Usage      // by node
	Needs     []Need       // the smallest policy, parameter by parameter, in the order of [Parameters]
	Curve     Curve        // of burst and recharge; zero where the generation has none, or no request came
	Nearest   Nearest      // which part came nearest to its limit, had none been throttled
	Throttled []Throttling // what the present policy does, by beginning
}

// A Usage is what was used of one node.
type Usage struct {
	Requests, Hanging     int // Hanging are not among Requests
	AtOnce, HangingAtOnce Peak
	Sure, HangingSure     int           // at once, of those that are not Rough: what is judged and sized
	Charged               time.Duration // of all requests
	Hour                  time.Duration // the most that those were charged that came within an hour
	HourFrom              time.Duration // when that hour began
	First, Last           time.Duration // from the first beginning to the last end
}

// A Peak is the most at once, and when it was first reached; of requests of which any is
// Rough it may be more than were.
type Peak struct {
	N  int
	At time.Duration
}

// A Need is what a parameter must be.
type Need struct {
	Parameter Parameter
	Present   Value
	Least     int64 // with one less, and the others of the policy as they are, a request is throttled; 0: it needs nothing
	Write     int64 // Least rounded up to a number that people write

	more [2]int64 // Least and Write of those beyond Present, where that is not enough though it is no less than Least
}

// A Curve are the two ends between which MaxBurst and RechargeRate can be
// traded: one is as the policy has it, the other the least that is enough then.
// NoLimit: no number is. Inherited, the zero Value: the policy limits neither.
type Curve struct {
	Burst    Value // ms, at the policy's RechargeRate
	Recharge Value // ms an hour, at the policy's MaxBurst
}

// Nearest is a part of which the account used the greatest share of its limit.
type Nearest struct {
	Parameter Parameter
	Share     float64 // 1: all of it; more: it is throttled; negative: nothing is limited
}

// Size says what uses needed of c, and what a caller's policy makes of them. It
// puts uses in order. The smallest policy is one under which [Replay] throttles
// nothing, and with one less of any of Needs it does.
//
// Requests at once are not sized for RCA, POP, IMAP and PowerShell: there
// MaxConcurrency counts connections, of which requests do not tell. CutoffBalance
// is as the policy has it, and so are time in AD, in the address book and in RPC
// where no use has any, since logs seldom tell them. Requests at once are sized by
// those that are not Rough, and not at all where all are. Of burst and recharge many pairs are enough. Taken is
// the burst that is needed where an hour earns what the account was charged in
// its worst hour, so that no debt is carried from hour to hour, and then the least
// recharge that is enough for that burst.
func Size(uses []Use, e Effective, c Component) Sized {
	s := Sized{Component: c, Present: e, Nearest: Nearest{Share: -1}}
	if len(uses) == 0 {
		return s
	}
	w := newWalk(uses, e.Limits(c), c)
	for i := range w.nodes {
		s.Nodes = append(s.Nodes, w.nodes[i].usage())
	}
	if slices.ContainsFunc(uses, func(u Use) bool { return !u.Rough }) {
		for _, p := range gaugeParts[c] {
			s.gauge(p)
		}
	}
	for i, p := range rateParts[c] {
		switch {
		case p.minute() && e.Generation.leaky() && tells(uses, p):
			s.percent(w, i, p)
		case p == LocalTime && !e.Generation.leaky():
			s.bucket(w)
		}
	}
	slices.SortFunc(s.Needs, func(a, b Need) int { return cmp.Compare(a.Parameter, b.Parameter) })
	s.Throttled = Replay(uses, e.Limits(c), c)
	return s
}

// tells says that uses have what was charged of p: that no time in a part is logged
// does not mean that there was none.
func tells(uses []Use, p Part) bool {
	return slices.ContainsFunc(uses, func(u Use) bool { return p == CAS || p == AD && u.AD > 0 || p == RPC && u.RPC > 0 })
}

// connects says that MaxConcurrency counts connections, not requests.
func (c Component) connects() bool { return c == RCA || c == POP || c == IMAP || c == PowerShell }

// gauge sizes requests at once.
func (s *Sized) gauge(p Part) {
	if p != Concurrency && p != Hanging || p == Concurrency && s.Component.connects() {
		return
	}
	least := 0
	for _, n := range s.Nodes {
		if p == Hanging {
			least = max(least, n.HangingSure)
		} else {
			least = max(least, n.Sure)
		}
	}
	s.need(p, asLimit, int64(least), roundCount(int64(least)))
}

// need notes what a parameter must be, where the generation has it.
func (s *Sized) need(p Part, does role, least, write int64) {
	x, ok := s.Component.parameter(s.Present.Generation, p, does)
	if !ok {
		return
	}
	present, _ := s.Present.Setting(x)
	s.Needs = append(s.Needs, Need{Parameter: x, Present: present.Value, Least: least, Write: write})
	if does != asBurst && does != asRefill {
		s.near(x, present.Value, Number(least))
	}
}

// near keeps the part that is nearest to its limit.
func (s *Sized) near(x Parameter, present, needed Value) {
	limit, limited := present.limit()
	if n, ok := needed.limit(); limited && ok {
		if share := float64(n) / max(float64(limit), 0.5); share > s.Nearest.Share {
			s.Nearest = Nearest{x, share}
		}
	}
}

// parameter is which number of p in c it is that does so.
func (c Component) parameter(g Generation, p Part, does role) (Parameter, bool) {
	for x := range Parameters() {
		if of := parameters[x]; of.component == c && of.part == p && of.does == does && x.Of(g) {
			return x, true
		}
	}
	return 0, false
}

// roundCount is n, or if it has more than two digits that matter the next number
// that has not.
func roundCount(n int64) int64 {
	step := int64(1)
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}

// roundTime is a number of milliseconds, at least a minute: nobody writes less.
func roundTime(n int64) int64 { return max(60_000, roundCount(n)) }
