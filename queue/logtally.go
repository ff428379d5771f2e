package queue

import (
	"bytes"
	"hash/maphash"
	"maps"
	"net/netip"
	"slices"
	"time"

	"evenkeel/queue/maillog"
)

const (
	fresh     = 5 * time.Minute  // a refusal of before then is counted, and is no news; a quiet HTTP.sys writes its rows minutes late
	ahead     = time.Minute      // a row of later than that has a time that nobody believes
	overFor   = 15 * time.Minute // how long a user who was throttled is named
	mostOver  = 8
	mostNames = 64 // pools, servers, and types of a protocol that are kept apart
	mostWords = 64 // bytes of a name
	beyond    = "other"
	kinds     = int(maillog.Other) + 1
	protocols = int(maillog.REST) + 1
)

// A logTally counts the rows of one source's logs. It is for one goroutine.
type logTally struct {
	pools    map[string]*poolTally                   // by folded name
	rest     *poolTally                              // those beyond mostNames; nil: none
	wanted   map[string]string                       // the pools that count, by folded name; empty: the usual ones
	own      map[netip.Addr]bool                     // addresses of this machine; empty: any
	stranger netip.Addr                              // a server's that is another; not valid: none was met
	requests [kinds][protocols]map[string]*[2]uint64 // by type: work, waits
	throttle [kinds]Throttled
	front    names
	back     names
	sessions [kinds]distinct
	over     []Over // the latest first
	legs     [kinds]legs
	peers    peers
	probes   uint64
	seed     maphash.Seed
	keys     []byte      // to build a session's key in
	since    time.Time   // when the first row of a session was written, or reading began
	latest   time.Time   // when the latest row was written
	told     [kinds]bool // there was a row that tells of sessions
}

func newLogTally() *logTally {
	t := &logTally{pools: map[string]*poolTally{}, wanted: map[string]string{}, own: map[netip.Addr]bool{}, front: names{}, back: names{}, seed: maphash.MakeSeed(), peers: newPeers()}
	for i := range t.sessions {
		t.sessions[i] = newDistinct(mostSessions)
		t.legs[i] = newLegs()
	}
	return t
}

// add takes up a row that is read now.
func (t *logTally) add(now time.Time, r *maillog.Record) {
	at := believed(now, r.At)
	if r.Kind == maillog.HTTPErr {
		t.refusal(r, at)
		return
	}
	if r.Probe {
		t.probes++
		t.peers.probe(now, r)
		return
	}
	if r.Kind == maillog.Unknown || r.Kind == maillog.Other {
		return
	}
	t.latest = later(t.latest, at)
	if t.leg(r, at) {
		return
	}
	t.request(r)
	t.front.add(r.FrontEnd)
	t.back.add(r.BackEnd)
	t.throttled(now, r, at)
	t.session(r, at)
	if !r.Behind {
		t.peers.client(now, r, maphash.Bytes(t.seed, r.User))
	}
}

// believed is when a row was written: not later than now, since a clock was wrong
// then, and zero where it was wrong by more than ahead.
func believed(now, at time.Time) time.Time {
	switch d := at.Sub(now); {
	case d > ahead:
		return time.Time{}
	case d > 0:
		return now
	}
	return at
}

func (c *Count) see(at time.Time) { c.N, c.Last = c.N+1, later(c.Last, at) }

// request counts by protocol and type. A type that is new is believed where the
// request succeeded: a client may name what it likes.
func (t *logTally) request(r *maillog.Record) {
	types := t.requests[r.Kind][r.Protocol]
	if types == nil {
		types = map[string]*[2]uint64{}
		t.requests[r.Kind][r.Protocol] = types
	}
	n := types[string(r.Type)]
	if n == nil {
		key := beyond
		if r.Status < 400 && len(types) < mostNames && len(r.Type) <= mostWords {
			key = string(r.Type)
		}
		if n = types[key]; n == nil {
			n = new([2]uint64)
			types[key] = n
		}
	}
	if r.Waits {
		n[1]++
	} else {
		n[0]++
	}
}

// names count by name.
type names map[string]*uint64

func (m names) add(name []byte) {
	if len(name) == 0 {
		return
	}
	n := m[string(name)]
	if n == nil {
		key := beyond
		if len(m) < mostNames && len(name) <= 255 {
			key = string(name)
		}
		if n = m[key]; n == nil {
			n = new(uint64)
			m[key] = n
		}
	}
	*n++
}

func (m names) sorted() (out []Passed) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Passed{name, *m[name]})
	}
	return out
}

// throttled takes up what throttling did to a request.
func (t *logTally) throttled(now time.Time, r *maillog.Record, at time.Time) {
	refused := overBudget(r)
	if r.Delay <= 0 && !refused {
		return
	}
	c := &t.throttle[r.Kind]
	if refused {
		c.Refused++
	} else {
		c.Delayed, c.Delay = c.Delayed+1, c.Delay+r.Delay
	}
	if now.Sub(at) <= overFor && refused && len(r.User) > 0 && len(r.User) <= 255 {
		t.name(string(r.User), at)
	}
}

// name puts a user among those who are over their budgets.
func (t *logTally) name(user string, at time.Time) {
	t.over = latest(append([]Over{{user, at}}, t.over...))
}

// overBudget reports that a request was refused because its user may not have
// more.
func overBudget(r *maillog.Record) bool {
	switch string(r.Reason) {
	case "ErrorServerBusy", "ErrorExceededConnectionCount", "ErrorExceededSubscriptionCount", "ErrorExceededFindCountLimit":
		return true
	}
	over := []byte("OverBudget")
	return bytes.HasPrefix(r.Reason, over) || bytes.Contains(r.Errors, over) ||
		r.Protocol == maillog.EAS && r.Status == 503 && r.Budget != nil
}

// session takes up whose session the row is of.
func (t *logTally) session(r *maillog.Record, at time.Time) {
	if r.Protocol != maillog.MAPI || len(r.Session) == 0 || at.IsZero() || r.Kind == maillog.IIS && r.Behind {
		return
	}
	key := r.Session
	if r.Kind == maillog.IIS { // it knows the mailbox alone: a session is that, of a user, at a machine
		t.keys = append(append(append(t.keys[:0], r.Session...), 0), r.User...)
		t.keys = r.Client.Addr().AppendTo(append(t.keys, 0))
		key = t.keys
	}
	t.told[r.Kind] = true
	if at.Before(t.since) {
		t.since = at
	}
	t.sessions[r.Kind].see(maphash.Bytes(t.seed, key), at)
}

func addrOf(r *maillog.Record) netip.Addr { return r.Client.Addr().Unmap() }
