// Package queue measures how much this machine has to do: the requests that
// wait in its queues, the connections it holds open, and how busy it is.
//
// A [Source] reads one thing, [Platform] lists what this system offers, a
// [Sampler] keeps the newest [Reading] of each, and [Sampler.Sample] returns
// them as one [Sample]. Start there.
package queue

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// A Sample is what all sources saw, as it was known at one instant. It is
// never changed once returned. A source that could not be read is a Fault in
// it, beside the numbers of the others; its own numbers are missing, not zero,
// but for those of logs: what could be read of them counts beside the Fault.
type Sample struct {
	At      time.Time
	Queues  []Queue  // sorted by Name
	Ports   []Port   // sorted by Number; empty: connections are not measured
	Gauges  []Gauge  // sorted by Name
	Arrived uint64   // connections that came to Ports since their source was first read; only grows, 0 where that cannot be told
	Closed  []uint16 // ports that were asked for and nothing listens on; sorted
	Logs    *Logs    // what logs say, of all sources together; nil: no log is read
	Sources []Status // every source, in the order given
	Faults  []Fault  // the sources that could not be read, in that order
}

// A Queue is a line in which work waits. Its places are the source's:
// connections in an accept queue, requests in front of an application pool.
// Places of different queues are compared by Depth/Limit, and never added.
type Queue struct {
	Name    string
	Depth   int     // places taken; Linux lets an accept queue reach Limit + 1; [Unmeasured]: not known, which is not 0
	Limit   int     // places there are; 0: not known
	Slope   float64 // places a second, above 0 while it grows; 0 until two readings. The Sampler's
	Refused uint64  // turned away for want of a place, since the source was first read; only grows
}

// Unmeasured is the Depth of a queue of which only the refusals are known: a log
// has who was turned away, and not how many wait.
const Unmeasured = -1

// A Port is a listening port and its connections, those that still wait to be
// accepted among them.
type Port struct {
	Number uint16
	Open   int
}

// A Gauge is any other load that has a limit. "cpu" is the share of all CPUs
// that was busy in the last 10 seconds, 0 to 1, with limit 1.
type Gauge struct {
	Name         string
	Value, Limit float64
}

// A Fault is a source that could not be read, and why: its own error, or
// [ErrStale].
type Fault struct {
	Source string
	Err    error
}

// String is the source and what happened to it.
func (f Fault) String() string { return fmt.Sprintf("%s: %v", f.Source, f.Err) }

// A Status is how one source fares.
type Status struct {
	Name string
	Age  time.Duration // since the last good reading; negative: there was none
	Err  error         // as in the Fault; nil: all its numbers are in the Sample
	Logs bool          // it reads logs, and measures no load
}

// ErrStale is the Fault of a source that has not answered in time.
var ErrStale = errors.New("no reading in time")

// A Source reads one thing the system can tell. Read is called by one
// goroutine at a time, returns soon after ctx is done, and never touches a
// Reading again that it has returned. A Reading beside an error counts where it
// has Logs.
type Source interface {
	Name() string
	Read(context.Context) (Reading, error)
}

// A Reading is one source's part of a [Sample], in any order.
type Reading struct {
	Queues  []Queue
	Ports   []Port
	Gauges  []Gauge
	Arrived uint64
	Closed  []uint16
	Logs    *Logs // nil: the source reads none
}

// A Listener says which listening TCP sockets count.
type Listener struct {
	Ports     []uint16     // none given: all
	Addresses []netip.Addr // local addresses; wildcard listeners serve them too. None given: all
	Except    []uint16     // the agent's own ports, left out where no Ports are given

	// Own says whether a port is the agent's own now. It is asked at every
	// reading, and such ports are left out as those of Except are; nil = no
	// further ones.
	Own func(port uint16) bool
}
