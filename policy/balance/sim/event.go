package sim

import (
	"maps"
	"slices"
	"time"
)

// acts is what each Act does to node i when it begins and ends. A nil end is
// an act that is over at once.
var acts = map[Act]struct {
	begin, end func(w *world, i int, e Event)
}{
	Crash:     {begin: func(w *world, i int, _ Event) { w.crash(i, false) }, end: (*world).revive},
	Unplug:    {begin: func(w *world, i int, _ Event) { w.crash(i, true) }, end: (*world).revive},
	Recycle:   {begin: (*world).recycle, end: (*world).reopen},
	StallNow:  {begin: (*world).stall},
	Drain:     {begin: func(w *world, i int, _ Event) { w.nodes[i].drain = true }, end: (*world).resume},
	Partition: {begin: func(w *world, i int, _ Event) { w.part(i, true) }, end: func(w *world, i int, _ Event) { w.part(i, false) }},
	Deaf:      {begin: func(w *world, _ int, _ Event) { w.deaf, w.parted = true, w.now }, end: func(w *world, _ int, _ Event) { w.deaf = false }},
}

// Acts returns what an [Event] may do, sorted by its word.
func Acts() []Act { return slices.Sorted(maps.Keys(acts)) }

// happen plays the events whose time has come.
func (w *world) happen() {
	for _, e := range w.sc.Events {
		if at(e.At) == w.now {
			w.each(e, acts[e.Do].begin)
		}
		if end := acts[e.Do].end; e.For > 0 && at(e.At+e.For) == w.now && end != nil {
			w.each(e, end)
		}
	}
}

func (w *world) each(e Event, do func(*world, int, Event)) {
	for i := range w.nodes {
		if len(e.Nodes) == 0 || slices.Contains(e.Nodes, w.nodes[i].Name) {
			do(w, i, e)
		}
	}
}

// crash takes a machine away, with its agent.
func (w *world) crash(i int, mute bool) {
	n := &w.nodes[i]
	n.gone, n.mute, n.died = true, mute, w.now
	n.queue = 0
	w.agents[i].alive, w.agents[i].since = false, w.now
	w.cut(int16(i))
}

// revive starts it again, empty.
func (w *world) revive(i int, e Event) {
	w.reopen(i, e)
	w.start(i)
}

// recycle drops the service's sessions; its agent sees that nothing answers.
func (w *world) recycle(i int, _ Event) {
	n := &w.nodes[i]
	n.gone, n.died, n.queue = true, w.now, 0
	w.cut(int16(i))
}

func (w *world) reopen(i int, _ Event) {
	n := &w.nodes[i]
	n.gone, n.mute, n.born, n.open, n.stalled = false, false, w.now, w.now, 0
}

// stall holds the service up for a while, whatever its connections.
func (w *world) stall(i int, e Event) {
	until := w.end
	if e.For > 0 {
		until = w.now + at(e.For)
	}
	w.nodes[i].hold(until)
}

// resume takes a drain back.
func (w *world) resume(i int, _ Event) {
	w.nodes[i].drain, w.nodes[i].open = false, w.now
}

// part puts an agent on the other side of a cut, or back.
func (w *world) part(i int, away bool) {
	w.agents[i].side, w.parted = away, w.now
}

// steady is the time of the last event's end, after which the farm should settle.
func (s Scenario) steady() time.Duration {
	last := time.Duration(0)
	for _, e := range s.Events {
		last = max(last, e.At, e.At+e.For)
	}
	return last
}
