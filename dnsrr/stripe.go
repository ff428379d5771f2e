package dnsrr

import "sync/atomic"

// Readers on different processors that count in one place spend their time on
// handing it to each other. So each reader of UDP has a stripe of the counters,
// and who asks adds them up. Where there are more readers than stripes some
// share one, which is slower and still right.
const (
	stripes      = 16
	commonStripe = 0 // of TCP, whose replies cost more than a counter
	cacheLine    = 64
)

// counts are one stripe of what is counted for every query. What stands behind
// it in memory begins on another cache line.
type counts struct {
	queries tally
	covered atomic.Uint64 // s
	_       [cacheLine]byte
}

// nextStripe deals the stripes to readers, in turn.
func (s *Server) nextStripe() int {
	return 1 + int(s.readers.Add(1)-1)%(stripes-1)
}

// A striped counter is counted in by any stripe at the same time. Those of
// eight nodes stand together, so that a stripe's part of them is one cache line.
type striped struct {
	lines *lines
	at    int
}

type lines [stripes][cacheLine / 8]atomic.Uint64

func (c striped) add(stripe int) { c.lines[stripe][c.at].Add(1) }

// sum is the count of all stripes.
func (c striped) sum() (n uint64) {
	for i := range c.lines {
		n += c.lines[i][c.at].Load()
	}
	return n
}

// next is the counter after c, which nobody has counted in. Places are not given
// twice: who holds an old table may still count in them.
func (c striped) next() striped {
	if c.lines == nil || c.at+1 == len(c.lines[0]) {
		return striped{lines: new(lines)}
	}
	return striped{c.lines, c.at + 1}
}
