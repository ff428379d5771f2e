package diagnose

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"evenkeel/queue/maillog"
)

// A Load is what one asked of the farm. Of who asked for little beside others it is
// not known; of the others it is the least that it can have been.
type Load struct {
	Name     string
	Requests int64         // waits for news not counted
	Share    float64       // of the requests of all, 0 to 1
	Took     time.Duration // of all of its requests together
}

// Top is who asked for most, each list by share, of requests or of time.
type Top struct {
	Users    []Load // as the logs have them
	Clients  []Load // by address; their waits count as requests, but not their time
	Agents   []Load // by software: clients and add-ins
	Monitors []Load // by software; of Exchange itself, of balancers, of the server
}

// maxTop is how many of a list are told.
const maxTop = 10

// tops gathers for one log.
type tops struct{ users, agents, monitors hitters }

// countMonitor counts what is asked by no client.
func (l *Log) countMonitor(r *maillog.Record) {
	name := software(r.Agent)
	if len(name) == 0 {
		name = l.address(r)
	}
	l.s.tops.monitors.add(hash(3, name), name, r.Client.Addr(), ms(r.Took), nil)
}

// countAgent counts a request by its software. Users are counted by the stretch,
// see judgeHitters, and addresses with the peers.
func (l *Log) countAgent(r *maillog.Record) {
	if name := software(r.Agent); len(name) > 0 {
		l.s.tops.agents.add(hash(3, name), name, r.Client.Addr(), ms(r.Took), nil)
	}
}

// software is what calls itself so, without version and system, but with all of
// its words.
func software(agent []byte) []byte {
	for i, c := range agent {
		if c == '/' || c == '(' {
			return agent[:i]
		}
	}
	return agent
}

// spaced has blanks where IIS writes plus signs: "Microsoft Office".
func spaced(name string) string { return strings.TrimSpace(strings.ReplaceAll(name, "+", " ")) }

// top is of the logs that requests are counted by.
func (f *farm) top() Top {
	var users, clients, agents, monitors []*hitters
	for _, n := range f.nodes {
		for _, s := range n.streams {
			if n.countsRequests(s) {
				users, clients, agents, monitors = append(users, &s.tops.users), append(clients, &s.peers), append(agents, &s.tops.agents), append(monitors, &s.tops.monitors)
			}
		}
	}
	same := func(name string) string { return name }
	return Top{loads(users, same), loads(clients, same), loads(agents, spaced), loads(monitors, spaced)}
}

// loads are the largest of all logs together, by the names that they are told by.
func loads(all []*hitters, called func(string) string) (out []Load) {
	sums := map[string]*Load{}
	var n int64
	var took float64
	for _, h := range all {
		n, took = n+h.n, took+h.ms
		h.each(func(name string, e *hitter) {
			name = called(name)
			low := strings.ToLower(name)
			if sums[low] == nil {
				sums[low] = &Load{Name: name}
			}
			x := sums[low]
			x.Name = min(x.Name, name)
			x.Requests += e.least()
			x.Took += time.Duration(e.ms * float64(time.Millisecond))
		})
	}
	weight := func(x *Load) float64 {
		return max(float64(x.Requests)/float64(max(1, n)), x.Took.Seconds()*1000/max(1, took))
	}
	order := slices.SortedFunc(maps.Values(sums), func(a, b *Load) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a.Name, b.Name))
	})
	for _, x := range order[:min(len(order), maxTop)] {
		x.Share = float64(x.Requests) / float64(max(1, n))
		out = append(out, *x)
	}
	return out
}

// each tells of those whose name is known for sure: who took the place of another
// has it from his eighth request on.
func (h *hitters) each(do func(name string, e *hitter)) {
	for i := range h.at {
		for j := range h.at[i] {
			e := &h.at[i][j]
			switch {
			case e.n == 0 || e.over > 0 && e.least() < 8:
			case len(e.name) > 0:
				do(plain(strings.ToValidUTF8(string(e.name), "\uFFFD")), e)
			case e.addr.IsValid():
				do(e.addr.String(), e)
			}
		}
	}
}

// seenHog is who asked for a good part of all, where that was not much.
func (f *farm) seenHog() string {
	for _, x := range f.top().Users {
		if x.Share >= hogShare {
			return "Nobody was a burden to others; most asked " + x.Name + ": " + share(x.Share) + " of the requests, " + num(float64(x.Requests)) + " in all."
		}
	}
	return ""
}
