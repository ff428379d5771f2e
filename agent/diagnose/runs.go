package diagnose

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
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
}

// A run is rows of a class and name that follow each other closely.
type run struct {
	from, to int64 // seconds, both of a row
	n        int64
	probes   int64   // thereof
	peak     int64   // most in one second
	sum      float64 // of the weights
	worst    float64 // weight
	kinds    kindSet // of the logs that tell of it
	who      uint64  // users, by a bit of their hash
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

// maxRuns and maxNames bound what is kept of a class.
const (
	maxRuns  = 256
	maxNames = 256
)

// others is the name that those share who come after maxNames.
const others = "…"

// A ledger is the runs of every class and name of one log.
type ledger struct {
	kind kindSet
	of   [classes]map[string]*runs
}

// runs are those of one name, in the order of time.
type runs struct {
	gap  int64
	runs []*run
}

// add counts a row to the run that it continues, or begins one. It makes
// nothing for the heap unless it begins one.
func (l *ledger) add(c class, name []byte, p *place, weight float64, probe bool) *run {
	rs := l.of[c][string(name)]
	if rs == nil {
		rs = l.open(c, name)
	}
	n := len(rs.runs)
	if n == 0 || rs.runs[n-1].closed || rs.runs[n-1].far(p.at) > rs.gap {
		rs.begin(l.kind)
		n = len(rs.runs)
	}
	rs.runs[n-1].add(p, weight, probe)
	return rs.runs[n-1]
}

func (l *ledger) open(c class, name []byte) *runs {
	key := strings.ToValidUTF8(string(name), "\uFFFD")
	if l.of[c] == nil {
		l.of[c] = map[string]*runs{}
	}
	if len(l.of[c]) >= maxNames { // who comes late shares one name
		key = others
	}
	rs := l.of[c][key]
	if rs == nil {
		rs = &runs{gap: c.gap()}
		l.of[c][key] = rs
	}
	return rs
}

// close ends the open run of a name: it was seen to be over.
func (l *ledger) close(c class, name []byte) {
	if rs := l.of[c][string(name)]; rs != nil && len(rs.runs) > 0 {
		rs.runs[len(rs.runs)-1].closed = true
	}
}

// begin makes room for a run: first what is too small to matter goes, then
// neighbours become one.
func (rs *runs) begin(kind kindSet) {
	if len(rs.runs) >= maxRuns {
		rs.runs = slices.DeleteFunc(rs.runs, func(r *run) bool { return r.n < few })
	}
	for len(rs.runs) >= maxRuns {
		rs.gap *= 2
		byTime(rs.runs)
		rs.runs = joinRuns(rs.runs, rs.gap)
	}
	rs.runs = append(rs.runs, &run{kinds: kind})
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
		j.to, j.last = b.to, b.last
	}
	if b.worst > a.worst || b.worst == a.worst && b.peak > a.peak {
		j.most = b.most
	}
	j.peak, j.worst = max(a.peak, b.peak), max(a.worst, b.worst)
	j.kinds, j.who = a.kinds|b.kinds, a.who|b.who
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

// collect is the runs of a class in several ledgers, by name, merged.
func collect(ledgers []*ledger, c class) map[string][]*run {
	all := map[string][]*run{}
	for _, l := range ledgers {
		for _, name := range slices.Sorted(maps.Keys(l.of[c])) {
			all[name] = append(all[name], l.of[c][name].runs...)
		}
	}
	for name, rs := range all {
		byTime(rs)
		all[name] = joinRuns(rs, -1)
	}
	return all
}
