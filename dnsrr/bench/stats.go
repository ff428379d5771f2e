package main

import (
	"math"
	"slices"
)

// An estimate is a median and where the true one is, in 95 of 100 cases. From
// too few values, fewer than 6, nothing can be said of that: Low and High are
// then the least and the greatest.
type estimate struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	N      int     `json:"n"` // values
}

const fewest = 6 // of which the least and the greatest hold the median in 95 %

func (e estimate) sure() bool { return e.N >= fewest }

// middle estimates the median of values by their order alone: whatever their
// distribution, each is above the true median with probability one half.
func middle(values []float64) estimate {
	n := len(values)
	if n == 0 {
		return estimate{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	v := slices.Sorted(slices.Values(values))
	k := rank(n)
	return estimate{Median: (v[(n-1)/2] + v[n/2]) / 2, Low: v[k], High: v[n-1-k], N: n}
}

// rank is the greatest k for which the k-th value from either end, counted from
// 0, bounds the median in at least 95 %: P(B ≤ k) ≤ 2.5 % for B of n tosses.
func rank(n int) int {
	k := -1
	p := math.Pow(0.5, float64(n)) // P(B = 0)
	for sum := p; sum <= 0.025 && k < n/2; sum += p {
		k++
		p *= float64(n-k) / float64(k+1)
	}
	return max(k, 0)
}

// paired estimates the ratio of a to b from rounds in which both were measured.
func paired(a, b []float64) estimate {
	var ratios []float64
	for i := range min(len(a), len(b)) {
		if r := a[i] / b[i]; !math.IsNaN(r) && !math.IsInf(r, 0) {
			ratios = append(ratios, r)
		}
	}
	return middle(ratios)
}

// pooled estimates the ratio of two sums, for what is too coarse in one round.
// The interval is Student's, of the logarithm, whose spread is told by leaving
// out one round after another.
func pooled(a, b []float64) estimate {
	n := min(len(a), len(b))
	if n < 2 {
		return middle(nil)
	}
	x, y := sum(a[:n]), sum(b[:n])
	without := make([]float64, n)
	for i := range without {
		without[i] = math.Log((x - a[i]) / (y - b[i]))
	}
	mean, spread := sum(without)/float64(n), 0.0
	for _, v := range without {
		spread += (v - mean) * (v - mean)
	}
	wide := math.Exp(student(n-1) * math.Sqrt(spread*float64(n-1)/float64(n)))
	return estimate{Median: x / y, Low: x / y / wide, High: x / y * wide, N: n}
}

// student is the 97.5 % quantile of Student's distribution, expanded around the
// normal one; within 1 % from five degrees of freedom on.
func student(degrees int) float64 {
	d := float64(degrees)
	return 1.960 + 2.372/d + 2.823/(d*d)
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}
