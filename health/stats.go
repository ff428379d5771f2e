package health

import (
	"net/netip"
	"sync/atomic"
	"time"
)

// Stats is what a Server has counted since it was made. Each number is exact;
// numbers read at one moment may be a probe apart.
type Stats struct {
	Probes     []ProbeCount // every dialect and state, in a fixed order, zeros too
	Strays     uint64       // requests for no page of ours, or by another method: 404 and 405
	OverMax    uint64       // 503 given for load over a probe's max=N; counted in Probes too
	NoHost     uint64       // HTTP/1.1 requests without any Host, which net/http answers with 400
	LastNoHost Rejection    // the newest of these; the zero Rejection before the first
	Rejected   uint64       // other requests that net/http refused before we saw them
	Crowded    uint64       // connections closed at once because too many were open
}

// A ProbeCount is how often a dialect told of a state.
type ProbeCount struct {
	Dialect string // healthcheck or agent_check
	State   string // a State's word
	N       uint64
}

// A Rejection is who was refused, and when.
type Rejection struct {
	From netip.Addr
	At   time.Time
}

type dialect uint8

const (
	healthcheck dialect = iota
	agentCheck
)

var dialectNames = [...]string{"healthcheck", "agent_check"}

type counters struct {
	probes     [len(dialectNames)][len(stateNames)]atomic.Uint64
	strays     atomic.Uint64
	overMax    atomic.Uint64
	noHost     atomic.Uint64
	lastNoHost atomic.Pointer[Rejection]
	rejected   atomic.Uint64
	crowded    atomic.Uint64
}

func (c *counters) probe(d dialect, s State) {
	if int(s) >= len(stateNames) {
		s = Unknown
	}
	c.probes[d][s].Add(1)
}

// page counts a reply of the page.
func (c *counters) page(v verdict, s State) {
	switch v {
	case missing, unasked:
		c.strays.Add(1)
		return
	case broken:
		s = Failing
	case overMax:
		c.overMax.Add(1)
	}
	c.probe(healthcheck, s)
}

func (c *counters) withoutHost(from netip.Addr, at time.Time) {
	c.lastNoHost.Store(&Rejection{from, at})
	c.noHost.Add(1)
}

// Stats returns what was counted so far.
func (s *Server) Stats() Stats {
	c := &s.counters
	out := Stats{
		Strays:   c.strays.Load(),
		OverMax:  c.overMax.Load(),
		NoHost:   c.noHost.Load(),
		Rejected: c.rejected.Load(),
		Crowded:  c.crowded.Load(),
	}
	if last := c.lastNoHost.Load(); last != nil {
		out.LastNoHost = *last
	}
	for d := range c.probes {
		for st := range c.probes[d] {
			out.Probes = append(out.Probes, ProbeCount{dialectNames[d], stateNames[st], c.probes[d][st].Load()})
		}
	}
	return out
}
