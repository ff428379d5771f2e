package balance

import (
	"cmp"
	"math"
	"time"
)

// A State is what one decision hands to the next: oneself, and who was alive.
// The zero State is that of a node that has just started.
type State struct {
	started time.Time
	status  Status
	why     string
	ramp    time.Time // when the slow start began
	calm    time.Time // since when every mark is left; zero while one is not
	cool    time.Time // likewise of the marks that may fail it
	steep   int       // beats in a row in which a queue fills too fast
	hot     int       // beats over the mark to fail, without a second's pause: not every beat sees a new reading
	hotAt   time.Time // the last of them
	hold    time.Time // until when a failing probe is kept
	forLoad bool      // it fails for load, by the farm's leave

	wish  Wish
	grant Grant
	quiet time.Time // until when this node neither grants nor fails

	at          time.Time // of the last measure
	connections int
	arrived     uint64
	refused     uint64
	reported    uint64
	covers      time.Duration
	arrivals    rate
	caches      rate

	heard memory
	alone time.Time // until when this node suspects itself
	books books     // of who came against who was sent
}

// Marks are where a measure stands against the rules.
type marks struct {
	over    string  // why the node is over a mark; empty when it is not
	calm    bool    // every mark is left
	cool    bool    // every mark that may fail the node is left
	hot     bool    // over the mark to fail
	steep   bool    // a queue is full soon
	worst   Queue   // the fullest queue; Limit 0 when there is none
	load    float64 // the worst of all utilisations
	refused bool    // somebody was turned away since the last beat
	steady  time.Duration
}

// read compares m with the rules. Queues are compared one by one and never
// added up: one full queue is a full node. before is what the last beat left.
func (r Rules) read(m Measure, before State) marks {
	first := before.started.IsZero()
	k := marks{steady: math.MaxInt64, refused: !first && m.Refused > before.refused, calm: true}
	for _, q := range m.Queues {
		if q.Limit <= 0 {
			continue
		}
		if k.worst.Limit == 0 || q.ratio() > k.worst.ratio() {
			k.worst = q
		}
		k.steep = k.steep || q.until(1) <= fullWithin
		k.steady = min(k.steady, q.until(r.Degrade))
	}
	k.see(brim, share(m.Connections, m.Limit), 1, back)
	for _, g := range m.Gauges {
		if g.Limit > 0 {
			k.see(g.Name, g.Value/g.Limit, 1, back)
		}
	}
	if k.worst.Limit > 0 {
		k.see("queue", k.worst.ratio(), r.Degrade, r.Recover)
		k.hot = k.worst.ratio() >= r.Fail
	}
	if k.refused { // whatever it holds now, it was full in between
		k.over, k.calm, k.hot, k.load = "refused", false, true, max(1, k.load)
	}
	k.cool = k.calm && !k.steep
	k.calm = k.cool
	if !first && m.Reported > before.reported { // nobody knows how full it is, nor whether it has places worth the name
		k.over, k.calm = cmp.Or(k.over, "refused"), false
	}
	return k
}

// see notes one utilisation and the two marks that belong to it.
func (k *marks) see(name string, u, enter, leave float64) {
	if math.IsNaN(u) || u < 0 {
		return
	}
	k.load = max(k.load, u)
	if u >= enter {
		k.over = name
	}
	k.calm = k.calm && u <= leave
}

// share is n/of, or NaN when one of them is not known.
func share(n, of int) float64 {
	if n < 0 || of <= 0 {
		return math.NaN()
	}
	return float64(n) / float64(of)
}

// note brings the counts of s up to the measure of this beat.
func (s State) note(now time.Time, m Measure, k marks) State {
	if s.started.IsZero() {
		s.started, s.ramp, s.at, s.connections, s.arrived, s.covers = now, now, now, m.Connections, m.Arrived, m.Covered
	}
	s = s.rates(now, m)
	s.at, s.connections, s.arrived, s.refused, s.reported, s.covers = now, m.Connections, m.Arrived, m.Refused, m.Reported, m.Covered
	switch {
	case k.hot:
		s.hot, s.hotAt = s.hot+1, now
	case now.Sub(s.hotAt) > time.Second:
		s.hot = 0
	}
	s.steep = count(s.steep, k.steep)
	s.calm, s.cool = since(s.calm, now, k.calm && !m.Blind), since(s.cool, now, k.cool && !m.Blind)
	return s
}

// since is the instant at which what holds now began; zero when it does not hold.
func since(before, now time.Time, holds bool) time.Time {
	switch {
	case !holds:
		return time.Time{}
	case before.IsZero():
		return now
	}
	return before
}

func count(n int, more bool) int {
	if !more {
		return 0
	}
	return n + 1
}

// judge says what this node is, now that it is known whether it has leave.
func (s State) judge(r Rules, now time.Time, m Measure, k marks, leave bool) State {
	status, why := s.next(now, m, k, leave)
	failing := status == Failing
	if failing && s.status != Failing && !now.Equal(s.started) { // one that begins so was not in service: nothing flaps
		s.hold = now.Add(r.Hold)
	}
	s.forLoad = failing && m.Broken == "" && (s.forLoad || leave)
	if (status == Up || status == Unknown) && s.slow() {
		s.ramp = now
	}
	s.status, s.why = status, why
	return s
}

// slow says that a node comes back from a state after which it starts slowly.
// One that was full of connections alone did not take new work for that reason,
// and is not empty.
func (s State) slow() bool {
	return s.status == Degraded && s.why != brim || s.status == Draining || s.status == Failing
}

// lasts reports that what began then has held for long enough.
func lasts(began, now time.Time) bool { return !began.IsZero() && now.Sub(began) >= calmFor }

// next is the rule book of a node's own status.
func (s State) next(now time.Time, m Measure, k marks, leave bool) (Status, string) {
	calm, cool := lasts(s.calm, now), lasts(s.cool, now)
	held := now.Before(s.hold)
	switch {
	case m.Broken != "":
		return Failing, m.Broken
	case s.status == Failing && held && (!s.forLoad || leave):
		return Failing, s.why
	case m.Draining:
		return Draining, "drain"
	case s.forLoad && leave && !cool && !m.Blind:
		return Failing, s.why
	case leave && s.hot >= 2:
		return Failing, cmp.Or(k.over, s.why) // this beat may have seen no new reading
	case m.Blind:
		return Unknown, "blind"
	case k.over != "":
		return Degraded, k.over
	case s.steep >= 2:
		return Degraded, "slope"
	case (s.status == Degraded || s.status == Failing) && !calm:
		return Degraded, s.why
	}
	return Up, ""
}
