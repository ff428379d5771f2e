// Package sim plays a farm in simulated time: nodes with their queues, clients,
// the resolvers between, the agents with their gossip, a load balancer if there
// is one. It plays the same arrivals under our law and under the rules that
// others use, so that their worth can be compared in numbers.
//
// Nothing in it reads a clock or draws from chance: a [Scenario], a [Rule] and a
// seed give the same [Result], always. Connections, look-ups and probes are
// events; requests and the queue are a fluid between them.
//
// Start with [Play]. world.go holds the order of a step; client.go, node.go,
// resolver.go, agent.go and balancer.go are the parts; rule.go lists the rules.
// DESIGN.md says what is modelled, and what is not.
package sim

import (
	"errors"
	"fmt"
	"time"

	"evenkeel/policy/balance"
)

// A Scenario is a farm and what happens to it. Instants are counted from its
// start. One that [Scenario.Check] passes can be played.
type Scenario struct {
	Name  string
	About string // what it shows, a sentence or two
	For   time.Duration
	From  time.Duration // measuring begins here; before is warming up

	Nodes     []Node
	Clients   Clients
	Resolvers []Resolver
	TTL       TTL
	Answers   int // addresses in an answer of ours at most; 0 is as many as exactness allows, up to 8
	Agents    int // that the parent zone names: they answer and must hear all others, who only tell; 0 is all
	Gossip    Gossip
	Rules     balance.Rules // TTLs in it are taken from TTL
	Balancer  Balancer      // for the rules that stand behind one
	Events    []Event
}

// A Node is one server of the farm, as it is while well.
type Node struct {
	Name    string
	Limit   int     // of connections: what it is said to hold
	Service float64 // requests a second that it serves
	Queue   int     // places in its request queue
	Stall   Stall
	Warm    time.Duration // after a start it serves slowly: from a third to all of Service
}

// A Stall is a pause that comes when a node holds too much (a collection of
// garbage, a slow domain controller): the queue fills meanwhile.
type Stall struct {
	At    int           // connections from which on it comes; 0 is never
	For   time.Duration // how long it lasts
	Every time.Duration // from the start of one to that of the next, while there are so many
	Rate  float64       // share of Service that is left
}

// Clients are the users: Outlooks that come in the morning, hold a session for
// hours with two connections (one long wait, one execute), and open another when
// it ends, until they go home.
type Clients struct {
	N       int
	Come    time.Duration // when the first comes
	Storm   time.Duration // within this time all have come, most in its middle
	Go      time.Duration // when the first leaves for good; 0 is never
	Leave   time.Duration // within this time after Go all have left
	Session time.Duration // mean length; the lengths have no memory
	Pause   time.Duration // mean time between two sessions of a client

	Rate  float64       // executes a second and session
	Legs  int           // requests that open a session: authentication
	Again time.Duration // before a refused client tries again, on average

	Pin    float64 // share of clients that hold an address for PinFor, whatever its TTL (WinINet: 30 minutes)
	PinFor time.Duration
	Sort   float64 // share of clients that sort an answer and take the first (RFC 6724)
}

// perSession is the connections of a session: one request waits for news, one
// executes, and HTTP/1.1 needs one connection each (MS-OXCMAPIHTTP).
const perSession = 2

// A Resolver caches for a part of the clients.
type Resolver struct {
	Share float64       // of the clients; only the proportions matter
	Least time.Duration // floor of a TTL; 0 is none
	Most  time.Duration // clamp of a TTL; 0 is none
	Fixed bool          // gives an answer in the order it came; others rotate it
}

// A TTL is the bounds of ours; the rules of others, which have but one, use Max.
type TTL struct{ Min, Max time.Duration }

// Gossip is how Facts travel.
type Gossip struct {
	Delay time.Duration // mean of an exponential, at most ten times of it
	Loss  float64       // share of Facts that do not arrive at a node
}

// A Balancer stands in front of the nodes for the rules that have one.
type Balancer struct {
	Kind    string        // netscaler, haproxy or f5: how it probes, and what it does to a node that fails
	Persist time.Duration // a client comes back to its node within this time; 0 is never
	Skew    Skew          // what an earlier day left in the table of persistence
}

// A Skew says that a share of all clients is remembered as a node's.
type Skew struct {
	Node  string
	Share float64
}

// An Event is something that happens to nodes, by name; none is all of them.
type Event struct {
	At    time.Duration
	Do    Act
	Nodes []string
	For   time.Duration // of those that end by themselves
}

// An Act is what an Event does.
type Act string

// What can happen. Those that last end after For, or never if that is 0.
const (
	Crash     Act = "crash"     // the machine resets its connections and is gone, agent and all; after For it starts again, empty
	Unplug    Act = "unplug"    // the same, and it says nothing: clients notice when TCP gives up
	Recycle   Act = "recycle"   // the service drops its sessions and starts anew; the agent lives on
	StallNow  Act = "stall"     // the service does hardly anything (its Stall.Rate, or nothing) for a while
	Drain     Act = "drain"     // the operator asks for no new work; after For it is taken back
	Partition Act = "partition" // the agents of these nodes and the others do not hear each other
	Deaf      Act = "deaf"      // no Fact of anybody reaches anybody
)

// Check says all that keeps s from being played, joined.
func (s Scenario) Check() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if s.For <= 0 || s.For > maxFor || s.From < 0 || s.From >= s.For {
		bad("for %v, from %v: want 0 <= from < for <= %v", s.For, s.From, maxFor)
	}
	if s.Gossip.Delay < 0 || !share(s.Gossip.Loss) {
		bad("gossip: want a delay that is not below zero, and a loss of 0..1")
	}
	seen := s.checkNodes(bad)
	s.checkPeople(bad)
	if s.TTL.Min <= 0 || s.TTL.Max < s.TTL.Min {
		bad("ttl: want 0 < min <= max")
	}
	if s.Agents < 0 || s.Agents > len(s.Nodes) || s.Agents > 0 && s.Balancer.Kind != "" {
		bad("agents: %d are not within 0..%d, or there is a balancer, which asks all", s.Agents, len(s.Nodes))
	}
	if s.Balancer.Skew.Node != "" && !seen[s.Balancer.Skew.Node] {
		bad("balancer: no node %q", s.Balancer.Skew.Node)
	}
	if _, ok := kinds[s.Balancer.Kind]; s.Balancer.Kind != "" && !ok {
		bad("balancer: no kind %q", s.Balancer.Kind)
	}
	for _, e := range s.Events {
		if _, ok := acts[e.Do]; !ok {
			bad("event at %v: nothing called %q happens", e.At, e.Do)
		}
		for _, name := range e.Nodes {
			if !seen[name] {
				bad("event at %v: no node %q", e.At, name)
			}
		}
	}
	return errors.Join(errs...)
}

// checkNodes returns the names that there are.
func (s Scenario) checkNodes(bad func(string, ...any)) (seen map[string]bool) {
	if len(s.Nodes) == 0 || len(s.Nodes) > MaxNodes {
		bad("nodes: %d are not within 1..%d", len(s.Nodes), MaxNodes)
	}
	seen = map[string]bool{}
	for _, n := range s.Nodes {
		if n.Name == "" || seen[n.Name] {
			bad("node %q: no name, or listed twice", n.Name)
		}
		seen[n.Name] = true
		if n.Limit < 1 || !(n.Service > 0) || n.Queue < 1 {
			bad("node %q: limit, service and queue must be above zero", n.Name)
		}
		if n.Stall.At > 0 && (n.Stall.For <= 0 || n.Stall.Every < n.Stall.For) || !share(n.Stall.Rate) {
			bad("node %q: a stall lasts for some time, comes every so often, and leaves 0..1 of the service", n.Name)
		}
	}
	return seen
}

func (s Scenario) checkPeople(bad func(string, ...any)) {
	if c := s.Clients; c.N < 1 || c.N > MaxClients || c.Session <= 0 || c.Legs < 0 || !(c.Rate >= 0) {
		bad("clients: want 1..%d, and a session length", MaxClients)
	} else if min(c.Come, c.Storm, c.Go, c.Leave, c.Pause, c.Again, c.PinFor) < 0 {
		bad("clients: no time can be below zero")
	} else if !share(c.Pin) || !share(c.Sort) {
		bad("clients: pin and sort are shares, 0..1")
	}
	if len(s.Resolvers) == 0 || len(s.Resolvers) > MaxResolvers {
		bad("resolvers: %d are not within 1..%d", len(s.Resolvers), MaxResolvers)
	}
	least, sum := 0.0, 0.0
	for _, r := range s.Resolvers {
		least, sum = min(least, r.Share), sum+r.Share
	}
	if len(s.Resolvers) > 0 && !(least >= 0 && sum > 0) {
		bad("resolvers: shares are not below zero, and not all zero")
	}
}

// share says that x is one of something.
func share(x float64) bool { return x >= 0 && x <= 1 }

// Bounds of what is played, by the size of the types that count it, and of the
// timetable: a month of it is 107 MB.
const (
	maxFor       = 31 * 24 * time.Hour
	MaxNodes     = 1024
	MaxClients   = 4_000_000
	MaxResolvers = 60_000
)
