package sim

import (
	"math"
	"slices"
	"time"
)

// A Result is what came of a play.
type Result struct {
	Peak         float64 // the most connections/limit that any node had
	Ideal        float64 // the least that any placement of the same arrivals could have given
	P99OverIdeal float64 // the 99th percentile of the fullest node's, over that of the ideal
	ImbalanceP50 float64 // of max - min connections/limit over nodes past their ramp
	ImbalanceMax float64
	Refused      float64       // requests and attempts that were turned away
	Cascades     int           // a node's clients moved, and the receiver refused
	Outage       float64       // client minutes without the session that was wanted, or in front of a full queue
	Level        time.Duration // from the last event until the imbalance stays within 0.05; -1 s is never
	LookUps      float64       // that reached the agents, a second
	Sessions     []int         // opened on each node
	Nodes        []string
	Series       Series
}

// PeakOverIdeal is Peak/Ideal.
func (r Result) PeakOverIdeal() float64 { return over(r.Peak, r.Ideal) }

func over(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// A Series is the course of a play, at most [points] long.
type Series struct {
	Every   time.Duration
	Fill    [][]float64 // by node and point: connections/limit, the mean
	Queue   [][]float64 // queue/places, the most
	Ideal   []float64   // connections/limit if all were level
	Refused []float64   // a second
}

// points is how long a Series is at most.
const points = 600

// second is the ticks between two looks of the meter.
const second = instant(time.Second / tick)

// A meter sees the farm once a second.
type meter struct {
	peak, ideal    float64
	fullest, least []float64 // of each second: the fullest node, and the ideal
	spread         []float64 // of each second: the imbalance
	levelSince     instant   // since when the imbalance has been within bounds; -1 while it is not
	outage         float64
	refused        float64 // before From
	drawn          float64 // refused up to the last point of the series
	moves          moves
	series         Series
	every, inPoint int
	sums           []float64
}

func newMeter(w *world) meter {
	seconds := int(w.end / second)
	m := meter{every: max(1, (seconds+points-1)/points), levelSince: -1, moves: newMoves(len(w.nodes))}
	m.series.Every = time.Duration(m.every) * time.Second
	m.series.Fill, m.series.Queue = make([][]float64, len(w.nodes)), make([][]float64, len(w.nodes))
	m.sums = make([]float64, len(w.nodes))
	return m
}

// look is what the meter does every second.
func (m *meter) look(w *world) {
	if w.now%second != 0 {
		return
	}
	m.moves.see(w)
	m.draw(w)
	for i := range w.nodes {
		if n := &w.nodes[i]; n.full() {
			m.outage += float64(n.sessions) / 60
		}
	}
	m.outage += float64(w.wanting) / 60
	if w.now < at(w.sc.From) {
		m.outage, m.moves.cascades = 0, 0
		m.refused = w.refused()
		return
	}
	m.measure(w)
}

func (w *world) refused() float64 {
	sum := float64(w.unserved)
	for i := range w.nodes {
		sum += w.nodes[i].refused
	}
	return sum
}

// ideal is the level at which all who want a session would fill the nodes that
// are there.
func (w *world) ideal() float64 {
	held, limit := w.wanting*perSession, 0
	for i := range w.nodes {
		held += w.nodes[i].connections()
		if !w.nodes[i].gone {
			limit += w.nodes[i].Limit
		}
	}
	if limit == 0 {
		return 0 // nobody is there: no placement gives anything
	}
	return float64(held) / float64(limit)
}

func (m *meter) measure(w *world) {
	ideal, fullest := w.ideal(), 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for i := range w.nodes {
		n := &w.nodes[i]
		fullest = max(fullest, n.fill())
		if !n.gone && !n.drain && w.now-n.open >= at(w.sc.Rules.Ramp) {
			low, high = min(low, n.fill()), max(high, n.fill())
		}
	}
	m.peak, m.ideal = max(m.peak, fullest), max(m.ideal, ideal)
	m.fullest, m.least = append(m.fullest, fullest), append(m.least, ideal)
	if high < low {
		return
	}
	m.spread = append(m.spread, high-low)
	switch {
	case high-low > 0.05:
		m.levelSince = -1
	case m.levelSince < 0:
		m.levelSince = w.now
	}
}

// draw adds a second to the series.
func (m *meter) draw(w *world) {
	s := &m.series
	if m.inPoint == 0 {
		for i := range w.nodes {
			m.sums[i] = 0
			s.Fill[i], s.Queue[i] = append(s.Fill[i], 0), append(s.Queue[i], 0)
		}
		s.Ideal, s.Refused = append(s.Ideal, 0), append(s.Refused, 0)
	}
	last := len(s.Ideal) - 1
	m.inPoint++
	for i := range w.nodes {
		n := &w.nodes[i]
		m.sums[i] += n.fill()
		s.Fill[i][last] = m.sums[i] / float64(m.inPoint)
		s.Queue[i][last] = max(s.Queue[i][last], n.queue/float64(n.Queue))
	}
	s.Ideal[last] = w.ideal()
	s.Refused[last] = (w.refused() - m.drawn) / float64(m.inPoint)
	if m.inPoint == m.every {
		m.inPoint, m.drawn = 0, w.refused()
	}
}

func (m *meter) result(w *world) Result {
	r := Result{
		Peak: m.peak, Ideal: m.ideal, Refused: w.refused() - m.refused, Cascades: m.moves.cascades,
		Outage: m.outage, LookUps: float64(w.looked) / max(tick, w.now.since()).Seconds(), Series: m.series,
	}
	r.P99OverIdeal = over(percentile(m.fullest, 0.99), percentile(m.least, 0.99))
	r.ImbalanceP50, r.ImbalanceMax = percentile(m.spread, 0.5), percentile(m.spread, 1)
	r.Level = -time.Second
	if m.levelSince >= 0 {
		r.Level = max(0, m.levelSince.since()-w.sc.steady())
	}
	for i := range w.nodes {
		r.Nodes = append(r.Nodes, w.nodes[i].Name)
		r.Sessions = append(r.Sessions, int(w.nodes[i].arrived/perSession))
	}
	return r
}

// percentile is the nearest rank in an unsorted list; 0 if it is empty.
func percentile(xs []float64, p float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	return s[max(0, int(math.Ceil(p*float64(len(s))))-1)]
}
