package gossip

import "sync/atomic"

// Stats are counts since Start, except where they say "now".
type Stats struct {
	Members int // alive now, this node among them
	Known   int // other names known now, members or not
	Queue   int // words that wait to be sent now
	Health  int // memberlist's score now: 0 = timely, up to 7 = this machine answers late

	Told     uint64 // own Facts
	Heard    uint64 // words believed: Facts, goodbyes, alarms
	Stale    uint64 // words that were no news
	Held     uint64 // words of a name that two machines use
	Echoes   uint64 // words of this node's own name
	Full     uint64 // words of one name too many
	Rejected uint64 // malformed words
	Unknown  uint64 // words of a version or kind not known here

	BytesIn, BytesOut uint64 // of words and states, without memberlist's own traffic

	Joins      uint64 // attempts to reach a peer of Join that is not a member
	JoinErrors uint64 // of those, the ones that failed
}

type counters struct {
	members                 atomic.Int64
	told, rejected, unknown atomic.Uint64
	became                  [outcomes]atomic.Uint64
	bytesIn, bytesOut       atomic.Uint64
	joins, joinErrors       atomic.Uint64
}

// Stats returns the counts of now.
func (c *Cluster) Stats() Stats {
	c.mu.Lock()
	known := len(c.book.entries)
	c.mu.Unlock()
	n := &c.count
	return Stats{
		Members: int(n.members.Load()), Known: known,
		Queue: c.queue.NumQueued(), Health: c.list.GetHealthScore(),
		Told: n.told.Load(), Heard: n.became[fresh].Load(), Stale: n.became[stale].Load(),
		Held: n.became[held].Load(), Echoes: n.became[echo].Load(), Full: n.became[full].Load(),
		Rejected: n.rejected.Load(), Unknown: n.unknown.Load(),
		BytesIn: n.bytesIn.Load(), BytesOut: n.bytesOut.Load(),
		Joins: n.joins.Load(), JoinErrors: n.joinErrors.Load(),
	}
}
