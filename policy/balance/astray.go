package balance

import (
	"math"
	"slices"
	"time"
)

// An Astray is how much of the new work went to other nodes than the answers
// sent it to, of late. Who takes any address of an answer follows the shares;
// who sorts it (RFC 6724 section 6, rule 9) takes the same few nodes, whose
// shares the law then lowers, and so the difference stays, and can be seen.
type Astray struct {
	Known bool    // the farm has been the same for long enough, all of it counts who comes, and enough came
	Share float64 // 0..1 of new connections, at least so much; 0 where it may be chance, unless Much
	More  string  // the node that got most above its share; empty while Share is 0
	Much  bool    // worth saying: Share came to a tenth, and was not seen below a twentieth since; chance alone does not end it
}

const (
	pages    = 15              // that are kept and judged: a quarter of an hour, or 15 TTLs
	pageFor  = time.Minute     // a page covers so much at least, and a TTL: one answer is in two pages at most
	look     = 2 * time.Second // between two entries
	fewest   = 200             // connections of which all pages must tell
	sure     = 4               // standard errors beyond which it is no chance, where chance is known
	surer    = 6               // the same where it is guessed from as many pages: Student's t of 14
	much     = 0.10            // of all new connections, from which on it is worth saying
	firmly   = 5               // pages in a row that must find so much: chance does for one or two
	muchOver = 0.05            // and below which it is over
)

// books compare what every node got with what the answers sent it. They are
// kept while the farm stays the same, and begun anew when it does not.
type books struct {
	at      time.Time // of the last look
	since   time.Time // the farm is this one
	begun   time.Time // when the open page was
	entries []entry   // of the open page, by node that takes work, in the order of the plan; nil: nothing can be told
	came    float64   // connections of all nodes since then
	closed  []page    // the oldest first
	firm    int       // pages in a row at which it was much
	found   Astray    // when the last page was closed
}

// An entry is one node's.
type entry struct {
	name    string
	arrived uint64  // its count at the last look
	share   float64 // that the answers gave it which clients hold by now
	more    float64 // connections that it got above that, since the page began
}

// A page is a closed one.
type page struct {
	more []float64 // by node: connections above its share; they sum to 0
	came float64   // connections of all nodes
}

// see brings the books up to the plan of this decision.
func (b books) see(r Rules, now time.Time, p Plan) books {
	switch {
	case now.Sub(b.at) < look && !b.at.IsZero():
		return b
	case !p.accountable():
		return b.forget(now)
	case !b.fit(p):
		return b.forget(now).open(p)
	}
	b = b.add(now, p)
	if now.Sub(b.begun) >= max(pageFor, r.TTLMax) {
		b = b.turn(r, now)
	}
	return b
}

// accountable says that p's shares are what answers follow, and that all nodes
// count who comes. Where nobody asks for answers, nobody strays from them.
func (p Plan) accountable() bool {
	nodes, caches := 0, 0.0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !n.takesWork() {
			continue
		}
		if n.Arrived == 0 && n.Connections != 0 { // where nobody is, nobody came
			return false
		}
		nodes, caches = nodes+1, caches+n.Caches
	}
	return nodes > 1 && caches > 0 && !p.Alone
}

// takesWork says that n's share is of the farm's ordinary work.
func (n *Standing) takesWork() bool { return n.Heard && n.Status.eligible() }

// fit says that b is of the farm of p: the same nodes take work, and none has
// begun to count anew.
func (b books) fit(p Plan) bool {
	k := 0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !n.takesWork() {
			continue
		}
		if k == len(b.entries) || b.entries[k].name != n.Name || n.Arrived < b.entries[k].arrived {
			return false
		}
		k++
	}
	return k == len(b.entries)
}

// forget begins anew. That much went astray stays said until the contrary is known.
func (b books) forget(now time.Time) books { return books{at: now, found: Astray{Much: b.found.Much}} }

// open begins books of the farm of p.
func (b books) open(p Plan) books {
	b.since, b.begun = b.at, b.at
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.takesWork() {
			b.entries = append(b.entries, entry{name: n.Name, arrived: n.Arrived, share: n.Share})
		}
	}
	return b
}

// settling is how long nothing is counted of a farm that changed: clients of a
// lost node come back together, answers live on that name it, and a node that
// came is filled slowly.
func (r Rules) settling() time.Duration { return r.Ramp + r.TTLMax }

// add enters who came since the last look. Who comes now was told an address up
// to a TTL ago, half of one on average, so the shares that count are a mean over
// the past.
func (b books) add(now time.Time, p Plan) books {
	entries := make([]entry, 0, len(b.entries))
	lag, came := weight(now.Sub(b.at), p.TTL/2), 0.0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !n.takesWork() {
			continue
		}
		e := b.entries[len(entries)]
		got := float64(n.Arrived - e.arrived)
		e.arrived, e.share, e.more = n.Arrived, e.share+(n.Share-e.share)*lag, e.more+got
		entries, came = append(entries, e), came+got
	}
	b.at, b.entries, b.came = now, entries, b.came+came
	for i := range entries {
		entries[i].more -= came * entries[i].share
	}
	return b
}

// turn closes the open page and judges all. A page that was begun before the
// farm had settled is thrown away.
func (b books) turn(r Rules, now time.Time) books {
	entries, closing := slices.Clone(b.entries), page{make([]float64, len(b.entries)), b.came}
	for i := range entries {
		closing.more[i], entries[i].more = entries[i].more, 0
	}
	if b.begun.Sub(b.since) >= r.settling() {
		old := b.closed[max(0, len(b.closed)+1-pages):]
		b.closed = append(slices.Clone(old), closing)
	}
	b.entries, b.came, b.begun = entries, 0, now
	if b.found = b.judge(); b.found.Share >= much {
		b.firm++
	} else {
		b.firm = 0
	}
	return b
}

// judge is what the closed pages say. Each page is held against the others: who
// got more in those, is it the same who gets more in this? Chance says yes as
// often as no, however few resolvers there are and however many clients each
// answer brings, so what is left over is no chance; and how far the pages differ
// among each other tells what it is worth. It is a lower bound: a client that
// does not follow the answers may still be where they would have sent it.
func (b books) judge() Astray {
	a := Astray{Much: b.found.Much}
	sums, came := b.sums()
	if len(b.closed) < pages || came < fewest {
		return a
	}
	again, chance := b.weigh(sums, came)
	a.Known = true
	share := min(1, again/came)
	plain := again > chance
	if a.Much {
		a.Much = share >= muchOver
	} else {
		a.Much = plain && share >= much && b.firm+1 >= firmly
	}
	if plain || a.Much {
		a.Share, a.More = share, b.entries[top(sums)].name
	}
	return a
}

// weigh is how many connections went astray page after page the same way, and
// how many of them chance can explain.
func (b books) weigh(sums []float64, came float64) (again, chance float64) {
	var square float64
	for k := range b.closed {
		x := b.again(k, sums)
		again, square = again+x, square+x*x
	}
	spread := max(0, square-again*again/pages) * pages / (pages - 1)
	pairs := came / 2 // the least there is where connections come two by two: pages may agree by chance
	return again, max(surer*math.Sqrt(spread), sure*math.Sqrt(pairs))
}

// sums are what each node got above its share, and what came in all.
func (b books) sums() (more []float64, came float64) {
	more = make([]float64, len(b.entries))
	for _, p := range b.closed {
		for i, x := range p.more {
			more[i] += x
		}
		came += p.came
	}
	return more, came
}

// again is how many connections of page k went astray the way those of other
// pages did. The pages beside it are no witnesses: one answer may be in both.
func (b books) again(k int, sums []float64) (n float64) {
	for i, x := range b.closed[k].more {
		others := sums[i]
		for j := max(0, k-1); j <= min(k+1, len(b.closed)-1); j++ {
			others -= b.closed[j].more[i]
		}
		switch {
		case others > 0:
			n += x / 2 // who is missed elsewhere is too much here: half, or each counts twice
		case others < 0:
			n -= x / 2
		}
	}
	return n
}

// top is the index of the largest.
func top(xs []float64) (at int) {
	for i, x := range xs {
		if x > xs[at] {
			at = i
		}
	}
	return at
}
