package queue

import (
	"net/netip"
	"slices"
	"time"
)

// A Logs is what the logs of a mail node say. All that counts begins at 0 when
// its source is first read, and only grows; what stood in the logs before is not
// in it. Names in it come from clients and may hold any bytes. It is never
// changed once returned.
type Logs struct {
	Files []LogFiles // of each source
	Pools []Pool     // whom HTTP.sys turned away, by application pool; at most 65, and those that were named
	Hints []string   // what an operator could make better; empty most of the time

	// A request stands in the log of each that had it. So sums are over one Log.
	Requests  []Requests
	Legs      []Legs
	Throttled []Throttled
	FrontEnds []Passed // requests that came by a front end, by its name; at most 65
	BackEnds  []Passed // requests that this node passed on, by whom to; at most 65

	Sessions *Sessions // nil: no log tells
	Over     []Over    // who was refused by throttling in the last 15 minutes, the latest first; at most 8
	Probes   uint64    // requests of monitors and balancers, which are in none of the other numbers but those of Pools
}

// A LogFiles is how a source fares with its files.
type LogFiles struct {
	Source   string
	Rows     uint64
	Rejected uint64 // lines that are no rows
	Behind   int64  // bytes that were written and not read yet
}

// A Pool is an application pool as HTTP.sys logs it (HTTPERR): only whom it had
// to turn away. A time is of the latest such row; zero: there was none.
type Pool struct {
	Name      string    // as HTTP.sys first wrote it; "-": the row names none; "other": the 65th and later
	Refused   []Refused // answered 503, or cut for that reason
	Full      time.Time // its queue was full
	Off, Seen time.Time // it was off from the one to the other at least, by those it turned away; zero: it was not
	Stalled   Count     // requests that waited in the queue until their time was over (Timer_ReqQueue): it stood still, and was not full
	Abandoned Count     // requests that were lost with the worker process, or that it gave up: a recycle, or a crash
}

// A Refused is how many were turned away for one reason, in HTTP.sys' words:
// "QueueFull", "AppOffline", …, "other".
type Refused struct {
	Reason string
	N      uint64
}

// A Count is how often something stood in a log, and when last.
type Count struct {
	N    uint64
	Last time.Time
}

// A Requests is how many requests of clients one log holds, without those that
// were told to authenticate first. Those that wait are answered when something
// happens; the others are work.
type Requests struct {
	Log, Protocol string // "httpproxy", "Mapi"; Protocol is empty where it cannot be told
	Type          string // of MAPI the request type, of EWS the action, of EAS the command; empty: not logged; "other": beyond 64 of a log and protocol
	Waits         bool
	N             uint64
}

// A Legs is how many requests had to be asked again to authenticate (401).
type Legs struct {
	Log    string
	Legs   uint64 // the client came through within a minute
	Failed uint64 // it did not
}

// A Throttled is what throttling did to requests. It is about users, and says
// nothing of the node.
type Throttled struct {
	Log     string
	Delayed uint64
	Delay   time.Duration // of those
	Refused uint64
}

// A Passed is how many requests went by one server; "other" is the 65th and later.
type Passed struct {
	Server string
	N      uint64
}

// An Over is a user who was refused for want of a budget, and when last.
type Over struct {
	User string
	At   time.Time
}

// A Sessions is how many MAPI sessions of clients, no monitors, had a row in the
// last five minutes: a NotificationWait ends after so long at most.
type Sessions struct {
	Log       string // the best that tells: httpproxy and iis of clients at this node, mapihttp of mailboxes at this node
	N         int
	Estimated bool          // too many to keep: N is right within 2 % or so
	Seen      time.Duration // of the five minutes, since reading began; while it is less, N is too low
}

// rank orders the logs that tell of sessions. The front end's come first: they
// tell who is at this node, which is what can be balanced.
func rank(log string) int {
	return slices.Index([]string{"httpproxy", "iis", "mapihttp"}, log)
}

// OffSince is since when the pool is off, as far as those it turned away tell, of
// whom the last is no older than five minutes: HTTP.sys may write so late. Zero:
// it is not.
func (p Pool) OffSince(now time.Time) time.Time {
	if p.Off.IsZero() || now.Sub(p.Seen) > fresh {
		return time.Time{}
	}
	return p.Off
}

// balancerHint is what to do about addresses that are a balancer's.
func balancerHint(source string, a netip.Addr) string {
	return "source " + source + ": clients are logged by the address " + a.String() +
		", which is a balancer's or a gateway's: have it send X-Forwarded-For, and log that (IIS: a custom field)"
}
