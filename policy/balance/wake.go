package balance

import "time"

// away is how long this machine stood still before a decision at now: stopped,
// starved or asleep, while all it knew grew old. 0: it did not.
func (s State) away(now time.Time) time.Duration {
	if d := now.Sub(s.at); !s.started.IsZero() && d > stall {
		return d
	}
	return 0
}

// wake is the State of one who stood still. Clients have left meanwhile, and
// what lay in its sockets looks newer than it is; so it is that of a start: the
// slow start begins, no old word of others lets it fail, counts are taken anew,
// and that all others are silent at once is not held against the farm.
//
// Three things outlast it. A grant stands until its node is seen without that
// wish, or gone: it binds nobody but this node. What it was, it must leave by
// its marks. And a broken service is not mended by the time of its hold.
func (s State) wake() State {
	w := State{status: s.status, why: s.why, hold: s.hold, grant: s.grant, books: s.books.forget(time.Time{})}
	if s.forLoad { // the leave was of a farm that is no more
		w.status, w.hold = Degraded, time.Time{}
	}
	return w
}
