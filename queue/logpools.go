package queue

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"evenkeel/queue/maillog"
)

// A poolTally is a Pool while it is counted.
type poolTally struct {
	name      string // as HTTP.sys first wrote it
	refused   map[string]uint64
	untold    []refusals // of the rows that count, since the last telling
	news      uint64     // those of them that were new when told
	full      time.Time
	off, seen time.Time
	stalled   Count
	abandoned Count
}

// refusals are how many were turned away at one time.
type refusals struct {
	at time.Time
	n  uint64
}

// refusal takes up a row of HTTP.sys. Most are of connections, and say nothing.
func (t *logTally) refusal(r *maillog.Record, at time.Time) {
	switch string(r.Reason) {
	case "Timer_ReqQueue":
		t.pool(r.Pool).stalled.see(at)
	case "Connection_Abandoned_By_AppPool", "Connection_Abandoned_By_ReqQueue":
		t.pool(r.Pool).abandoned.see(at)
	default:
		n, reason := counted(r.Reason)
		if why := refusedFor(r.Status, string(reason)); why != "" {
			p := t.pool(r.Pool)
			p.refuse(why, n, at, t.counts(p, why, r))
		}
	}
}

// counted cuts the number off a reason: of connections that it refused HTTP.sys
// writes a row for many ("3_Connections_Refused").
func counted(reason []byte) (n uint64, word []byte) {
	i := 0
	for i < len(reason) && i < 9 && '0' <= reason[i] && reason[i] <= '9' {
		n = 10*n + uint64(reason[i]-'0')
		i++
	}
	if i == 0 || i == len(reason) || reason[i] != '_' {
		return 1, reason
	}
	return n, reason[i+1:]
}

// refusedFor is why a request was turned away; empty: it was not. An answer of
// another status says nothing of a queue, whatever stands beside it: "400.2" is
// no full queue. A pool that cuts connections instead (TcpLevel) sends none.
func refusedFor(status int, why string) string {
	if status != 503 && status != 0 {
		return ""
	}
	switch why {
	case "QueueFull", "AppOffline", "Disabled", "AppShutdown", "AppPoolTimer", "ConnLimit", connectionsRefused:
		return why
	case "N/A":
		if status == 503 {
			return why
		}
	}
	if status == 503 {
		return beyond
	}
	return ""
}

// connectionsRefused is HTTP.sys out of memory: it turns away from the whole
// node, and not from a pool.
const connectionsRefused = "Connections_Refused"

// counts reports that a refusal says something of the node: that it is written of
// this machine, and is of a pool that counts.
func (t *logTally) counts(p *poolTally, why string, r *maillog.Record) bool {
	if t.strange(r.Server.Addr().Unmap().WithZone("")) {
		return false
	}
	switch {
	case why == connectionsRefused:
		return true
	case len(t.wanted) > 0:
		return p != t.rest && t.wanted[folded(p.name)] != ""
	}
	return usual(p.name) && r.Server.Port() != 444 && r.Server.Port() != 81
}

// usual reports that a pool counts where none is named: those of Exchange whose
// clients are this node's. The queue of OWACalendar has ten places.
func usual(pool string) bool {
	name := folded(pool)
	return strings.HasPrefix(name, "msexchange") && !strings.Contains(name, "owacalendar")
}

// strange notes and reports an address that is none of this machine's.
func (t *logTally) strange(a netip.Addr) bool {
	if !a.IsValid() || len(t.own) == 0 || t.own[a] {
		return false
	}
	t.stranger = a
	return true
}

// pool is the one of that name.
func (t *logTally) pool(name []byte) *poolTally {
	if len(name) == 0 {
		name = []byte("-")
	}
	t.keys = fold(t.keys[:0], name)
	if p := t.pools[string(t.keys)]; p != nil {
		return p
	}
	if len(name) > 255 || len(t.pools) >= mostNames && t.wanted[string(t.keys)] == "" {
		if t.rest == nil {
			t.rest = newPool(beyond)
		}
		return t.rest
	}
	p := newPool(string(name))
	t.pools[string(t.keys)] = p
	return p
}

func newPool(name string) *poolTally { return &poolTally{name: name, refused: map[string]uint64{}} }

// fold appends a pool's name in the form in which two are compared: without
// regard to case, and with a blank in place of what HTTP.sys writes for one.
func fold(dst, name []byte) []byte {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case c == '+':
			dst = append(dst, ' ')
		case c == '%' && i+2 < len(name) && name[i+1] == '2' && name[i+2] == '0':
			dst = append(dst, ' ')
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func folded(name string) string { return string(fold(nil, []byte(name))) }

// refuse takes up n who were turned away. at is zero where that cannot be told.
func (p *poolTally) refuse(why string, n uint64, at time.Time, counts bool) {
	p.refused[why] += n
	switch why {
	case "QueueFull", connectionsRefused:
		if why == "QueueFull" {
			p.full = later(p.full, at)
		}
		if counts {
			p.wait(n, at)
		}
	case "AppOffline", "Disabled", "AppShutdown":
		if at.IsZero() {
			return
		}
		if p.off.IsZero() || at.Sub(p.seen) > fresh {
			p.off = at
		}
		p.seen = later(p.seen, at)
	}
}

// wait keeps refusals until they are told.
func (p *poolTally) wait(n uint64, at time.Time) {
	if last := len(p.untold) - 1; last >= 0 && p.untold[last].at.Equal(at) {
		p.untold[last].n += n
		return
	}
	p.untold = append(p.untold, refusals{at, n})
}

// tell makes news of what is new now. What lay about for too long, here or in
// the log, never is.
func (p *poolTally) tell(now time.Time) {
	for _, r := range p.untold {
		if now.Sub(r.at) <= fresh {
			p.news += r.n
		}
	}
	p.untold = p.untold[:0]
}

// queues are the pools that count and whose queue ran over, as the others see a
// queue: who was turned away just now is known, how many wait is not. It is for
// when they are told.
func (t *logTally) queues(now time.Time) (out []Queue) {
	for _, p := range t.sorted() {
		p.tell(now)
		name := p.name
		if name == "-" {
			name = "http.sys" // it refused connections, which are of no pool
		}
		if p.news > 0 {
			out = append(out, Queue{Name: name, Depth: Unmeasured, Refused: p.news})
		}
	}
	return out
}

func (t *logTally) sorted() (out []*poolTally) {
	for _, key := range slices.Sorted(maps.Keys(t.pools)) {
		out = append(out, t.pools[key])
	}
	if t.rest != nil {
		out = append(out, t.rest)
	}
	return out
}

// unseen are hints at pools that are named and were in no row, while the queue of
// another ran over: a name that is written wrong keeps silent.
func (t *logTally) unseen() (out []string) {
	var full string
	for _, p := range t.sorted() {
		if p.refused["QueueFull"] > 0 {
			full = p.name
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.wanted)) {
		if full != "" && t.pools[key] == nil {
			out = append(out, "source httperr: pools names "+t.wanted[key]+", which was in no row, while the queue of "+full+" was full: is it the name of a pool?")
		}
	}
	return out
}

func (p *poolTally) pool() Pool {
	out := Pool{Name: p.name, Full: p.full, Off: p.off, Seen: p.seen, Stalled: p.stalled, Abandoned: p.abandoned}
	for _, why := range slices.Sorted(maps.Keys(p.refused)) {
		out.Refused = append(out.Refused, Refused{why, p.refused[why]})
	}
	return out
}
