package balance

import (
	"cmp"
	"math"
	"slices"
)

// A vessel is what the level-filling knows of one eligible node.
type vessel struct {
	c        float64 // its limit of connections
	v        float64 // connections/limit; NaN when not known
	faded    float64 // how much of v has gone stale
	ramp     float64 // 0..1 of its slow start
	degraded bool
	share    float64 // the result
	why      string  // what held the share down: fuller than the others, or its slow start
}

// level gives every vessel its share of k new sessions, so that the farm is as
// level as k sessions can make it (Dahlin's load interpretation): node i gets
//
//	x_i = min(cap_i·k, max(floor_i·k, c_i·max(0, L − v_i)))
//
// with L such that the x_i sum to k. k → 0 would herd onto the emptiest node,
// k → ∞ is capacity weighting. Nodes that are full of connections are levelled
// like others: what is too much is then the same for all. Where all are degraded
// it is not connections that are short: shares follow the room that is left, and
// where there is none, capacity. It reports whether all are over their marks.
func level(ls []vessel, k float64) (open bool) {
	fade(ls)
	open = !slices.ContainsFunc(ls, func(l vessel) bool { return !l.degraded && l.v < 1 })
	if !slices.ContainsFunc(ls, func(l vessel) bool { return !l.degraded }) {
		byRoom(ls)
		return true
	}
	total := capacity(ls)
	k = max(k, total*leastFlow)
	fill(bounds(ls, total), ls, k)
	return open
}

// fade moves what is old or not known towards the mean of the others.
func fade(ls []vessel) {
	var c, used float64
	for _, l := range ls {
		if !math.IsNaN(l.v) && l.faded == 0 {
			c, used = c+l.c, used+l.c*l.v
		}
	}
	mean := 0.0
	if c > 0 {
		mean = used / c
	}
	for i, l := range ls {
		if math.IsNaN(l.v) {
			ls[i].v = mean
		} else {
			ls[i].v = l.v + l.faded*(mean-l.v)
		}
	}
}

func capacity(ls []vessel) (total float64) {
	for _, l := range ls {
		total += l.c
	}
	return total
}

// byRoom shares by the room that is left, and where there is none by capacity.
func byRoom(ls []vessel) {
	var room float64
	for i, l := range ls {
		ls[i].share = l.c * max(0, 1-l.v)
		room += ls[i].share
	}
	if room <= 0 {
		byCapacity(ls)
		return
	}
	scale(ls, room)
}

func byCapacity(ls []vessel) {
	for i, l := range ls {
		ls[i].share = l.c
	}
	scale(ls, capacity(ls))
}

func scale(ls []vessel, sum float64) {
	for i := range ls {
		ls[i].share /= sum
	}
}

// A bound is between what shares a node's may lie.
type bound struct {
	floor, cap float64
	most       float64 // what the cap is without a slow start
}

// why is what held l down to its bound, if anything did.
func (b bound) why(l vessel) string {
	switch {
	case l.degraded:
	case l.share <= b.floor:
		return "fuller"
	case l.share >= b.cap && b.cap < b.most:
		return "ramp"
	}
	return ""
}

// bounds are the floor and cap of each vessel. A degraded node stays at its
// floor; if the caps of the others do not reach 1 they are stretched, or some
// sessions would have nowhere to go.
func bounds(ls []vessel, total float64) []bound {
	bs := make([]bound, len(ls))
	var sum float64
	for i, l := range ls {
		fair := l.c / total
		most := capTimes * fair
		bs[i] = bound{floorShare * fair, min(1, most*max(rampFloor, min(1, l.ramp))), min(1, most)}
		if l.degraded {
			bs[i].cap = bs[i].floor
		} else {
			sum += bs[i].cap
		}
	}
	if sum < 1 {
		for i, l := range ls {
			if !l.degraded {
				bs[i].cap /= sum
			}
		}
	}
	return bs
}

// A bend is a level at which the flow into the farm changes its slope.
type bend struct{ at, slope float64 }

// fill finds L by walking up the bends of Σ x_i(L), which is linear between
// them, and writes the shares.
func fill(bs []bound, ls []vessel, k float64) {
	bends := make([]bend, 0, 2*len(ls))
	flow := 0.0
	for i, l := range ls {
		flow += bs[i].floor * k
		bends = append(bends,
			bend{l.v + bs[i].floor*k/l.c, l.c},
			bend{l.v + bs[i].cap*k/l.c, -l.c})
	}
	slices.SortFunc(bends, func(a, b bend) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return cmp.Compare(b.slope, a.slope)
	})
	at, slope := bends[0].at, 0.0
	for _, b := range bends {
		if next := flow + slope*(b.at-at); next >= k && slope > 0 {
			break
		} else {
			flow, at, slope = next, b.at, slope+b.slope
		}
	}
	if slope > 0 {
		at += (k - flow) / slope
	}
	var sum float64
	for i, l := range ls {
		ls[i].share = min(bs[i].cap, max(bs[i].floor, l.c*max(0, at-l.v)/k))
		ls[i].why = bs[i].why(ls[i])
		sum += ls[i].share
	}
	scale(ls, sum) // rounding only: the sum is k by construction
}
