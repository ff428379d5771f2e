package node

import (
	"fmt"
	"strings"
	"time"

	"evenkeel/policy/balance"
)

// A serial is what a node knows of the serial of the zone's SOA. The farm has
// one: the highest that any node has told, by the order of RFC 1982. Who has
// another zone than before raises it above all that he knows, and to the seconds of the wall
// clock where those are higher, so that a farm that starts whole does not fall
// back. It never falls at any node.
type serial struct {
	at     uint32    // 0: none yet
	loaded time.Time // when the zone became what it is: see living.changed
	fresh  bool      // nobody has yet told at or more, since this node started
}

// renewal is how old a copy of a signed zone may become: its signatures are good
// for two days at least.
const renewal = 24 * time.Hour

// A living is who is in the copy of the zone that a secondary has, and since when
// they are: no configuration says so, and the copy must change all the same.
type living struct {
	who   string
	since time.Time // by the wall clock; zero = as it began
}

// see takes up who lives now.
func (l living) see(now time.Time, who string) living {
	switch {
	case l.who == "":
		l.who = who
	case l.who != who:
		l = living{who, now}
	}
	return l
}

// whoOf lists the nodes that are in a copy, with their addresses.
func whoOf(v *View) string {
	var b strings.Builder
	for _, n := range v.Plan.Nodes {
		if n.Heard && n.Status != balance.Down {
			fmt.Fprintln(&b, n.Name, v.Addrs[n.Name])
		}
	}
	return b.String()
}

// changed is when the zone last became another: by a load, by who lives, or,
// where it is signed, with the day.
func (l living) changed(now time.Time, z Zone) time.Time {
	last := z.Loaded
	if l.since.After(last) {
		last = l.since
	}
	if day := now.Truncate(renewal); z.Signer != nil && day.After(last) {
		last = day
	}
	return last
}

const (
	// earliest and latest bound the clocks that are believed: before this was
	// written none was right, and beyond serials could not be told apart by all
	// nodes alike. A clock outside counts as one that stands at earliest.
	earliest = 1767225600               // 2026-01-01, in seconds since 1970
	latest   = earliest + 1<<30 - 1<<24 // in 2059; the rest is for raises by one

	// reach is how far beyond the own clock a serial that is heard is believed.
	// All clocks that are believed lie within it, so that a node whose clock is
	// wrong by decades still agrees with the others; and what lies beyond, up to
	// the end of the numbers, comes from no clock.
	reach = 1 << 30
)

// ahead is the order of RFC 1982, section 3.2.
func ahead(a, b uint32) bool { return int32(a-b) > 0 }

// after is the serial that follows s. 0 stands for none, and is left out.
func after(s uint32) uint32 { return max(1, s+1) }

// secondsOf is a serial of the wall clock.
func secondsOf(t time.Time) uint32 {
	if s := t.Unix(); s >= earliest && s <= latest {
		return uint32(s)
	}
	return earliest
}

// see returns what is known after these were heard and the zone was loaded at
// that instant. now and loaded are by the wall clock.
func (s serial) see(now, loaded time.Time, heard []uint32) serial {
	if s.at == 0 {
		s = serial{at: secondsOf(loaded), loaded: loaded, fresh: true}
	}
	s = s.hear(now, heard)
	if !loaded.Equal(s.loaded) {
		s.at, s.loaded = raised(s.at, loaded), loaded
	}
	return s
}

// raised is a serial ahead of s, of the load of a zone.
func raised(s uint32, loaded time.Time) uint32 {
	next := after(s)
	if clock := secondsOf(loaded); ahead(clock, next) {
		return clock
	}
	return next
}

// hear takes up the highest of what others told. A node that has just started
// goes one above it, once, since its zone may be another than theirs.
func (s serial) hear(now time.Time, heard []uint32) serial {
	best := s.at
	for _, h := range heard {
		if ahead(h, best) && !ahead(h, secondsOf(now)+reach) {
			best = h
		}
		s.fresh = s.fresh && h != s.at
	}
	if best == s.at {
		return s
	}
	s.at = best
	if s.fresh {
		s.at, s.fresh = after(best), false
	}
	return s
}
