package node

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"evenkeel/policy/balance"
)

// A Drain is an operator's word that a node takes no new work. The zero Drain
// is none.
type Drain struct {
	Since time.Time     // zero: no drain
	Over  time.Duration // how long the probe says yes all the same; below 0: as long as the drain stands
}

// over says that the probe may say no.
func (d Drain) over(now time.Time) bool {
	return !d.Since.IsZero() && d.Over >= 0 && now.Sub(d.Since) >= d.Over
}

// An Ask is what one node asks of another in its own Fact, since nobody else may
// say that a node drains. The zero Ask is none.
type Ask struct {
	Node   string        // who is asked
	ID     uint64        // tells this Ask from the asker's former ones
	Beat   uint64        // the last beat of Node that the asker heard: who has started since was not meant
	Resume bool          // end the drain; else begin one
	Over   time.Duration // see [Drain], whole seconds
}

// askFor is how long an Ask is told: it must outlast the loss of a few Facts.
const askFor = 20 * time.Second

// An asking is an Ask of this node, and when it began to be told.
type asking struct {
	Ask
	since time.Time
}

// Drain takes this node out of new work from the next beat on, which is at
// once. After over its probe says no; below 0 it never does. It can be called
// from any goroutine, before Run too.
func (n *Node) Drain(over time.Duration) { n.Restore(Drain{Since: time.Now(), Over: over}) }

// Resume ends a drain.
func (n *Node) Resume() { n.Restore(Drain{}) }

// Restore makes d the drain that stands, as after a restart. Of a Since that
// was written down the wall clock says how long ago it is, never less than
// nothing; from here on it counts for as long as it takes, whatever that clock is set to.
func (n *Node) Restore(d Drain) {
	if now := time.Now(); !d.Since.IsZero() {
		d.Since = now.Add(-max(0, now.Sub(d.Since)))
	}
	n.drain.Store(&d)
	n.hurry()
	if n.Kept != nil {
		n.Kept(d)
	}
}

// Drained returns the drain that stands.
func (n *Node) Drained() Drain {
	if d := n.drain.Load(); d != nil {
		return *d
	}
	return Drain{}
}

// ErrNoNode is wrapped when a node is asked of which nothing was heard.
var ErrNoNode = errors.New("no such node in the farm")

// Ask asks another node to drain or to resume; its own name is this node. The
// request travels with the own Fact for 20 s, and the other carries it out and
// says so in its Fact. One Ask is told at a time: a newer one takes its place.
func (n *Node) Ask(name string, resume bool, over time.Duration) error {
	switch other, known := standing(n.View(), name); {
	case (name == "" || name == n.Name) && resume:
		n.Resume()
	case name == "" || name == n.Name:
		n.Drain(over)
	case !known:
		return fmt.Errorf("%w: %s", ErrNoNode, name)
	default:
		now := time.Now()
		n.asks.Store(&asking{Ask{Node: name, ID: uint64(now.UnixNano()), Beat: other.Beat, Resume: resume, Over: over}, n.counted(now)})
		n.hurry()
	}
	return nil
}

// asked is the Ask to tell now, by the clock of counted.
func (n *Node) asked(now time.Time) Ask {
	if a := n.asks.Load(); a != nil && now.Sub(a.since) < askFor {
		return a.Ask
	}
	return Ask{}
}

// obey carries out what others ask of this node, each Ask once; what is too old
// to be told any more is too old to be done, and so is what was asked of a former
// self, which ended before first. done is the last of each asker.
func (n *Node) obey(done map[string]uint64, first uint64, nodes []balance.Node, facts map[string]Fact, now time.Time) map[string]uint64 {
	next := maps.Clone(done)
	for _, from := range nodes {
		a := facts[from.Name].Ask
		if a.Node != n.Name || a.ID == done[from.Name] || a.Beat < first || now.Sub(from.Born) > askFor {
			continue
		}
		if next == nil {
			next = make(map[string]uint64)
		}
		next[from.Name] = a.ID
		n.Log.Warn("asked by another node", "by", from.Name, "resume", a.Resume, "over", a.Over.String())
		if a.Resume {
			n.Resume()
		} else {
			n.Drain(a.Over)
		}
	}
	return next
}
