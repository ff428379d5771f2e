package balance

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What holds of a Learner, whatever it sees.
func TestLearnerLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Learner{}.From(rapid.IntRange(0, most).Draw(t, "from"))
		first, passed := l.limit, time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "spells") {
			m := anyMeasure(t)
			m.Connections = rapid.SampledFrom([]int{m.Connections, 100 * m.Connections, math.MaxInt, 0}).Draw(t, "connections")
			dt := time.Duration(rapid.IntRange(-1, 6000).Draw(t, "dt")) * time.Millisecond
			for range rapid.IntRange(1, 3000).Draw(t, "beats") {
				l.see(dt, m, false)
				passed += max(0, dt)
			}
			l.hold(t, passed)
		}
		days := passed.Hours() / 24
		if l.from > 0 && (l.limit < first*math.Exp2(-days)*0.999-1 || l.limit > first*math.Exp2(days)*1.001+1) {
			t.Fatalf("limit %v after %v, from %v", l.limit, passed, first)
		}
	})
}

// hold says what is always so.
func (l Learner) hold(t *rapid.T, passed time.Duration) {
	episodes, calm := l.counted()
	if !(calm >= 0 && calm <= passed.Seconds()+1) || !(episodes >= 0 && episodes <= 1+passed.Hours()) {
		t.Fatalf("%v episodes and %v s of calm in %v", episodes, calm, passed)
	}
	k := l.Learnt()
	if k.Known() != (k.Why == LearntQueue) || k.Known() && !(0 < k.Low && k.Low <= k.Connections && k.Connections < k.High) || !k.Known() && k.Low+k.High != 0 {
		t.Fatalf("learnt %+v", k)
	}
	if l.Limit() < 0 || l.Limit() > most || (l.Limit() > 0) != (l.from > 0) {
		t.Fatalf("limit %v, from %d", l.Limit(), l.from)
	}
	l.look()
	back, err := l.Kept().Learner()
	if err != nil || back.Learnt() != l.Learnt() || back.Limit() != l.Limit() || back.calm != l.calm || back.episodes != l.episodes {
		t.Fatalf("kept and taken up: %v, %+v, want %+v", err, back.Learnt(), l.Learnt())
	}
}

// anyKept is something that could be in a file.
func anyKept(t *rapid.T) Kept {
	k := Kept{Version: keptVersion, From: rapid.IntRange(0, 9000).Draw(t, "from"), Limit: 1}
	if k.From == 0 {
		k.Limit = 0
	}
	last := 0
	for i := 0; i < 20 && last < rungs-1; i++ {
		last = min(rungs-1, last+rapid.IntRange(17, 40).Draw(t, "up"))
		k.Seen = append(k.Seen, Seen{foot(last), rapid.Float64Range(0, 1e6).Draw(t, "calm"), rapid.Float64Range(0, 30).Draw(t, "episodes")})
	}
	return k
}

// More calm above a level that is known makes it less sure, and more below surer.
func TestEvidenceIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := anyKept(t).Learner()
		if err != nil {
			t.Fatal(err)
		}
		l.hold(t, 10_000*time.Hour)
		s, i := l.sums(), rapid.IntRange(perOctave+1, rungs-above-1).Draw(t, "rung")
		more := rapid.Float64Range(0, 1e5).Draw(t, "more calm")
		over, under := l, l
		over.calm[i+rapid.IntRange(0, above-1).Draw(t, "above")] += more
		under.calm[i-rapid.IntRange(1, below).Draw(t, "below")] += more
		a, b := over.sums(), under.sums()
		if a.gain(i) > s.gain(i)+1e-6 || b.gain(i) < s.gain(i)-1e-6 {
			t.Fatalf("gain %v, with more calm above %v, below %v", s.gain(i), a.gain(i), b.gain(i))
		}
	})
}

// In a week all that was seen counts half, however it was cut into beats, and
// what is forgotten long enough is not known.
func TestFades(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := anyKept(t).Learner()
		if err != nil {
			t.Fatal(err)
		}
		n, s := l.counted()
		step := time.Duration(rapid.IntRange(1, 60).Draw(t, "minutes")) * time.Minute
		for passed := time.Duration(0); passed < halfLife; passed += step {
			l.fade(step)
		}
		for l.aging > 0 {
			l.fade(fadeStep)
		}
		if n2, s2 := l.counted(); math.Abs(n2-n/2) > 0.02*n || math.Abs(s2-s/2) > 0.02*s {
			t.Fatalf("%v episodes and %v s became %v and %v", n, s, n2, s2)
		}
		for range 2000 {
			l.fade(6 * fadeStep)
		}
		if l.look(); l.Learnt().Known() {
			t.Fatalf("still learnt %+v", l.Learnt())
		}
	})
}

// Nothing is taken up that no Learner can have left.
func TestKeptIsRefused(t *testing.T) {
	nan := math.NaN()
	for want, k := range map[string]Kept{
		"version 2, want 1": {Version: 2},
		"version 0, want 1": {},
		"from -1: want 0 to 10000000, and no limit with 0":                                {Version: 1, From: -1, Limit: 1},
		"from 0: want 0 to 10000000, and no limit with 0":                                 {Version: 1, Limit: 4000},
		"limit NaN: want 1 to 10000000":                                                   {Version: 1, From: 1, Limit: nan},
		"limit 0.5: want 1 to 10000000":                                                   {Version: 1, From: 1, Limit: 0.5},
		"4097 connections: no rung, or out of order":                                      {Version: 1, Seen: []Seen{{4097, 1, 1}}},
		"1024 connections: no rung, or out of order":                                      {Version: 1, Seen: []Seen{{2048, 1, 1}, {1024, 1, 1}}},
		"64 connections: NaN s and 1 episodes: want neither below 0 nor beyond reason":    {Version: 1, Seen: []Seen{{64, nan, 1}}},
		"64 connections: 1 s and -1 episodes: want neither below 0 nor beyond reason":     {Version: 1, Seen: []Seen{{64, 1, -1}}},
		"64 connections: 1e+300 s and 1 episodes: want neither below 0 nor beyond reason": {Version: 1, Seen: []Seen{{64, 1e300, 1}}},
	} {
		l, err := k.Learner()
		if err == nil || err.Error() != want || !reflect.DeepEqual(l, Learner{}) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
