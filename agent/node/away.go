package node

import "time"

// counted is now by a clock that goes on while the machine sleeps. What is
// compared with an age of the farm's needs it; what is shown does not.
func (n *Node) counted(now time.Time) time.Time {
	if n.Slept == nil {
		return now
	}
	return now.Add(n.Slept())
}

// A pace is how two clocks stood at the last beat.
type pace struct {
	counted time.Time
	wall    time.Time // without a monotonic reading
}

// set is how far the wall clock was set between two beats: by less than counts
// is 0, back is below.
func (p pace) set(last pace) time.Duration {
	d := p.wall.Sub(last.wall) - p.counted.Sub(last.counted)
	if last.wall.IsZero() || d.Abs() <= jump {
		return 0
	}
	return d
}

// notice says that this machine stood still before the beat of v, or that its clock
// was set, and has the farm joined anew. A clock set forth changes nothing else,
// but may be all that is seen of a virtual machine whose every clock was stopped.
func (n *Node) notice(v *View, now pace, mem memory) memory {
	set := now.set(mem.pace)
	mem.pace = now
	switch away := v.Plan.Away; {
	case away > 0: // then clocks are set, too, and that is no news
		n.Log.Warn("was away: rejoining, and starting slowly", "for", away.Round(time.Millisecond).String())
		mem.returns++
		mem.toldAt = time.Time{} // the farm hears of it at once
	case set != 0:
		n.Log.Warn("the clock was set: no age and no hold goes by it", "by", set.Round(time.Millisecond).String())
	}
	if n.Rejoin != nil && (v.Plan.Away > 0 || set > 0) {
		n.Rejoin()
	}
	return mem
}
