package gate

import "sync/atomic"

// Stats are what a gate has counted since it was made. What was decided, the
// ledger counts.
type Stats struct {
	Checks, Nexts, Dones, ROPs uint64 // questions of front ends
	Holds, Frees               uint64 // and these
	Held                       uint64 // requests that waited here until their time had come
	Left                       uint64 // requests that waited here and whose client went away
	Waiting                    int    // requests that wait here now
	Failed                     uint64 // answers by Options.FailOpen, since nothing could be judged
	Crowded                    uint64 // connections and questions beyond Bounds.Connections
	FullHouse                  uint64 // requests beyond Options.Waiters, which were denied
	OverShare                  uint64 // and those beyond what one caller may take of these
	TooLong                    uint64 // and those with a delay beyond Options.Wait
	Unknown                    uint64 // tickets that are not known, or not any more
	Bad                        uint64 // questions with a header that says nothing
	Foreign                    uint64 // connections from beyond Bounds.Allow
	Strays                     uint64 // requests for no path of ours
}

type counters struct {
	checks, nexts, dones, rops, holds, frees                                                  atomic.Uint64
	held, left, failed, crowded, fullHouse, overShare, tooLong, unknown, bad, foreign, strays atomic.Uint64
}

// Stats are as of now; each number is true, and they need not be of one instant.
func (s *Server) Stats() Stats {
	c := &s.counters
	return Stats{
		Checks: c.checks.Load(), Nexts: c.nexts.Load(), Dones: c.dones.Load(), ROPs: c.rops.Load(),
		Holds: c.holds.Load(), Frees: c.frees.Load(), OverShare: c.overShare.Load(), TooLong: c.tooLong.Load(),
		Held: c.held.Load(), Left: c.left.Load(), Waiting: s.hall.held(),
		Failed: c.failed.Load(), Crowded: c.crowded.Load(), FullHouse: c.fullHouse.Load(),
		Unknown: c.unknown.Load(), Bad: c.bad.Load(), Foreign: c.foreign.Load(), Strays: c.strays.Load(),
	}
}
