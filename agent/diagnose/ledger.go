package diagnose

import (
	"maps"
	"slices"
	"strings"
)

// These bound what is kept of a class in one log.
const (
	maxRuns  = 256 // of a name
	maxNames = 256
	maxAll   = 4096 // runs of all names together
)

// others is the name that those share who come after maxNames.
const others = "…"

// A ledger is the runs of every class and name of one log.
type ledger struct {
	kind  kindSet
	of    [classes]map[string]*runs
	n     [classes]int   // runs that were begun since they were counted
	swept [classes]int64 // when names last had to go
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
		rs = l.open(c, name, p.at)
	}
	n := len(rs.runs)
	if n == 0 || rs.runs[n-1].closed || rs.runs[n-1].far(p.at) > rs.gap {
		if l.n[c]++; l.n[c] > maxAll {
			l.shrink(c)
		}
		rs.begin(c, l.kind)
		n = len(rs.runs)
	}
	rs.runs[n-1].add(p, weight, probe)
	return rs.runs[n-1]
}

func (l *ledger) open(c class, name []byte, at int64) *runs {
	key := strings.ToValidUTF8(string(name), "\uFFFD")
	if l.of[c] == nil {
		l.of[c] = map[string]*runs{}
	}
	if len(l.of[c]) >= maxNames && max(at-l.swept[c], l.swept[c]-at) > c.gap() {
		l.sweep(c, at)
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

// sweep makes room for other names: those go that have nothing to tell, and of
// which nothing goes on.
func (l *ledger) sweep(c class, at int64) {
	l.swept[c] = at
	maps.DeleteFunc(l.of[c], func(_ string, rs *runs) bool {
		return !slices.ContainsFunc(rs.runs, func(r *run) bool { return r.n >= c.least() || r.far(at) <= rs.gap })
	})
}

// shrink makes half as many runs of a class: first what is too small goes, then
// neighbours become one.
func (l *ledger) shrink(c class) {
	for _, rs := range l.of[c] {
		rs.drop(c)
	}
	for l.n[c] = l.count(c); l.n[c] > maxAll/2; l.n[c] = l.count(c) {
		for _, rs := range l.of[c] {
			rs.widen()
		}
	}
}

func (l *ledger) count(c class) (n int) {
	for _, rs := range l.of[c] {
		n += len(rs.runs)
	}
	return n
}

// close ends the open run of a name: it was seen to be over.
func (l *ledger) close(c class, name []byte) {
	if rs := l.of[c][string(name)]; rs != nil && len(rs.runs) > 0 {
		rs.runs[len(rs.runs)-1].closed = true
	}
}

// begin makes room for a run, and begins it.
func (rs *runs) begin(c class, kind kindSet) {
	if len(rs.runs) >= maxRuns {
		rs.drop(c)
	}
	for len(rs.runs) >= maxRuns {
		rs.widen()
	}
	rs.runs = append(rs.runs, &run{kinds: kind})
}

// drop lets those go that are too small to matter; the last may go on.
func (rs *runs) drop(c class) {
	i := 0
	rs.runs = slices.DeleteFunc(rs.runs, func(r *run) bool {
		i++
		return r.n < c.least() && i < len(rs.runs)
	})
}

// widen makes one of neighbours that are twice as far apart as before.
func (rs *runs) widen() {
	rs.gap *= 2
	byTime(rs.runs)
	rs.runs = joinRuns(rs.runs, rs.gap)
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
