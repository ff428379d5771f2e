package throttle

import "time"

// verdicts are counts of one component.
type verdicts struct {
	n     [Allow + 1][parts]uint64
	slept [parts]time.Duration
}

// events are counts of what happens to budgets and requests.
type events struct {
	evicted, released, full, crowded uint64
}

// count counts what was decided, in the shard, so that processors do not hand a
// counter to and fro.
func (s *shard) count(c Component, v Verdict) {
	k := s.counted[c]
	if k == nil {
		k = new(verdicts)
		s.counted[c] = k
	}
	k.n[v.Would][v.Part]++
	if v.Action == Delay {
		k.slept[v.Part] += v.Wait
	}
}

// Stats are what a Ledger has done since it was made, and what it holds.
type Stats struct {
	Decisions []Decisions // those that are not zero, by component, action and part
	Budgets   int         // how many there are
	Over      int         // how many of them were refused or delayed, and would still be, when they were last swept
	Open      int         // requests
	Sleeps    uint64      // delays that were told, yields included
	Slept     time.Duration
	CPUSleeps uint64 // those of them for the node's load
	CPUSlept  time.Duration
	Evicted   uint64 // budgets given up because they were clear
	Released  uint64 // requests that were never done
	Full      uint64 // decisions by a budget that is shared
	Crowded   uint64 // requests refused because too many are open, or have no budget to hold things
}

// Decisions are how often something was decided. In shadow mode Action is what
// would have been done.
type Decisions struct {
	Component Component
	Action    Action
	Part      Part
	N         uint64
}

// Stats adds up what all shards have counted.
func (l *Ledger) Stats() Stats {
	var sum [components]verdicts
	var e events
	out := Stats{Over: int(l.over.Load()), Budgets: int(min(l.budgets.used.Load(), l.budgets.most))}
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		out.Open += s.open.n
		e.add(&s.events)
		for c, v := range s.counted {
			sum[c].add(v)
		}
		s.mu.Unlock()
	}
	out.Evicted, out.Released, out.Full, out.Crowded = e.evicted, e.released, e.full, e.crowded
	for c := range sum {
		out.list(Component(c), &sum[c], l.options.Shadow)
	}
	return out
}

func (e *events) add(o *events) {
	e.evicted += o.evicted
	e.released += o.released
	e.full += o.full
	e.crowded += o.crowded
}

func (v *verdicts) add(o *verdicts) {
	if o == nil {
		return
	}
	for a := range v.n {
		for p := range v.n[a] {
			v.n[a][p] += o.n[a][p]
		}
	}
	for p := range v.slept {
		v.slept[p] += o.slept[p]
	}
}

// list puts down what one component has counted.
func (out *Stats) list(c Component, v *verdicts, shadow bool) {
	for a := range v.n {
		for p, n := range v.n[a] {
			if n > 0 {
				out.Decisions = append(out.Decisions, Decisions{c, Action(a), Part(p), n})
			}
		}
	}
	if shadow {
		return
	}
	for p, n := range v.n[Delay] {
		out.Sleeps += n
		out.Slept += v.slept[p]
	}
	out.CPUSleeps += v.n[Delay][CPU]
	out.CPUSlept += v.slept[CPU]
}
