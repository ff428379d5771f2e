package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// A sizeShown is what is told of an account. Its names in JSON are a promise to
// scripts; times are UTC, durations in seconds.
type sizeShown struct {
	Account    string          `json:"account"`
	Names      []string        `json:"names"` // as the logs have it
	Components []sizeComponent `json:"components"`
	Commands   []string        `json:"commands"` // that raise what throttles it, in all components; none where nothing does
	Own        bool            `json:"own"`      // of commands: they make a policy of its own
}

type sizeComponent struct {
	Component  string          `json:"component"`
	Source     string          `json:"source"` // the logs that tell of its requests
	Policy     string          `json:"policy"`
	Generation string          `json:"generation"`
	Logged     int             `json:"logged"`           // requests of which the log says what they were charged
	Estimated  int             `json:"estimated"`        // of which it does not: an upper bound
	MaybeWaits int             `json:"maybe_waits"`      // of those: that took minutes, and whose kind is not logged
	Syncs      int             `json:"syncs_as_waits"`   // that took minutes
	Refused    int             `json:"refused"`          // not counted elsewhere
	Rough      bool            `json:"at_once_is_bound"` // logs have whole seconds, so at_once and hanging_at_once may be too much
	LeftOut    []sizeLeft      `json:"left_out"`         // rows that tell of requests of the same hours
	Nodes      []sizeNode      `json:"nodes"`
	Nearest    *sizeNear       `json:"nearest"`
	Throttled  []sizeThrottled `json:"throttled"`
	Needs      []sizeNeed      `json:"needs"`
	Curve      []sizeEnd       `json:"curve"`
	Why        string          `json:"why"`
}

type sizeLeft struct {
	Source string `json:"source"`
	Rows   int    `json:"rows"`
}

type sizeNode struct {
	Node      string    `json:"node"`
	Requests  int       `json:"requests"`
	Hanging   int       `json:"hanging"`
	AtOnce    int       `json:"at_once"`
	AtOnceAt  time.Time `json:"at_once_at"`
	HangingAt int       `json:"hanging_at_once"`
	Mean      float64   `json:"charged_an_hour"`
	Most      float64   `json:"most_in_an_hour"`
	MostFrom  time.Time `json:"most_from"`
}

type sizeNear struct {
	Parameter string  `json:"parameter"`
	Share     float64 `json:"share"`
}

type sizeThrottled struct {
	Node     string    `json:"node"`
	Part     string    `json:"part"`
	Action   string    `json:"action"` // delay, deny or lock-out
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Requests int       `json:"requests"`
	Waited   float64   `json:"waited"`
	Longest  float64   `json:"longest"`
}

type sizeNeed struct {
	Parameter string `json:"parameter"`
	Unit      string `json:"unit"`
	Present   string `json:"present"`
	Least     int64  `json:"least"`
	Write     int64  `json:"write"`
}

type sizeEnd struct {
	Parameter string `json:"parameter"`
	Unit      string `json:"unit"`
	Least     string `json:"least"`
	Beside    string `json:"beside"` // the other one and its present value
}

// sized sizes every component.
func (s *sizeReading) sized(book *throttle.Book) sizeShown {
	out := sizeShown{Account: s.account, Names: slices.Sorted(maps.Keys(s.names))}
	var all []throttle.Sized
	for _, c := range slices.Sorted(maps.Keys(s.pools)) {
		sum := s.pools[c].sum()
		z := throttle.Size(sum.uses, book.Effective(s.policyName()), c)
		out.Components, all = append(out.Components, s.inComponent(sum, z)), append(all, z)
	}
	out.Commands, out.Own = sizeCommands(book, s.policyName(), all)
	return out
}

func (s *sizeReading) inComponent(sum sizeSum, z throttle.Sized) sizeComponent {
	out := sizeComponent{
		Component: z.Component.String(), Source: sum.source(), Policy: z.Present.Policy, Generation: z.Present.Generation.String(),
		Logged: sum.logged, Estimated: len(sum.uses) - sum.logged, MaybeWaits: sum.maybe, Syncs: sum.sync, Refused: sum.refused, Rough: sum.rough(),
		LeftOut: []sizeLeft{}, Nodes: []sizeNode{}, Throttled: []sizeThrottled{},
	}
	for source, n := range sum.left {
		if n > 0 {
			out.LeftOut = append(out.LeftOut, sizeLeft{sizeSource(source).String(), n})
		}
	}
	for i, n := range z.Nodes {
		if n.Requests+n.Hanging > 0 {
			out.Nodes = append(out.Nodes, s.node(i, n))
		}
	}
	if z.Nearest.Share >= 0 {
		out.Nearest = &sizeNear{z.Nearest.Parameter.String(), z.Nearest.Share}
	}
	for _, t := range z.Throttled {
		out.Throttled = append(out.Throttled, s.throttled(t))
	}
	for _, n := range z.Needs {
		out.Needs = append(out.Needs, sizeNeed{n.Parameter.String(), n.Parameter.Unit().String(), n.Parameter.Show(n.Present), n.Least, n.Write})
	}
	out.Curve, out.Why = sizeCurve(z), sizeWhy(z)
	return out
}

// source is the logs, the best first; of several, with the hours of each.
func (s *sizeSum) source() string {
	var out []string
	for source, n := range slices.Backward(s.hours[:]) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s (%s)", sizeSource(source), numberOf(n, "hour")))
		}
	}
	if len(out) == 1 {
		out[0], _, _ = strings.Cut(out[0], " (")
	}
	return strings.Join(out, ", ")
}

// policyName is the name to ask policies by: the fullest that the logs have.
func (s *sizeReading) policyName() string {
	return slices.MaxFunc(append(slices.Sorted(maps.Keys(s.names)), s.account), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// sizeInstant is an instant of a [throttle.Use].
func sizeInstant(d time.Duration) time.Time { return time.Unix(0, int64(d)).UTC() }

func (s *sizeReading) node(i int, n throttle.Usage) sizeNode {
	hours := max(1, (n.Last - n.First).Hours())
	return sizeNode{
		Node: s.nodes[i], Requests: n.Requests, Hanging: n.Hanging, AtOnce: n.AtOnce.N, AtOnceAt: sizeInstant(n.AtOnce.At), HangingAt: n.HangingAtOnce.N,
		Mean: n.Charged.Seconds() / hours, Most: n.Hour.Seconds(), MostFrom: sizeInstant(n.HourFrom),
	}
}

func (s *sizeReading) throttled(t throttle.Throttling) sizeThrottled {
	action := t.Action.String()
	if t.Locked {
		action = "lock-out"
	}
	return sizeThrottled{s.nodes[t.Node], t.Part.String(), action, sizeInstant(t.From), sizeInstant(t.To), t.Requests, t.Waited.Seconds(), t.Longest.Seconds()}
}

// sizeCurve is the two ends, where the policy limits time.
func sizeCurve(z throttle.Sized) (out []sizeEnd) {
	var burst, recharge throttle.Need
	for _, n := range z.Needs {
		switch n.Parameter.Unit() {
		case throttle.Millis:
			burst = n
		case throttle.MillisPerHour:
			recharge = n
		}
	}
	end := func(n, beside throttle.Need, v throttle.Value) {
		if v.State != throttle.Inherited {
			out = append(out, sizeEnd{n.Parameter.String(), n.Parameter.Unit().String(), n.Parameter.Show(v), beside.Parameter.String() + " " + beside.Parameter.Show(beside.Present)})
		}
	}
	end(burst, recharge, z.Curve.Burst)
	end(recharge, burst, z.Curve.Recharge)
	return out
}

// sizeWhy is the reason for the pair.
func sizeWhy(z throttle.Sized) string {
	if !slices.ContainsFunc(z.Needs, func(n throttle.Need) bool { return n.Parameter.Part() == throttle.LocalTime }) {
		return ""
	}
	return "of the pairs that are enough, the one whose burst is what is needed while an hour earns back what the worst hour was charged"
}
