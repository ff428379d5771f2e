package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// choose is n over k.
func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// The ranks are the innermost ones that hold the median in at least 95 %, as
// counted over all ways that n values can fall above or below it.
func TestRanks(t *testing.T) {
	for n := fewest; n <= 60; n++ {
		within := func(k int) float64 { // P(k-th smallest ≤ median ≤ k-th greatest), k from 0
			outside := 0.0
			for i := range k + 1 {
				outside += 2 * choose(n, i) / math.Pow(2, float64(n))
			}
			return 1 - outside
		}
		k := rank(n)
		if within(k) < 0.95 || within(k+1) >= 0.95 {
			t.Errorf("%d values: rank %d holds %.4f, rank %d %.4f", n, k, within(k), k+1, within(k+1))
		}
	}
	if k := rank(15); k != 3 {
		t.Errorf("15 values: got rank %d, want 3: the tables have the 4th and the 12th", k)
	}
}

func TestMedians(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   estimate
	}{
		{[]float64{3}, estimate{3, 3, 3, 1}},
		{[]float64{4, 1}, estimate{2.5, 1, 4, 2}},
		{[]float64{9, 1, 5}, estimate{5, 1, 9, 3}},
		{[]float64{6, 5, 4, 3, 2, 1}, estimate{3.5, 1, 6, 6}},
		{[]float64{15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8}, estimate{8, 4, 12, 15}},
	} {
		if got := middle(c.values); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.values, got, c.want)
		}
	}
	if got := middle(nil); !math.IsNaN(got.Median) || got.N != 0 {
		t.Errorf("of none: got %+v", got)
	}
}

// The intervals of true ratios hold them as often as they say.
func TestIntervalsHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const benches, rounds, truth = 2000, 15, 0.8
	held := map[string]int{}
	for range benches {
		a, b := make([]float64, rounds), make([]float64, rounds)
		for i := range rounds {
			noise := math.Exp(0.3 * r.NormFloat64()) // of the round: both have it
			a[i], b[i] = truth*noise*math.Exp(0.1*r.NormFloat64()), noise*math.Exp(0.1*r.NormFloat64())
		}
		for name, e := range map[string]estimate{"paired": paired(a, b), "pooled": pooled(a, b)} {
			if e.Low <= truth && truth <= e.High {
				held[name]++
			}
		}
	}
	for name, least := range map[string]float64{"paired": 0.93, "pooled": 0.90} {
		if share := float64(held[name]) / benches; share < least || share == 1 {
			t.Errorf("%s: %.3f of the intervals hold the truth, want at least %.2f and not all", name, share, least)
		}
	}
}

// Quantiles of Student's distribution are those of the tables.
func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{5: 2.571, 9: 2.262, 14: 2.145, 29: 2.045, 999: 1.962} {
		if got := student(degrees); math.Abs(got/want-1) > 0.01 {
			t.Errorf("%d degrees: got %.3f, want %.3f", degrees, got, want)
		}
	}
}

// A round in which one of the two failed is left out, whichever it was.
func TestRoundsStayPaired(t *testing.T) {
	run := func(cpu float64) figure {
		return figure{reply: reply{Answered: 1000, QPS: 1}, CPU: seconds(cpu), User: seconds(cpu)}
	}
	our := row{Server: "ours", Figures: []figure{run(1), {}, run(3), run(4)}}
	their := row{Server: "gdnsd", Figures: []figure{run(2), run(1), {}, run(8)}}
	for _, what := range []string{figureCPU, figureUser} {
		if got := compare(our, their, what); got.N != 2 || got.Median != 0.5 || math.Abs(got.High-0.5) > 1e-9 {
			t.Errorf("%s: got %+v, want two rounds of 0.5", what, got)
		}
	}
}

func TestGoals(t *testing.T) {
	most, least := goal{limit: 1.05}, goal{limit: 2, atLeast: true}
	for _, c := range []struct {
		goal goal
		e    estimate
		want string
	}{
		{most, estimate{1.00, 0.95, 1.05, 15}, "yes"},
		{most, estimate{1.00, 0.95, 1.06, 15}, "likely"},
		{most, estimate{1.00, 0.95, 1.05, 5}, "likely"},
		{most, estimate{1.06, 1.00, 1.10, 15}, "unlikely"},
		{most, estimate{1.20, 1.06, 1.30, 15}, "no"},
		{least, estimate{3, 2, 4, 15}, "yes"},
		{least, estimate{1.5, 1, 1.9, 15}, "no"},
		{least, estimate{2.1, 1.9, 2.2, 15}, "likely"},
	} {
		if got := c.goal.met(c.e); got != c.want {
			t.Errorf("%s, %+v: got %s, want %s", c.goal.text(), c.e, got, c.want)
		}
	}
}
