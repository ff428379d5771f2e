// Package diagnose says what happened on a farm from the logs of its nodes: what
// went wrong, when, why, how sure that is, and which lines show it. It is told
// records and answers with a value; it reads no clock and opens nothing.
//
// Start with [New]: a [Case] gathers logs, and [Case.Report] judges them.
package diagnose

import "time"

// A Kind is a sort of finding. Its text is what JSON has, and does not change.
type Kind string

// The findings there are.
const (
	Skew               Kind = "skew"                // the sessions stood on few of the nodes
	QueueFull          Kind = "queue-full"          // requests were refused for want of a place in a pool's queue
	Cascade            Kind = "cascade"             // a node that was overrun handed its clients to the next
	ReconnectStorm     Kind = "reconnect-storm"     // many sessions were opened at once
	Stall              Kind = "stall"               // a pool stood still: requests waited in its queue to the end of their time
	Recycle            Kind = "recycle"             // a pool's worker ended, and its connections with it
	PoolDown           Kind = "pool-down"           // a pool was off
	SlowBackend        Kind = "slow-backend"        // the mailbox server needed long
	SlowAuthentication Kind = "slow-authentication" // logging on needed long: domain controllers, Netlogon
	ProbeFlap          Kind = "probe-flap"          // a balancer's probe failed and came back, time and again
	IdleTimeout        Kind = "idle-timeout"        // a device between cuts connections of a round age
	Throttled          Kind = "throttled"           // clients were delayed or refused for what they had used up
	LockedOut          Kind = "locked-out"          // clients were refused until their budget was above zero again
	DeletedPolicy      Kind = "deleted-policy"      // a policy was asked for that is deleted
	Monopoly           Kind = "monopoly"            // one client needs a large part of a node
	Unavailable        Kind = "unavailable"         // 503 for another reason, which the title names
	HiddenClients      Kind = "hidden-clients"      // the addresses of few, such as balancers, stand in the place of the clients'
	Code               Kind = "code"                // a code that people look up, and what it means
)

// The kinds of a [Span] that no finding has: what may be harmless, and is only shown.
const (
	WorkerEnded Kind = "worker-ended" // a pool's worker ended, felt or not
	ProbeFailed Kind = "probe-failed" // a balancer's probe failed, often or not
)

// A Report is what came of a [Case].
type Report struct {
	From, To time.Time // of the first row and the last
	Findings []Finding // the worst first; what caused others stands before them
	Clear    []string  // what was looked for and is not in the logs, a sentence each
	Blind    []string  // what could not be looked for, and which log would show it
	Nodes    []Course  // sorted by name
	Rows     int64     // that were judged: within the times of [Options]
	Top      Top
}

// A Finding is one thing that happened.
type Finding struct {
	Kind       Kind
	Title      string  // one line, with the figures that matter
	Confidence float64 // 0 to 1
	From, To   time.Time
	Nodes      []string   // sorted
	Evidence   []Evidence // the lines that show it, the most telling first; at least one
	Advice     string     // what to do about it
	Details    []string   // further figures, a sentence each
	Minutes    float64    // in which clients were refused because of it; 0: it was felt otherwise
}

// Evidence is a line of a log.
type Evidence struct {
	File string
	Line int64  // from 1
	Text string // the line, cut where it is long; valid UTF-8
}

// A Course is how one node fared over time, in steps of equal length.
type Course struct {
	Node  string
	Start time.Time // of the first step
	Step  time.Duration

	Sessions []float64 // distinct MAPI sessions; negative: it cannot be told
	Requests []float64 // of clients, waits not counted, in the step
	Refused  []float64 // 503, of HTTP.sys, IIS and Exchange, in the step
	Opened   []float64 // sessions opened in the step
	Cut      []float64 // connections that ended abnormally in the step

	Spans []Span // in the order of their beginning
}

// A Span is a time in which something went on at a node: an episode of a full
// queue, a lock-out, a worker that ended, a probe that failed.
type Span struct {
	Kind     Kind
	From, To time.Time
	Label    string // "MSExchangeMapiFrontEndAppPool: 412 refused"
}
