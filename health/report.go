// Package health tells load balancers whether to send work here, and how much.
//
// A [Report] is what they are told. How it reads in each dialect is pure:
// [Report.Page] is Exchange's healthcheck.htm, [Report.AgentCheck] HAProxy's
// agent line. A [Server] holds the current Report and talks to the network.
//
// Start with [Report], then [Report.Page]. DESIGN.md has the reasons.
package health

import "math"

// A State is what a node says of itself. The zero State is Unknown: a node that
// cannot measure itself stays in service, and says so.
type State uint8

// The states, as the page, the metrics and the status show them.
const (
	Unknown  State = iota // nothing could be measured; in service
	Up                    // in service
	Degraded              // in service, near a limit
	Draining              // on its way out: takes no new work if balancers heed it
	Failing               // out of service, whatever Report.Serve says
)

var stateNames = [...]string{"unknown", "up", "degraded", "draining", "failing"}

// String is the word balancers and people see; a State that is none of ours is
// "unknown".
func (s State) String() string {
	if int(s) >= len(stateNames) {
		s = Unknown
	}
	return stateNames[s]
}

// A Report is what balancers are told until the next one. It is a value and
// comparable; the zero Report keeps the node out of service.
type Report struct {
	Node  string // short name, shown as X-FEServer; "" leaves the header out
	FQDN  string // shown by the page in service
	State State

	// Serve is whether to answer as in service. It is apart from State because
	// a draining node serves until the drain's time is over.
	Serve bool

	Load    float64 // worst utilisation, 1 is at the limit; negative or NaN is not known
	Percent int     // share of the fair share, 100 is just that; dialects clamp to 1..200

	// Leave is whether the farm lets this node refuse for load alone. Without
	// it no ?max=N takes the node out.
	Leave bool

	Out    Protocols // protocols that are broken by themselves: their pages alone refuse
	Reason string    // short word for State; "" is shown as "-"
}

// inService is the one place that knows who gets work.
func (r Report) inService() bool { return r.Serve && r.State != Failing }

// maxLoadPercent bounds the load shown; beyond a hundred times the limit the
// number says nothing more.
const maxLoadPercent = 9999

// loadPercent is the load as it is shown and judged, or -1 if it is not known.
// It is rounded first, so that a page never shows 80 and refuses max=80.
func (r Report) loadPercent() int {
	if math.IsNaN(r.Load) || r.Load < 0 {
		return -1
	}
	return int(math.Round(100 * min(r.Load, maxLoadPercent/100.0)))
}
