package balance

import (
	"math"
	"slices"
	"testing"
	"time"
)

// beat is how often these tests look: often enough for all that is judged.
const beat = 2 * time.Second

// during is the Learner after d with so many connections and requests waiting.
func (l Learner) during(d time.Duration, connections, waiting int) Learner {
	m := Measure{Connections: connections, Queues: []Queue{{Depth: waiting, Limit: 1000}}, Refused: l.refused}
	for ; d > 0; d -= beat {
		l.see(beat, m, false)
	}
	return l
}

// awake has been watched for a moment, with so many connections.
func awake(connections int) Learner { return Learner{}.during(settle+beat, connections, 0) }

// where lists the connections of all episodes.
func (l Learner) where() (at []int) {
	for i, n := range l.episodes {
		if n > 0 {
			at = append(at, foot(i))
		}
	}
	return at
}

// counted is all that was seen.
func (l Learner) counted() (episodes, calm float64) {
	for i := range rungs {
		episodes, calm = episodes+l.episodes[i], calm+l.calm[i]
	}
	return episodes, calm
}

// What is an episode, and what is none.
func TestEpisodes(t *testing.T) {
	const at = 4096 // the least of a rung
	refuse := func(l Learner) Learner {
		return l.See(beat, Measure{Connections: at, Queues: []Queue{{Limit: 1000}}, Refused: l.refused + 1}, Up)
	}
	for _, c := range []struct {
		promise string
		l       Learner
		want    []int
	}{
		{"calm is none", awake(at).during(time.Hour, at, 50), nil},
		{"a stall is one, however long", awake(at).during(3*time.Hour, at, 900), []int{at}},
		{"and where it began, whoever comes meanwhile", awake(at).during(time.Minute, at, 900).during(time.Hour, 5000, 1000), []int{at}},
		{"who is refused tells of one that nobody saw", refuse(awake(at)), []int{at}},
		{"a node that has just started is not watched", Learner{}.during(settle, at, 0).during(time.Minute, at, 900), nil},
		{"a herd fills the queue by coming, not by being many", awake(500).during(8*time.Second, 900, 0).during(time.Minute, at, 900), nil},
		{"and its stall does not count when the herd is over", awake(500).during(time.Hour, at, 900), nil},
		{"two with an hour between are two", awake(at).during(time.Minute, at, 900).during(apart, at, 0).during(time.Minute, 2*at, 900).during(time.Hour, at, 0).during(time.Minute, at, 900), []int{at}},
	} {
		if got := c.l.where(); !slices.Equal(got, c.want) {
			t.Errorf("%s: episodes at %v, want %v", c.promise, got, c.want)
		}
	}
}

// A queue that flickers for hours is one episode; one that is over the mark in
// a single beat is none.
func TestFlicker(t *testing.T) {
	l := awake(3000)
	for range 200 {
		l = l.during(50*time.Second, 3000, 0).during(10*time.Second, 3000, 800)
	}
	if n, _ := l.counted(); n < 0.9 || n > 1 {
		t.Errorf("200 stalls in three hours are %.2f episodes, want one, faded a little", n)
	}
	m := Measure{Connections: 3000, Queues: []Queue{{Depth: 800, Limit: 1000}}}
	l = awake(3000)
	for range 1000 { // a beat of the loop every ten seconds
		l.see(time.Second/2, m, false)
		l = l.during(10*time.Second, 3000, 0)
	}
	if n, _ := l.counted(); n != 0 {
		t.Errorf("bursts are %.2f episodes", n)
	}
}

// Beats that tell nothing of the node at work are neither calm nor busy.
func TestNotWatched(t *testing.T) {
	calm := Measure{Connections: 3000, Queues: []Queue{{Limit: 1000}}}
	for name, c := range map[string]struct {
		dt    time.Duration
		m     Measure
		aside bool
	}{
		"broken":                   {beat, calm, true},
		"blind":                    {beat, Measure{Blind: true, Connections: 3000, Queues: calm.Queues}, false},
		"connections not measured": {beat, Measure{Connections: Unmeasured, Queues: calm.Queues}, false},
		"no queue measured":        {beat, Measure{Connections: 3000}, false},
		"the machine stood still":  {time.Minute, calm, false},
		"no time passed":           {0, calm, false},
		"time went back":           {-beat, calm, false},
	} {
		l := Learner{}
		for range 1000 {
			l.see(c.dt, c.m, c.aside)
		}
		if n, s := l.counted(); n != 0 || s != 0 || l.Learnt() != (Learnt{Why: LearntUnseen}) {
			t.Errorf("%s: %v episodes in %v s, learnt %v", name, n, s, l.Learnt())
		}
		l = awake(3000)
		l.see(c.dt, c.m, c.aside)
		if after := l.during(settle-beat, 3000, 0); c.dt > 0 && after.calm != l.calm {
			t.Errorf("%s: watched again at once", name)
		}
	}
}

// workday is a day of a node: its night, and a morning that brings up to top,
// with a stall whenever it holds stall connections or more; 0: never.
func (l Learner) workday(top, stall int) Learner {
	l = l.during(7*time.Hour, top/30, 0)
	for h := range 16 {
		c := top * min(h+1, 8, 17-h) / 8
		steps := 6 // of ten minutes
		if stall > 0 && c >= stall {
			l, steps = l.during(20*time.Minute, stall, 900), 4
		}
		for i := range steps {
			l = l.during(10*time.Minute, c+top*i/48*min(1, max(-1, 7-h)), 0)
		}
	}
	return l
}

// The story: a node that stalls from 4,000 connections on, said to hold 8,000.
// Within a week that is known, the limit follows by at most half a day, and in
// the weeks after, in which the node is kept below it and nothing happens, what
// was seen fades, and the limit stays.
func TestLearnsAndForgets(t *testing.T) {
	l, known := Learner{}.From(8000), 0
	for day := 1; day <= 7; day++ {
		before := l.limit
		l = l.workday(5000, 4000)
		if l.limit < before/2-1 {
			t.Errorf("day %d: the limit fell from %.0f to %.0f", day, before, l.limit)
		}
		if known == 0 && l.Learnt().Known() {
			known = day
		}
	}
	got := l.Learnt()
	if known < 2 || known > 5 || got.Why != LearntQueue || got.Connections < 3600 || got.Connections > 4400 || got.Low > 4000 || got.High < 4000 {
		t.Errorf("known on day %d: %+v", known, got)
	}
	if l.Limit() != got.Connections {
		t.Errorf("limit %d, learnt %d", l.Limit(), got.Connections)
	}
	for range 60 {
		l = l.workday(3000, 0)
	}
	if l.Learnt().Known() || l.Limit() != got.Connections {
		t.Errorf("two months later: %+v, limit %d", l.Learnt(), l.Limit())
	}
}

// One evening on which a domain controller stalls again and again must not cut
// a limit, nor must a second one: on all other days the node held far more.
func TestIncidentsDoNotCount(t *testing.T) {
	l := Learner{}.From(4000)
	evening := func() {
		l = l.during(12*time.Hour, 450, 0)
		for range 20 {
			l = l.during(2*time.Minute, 500, 1000).during(10*time.Minute, 500, 0)
		}
	}
	for range 4 {
		l = l.workday(3800, 0)
	}
	for range 3 {
		evening()
		if l.Learnt().Known() || l.Limit() < 4000 {
			t.Fatalf("after an evening: %+v, limit %d", l.Learnt(), l.Limit())
		}
		l = l.workday(3800, 0)
	}
}

// Where nothing stalls, or what stalls does so at all levels alike, no number
// is made up, and why is said.
func TestUnknown(t *testing.T) {
	calmly := Learner{}.workday(5000, 0).workday(5000, 0)
	once := awake(4000).during(time.Minute, 4000, 900).workday(5000, 0)
	always := calmly
	for i := range 60 { // every three hours, whatever it holds
		c := 150 + 700*(i%8)
		always = always.during(30*time.Minute, c, 0).during(time.Minute, c, 900).during(150*time.Minute, c, 0)
	}
	for _, c := range []struct {
		l   Learner
		why string
	}{{Learner{}, LearntUnseen}, {calmly, LearntCalm}, {once, LearntFew}, {always, LearntAlike}} {
		if got := c.l.Learnt(); got != (Learnt{Why: c.why}) {
			t.Errorf("got %+v, want %s", got, c.why)
		}
	}
}

// A limit that is only said is given up upwards where the node is at it and calm.
func TestALimitGivesWay(t *testing.T) {
	l := awake(3900).From(4000)
	if got := l.during(4*24*time.Hour, 3900, 0).Limit(); got < 4300 || got > 4350 {
		t.Errorf("limit %d after four days at 3,900 of 4,000, want as much as keeps 3,900 at nine tenths of it", got)
	}
	if got := l.during(4*24*time.Hour, 3000, 0).Limit(); got != 4000 {
		t.Errorf("limit %d of a node that is never at it", got)
	}
}

// The operator's word begins anew, and only a new one.
func TestFrom(t *testing.T) {
	l := Learner{}.From(4000)
	if l.limit = 3000; l.From(4000).Limit() != 3000 || l.From(5000).Limit() != 5000 || l.From(0).Limit() != 0 || l.From(0).From(4000).Limit() != 4000 {
		t.Error("a limit that was learnt is given up for another start alone")
	}
	if l = (Learner{}).workday(5000, 0); l.Limit() != 0 {
		t.Errorf("limit %d, which nobody asked for", l.Limit())
	}
}

// Every number has its rung, and a rung is a 4.4 % step.
func TestRungs(t *testing.T) {
	last := 0
	for c := range 100_000 {
		i := rung(c)
		if i < last || foot(i) > c || i > last && foot(i) != c || c >= 1000 && float64(foot(i+1)) > 1.046*float64(foot(i)) {
			t.Fatalf("%d is on rung %d, of %d to %d", c, i, foot(i), foot(i+1))
		}
		last = i
	}
	if i := rung(math.MaxInt); i != rungs-1 || rung(-1) != 0 || rung(most) >= i {
		t.Errorf("the ends are %d and %d", rung(-1), i)
	}
}
