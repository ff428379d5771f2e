package balance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// office is how many of the top a farm holds at an hour of the day.
func office(hour float64) float64 {
	switch {
	case hour < 7 || hour >= 19:
		return 0.03
	case hour < 9.5:
		return 0.03 + 0.97*(hour-7)/2.5
	case hour < 16:
		return 1 - 0.1*min(1, max(0, 1-(hour-12.5)*(hour-12.5)))
	}
	return 1 - 0.97*(hour-16)/3
}

// A fortnight is one of offices whose days differ by 15 %, and in which stalls
// come by chance, or from so many connections on, or both.
type fortnight struct {
	seed   uint64
	rate   float64 // stalls an hour that come by chance
	always bool    // by night too
	at     int     // connections from which on stalls come every five minutes; 0: never
}

// play returns the Learner at its end, the first day on which something was
// known, 0 if never, and the lowest limit of all.
func (f fortnight) play() (l Learner, known int, low float64) {
	const step, top = 5 * time.Second, 5000
	chance, stalled, rest := rand.New(rand.NewPCG(f.seed, 1)), time.Duration(0), time.Duration(0)
	l, low = l.From(8000), 8000
	for day := 1; day <= 14; day++ {
		peak := top * (0.85 + 0.3*chance.Float64())
		for at := time.Duration(0); at < 24*time.Hour; at += step {
			now, c := time.Duration(day)*24*time.Hour+at, int(peak*office(at.Hours()))
			if chance.Float64() < f.rate*step.Hours() && (f.always || c > top/10) {
				stalled = now + 20*time.Second
			}
			if f.at > 0 && c >= f.at && now >= rest {
				stalled, rest = now+20*time.Second, now+5*time.Minute
			}
			m := Measure{Connections: c, Queues: []Queue{{Limit: 1000}}}
			if now < stalled {
				m.Queues[0].Depth = 500
			}
			l.see(step, m, false)
		}
		if low = min(low, l.limit); known == 0 && l.Learnt().Known() {
			known = day
		}
	}
	return l, known, low
}

// Stalls that come by chance, at any level alike, cut no limit: not when they
// come by day alone, and so seem to begin with the first clients of the morning.
// EVENKEEL_SWEEP plays more.
func TestChanceIsNotLearnt(t *testing.T) {
	seeds := 1
	if os.Getenv("EVENKEEL_SWEEP") != "" {
		seeds = 50
	}
	played, ever, end := 0, 0, 0
	for _, rate := range []float64{1. / 24, 0.25, 1} {
		for _, always := range []bool{false, true} {
			for seed := range uint64(seeds) {
				l, known, low := fortnight{seed: seed, rate: rate, always: always}.play()
				played++
				if known > 0 {
					ever++
				}
				if l.Learnt().Known() {
					end++
				}
				if low < 8000/2 {
					t.Errorf("seed %d, %.2f stalls an hour, by night %v: the limit fell to %.0f, learnt %+v", seed, rate, always, low, l.Learnt())
				}
			}
		}
	}
	if t.Logf("%d fortnights: something was learnt in %d, and still at the end of %d", played, ever, end); 20*ever > played {
		t.Error("chance is learnt too often")
	}
}

// Beside stalls that come by chance, those that come of connections are found.
func TestFindsBesideChance(t *testing.T) {
	seeds := 2
	if os.Getenv("EVENKEEL_SWEEP") != "" {
		seeds = 50
	}
	var days []int
	for seed := range uint64(seeds) {
		l, known, _ := fortnight{seed: seed, rate: 1. / 48, at: 4000}.play()
		days = append(days, known)
		if got := l.Learnt(); got.Known() && (got.Connections < 3600 || got.Connections > 4400) || known == 0 || known > 8 {
			t.Errorf("seed %d: first known on day %d, at the end %+v, want 4000", seed, known, got)
		}
	}
	t.Log("known on day", fmt.Sprint(days))
}
