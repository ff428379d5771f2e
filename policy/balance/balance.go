// Package balance decides how much of the farm's new work each node gets, and
// whether this node may tell load balancers to stay away. It is told what was
// seen and what the rules are; it reads no clock, opens nothing, logs nothing.
//
// Start with [Decide]: Rules, State and Observation in, State and Plan out.
// own.go judges this node, guard.go asks the farm's leave to fail, share.go
// levels the farm, astray.go sees who does not follow the shares, wake.go
// starts anew who stood still. [Learner] stands beside it: what a node can hold,
// learnt from when its queues grow. DESIGN.md gives the reasons.
package balance

import (
	"math"
	"time"
)

// A Status is what a node is, in the words that all outputs show.
type Status uint8

// The zero Status is the safe one: served, at capacity weight, and said aloud.
const (
	Unknown  Status = iota // nothing could be measured
	Up                     // takes new work
	Degraded               // over a mark: takes hardly any, and its probe still says yes
	Draining               // asked to take none
	Failing                // its probe says no
	Down                   // seen from outside only: left or lost
)

var statusWords = [...]string{"unknown", "up", "degraded", "draining", "failing", "down"}

// String returns the word that status, metrics, pages and logs show.
func (s Status) String() string {
	if int(s) < len(statusWords) {
		return statusWords[s]
	}
	return "unknown"
}

// eligible nodes get new work.
func (s Status) eligible() bool { return s == Up || s == Degraded || s == Unknown }

// Unmeasured is the count of connections that could not be taken.
// Not measurable is not zero.
const Unmeasured = -1

// Rules are the operator's thresholds. A Rules that exists has been validated:
// 0 < Recover < Degrade < Fail ≤ 1, and no duration is negative.
type Rules struct {
	Degrade float64 // share of a queue's limit at which a node is degraded
	Recover float64 // share at which it may come back
	Fail    float64 // share at which it wishes to fail its probe

	Hold         time.Duration // how long a failing probe is kept at least
	Ramp         time.Duration // slow start of a node that came up; 0 is none
	MinInService int           // nodes that must stay; less than half of the farm counts as half, rounded up
	Farm         int           // the least number of nodes of the farm, as far as the configuration tells
	TTLMin       time.Duration // of DNS answers
	TTLMax       time.Duration
	Even         bool // ignore all measures and give even shares: plain round robin, to compare with
}

// What is not the operator's to choose. Each is argued in DESIGN.md.
const (
	fullWithin = 15 * time.Second       // a queue that is full this soon degrades its node
	calmFor    = 5 * time.Second        // how long every mark must be left before a node comes back
	back       = 0.9                    // connections, CPU and latency: share of the limit at which a node may come back
	detect     = 15 * time.Second       // within this time the cluster sees who is gone
	aloneFor   = time.Minute            // how long one who lost most of the farm suspects himself
	stall      = 5 * time.Second        // the longest between two decisions that counts as going on
	measured   = 500 * time.Millisecond // how old a count may be when a Fact tells it
	travel     = 10 * time.Second       // the longest a Fact is assumed to be under way
	freshBeats = 3                      // heartbeats in which a Fact may be acted on
	leaseBeats = 7                      // heartbeats in which it keeps up a leave once given
	staleBeats = 10                     // heartbeats after which it counts for capacity alone
	floorShare = 0.01                   // of the fair share: keeps a trickle, by which recovery is noticed
	capTimes   = 2                      // of the fair share: the most that any node gets
	rampFloor  = 0.1                    // of the cap: where the slow start begins
	leastFlow  = 4.0 / 1000             // of all capacity: the least number of sessions to plan for
	perAnswer  = 3.0 / 10000            // of all capacity: how many connections one answer should bring at most
)

// Heartbeat is how often a node of a farm of n tells its Fact at least:
// max(1 s, n/25 s), which keeps the gossip's packets within its budget.
func Heartbeat(n int) time.Duration {
	return max(time.Second, time.Duration(n)*time.Second/25)
}

// A Fact is what a node says of itself, and no other node may say of it.
type Fact struct {
	Beat   uint64 // higher is newer
	Status Status
	Why    string // a short word; empty when there is nothing to say

	Connections int // held open; [Unmeasured] when not known
	Limit       int // of connections: the node's capacity, at least 1
	Queue       int // places taken in its worst queue
	QueueLimit  int // places there are; 0 when no queue could be measured

	Load     float64       // the worst of all utilisations, 1 is a limit reached; for reasons only
	Arrivals float64       // new connections a second
	Arrived  uint64        // connections that came so far; falls only when the count begins anew, 0 where that cannot be told
	Caches   float64       // resolvers that hold an answer of this node's, on average; 0 when not known
	Up       time.Duration // the age of its ramp
	Steady   time.Duration // its Status will not change sooner, as far as it can tell

	Wish  Wish
	Grant Grant
}

// brim is the reason of a node that holds as many connections as it may.
const brim = "connections"

// brimful says that a node is over no mark but that of its connections. It is
// said, and needs no floor: the level-filling knows connections, and a floor
// would make the node empty against the others, and them overflow, by turns.
func (f Fact) brimful() bool { return f.Status == Degraded && f.Why == brim }

// A Wish is a node's standing request to fail its probe for load.
// The zero Wish is none.
type Wish struct {
	Beat uint64  // of the decision that raised it; names the wish
	Load float64 // when it was raised, and frozen since
}

// A Grant is a node's word that it will not fail while another may.
// The zero Grant is none.
type Grant struct {
	Node string
	Beat uint64 // of the [Wish] it answers
}

// A Node is another node of the farm: its last Fact, and what the cluster says.
type Node struct {
	Name   string
	Member bool      // the cluster counts it as alive
	Left   bool      // it said goodbye
	Born   time.Time // when the Fact was new, by this machine's clock; zero: none heard
	Fact
}

// A Measure is what this node sees of itself.
type Measure struct {
	Blind       bool          // no source could be read
	Connections int           // or [Unmeasured]
	Arrived     uint64        // connections that came so far; only grows, 0 where that cannot be told
	Covered     time.Duration // the TTLs of all answers given so far for the farm, added up; 0 where that cannot be told
	Limit       int           // of connections
	Queues      []Queue       // every queue that could be measured
	Refused     uint64        // requests and connections turned away so far by queues that are measured; only grows
	Reported    uint64        // likewise by queues of which only that is known, as logs report it: they degrade, and never fail
	Gauges      []Gauge       // CPU, RPC latency …: they degrade, and never fail
	Broken      string        // why its own service does not answer; empty when it does
	Draining    bool          // asked to take no new work
	Drained     bool          // the time for that is over: the probe may say so
	Ladder      float64       // the lowest load at which a balancer asked to be refused; 0 is none
}

// A Queue is a line of requests in front of this node's workers.
type Queue struct {
	Depth, Limit int
	Slope        float64 // places a second; positive while it grows
}

// ratio is how full q is; Linux lets an accept queue reach its limit plus one.
func (q Queue) ratio() float64 { return float64(q.Depth) / float64(q.Limit) }

// until is the time in which q reaches share of its limit at the present slope.
func (q Queue) until(share float64) time.Duration {
	room := share*float64(q.Limit) - float64(q.Depth)
	switch {
	case room <= 0:
		return 0
	case !(q.Slope > 0): // or it is not known
		return math.MaxInt64
	}
	return seconds(room / q.Slope)
}

// A Gauge is a value with a limit, in the same unit.
type Gauge struct {
	Name         string
	Value, Limit float64
}

// An Observation is everything a decision may depend on.
type Observation struct {
	Now   time.Time // of a clock that nobody sets, and that goes on while the machine sleeps
	Name  string    // this node
	Beat  uint64    // of this decision; higher than all before
	Own   Measure
	Nodes []Node // all others, sorted by name
}

// A Plan is what the outputs must show until the next one.
type Plan struct {
	Own    Fact          // what to tell the farm
	Serve  bool          // what the probe says: false is 503
	Leave  bool          // the farm lets this node refuse, for load
	Nodes  []Standing    // this node and all others, sorted by name
	TTL    time.Duration // of DNS answers
	Open   bool          // all are over their marks: shares follow the room that is left
	Alone  bool          // most of the farm vanished at once: this node suspects itself
	Astray Astray        // how much of the new work does not follow the answers
	Away   time.Duration // this machine stood still for so long before this decision; 0: it did not
}

// A Standing is what one node gets, and why.
type Standing struct {
	Name   string
	Status Status
	Why    string
	Share  float64 // of all new work; the shares of a Plan sum to 1
	Fair   float64 // its share by capacity alone
	Age    time.Duration
	Heard  bool // a Fact of it is known
	Fact
}

// seconds turns s into a Duration without overflow.
func seconds(s float64) time.Duration {
	if s >= float64(math.MaxInt64)/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(s * float64(time.Second))
}
