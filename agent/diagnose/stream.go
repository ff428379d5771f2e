package diagnose

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"evenkeel/queue/maillog"
)

// maxServers is how many servers one stream tells apart by name.
const maxServers = 64

// A stream is what was gathered of one log of one node.
type stream struct {
	node        string
	name        string // its first file
	kinds       kindSet
	rows        int64
	first, last int64  // seconds
	covered     []span // with no row for longer than silent between them
	unnamed     bool   // more servers were named than are told apart

	requests series[count] // of clients, waits not counted
	refused  series[count] // 503
	cut      series[count]
	sessions map[string]*sessions // by the front end that they are at; "": this node
	backends map[string]*series[pace]
	auth     series[pace]
	ledger   ledger

	hitters   hitters // of the present stretch of time
	hitFrom   int64   // its beginning
	hogs      []hog
	crowd     int64   // requests of all but the one who asked most, in the busiest stretch
	peers     hitters // addresses from which clients' requests come
	users     tally
	tops      tops
	forwarded int64 // requests that say for whom they are
	probes    int64 // of balancers
	networks  groups
	agents    groups
}

func newStream(node string) *stream {
	return &stream{
		node:     node,
		requests: series[count]{step: 10}, refused: series[count]{step: 10}, cut: series[count]{step: 10},
		auth:     series[pace]{step: 60},
		sessions: map[string]*sessions{}, backends: map[string]*series[pace]{},
		networks: groups{}, agents: groups{},
	}
}

// at is the sessions at a front end, and nil if there are too many of those.
func (s *stream) at(frontEnd []byte) *sessions {
	if at := s.sessions[string(frontEnd)]; at != nil {
		return at
	}
	if len(s.sessions) >= maxServers {
		s.unnamed = true
		return nil
	}
	at := newSessions()
	s.sessions[string(frontEnd)] = at
	return at
}

// paced notes how long a mailbox server took.
func (s *stream) paced(server []byte, p *place, x pace) {
	b := s.backends[string(server)]
	if b == nil {
		if len(s.backends) >= maxServers {
			s.unnamed = true
			return
		}
		b = &series[pace]{step: 60}
		s.backends[string(server)] = b
	}
	b.add(p.at, x)
}

// stretch is how long a time one client is compared with all others over, in
// seconds: long enough that a burst is none, short enough that it says when.
const stretch = 600

// A hog is a client that asked for a large part of what a node did, for a time.
type hog struct {
	name     string
	from, to int64
	n        int64   // requests
	ms       float64 // of their time
	of       int64   // requests of all
	ofMs     float64
	kinds    kindSet // of the logs that tell of it
	atOnce   bool    // a stretch of it is enough to tell
	seen     mark
	protocol maillog.Protocol // of most of its requests as it began
	busy     int64            // seconds, thereof, in which it asked so much
}

// join adds a later time of the same client.
func (h *hog) join(next hog) {
	h.to, h.busy = next.to, h.busy+next.busy
	h.n, h.ms, h.of, h.ofMs = h.n+next.n, h.ms+next.ms, h.of+next.of, h.ofMs+next.ofMs
	h.kinds, h.atOnce = h.kinds|next.kinds, h.atOnce || next.atOnce
}

// lasting is how long one must ask for half of all, if that is not much, in
// seconds: a mailbox that is synchronised anew is done before.
const lasting = 3 * stretch

// tells says whether it is worth telling.
func (h hog) tells() bool { return h.atOnce || h.to-h.from+1 >= lasting }

// hit counts a request to who asked for it.
func (s *stream) hit(key uint64, name []byte, addr netip.Addr, ms float64, p *place) {
	if p.at >= s.hitFrom+stretch || p.at < s.hitFrom-stretch {
		s.judgeHitters()
		s.hitFrom = p.at - p.at%stretch
	}
	s.hitters.add(key, name, addr, ms, p)
}

const (
	hogWork  = 1.0  // requests under way, at least
	hogShare = 0.30 // of all, at least
	company  = 5    // others that must be there, or a share says nothing

	hogRate   = 5.0  // requests a second, at least; the more of all they are,
	halfShare = 0.50 // the fewer are enough: of half
	halfRate  = 1.0  // so many are, since they are a burden to all others,
	halfCrowd = 20   // among more others, if it goes on: see lasting
	nearlyAll = 0.70 // of all requests: then at once
)

func (s *stream) judgeHitters() {
	h := &s.hitters
	if top := h.top(func(e *hitter) float64 { return float64(e.least()) }); top != nil {
		s.crowd = max(s.crowd, h.n-top.least())
	}
	if h.n >= halfRate*stretch || h.ms >= hogWork*stretch*1000 {
		for _, e := range []*hitter{h.top(func(e *hitter) float64 { return float64(e.least()) }), h.top(func(e *hitter) float64 { return e.ms })} {
			if hogs, atOnce := h.hogs(e); hogs {
				s.note(e, atOnce)
				break
			}
		}
	}
	s.tops.users.fold(h)
	h.reset()
}

// hogs says whether one asks for a large part, and whether a stretch of that is
// enough.
func (h *hitters) hogs(e *hitter) (hogs, atOnce bool) {
	if e == nil {
		return false, false
	}
	n, others := float64(e.least()), h.names.count()-1
	part := n / float64(h.n)
	many := part >= hogShare && n >= hogRate*stretch
	long := n >= few && e.ms >= hogWork*stretch*1000 && e.ms >= hogShare*h.ms
	most := part >= nearlyAll && n >= halfRate*stretch && others >= halfCrowd
	half := part >= hogShare && n >= rateOf(part)*stretch && others >= halfCrowd
	atOnce = (many || long) && others >= company || most
	return atOnce || half, atOnce
}

// rateOf is how many requests a second are much, of one who makes this part of all.
func rateOf(part float64) float64 {
	less := (part - hogShare) / (halfShare - hogShare)
	return max(halfRate, hogRate-less*(hogRate-halfRate))
}

// note adds a stretch to the hog's time, or begins one.
func (s *stream) note(e *hitter, atOnce bool) {
	h := hog{atOnce: atOnce, name: strings.ToValidUTF8(string(e.name), "\uFFFD"), from: s.hitFrom, to: s.hitFrom + stretch - 1,
		n: e.least(), ms: e.ms, of: s.hitters.n, ofMs: s.hitters.ms, kinds: s.kinds, protocol: e.protocol, busy: stretch}
	for i := range slices.Backward(s.hogs) {
		if o := &s.hogs[i]; o.name == h.name && h.from-o.to <= stretch {
			o.join(h)
			return
		}
	}
	h.seen = mark{e.seen.file, e.seen.line, slices.Clone(e.seen.text)}
	s.hogs = append(s.hogs, h)
	if len(s.hogs) > maxRuns { // the least goes
		i := 0
		for j := range s.hogs {
			if cmp.Or(cmp.Compare(s.hogs[j].n, s.hogs[i].n), cmp.Compare(s.hogs[j].from, s.hogs[i].from)) < 0 {
				i = j
			}
		}
		s.hogs = slices.Delete(s.hogs, i, i+1)
	}
}

func (s *stream) end() {
	s.judgeHitters()
	s.hogs = slices.DeleteFunc(s.hogs, s.atNight)
	for _, at := range s.sessions {
		at.end()
		at.seen = nil
	}
}

// atNight says whether the others asked less than a tenth of what they do in the
// busiest stretch: then a backup is all there is, and takes nothing from anybody.
func (s *stream) atNight(h hog) bool {
	return float64(h.of-h.n)*stretch < quiet*float64(s.crowd)*float64(h.busy)
}

const (
	quiet  = 0.1  // of the most that others ask: less is the night
	silent = 3600 // seconds without any row, not even of a monitor: a log is missing
)

// cover notes a time of which there are rows.
func (s *stream) cover(at int64) {
	if n := len(s.covered); n > 0 {
		if c := &s.covered[n-1]; at >= c.from-silent && at <= c.to+silent {
			c.from, c.to = min(c.from, at), max(c.to, at)
			return
		}
		if n >= maxRuns {
			s.covered = union(s.covered)
		}
	}
	if len(s.covered) < maxRuns { // a log with so many gaps is not believed further
		s.covered = append(s.covered, span{at, at})
	}
}
