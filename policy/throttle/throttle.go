// Package throttle judges what one client may ask of this node, by the
// policies and budgets that Exchange's administrators already know. It is told
// who asks, what, and when; it reads no clock, opens nothing and logs nothing.
//
// Start with [Limits.Check] for one client's [Budget], [Ledger] for all of
// them, and [Book] for whose policy says what.
package throttle

import "time"

// A Caller is whom a budget belongs to: one account in one component of this
// node. All its concurrent requests share the budget.
type Caller struct {
	Name      string // SID, or the account's name as the front end knows it; compared byte by byte
	Component Component
}

// An Ask is what a request wants when it begins.
type Ask struct {
	Hanging bool    // a streaming or notification request, which waits and does not work: counted as Hanging, and not charged
	Find    uint32  // items or folders the response would hold, 0 where nothing is searched
	Paged   bool    // the search can be cut: the client will ask for the rest
	Spend   Spend   // what it uses up at once
	CPU     float64 // share of all CPUs in use, 0 to 1, as a mean over 10 s; negative: not known
}

// A Spend is what a request uses up by being made, in counts.
type Spend struct {
	Messages, Recipients         uint32 // of [Submission]
	Cmdlets, Destructive         uint32 // of [PowerShell]
	DeviceDeletes, Notifications uint32 // of [EAS], [PushNotification]
}

// A Cost is what a request cost beyond its own time, as the front end knows it
// at the end. Time in these is part of the request's time and not more of it.
type Cost struct {
	AD, AB, RPC time.Duration
	Time        time.Duration // of the whole request, at least; 0: as long as it was open. For front ends that say so too early
}

// An Action is the kind of a [Verdict].
type Action uint8

const (
	Deny  Action = iota // the zero Action is the safe one
	Delay               // serve it, after Wait
	Allow               // serve it now
)

// String is the word of logs and metrics: "deny", "delay" or "allow".
func (a Action) String() string {
	switch a {
	case Allow:
		return "allow"
	case Delay:
		return "delay"
	}
	return "deny"
}

// A Verdict is what to tell a client.
type Verdict struct {
	Action Action
	Part   Part          // what was over, or slows the request; NoPart where nothing does
	Wait   time.Duration // of a Delay: how long to hold the request; of a Deny: when to come again, 0 for "when one of your requests ends"
	Limit  int64         // of the part: time in ms, CPU in percent, all else in number; 0 where Part is NoPart
	Find   uint32        // how many of Ask.Find may be returned; less only for a search in pages
	Would  Action        // what Action would be if verdicts were enforced: differs from it in shadow mode alone
}
