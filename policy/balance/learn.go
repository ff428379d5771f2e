package balance

import (
	"math"
	"time"
)

// A Learner finds the connections at which this node's queues begin to grow. It
// is a value, bounded and without pointers: what it saw is a histogram over
// connections that slowly fades. The zero Learner has seen nothing.
//
// It counts episodes, not the time that a queue was full: a stall is one event,
// however long it lasts and however often it flickers. Beside them stands the
// time in which an episode could have begun and did not. See [Learner.Learnt]
// for what follows, and DESIGN.md for why.
type Learner struct {
	calm     [rungs]float64 // seconds in which every queue was calm, and watched
	episodes [rungs]float64 // how often one became busy

	seen    bool
	wait    time.Duration // how long the queues must be calm yet, until they are watched
	over    time.Duration // how long one has been over the mark, less what it was under it since
	onset   int           // the connections when that began
	herded  bool          // they came within a minute
	usual   float64       // connections of late
	refused uint64

	aging  time.Duration // since what was seen last faded
	stale  time.Duration // since learnt was worked out
	learnt Learnt

	from  int     // where the limit began; 0: nobody asks for it
	limit float64 // at least 1 while somebody does
}

// What a Learner goes by. Each is argued in DESIGN.md.
const (
	busyMark = 0.10               // share of a queue's limit from which on it is busy
	busyFor  = 2 * time.Second    // a shorter burst is none
	apart    = time.Hour          // of calm between two episodes; with less they are one
	settle   = 5 * time.Minute    // of calm before a node that started, or came back, is watched
	herding  = 1.25               // times the connections of the last minute: it is their coming, not their number
	halfLife = 7 * 24 * time.Hour // in which what was seen counts half
	fadeStep = time.Hour          // how often it is made to
	relook   = time.Minute        // how often what follows is worked out

	reach = 24 * time.Hour     // in which the limit at most doubles or halves
	feel  = 4 * 24 * time.Hour // at a limit that nothing speaks against, in which it doubles
	near  = 0.9                // of the limit: the node is at it
)

// From says that the limit of connections is to be learnt and begins at start;
// 0 says that nobody asks for it. Another start than before begins anew.
func (l Learner) From(start int) Learner {
	if start != l.from {
		l.from, l.limit = start, float64(start)
	}
	return l
}

// Limit is the limit of connections in use; 0 when nobody asks for it. Within a
// day it neither more than doubles nor falls below half.
func (l Learner) Limit() int {
	if l.from <= 0 {
		return 0
	}
	return int(l.limit)
}

// Learnt returns what follows from all that was seen, at most a minute old while
// the node is at work and its queues are calm.
func (l Learner) Learnt() Learnt {
	if l.learnt.Why == "" {
		return Learnt{Why: LearntUnseen}
	}
	return l.learnt
}

// See takes up one beat: what was measured, and the time since the one before.
// A beat in which the node drains or fails, for whatever reason, tells nothing of
// it at work.
func (l Learner) See(dt time.Duration, m Measure, status Status) Learner {
	l.see(dt, m, !status.eligible()) // of our own copy
	return l
}

func (l *Learner) see(dt time.Duration, m Measure, aside bool) {
	if dt < 0 || dt == 0 && l.seen {
		return
	}
	refused := m.Refused > l.refused
	l.refused = m.Refused
	l.fade(min(dt, fadeStep))
	full, known := m.fullest()
	if aside || !l.seen || !known || dt > stall || m.Connections < 0 || m.Blind {
		l.pause(m)
		return
	}
	herd := float64(m.Connections) > herding*l.usual+firstRung
	l.usual += (float64(m.Connections) - l.usual) * weight(dt, window)
	if refused || full >= busyMark {
		l.busy(dt, m.Connections, herd, refused)
		return
	}
	l.still(dt, m.Connections, herd)
}

// fullest is how full the fullest queue is, if one was measured.
func (m Measure) fullest() (share float64, known bool) {
	for _, q := range m.Queues {
		if q.Limit > 0 {
			share, known = max(share, q.ratio()), true
		}
	}
	return share, known
}

// pause is a beat that is not looked at. Who comes back is watched after a while:
// caches are cold, and clients arrive who were elsewhere.
func (l *Learner) pause(m Measure) {
	l.seen, l.over = true, 0
	l.wait = max(l.wait, settle)
	l.usual = float64(max(0, m.Connections))
}

// busy is a beat in which a queue is over the mark, or somebody was refused. It
// is an episode once it has lasted; what it counts for are the connections at
// its begin, since a stall brings more.
func (l *Learner) busy(dt time.Duration, connections int, herd, refused bool) {
	if l.over == 0 {
		l.onset, l.herded = connections, herd
	}
	l.over = min(l.over+dt, busyFor)
	if !refused && l.over < busyFor {
		return
	}
	if l.wait == 0 && !l.herded {
		l.episodes[rung(l.onset)]++
		l.look()
	}
	l.wait = apart
}

// still is a beat in which every queue is calm.
func (l *Learner) still(dt time.Duration, connections int, herd bool) {
	l.over = max(0, l.over-dt)
	watched := l.wait == 0 && !herd
	l.wait = max(0, l.wait-dt)
	if watched {
		l.calm[rung(connections)] += dt.Seconds()
	}
	if l.stale += dt; l.stale >= relook {
		l.look()
	}
	l.steer(dt, watched && float64(connections) >= near*l.limit)
}

// look works out what follows from all that was seen.
func (l *Learner) look() { l.learnt, l.stale = l.estimate(), 0 }

// fade lets all that was seen count less.
func (l *Learner) fade(dt time.Duration) {
	if l.aging += dt; l.aging < fadeStep {
		return
	}
	keep := math.Exp2(-float64(l.aging) / float64(halfLife))
	for i := range rungs {
		l.calm[i] *= keep
		l.episodes[i] *= keep
	}
	l.aging = 0
}

// steer moves the limit towards what is learnt. Where that is not known the last
// good value stays; only a limit that the node is at, while its queues are calm,
// gives way upwards: nothing is learnt of what lies above a limit otherwise.
func (l *Learner) steer(dt time.Duration, at bool) {
	if l.from <= 0 {
		return
	}
	switch {
	case l.learnt.Known():
		step := math.Exp2(float64(dt) / float64(reach))
		l.limit = min(max(float64(l.learnt.Connections), l.limit/step), l.limit*step)
	case at:
		l.limit *= math.Exp2(float64(dt) / float64(feel))
	}
	l.limit = min(max(1, l.limit), most)
}
