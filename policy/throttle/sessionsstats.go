package throttle

// SessionStats count what [Sessions] answered since they were made, in ROPs; in
// shadow mode, what they would have.
type SessionStats struct {
	Sessions    int    // now
	ROPs        uint64 // judged
	RopBackoffs uint64 // refused with RopBackoff
	TooBusy     uint64 // refused with ServerTooBusy
	Delays      uint64 // held until their turn: from old clients that had the error just before
	Shared      uint64 // requests judged with others for want of room
	Evicted     uint64 // sessions forgotten
}

// Backoffs is how many ROPs were refused, in either form: what Exchange counts
// as "RPC Client Backoff/sec".
func (s SessionStats) Backoffs() uint64 { return s.RopBackoffs + s.TooBusy }

// Stats returns the counts so far.
func (s *Sessions) Stats() SessionStats {
	out := SessionStats{Sessions: int(s.known.used.Load())}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		out.add(sh.stats)
		sh.mu.Unlock()
	}
	return out
}

func (s *SessionStats) add(o SessionStats) {
	s.ROPs += o.ROPs
	s.RopBackoffs += o.RopBackoffs
	s.TooBusy += o.TooBusy
	s.Delays += o.Delays
	s.Shared += o.Shared
	s.Evicted += o.Evicted
}

// count takes in the answer to n ROPs.
func (s *SessionStats) count(a Answer, n int) {
	rops := uint64(max(1, n))
	s.ROPs += rops
	switch {
	case a.Action == Delay:
		s.Delays += rops
	case a.Action == Deny && a.TooBusy:
		s.TooBusy += rops
	case a.Action == Deny:
		s.RopBackoffs += rops
	}
}
