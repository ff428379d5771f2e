package balance

import (
	"fmt"
)

// A Kept is what of a [Learner] outlives the process: what it saw, and the
// limit in use. It is a plain value for who writes and reads it.
type Kept struct {
	Version int     // of this form
	From    int     // where the limit began; 0: nobody asked for it
	Limit   float64 // of connections, in use; only with From
	Seen    []Seen  // upwards, each rung that holds anything once
}

// A Seen is one rung of a [Kept].
type Seen struct {
	Connections int     // the least on this rung
	Calm        float64 // seconds in which every queue was calm, faded
	Episodes    float64 // in which one became busy, faded
}

// keptVersion changes with the rungs, or with what they mean.
const keptVersion = 1

// longest is the most seconds, or episodes, that are believed: more than the
// fading leaves of a hundred years.
const longest = 100 * 366 * 24 * 3600

// Kept returns what of l is worth keeping.
func (l Learner) Kept() Kept {
	k := Kept{Version: keptVersion, From: l.from, Limit: l.limit}
	for i := range rungs {
		if l.calm[i] > 0 || l.episodes[i] > 0 {
			k.Seen = append(k.Seen, Seen{foot(i), l.calm[i], l.episodes[i]})
		}
	}
	return k
}

// Learner returns the Learner that k was kept of. An error says what of k no
// Learner can have left; nothing is to be made of such a one.
func (k Kept) Learner() (Learner, error) {
	l := Learner{from: k.From, limit: k.Limit}
	switch {
	case k.Version != keptVersion:
		return Learner{}, fmt.Errorf("version %d, want %d", k.Version, keptVersion)
	case k.From < 0 || k.From > most || k.From == 0 && k.Limit != 0:
		return Learner{}, fmt.Errorf("from %d: want 0 to %d, and no limit with 0", k.From, most)
	case k.From > 0 && !(k.Limit >= 1 && k.Limit <= most):
		return Learner{}, fmt.Errorf("limit %v: want 1 to %d", k.Limit, most)
	}
	last := -1
	for _, s := range k.Seen {
		i := rung(s.Connections)
		if s.Connections != foot(i) || i <= last {
			return Learner{}, fmt.Errorf("%d connections: no rung, or out of order", s.Connections)
		}
		if !amount(s.Calm) || !amount(s.Episodes) {
			return Learner{}, fmt.Errorf("%d connections: %v s and %v episodes: want neither below 0 nor beyond reason", s.Connections, s.Calm, s.Episodes)
		}
		l.calm[i], l.episodes[i], last = s.Calm, s.Episodes, i
	}
	l.look()
	return l, nil
}

// amount says that x is one of seconds or episodes.
func amount(x float64) bool { return x >= 0 && x <= longest }
