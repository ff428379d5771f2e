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
	pools    map[string]*poolTally
	requests [kinds][protocols]map[string]*[2]uint64 // by type: work, waits
	throttle [kinds]Throttled
	front    names
	back     names
	sessions [kinds]distinct
	over     []throttledUser // the latest first
	legs     [kinds]legs
	peers    peers
	probes   uint64
	seed     maphash.Seed
	keys     []byte      // to build a session's key in
	since    time.Time   // when the first row of a session was written, or reading began
	latest   time.Time   // when the latest row was written
	told     [kinds]bool // there was a row that tells of sessions
}

type throttledUser struct {
	name string
	at   time.Time
}

// A poolTally is a Pool while it is counted.
type poolTally struct {
	refused   map[string]uint64
	news      uint64 // those of them that the queue had no place for, and that were new when read
	full      time.Time
	off, seen time.Time
	stalled   Count
	abandoned Count
}

func newLogTally() *logTally {
	t := &logTally{pools: map[string]*poolTally{}, front: names{}, back: names{}, seed: maphash.MakeSeed(), peers: newPeers()}
	for i := range t.sessions {
		t.sessions[i] = newDistinct(mostSessions)
		t.legs[i] = newLegs()
	}
	return t
}

// add takes up a row that is read now.
func (t *logTally) add(now time.Time, r *maillog.Record) {
	if r.Kind == maillog.HTTPErr {
		t.refusal(now, r)
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
	t.latest = later(t.latest, r.At)
	if t.leg(r) {
		return
	}
	t.request(r)
	t.front.add(r.FrontEnd)
	t.back.add(r.BackEnd)
	t.throttled(now, r)
	t.session(r)
	if !r.Behind {
		t.peers.client(now, r, maphash.Bytes(t.seed, r.User))
	}
}

// refusal takes up a row of HTTP.sys. Most are of connections, and say nothing.
func (t *logTally) refusal(now time.Time, r *maillog.Record) {
	switch string(r.Reason) {
	case "Timer_ReqQueue":
		t.pool(r.Pool).stalled.see(r.At)
	case "Connection_Abandoned_By_AppPool", "Connection_Abandoned_By_ReqQueue":
		t.pool(r.Pool).abandoned.see(r.At)
	default:
		if why := refusedFor(r); why != "" {
			t.pool(r.Pool).refuse(now, why, r.At)
		}
	}
}

// refusedFor is why a request was turned away; empty: it was not. An answer of
// another status says nothing of a queue, whatever stands beside it: "400.2" is
// no full queue. A pool that cuts connections instead (TcpLevel) sends none.
func refusedFor(r *maillog.Record) string {
	if r.Status != 503 && r.Status != 0 {
		return ""
	}
	switch why := string(r.Reason); why {
	case "QueueFull", "AppOffline", "Disabled", "AppShutdown", "AppPoolTimer", "ConnLimit", "Connections_Refused":
		return why
	case "N/A":
		if r.Status == 503 {
			return why
		}
	}
	if r.Status == 503 {
		return beyond
	}
	return ""
}

// pool is the one of that name.
func (t *logTally) pool(name []byte) *poolTally {
	if len(name) == 0 {
		name = []byte("-")
	}
	if p := t.pools[string(name)]; p != nil {
		return p
	}
	key := beyond
	if len(t.pools) < mostNames && len(name) <= 255 {
		key = string(name)
	}
	if t.pools[key] == nil {
		t.pools[key] = &poolTally{refused: map[string]uint64{}}
	}
	return t.pools[key]
}

func (p *poolTally) refuse(now time.Time, why string, at time.Time) {
	p.refused[why]++
	switch why {
	case "QueueFull":
		p.full = later(p.full, at)
		if now.Sub(at) <= fresh {
			p.news++
		}
	case "AppOffline", "Disabled", "AppShutdown":
		if p.off.IsZero() || at.Sub(p.seen) > offFor {
			p.off = at
		}
		p.seen = later(p.seen, at)
	}
}

func (c *Count) see(at time.Time) { c.N, c.Last = c.N+1, later(c.Last, at) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

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
func (t *logTally) throttled(now time.Time, r *maillog.Record) {
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
	if now.Sub(r.At) <= overFor && refused && len(r.User) > 0 && len(r.User) <= 255 {
		t.name(string(r.User), r.At)
	}
}

// name puts a user to the front of those who are over their budgets.
func (t *logTally) name(user string, at time.Time) {
	t.over = slices.DeleteFunc(t.over, func(u throttledUser) bool { return u.name == user })
	t.over = slices.Insert(t.over, 0, throttledUser{user, at})
	t.over = t.over[:min(len(t.over), mostOver)]
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
func (t *logTally) session(r *maillog.Record) {
	if r.Protocol != maillog.MAPI || len(r.Session) == 0 || r.At.IsZero() || r.Kind == maillog.IIS && r.Behind {
		return
	}
	key := r.Session
	if r.Kind == maillog.IIS { // it knows the mailbox alone: a session is that, of a user, at a machine
		t.keys = append(append(append(t.keys[:0], r.Session...), 0), r.User...)
		t.keys = r.Client.Addr().AppendTo(append(t.keys, 0))
		key = t.keys
	}
	t.told[r.Kind] = true
	if r.At.Before(t.since) {
		t.since = r.At
	}
	t.sessions[r.Kind].see(maphash.Bytes(t.seed, key), r.At)
}

func addrOf(r *maillog.Record) netip.Addr { return r.Client.Addr().Unmap() }
