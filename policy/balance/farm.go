package balance

import (
	"math"
	"slices"
	"strings"
	"time"
)

// A farm is the other nodes as one decision sees them.
type farm struct {
	now   time.Time
	beat  time.Duration // the heartbeat
	size  int           // all nodes known: dead, draining and failing ones too, and this one
	peers []peer
}

// A peer is a Node with what follows from its age.
type peer struct {
	*Node
	age   time.Duration
	fresh bool // its Fact may be acted on
	dead  bool // known to be gone
}

// see judges how far each Node's word may be trusted. A node that left or
// failed is dead once its Fact is late: the cluster can be wrong for a moment,
// and so can the silence, but hardly both.
func see(r Rules, obs Observation) farm {
	f := farm{now: obs.Now, size: max(len(obs.Nodes)+1, r.Farm)}
	f.beat = Heartbeat(f.size)
	f.peers = make([]peer, 0, len(obs.Nodes))
	for i := range obs.Nodes {
		n := &obs.Nodes[i]
		p := peer{Node: n, age: age(obs.Now, n.Born)}
		p.fresh = p.age <= freshBeats*f.beat
		p.dead = !n.Member && !p.fresh
		f.peers = append(f.peers, p)
	}
	return f
}

// age is never negative: a clock set back makes nothing younger than new.
func age(now, born time.Time) time.Duration {
	if born.IsZero() {
		return math.MaxInt64
	}
	return max(0, now.Sub(born))
}

// faded says how much of a Fact has gone stale: 0 while it is fresh, 1 when
// only its capacity counts.
func (f farm) faded(age time.Duration) float64 {
	late, gone := freshBeats*f.beat, staleBeats*f.beat
	return min(1, max(0, float64(age-late)/float64(gone-late)))
}

// find returns the peer called name.
func (f farm) find(name string) (peer, bool) {
	i, ok := slices.BinarySearchFunc(f.peers, name, func(p peer, name string) int {
		return strings.Compare(p.Name, name)
	})
	if !ok {
		return peer{}, false
	}
	return f.peers[i], true
}

// inService is how many nodes must stay when one fails for load. Less than
// half would let both parts of a parted farm fail one each.
func (r Rules) inService(size int) int { return max(r.MinInService, (size+1)/2) }

// quarantine is how long an old word of this node may keep up another's leave:
// as long as a Fact travels, its lease, and a heartbeat to act.
func (f farm) quarantine() time.Duration { return travel + (leaseBeats+1)*f.beat }

// A memory is who was heard of late, sorted by name.
type memory []memo

// A memo is since when a node is missing; the zero time while it is heard.
type memo struct {
	name  string
	since time.Time
}

// of returns what is remembered of a node.
func (m memory) of(name string) (since time.Time, known bool) {
	i, known := slices.BinarySearchFunc(m, name, func(e memo, name string) int { return strings.Compare(e.name, name) })
	if !known {
		return time.Time{}, false
	}
	return m[i].since, true
}

// count updates the memory. It returns how many are heard, this node among
// them, how many of those heard before are missing, and how many of them fell
// silent of late. Silence is enough to be missing: who is cut off falls silent to
// all at once, while the cluster takes up to a minute, in a farm of fifteen, to
// find them gone one by one. One who said goodbye is not missing.
func (f farm) count(m memory) (next memory, heard, missing, late int) {
	next, heard = make(memory, 0, len(f.peers)), 1
	for _, p := range f.peers {
		if p.fresh {
			next = append(next, memo{name: p.Name})
			heard++
			continue
		}
		since, known := m.of(p.Name)
		if known && since.IsZero() {
			since = f.now
		}
		if known && !p.Left && f.now.Sub(since) < aloneFor+detect {
			next = append(next, memo{p.Name, since})
			missing++
			if f.now.Sub(since) < detect {
				late++
			}
		}
	}
	return next, heard, missing, late
}
