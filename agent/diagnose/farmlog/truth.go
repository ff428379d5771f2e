package farmlog

import (
	"slices"
	"time"
)

// Truth is what can be said of the logs that were written, as it was when they were made.
type Truth struct {
	// Skew is the busiest node's share of all sessions: the median over the
	// windows of 5 minutes, counted from midnight, in which the farm has at
	// least a tenth of MostSessions. 0 to 1.
	Skew float64

	// Failovers counts how often another node came to have most of the
	// sessions because more than half of all had to leave the one that had them.
	Failovers int

	Outage  time.Duration     // of the farm: the length of the union of Outages
	Outages map[string][]Span // by node: runs of at least 10 refused requests with no gap above 60 s

	Refused       int64 // requests of clients that got 503 from HTTP.sys
	RefusedProbes int64 // and those of the balancer and of the server's own monitors
	MostSessions  int   // distinct MAPI sessions, in the busiest window of 5 minutes

	Rows  map[string]int64 // by log: "HTTPERR", "W3SVC1", "W3SVC2", "HttpProxy", "MapiHttp", "Ews"
	Bytes int64            // of all files
	Files int

	// What the story is about; what it does not know is empty.
	Users   []string // who was hit, or who does it: as in the logs
	Pool    string
	Policy  string
	Agent   string        // the software that does it
	Network string        // where the clients sit that are hit: "10.30.0.0/16"
	Age     time.Duration // at which connections are cut
	Slow    string        // the node that is slow
	Events  []Span        // what happened, in the order of time
}

// A Span is a time in which something went on. Times are whole seconds, UTC.
type Span struct {
	Node     string // "": all
	What     string
	From, To time.Time
}

// A tally gathers the truth as the farm is played.
type tally struct {
	Truth
	windows [][]int // sessions by window and node
	all     []int   // sessions by window, of the farm
	runs    []run   // of refused requests, the one that goes on, by node
	outages [][]run // by node
	lead    int     // the node that has most of the sessions; -1: none has
	flushed int     // the node that had to give up more than half of all sessions; -1: none
	moved   int     // how many it had
}

// A run is of refused requests, in seconds from the start.
type run struct{ from, to, n int64 }

func newTally(s Story) *tally {
	n := len(s.Nodes)
	t := &tally{runs: make([]run, n), outages: make([][]run, n), lead: -1, flushed: -1}
	t.Rows, t.Outages = map[string]int64{}, map[string][]Span{}
	t.all = make([]int, s.Length/(5*time.Minute)+1)
	for range t.all {
		t.windows = append(t.windows, make([]int, n))
	}
	return t
}

// seen counts a row of a person's session at a front end.
func (t *tally) seen(now int64, p *person, node int) {
	w := int32(now / 300)
	if p.seen[node] != w {
		p.seen[node] = w
		t.windows[w][node]++
	}
	if p.seenAt != w {
		p.seenAt = w
		t.all[w]++
	}
}

// refused counts a request of a client that was refused.
func (t *tally) refused(now int64, node int) {
	t.Refused++
	r := &t.runs[node]
	if r.n > 0 && now-r.to > 60 {
		t.end(node)
	}
	if r.n == 0 {
		r.from = now
	}
	r.to, r.n = now, r.n+1
}

// end closes the run that goes on at a node.
func (t *tally) end(node int) {
	if r := t.runs[node]; r.n >= 10 {
		t.outages[node] = append(t.outages[node], r)
	}
	t.runs[node] = run{}
}

// gaveUp is told of a node that loses n of all sessions at once.
func (t *tally) gaveUp(node, n, all int) {
	if 2*n > all {
		t.flushed, t.moved = node, n
	}
}

// leads is told how many sessions a node has now.
func (t *tally) leads(node, n int) {
	if t.flushed >= 0 && node != t.flushed && 2*n > t.moved {
		t.Failovers++
		t.flushed = -1
	}
}

func (t *tally) tell(f *farm) Truth {
	var all []run
	for i, n := range f.nodes {
		t.end(i)
		all = append(all, t.outages[i]...)
		for _, r := range t.outages[i] {
			t.Outages[n.name] = append(t.Outages[n.name], Span{n.name, "requests are refused", f.time(r.from), f.time(r.to)})
		}
	}
	t.Outage = time.Duration(union(all)) * time.Second
	t.MostSessions = slices.Max(t.all)
	t.Skew = t.skew()
	slices.SortStableFunc(t.Events, func(a, b Span) int { return a.From.Compare(b.From) })
	return t.Truth
}

// skew is the median of the busiest node's share, see [Truth].
func (t *tally) skew() float64 {
	var shares []float64
	for i, nodes := range t.windows {
		sum := 0
		for _, n := range nodes {
			sum += n
		}
		if sum > 0 && 10*t.all[i] >= t.MostSessions {
			shares = append(shares, float64(slices.Max(nodes))/float64(sum))
		}
	}
	slices.Sort(shares)
	if len(shares) == 0 {
		return 0
	}
	return shares[len(shares)/2]
}

// union is how many seconds some of the runs go on.
func union(runs []run) (length int64) {
	slices.SortFunc(runs, func(a, b run) int { return int(a.from - b.from) })
	var end int64
	for _, r := range runs {
		from := max(r.from, end)
		if r.to > from {
			length += r.to - from
		}
		end = max(end, r.to)
	}
	return length
}
