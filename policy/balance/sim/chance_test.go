package sim

import (
	"math"
	"math/bits"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// grid is n numbers of all 64 bits, in even steps.
func grid(n int) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		step := math.MaxUint64 / uint64(n)
		for i := range uint64(n) {
			if !yield(i*step + step/2) {
				return
			}
		}
	}
}

// A time without memory: half are over after 0.69 of the mean, none is longer
// than ten, and the mean is the mean but for what that cuts off.
func TestLasting(t *testing.T) {
	const n, mean = 1 << 16, time.Minute
	sum, short, last := 0.0, 0, time.Duration(0)
	for r := range grid(n) {
		d := lasting(mean, r)
		if d < last || d > 10*mean {
			t.Fatalf("%v after %v", d, last)
		}
		if d.Seconds() < math.Ln2*mean.Seconds() {
			short++
		}
		sum, last = sum+d.Seconds(), d
	}
	if want := mean.Seconds() * (1 - math.Exp(-10)); math.Abs(sum/n-want) > 0.01 {
		t.Errorf("the mean is %.3f s, want %.3f", sum/n, want)
	}
	if short != n/2 {
		t.Errorf("%d of %d are within the half-life", short, n)
	}
	if last != 10*mean {
		t.Errorf("the longest is %v", last)
	}
}

// The mean of two: a triangle around the middle, whose variance is 1/24.
func TestHumped(t *testing.T) {
	const n = 1 << 16
	sum, squares := 0.0, 0.0
	for r := range grid(n) {
		x := humped(r)
		if x < 0 || x >= 1 {
			t.Fatalf("%v is not within [0, 1)", x)
		}
		sum, squares = sum+x, squares+(x-0.5)*(x-0.5)
	}
	if m, v := sum/n, squares/n; math.Abs(m-0.5) > 0.003 || math.Abs(v-1.0/24) > 0.001 {
		t.Errorf("mean %.4f, variance %.4f, want 0.5 and %.4f", m, v, 1.0/24)
	}
}

// Who draws, what for, how often and under which seed: each decides alone, and
// turns half of the bits.
func TestDrawsAreIndependent(t *testing.T) {
	const n = 4096
	for name, other := range map[string]func(i uint64) uint64{
		"seed":  func(i uint64) uint64 { return draw(8, ofSession, i, 3) },
		"what":  func(i uint64) uint64 { return draw(7, ofPause, i, 3) },
		"who":   func(i uint64) uint64 { return draw(7, ofSession, i+1, 3) },
		"count": func(i uint64) uint64 { return draw(7, ofSession, i, 4) },
	} {
		turned := 0
		for i := range uint64(n) {
			turned += bits.OnesCount64(draw(7, ofSession, i, 3) ^ other(i))
		}
		if mean := float64(turned) / n; math.Abs(mean-32) > 0.5 {
			t.Errorf("another %s turns %.1f bits of 64", name, mean)
		}
	}
}

// No two draws of a play are the same one.
func TestDrawsDoNotCollide(t *testing.T) {
	seen := map[uint64][3]uint64{}
	for what := range uint64(ofSkew + 1) {
		for who := range uint64(64) {
			for count := range uint64(64) {
				r, me := draw(mix(1), what, who, count), [3]uint64{what, who, count}
				if other, ok := seen[r]; ok {
					t.Fatalf("%v and %v draw the same", me, other)
				}
				seen[r] = me
			}
		}
	}
}

// An urn gives each as often as its share says, counted over all of [0, 1).
func TestUrn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 12).Draw(t, "shares")
		sum, rs := 0, make([]Resolver, len(shares))
		for i, n := range shares {
			sum += n
			rs[i].Share = float64(n)
		}
		if sum == 0 {
			t.Skip("no shares")
		}
		u, got := newUrn(rs), make([]int, len(shares))
		for j := range sum {
			got[u.pick((float64(j)+0.5)/float64(sum))]++
		}
		for i := range got {
			if got[i] != shares[i] {
				t.Fatalf("%v gives %v", shares, got)
			}
		}
	})
}
