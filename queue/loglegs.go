package queue

import (
	"net/netip"
	"time"

	"evenkeel/queue/maillog"
)

const (
	legFor   = time.Minute // how long a client may take to come through
	mostLegs = 4096        // clients that are waited for
)

// legs are the clients of one log that were told to authenticate. Who they are
// is not known yet, so that they are told apart by their address: those behind
// one balancer count as one, of whom some come through.
type legs struct {
	open            map[netip.Addr]leg
	through, failed uint64
}

type leg struct {
	n  uint64
	at time.Time
}

func newLegs() legs { return legs{open: map[netip.Addr]leg{}} }

// leg takes up a row as a part of authenticating, and reports whether it is a
// leg, and so no request of its own.
func (t *logTally) leg(r *maillog.Record, at time.Time) bool {
	if r.Behind || !r.Client.Addr().IsValid() {
		return r.Status == 401
	}
	l, a := &t.legs[r.Kind], addrOf(r)
	if r.Status != 401 {
		if len(r.User) > 0 {
			l.come(a, at)
		}
		return false
	}
	l.expire(at, mostLegs)
	if old, known := l.open[a]; known || len(l.open) < mostLegs {
		l.open[a] = leg{old.n + 1, at}
	}
	return true
}

// come is a client that came through.
func (l *legs) come(a netip.Addr, at time.Time) {
	old, ok := l.open[a]
	if !ok {
		return
	}
	delete(l.open, a)
	if at.Sub(old.at) > legFor {
		l.failed += old.n
		return
	}
	l.through += old.n
}

// expire gives up those who did not come through, when there are as many as that.
func (l *legs) expire(at time.Time, when int) {
	if len(l.open) < when {
		return
	}
	for a, old := range l.open {
		if at.Sub(old.at) > legFor {
			l.failed += old.n
			delete(l.open, a)
		}
	}
}

const (
	peerFor    = 10 * time.Minute // over so long it is judged whose the addresses are
	mostPeers  = 256              // addresses that are looked at
	manyUsers  = 20               // at one address are no household
	probeUsers = 5                // at an address that also asks for healthcheck.htm
)

// peers judge whether the addresses of clients are theirs.
type peers struct {
	since time.Time
	rows  uint64
	by    map[netip.Addr]*peer
	found netip.Addr // the last judgement; not valid: they are
}

type peer struct {
	rows   uint64
	users  map[uint64]bool // up to manyUsers
	probes bool
}

func newPeers() peers { return peers{by: map[netip.Addr]*peer{}} }

func (p *peers) of(now time.Time, a netip.Addr) *peer {
	if now.Sub(p.since) > peerFor {
		if p.since.IsZero() || p.rows > 0 {
			p.judge()
		}
		*p = peers{since: now, by: map[netip.Addr]*peer{}, found: p.found}
	}
	if p.by[a] == nil && len(p.by) < mostPeers {
		p.by[a] = &peer{users: map[uint64]bool{}}
	}
	return p.by[a]
}

// probe notes who asks for the page of balancers. The machine itself is none.
func (p *peers) probe(now time.Time, r *maillog.Record) {
	if a := addrOf(r); a.IsValid() && !a.IsLoopback() && len(r.User) == 0 {
		if who := p.of(now, a); who != nil {
			who.probes = true
		}
	}
}

// client notes who asks for a user. Where the log has whom the peer asks for, all
// is well.
func (p *peers) client(now time.Time, r *maillog.Record, user uint64) {
	a := addrOf(r)
	if !a.IsValid() || len(r.User) == 0 || len(r.Forwarded) > 0 {
		return
	}
	who := p.of(now, a)
	p.rows++
	if who == nil {
		return
	}
	if who.rows++; len(who.users) < manyUsers {
		who.users[user] = true
	}
	if who.probes && len(who.users) >= probeUsers {
		p.found = a
	}
}

// judge looks at what a whole span showed: one address with most of the rows and
// many users is no client's.
func (p *peers) judge() {
	p.found = netip.Addr{}
	for a, who := range p.by {
		if len(who.users) >= manyUsers && 2*who.rows > p.rows || who.probes && len(who.users) >= probeUsers {
			p.found = a
		}
	}
}
