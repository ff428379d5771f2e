package sim

import (
	"slices"
	"time"

	"evenkeel/policy/balance"
)

// A Rule is a way to spread clients: one that others use, or ours, whole or
// with a part switched off.
type Rule struct {
	Name  string
	About string

	weigh   weigher // nil is our law
	form    form    // of the answers
	monitor bool    // knows up and down by gdnsd's monitors alone
	blind   bool    // knows nothing: the dead are answered too

	method method // of the balancer in front; none is DNS
	probe  probe
	agent  bool    // the balancer's weights follow the agent check
	ladder float64 // the load over which its probe asks to be refused (?max=N)

	off   part // of our law
	learn bool // limits are learnt, and begin at what nodes are said to hold
}

// A weigher gives every node that takes new work its share, by what an agent
// knows. Only the proportions matter.
type weigher func(nodes []balance.Standing, shares []float64)

// A form is how shares become addresses.
type form uint8

const (
	nested   form = iota // ours: sets that carry the shares
	single               // one address, by chance
	shedding             // the same, of those that their load has not dropped (NS1)
	multi                // each with the odds of its share against the largest (gdnsd)
	whole                // all addresses, rotated
	pair                 // the emptier of two by chance
)

// A part of our law can be left out, to see what it is worth.
type part uint8

const (
	horizon  part = 1 << iota // what comes before the next correction: without, shares follow the room left
	sets                      // more than one address in an answer
	sequence                  // each asker's even sequence: without, chance
	adaptive                  // TTLs by state and asker
	ramp                      // slow start
	guard                     // leave to fail: without, a node fails when it wishes
	arrivals                  // counted: without, taken from growth
)

// A probe is what the balancer asks.
type probe uint8

const (
	pool probe = iota // the page of the application pool: waits in its queue, and fails with it
	page              // ours
)

// rules lists all that can be played, rivals first.
var rules = []Rule{
	{Name: "round-robin", About: "plain DNS round robin: all addresses, no health", weigh: alike, form: whole, blind: true},
	{Name: "weighted-single", About: "static weights by capacity, one address, monitors with gdnsd's defaults", weigh: capacity, form: single, monitor: true},
	{Name: "weighted-multi", About: "static weights by capacity, several addresses, as gdnsd's multi does", weigh: capacity, form: multi, monitor: true},
	{Name: "least-loaded", About: "always the node with the least load", weigh: least, form: single},
	{Name: "inverse-load", About: "weight = capacity x (100 - load), as agents of balancers report", weigh: inverse, form: single},
	{Name: "shed", About: "load shedding between two watermarks, as NS1 does: from 60 to 90 %", weigh: capacity, form: shedding},
	{Name: "two-choices", About: "the emptier of two taken by capacity", weigh: capacity, form: pair},
	{Name: "cswrr", About: "rate over utilisation (gRPC A58)", weigh: rateOverLoad, form: single},
	{Name: "balancer-leastconn", About: "a load balancer, least connections, probing the pool's page", method: leastConnections},
	{Name: "balancer-roundrobin", About: "a load balancer, round robin, probing the pool's page", method: roundRobin},
	{Name: "evenkeel-balancer", About: "the balancer kept, least connections, on our probe (?max=60), and our agent check if it takes one", method: leastConnections, probe: page, agent: true, ladder: 0.6},
	{Name: "evenkeel", About: "our law, answered by DNS"},
}

// ablations are ours without a part, or with one that is off by default.
var ablations = []Rule{
	{Name: "evenkeel-no-horizon", About: "shares follow the room that is left", off: horizon},
	{Name: "evenkeel-no-sets", About: "one address in an answer", off: sets},
	{Name: "evenkeel-no-sequence", About: "chance in place of each asker's sequence", off: sequence},
	{Name: "evenkeel-no-adaptive-ttl", About: "the same TTL always", off: adaptive},
	{Name: "evenkeel-no-ramp", About: "no slow start", off: ramp},
	{Name: "evenkeel-learn", About: "limits of connections are learnt from when queues grow", learn: true},
	{Name: "evenkeel-no-arrivals", About: "arrivals guessed from growth", off: arrivals},
	{Name: "evenkeel-balancer-no-guard", About: "a node fails its probe when it wishes", method: leastConnections, probe: page, agent: true, ladder: 0.6, off: guard},
	{Name: "evenkeel-balancer-no-max", About: "the probe without ?max=60", method: leastConnections, probe: page, agent: true},
}

// Rules returns what can be compared, rivals first and ours last. The slice is
// the caller's own.
func Rules() []Rule { return slices.Clone(rules) }

// Ablations returns ours with one part left out of each, or put in.
func Ablations() []Rule { return slices.Clone(ablations) }

// Find returns the rule or ablation of a name.
func Find(name string) (Rule, bool) {
	all := slices.Concat(rules, ablations)
	i := slices.IndexFunc(all, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
}

// NeedsBalancer says that r can be played only where there is one.
func (r Rule) NeedsBalancer() bool { return r.method != none }

func (r Rule) has(p part) bool { return r.off&p == 0 }

// takes says that a node gets new work under the rules of others too: they have
// the same gossip as we, and an operator who takes a node out.
func takes(n balance.Standing) bool {
	return n.Heard && n.Status != balance.Down && n.Status != balance.Draining
}

func each(nodes []balance.Standing, shares []float64, weight func(balance.Standing) float64) {
	for i, n := range nodes {
		shares[i] = 0
		if takes(n) {
			shares[i] = weight(n)
		}
	}
}

func alike(nodes []balance.Standing, shares []float64) {
	each(nodes, shares, func(balance.Standing) float64 { return 1 })
}

func capacity(nodes []balance.Standing, shares []float64) {
	each(nodes, shares, func(n balance.Standing) float64 { return float64(n.Limit) })
}

// load is the worst of a node's utilisations, 1 is a limit reached.
func load(n balance.Standing) float64 {
	l := float64(n.Connections) / float64(n.Limit)
	if n.QueueLimit > 0 {
		l = max(l, float64(n.Queue)/float64(n.QueueLimit))
	}
	return l
}

func least(nodes []balance.Standing, shares []float64) {
	best := -1
	for i, n := range nodes {
		shares[i] = 0
		if takes(n) && (best < 0 || load(n) < load(nodes[best])) {
			best = i
		}
	}
	if best >= 0 {
		shares[best] = 1
	}
}

// inverse never gives nothing: 1 % is what agents report at least.
func inverse(nodes []balance.Standing, shares []float64) {
	each(nodes, shares, func(n balance.Standing) float64 { return float64(n.Limit) * max(0.01, 1-load(n)) })
}

// dropped is the chance that NS1's shed_load drops a node: none up to the low
// mark, always from the high one on.
func dropped(load float64) float64 {
	const low, high = 0.6, 0.9
	return min(1, max(0, (load-low)/(high-low)))
}

// rateOverLoad estimates the capacity: requests go with the sessions. A node
// that has none yet, or told none, gets the mean of the others.
func rateOverLoad(nodes []balance.Standing, shares []float64) {
	sum, known := 0.0, 0
	each(nodes, shares, func(n balance.Standing) float64 {
		if n.Connections <= 0 || n.Up < 10*time.Second {
			return -1
		}
		w := float64(n.Connections) / load(n)
		sum, known = sum+w, known+1
		return w
	})
	mean := 1.0
	if known > 0 {
		mean = sum / float64(known)
	}
	for i := range shares {
		if shares[i] < 0 {
			shares[i] = mean
		}
	}
}

// room is what our law would be without its horizon, for the same nodes.
func room(nodes []balance.Standing, shares []float64) {
	sum := 0.0
	for i, n := range nodes {
		shares[i] = max(0, float64(n.Limit-n.Connections))
		switch {
		case n.Fair == 0: // takes none
			shares[i] = 0
		case n.Status == balance.Degraded:
			shares[i] = 0.01 * float64(n.Limit)
		}
		sum += shares[i]
	}
	for i := range nodes {
		if sum == 0 {
			shares[i] = nodes[i].Fair
		}
	}
}
