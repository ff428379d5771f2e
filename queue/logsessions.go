package queue

import "time"

const (
	sessionWindow = 5 * time.Minute // the longest NotificationWait
	mostSessions  = 1 << 15         // are kept at once: a megabyte or two
)

// A distinct counts the distinct keys that were seen in the last five minutes,
// exactly while they are few. When they are too many it keeps only those whose
// hash ends in zeros, one in two to the power of level: a fair sample, since a
// hash knows nothing of how often its key comes, and one that can forget, which
// sketches of registers cannot. Keys come as hashes. It is for one goroutine.
type distinct struct {
	most  int                  // keys that are kept
	last  map[uint64]time.Time // when each was last seen
	level uint                 // how many zeros a hash must end in to be kept
	whole time.Time            // before then the sample lacks what the level before left out, and shown counts
	shown uint                 // the level before
}

func newDistinct(most int) distinct { return distinct{most: most, last: map[uint64]time.Time{}} }

func (d *distinct) keeps(hash uint64, level uint) bool { return hash&(1<<level-1) == 0 }

// see notes that a key was seen.
func (d *distinct) see(hash uint64, at time.Time) {
	if !d.keeps(hash, d.level) {
		return
	}
	if before, ok := d.last[hash]; !ok || at.After(before) {
		d.last[hash] = at
	}
	for len(d.last) > d.most {
		d.level++
		d.shown = max(d.shown, d.level)
		for h := range d.last {
			if !d.keeps(h, d.level) {
				delete(d.last, h)
			}
		}
	}
}

// count forgets what is old, and says how many there are, and whether that is an
// estimate.
func (d *distinct) count(now time.Time) (n int, estimated bool) {
	for h, at := range d.last {
		if now.Sub(at) > sessionWindow {
			delete(d.last, h)
		}
	}
	if !now.Before(d.whole) {
		d.shown = d.level
	}
	if d.level > 0 && d.shown == d.level && len(d.last) < d.most/3 {
		d.level, d.whole = d.level-1, now.Add(sessionWindow)
	}
	for h := range d.last {
		if d.keeps(h, d.shown) {
			n++
		}
	}
	return n << d.shown, d.shown > 0
}
