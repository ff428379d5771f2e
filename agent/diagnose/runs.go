package diagnose

import (
	"cmp"
	"math/bits"
	"net/netip"
	"slices"
	"strings"

	"evenkeel/queue/maillog"
)

// A class is what the rows of a run have in common.
type class uint8

const (
	refused   class = iota // by HTTP.sys, with 503, for whatever reason
	full                   // thereof: no place in the pool's queue; by pool
	down                   // thereof: the pool was off; by pool and reason
	other                  // thereof: the rest; by reason and pool
	answered               // 503 by IIS or Exchange; by code
	stalled                // waited in the queue to the end of its time; by pool
	abandoned              // lost with its worker; by pool
	cut                    // ended by the client or by what is between
	missed                 // probes that failed; by prober and path
	locked                 // refused for a budget; by user and protocol
	delayed                // slowed down, or refused for something else that was used up; by user and protocol
	deleted                // names a policy that is deleted; by policy
	slowAuth               // logging on took a second or more
	slowBack               // the mailbox server took a second or more; by server
	coded                  // a code that people look up; by code
	classes
)

// gap is how long nothing may be seen within a run, in seconds. Refusals are by
// agreement a minute. A client that was locked out asks again after five, and a
// pool that is off stays so, however few ask for it; what is asked of policies
// and codes is not when, but whether.
func (c class) gap() int64 {
	switch c {
	case locked, delayed, down:
		return 600
	case slowAuth, slowBack:
		return 120
	case stalled: // it is noticed two minutes late
		return 180
	case deleted, coded:
		return 1 << 40
	}
	return 60
}

// least is from when on a run may matter.
func (c class) least() int64 {
	switch c {
	case locked:
		return lockedLeast
	case missed:
		return flapFails
	case deleted, coded:
		return 1
	}
	return few
}

// clip is how much of a line is kept, in bytes.
const clip = 300

// A mark is a row to show. Its text is reused.
type mark struct {
	file string
	line int64
	text []byte
}

func (m *mark) set(p *place) {
	m.file, m.line = p.file, p.line
	m.text = append(m.text[:0], p.raw[:min(len(p.raw), clip)]...)
}

func (m *mark) evidence() Evidence {
	text := strings.ToValidUTF8(string(m.text), "\uFFFD")
	if len(m.text) == clip {
		text = strings.TrimRight(text, "\uFFFD") + "…"
	}
	return Evidence{File: m.file, Line: m.line, Text: text}
}

// A place is where and when the row that is being looked at stands.
type place struct {
	at   int64 // Unix time in seconds
	file string
	line int64
	raw  []byte

	protocol maillog.Protocol
}

// A run is rows of a class and name that follow each other closely.
type run struct {
	from, to int64 // seconds, both of a row
	n        int64
	probes   int64      // thereof
	peak     int64      // most in one second
	sum      float64    // of the weights
	worst    float64    // weight
	kinds    kindSet    // of the logs that tell of it
	who      uint64     // users, by a bit of their hash
	asker    netip.Addr // the address that all rows are of; of several, none
	first    mark
	most     mark // of the greatest weight, or in the busiest second
	last     mark

	second, inSecond int64
	closed           bool
}

// far is how long before or after a run a second is. Files may be told in a
// wrong order.
func (r *run) far(at int64) int64 { return max(at-r.to, r.from-at) }

func (r *run) clients() int64 { return r.n - r.probes }
func (r *run) length() int64  { return r.to - r.from }

// by notes whose row was added.
func (r *run) by(user uint64) { r.who |= 1 << (user & 63) }

// of notes the address that asked for the row that was added.
func (r *run) of(addr netip.Addr) {
	switch {
	case r.n == 1:
		r.asker = addr
	case r.asker != addr:
		r.asker = netip.Addr{}
	}
}

// more counts further events that the row that was added tells of.
func (r *run) more(n int64) {
	r.n += n
	r.inSecond += n
	r.peak = max(r.peak, r.inSecond)
}

// users is about how many there were: of more than some dozens, too few.
func users(rs []*run) int {
	var all uint64
	for _, r := range rs {
		all |= r.who
	}
	return bits.OnesCount64(all)
}

func (r *run) add(p *place, weight float64, probe bool) {
	if r.n == 0 {
		r.from, r.to = p.at, p.at
		r.first.set(p)
	}
	r.n++
	r.sum += weight
	if probe {
		r.probes++
	}
	r.from, r.to = min(r.from, p.at), max(r.to, p.at) // rows may change places by seconds
	if p.at != r.second {
		r.second, r.inSecond = p.at, 0
	}
	r.inSecond++
	if r.inSecond > r.peak {
		r.peak = r.inSecond
	}
	if weight > r.worst || weight == 0 && r.inSecond == r.peak || r.n == 1 {
		r.worst = max(weight, r.worst)
		r.most.set(p)
	}
	r.last.set(p)
}

// joinRuns makes one of runs that are no further apart than gap. They are in
// the order of time; of two that overlap in logs of different kinds, each row
// was written to both, so that the larger number counts.
func joinRuns(in []*run, gap int64) (out []*run) {
	for _, r := range in {
		if n := len(out); n > 0 && r.from-out[n-1].to <= gap {
			out[n-1] = joined(out[n-1], r)
			continue
		}
		out = append(out, r)
	}
	return out
}

func joined(a, b *run) *run {
	j := *a
	j.to, j.last = a.to, a.last
	if b.to >= a.to {
		j.to, j.last, j.closed = b.to, b.last, b.closed
	}
	if b.worst > a.worst || b.worst == a.worst && b.peak > a.peak {
		j.most = b.most
	}
	j.peak, j.worst = max(a.peak, b.peak), max(a.worst, b.worst)
	j.kinds, j.who = a.kinds|b.kinds, a.who|b.who
	if a.asker != b.asker {
		j.asker = netip.Addr{}
	}
	if a.kinds&b.kinds == 0 {
		j.n, j.probes, j.sum = max(a.n, b.n), max(a.probes, b.probes), max(a.sum, b.sum)
	} else {
		j.n, j.probes, j.sum = a.n+b.n, a.probes+b.probes, a.sum+b.sum
	}
	return &j
}

// byTime sorts runs so that their order does not depend on that of the logs.
func byTime(rs []*run) {
	slices.SortStableFunc(rs, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.n, b.n),
			cmp.Compare(a.kinds, b.kinds), cmp.Compare(a.first.file, b.first.file), cmp.Compare(a.first.line, b.first.line))
	})
}
