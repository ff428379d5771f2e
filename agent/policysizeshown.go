package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"evenkeel/policy/exchange"
	"evenkeel/policy/throttle"
)

// A sizeShown is what is told of an account. Its names in JSON are a promise to
// scripts; times are UTC, durations in seconds.
type sizeShown struct {
	Account    string          `json:"account"`
	Names      []string        `json:"names"` // as the logs have it
	Components []sizeComponent `json:"components"`
}

type sizeComponent struct {
	Component  string          `json:"component"`
	Source     string          `json:"source"`
	Policy     string          `json:"policy"`
	Generation string          `json:"generation"`
	Logged     int             `json:"logged"`    // requests of which the log says what they were charged
	Estimated  int             `json:"estimated"` // of which it does not: an upper bound
	Nodes      []sizeNode      `json:"nodes"`
	Nearest    *sizeNear       `json:"nearest"`
	Throttled  []sizeThrottled `json:"throttled"`
	Needs      []sizeNeed      `json:"needs"`
	Curve      []sizeEnd       `json:"curve"`
	Why        string          `json:"why"`
	Commands   []string        `json:"commands"`
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
	for _, c := range slices.Sorted(maps.Keys(s.pools)) {
		out.Components = append(out.Components, s.inComponent(book, c))
	}
	return out
}

func (s *sizeReading) inComponent(book *throttle.Book, c throttle.Component) sizeComponent {
	p := s.pools[c]
	z := throttle.Size(p.uses, book.Effective(s.policyName()), c)
	out := sizeComponent{
		Component: c.String(), Source: p.source.String(), Policy: z.Present.Policy, Generation: z.Present.Generation.String(),
		Logged: p.logged, Estimated: len(p.uses) - p.logged, Throttled: []sizeThrottled{}, Commands: []string{},
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
	out.Commands = append(out.Commands, s.commands(book, z)...)
	return out
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

// commands set what is to be written: in the account's policy, or where that is
// everyone's in one of its own.
func (s *sizeReading) commands(book *throttle.Book, z throttle.Sized) (out []string) {
	var values []exchange.Setting
	for _, n := range z.Needs {
		if n.Least > 0 {
			values = append(values, exchange.Setting{Parameter: n.Parameter, Number: n.Write})
		}
	}
	for _, p := range book.Policies() {
		if strings.EqualFold(p.Name, z.Present.Policy) && p.Scope == throttle.Regular {
			if text := exchange.SetPolicy(p.Name, values); text != "" {
				out = append(out, text)
			}
			return out
		}
	}
	name := s.policyName()
	return exchange.NewPolicy("Sized "+name, name, z.Present.Limits(z.Component).ServiceAccount, values)
}
