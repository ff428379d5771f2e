package dnsrr

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// proportions returns shares that sum to 1.
func proportions(shares []float64) []float64 {
	sum := 0.0
	for _, p := range shares {
		sum += p
	}
	out := slices.Clone(shares)
	for i := range out {
		out[i] /= sum
	}
	return out
}

func even(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func falling(n int) (out []float64) {
	for i := range n {
		out = append(out, float64(n-i))
	}
	return out
}

// One asker's answers are counted, for a client that takes the first address
// and for one that takes any. Chance alone would be off by a hundred and more.
func TestSharesAreMetByCounting(t *testing.T) {
	const answers, off = 100_000, 44
	for _, tt := range []struct {
		name   string
		shares []float64
	}{
		{"one", even(1)},
		{"two equal", even(2)},
		{"three equal", even(3)},
		{"1:1:2", []float64{1, 1, 2}},
		{"45:60:75", []float64{45, 60, 75}},
		{"45:60, one down", []float64{45, 60, 0}},
		{"one with a share", []float64{0, 1, 0}},
		{"a tiny share", []float64{1, 1e-4, 1}},
		{"a share too small to see", []float64{1, 1e-15}},
		{"99:1", []float64{99, 1}},
		{"12 equal", even(12)},
		{"12 unlike", falling(12)},
		{"32 equal", even(32)},
		{"32 unlike", falling(32)},
		{"two kinds of machine", append(even(8), 2, 2, 2, 2)},
	} {
		for _, size := range []int{1, 2, maxAnswers} {
			t.Run(fmt.Sprintf("%s, %d answers", tt.name, size), func(t *testing.T) {
				want := proportions(tt.shares)
				first, any := count(tt.shares, size, answers)
				for i, p := range want {
					if got := first[i]; math.Abs(got-p*answers) > off {
						t.Errorf("member %d, first taken: %.0f times, want %.0f +- %d", i, got, p*answers, off)
					}
					if got := any[i]; math.Abs(got-p*answers) > off {
						t.Errorf("member %d, any taken: %.1f times, want %.0f +- %d", i, got, p*answers, off)
					}
				}
			})
		}
	}
}

// count asks n times as one asker, for an hour and more.
func count(shares []float64, size, n int) (first, any []float64) {
	w := newWheel(shares, size)
	first, any = make([]float64, len(shares)), make([]float64, len(shares))
	var s sequences
	asker := netip.MustParseAddr("192.0.2.53")
	var run []int
	for i := range n {
		run = w.pick(run[:0], s.next(hashName("ex01"), 0, asker, false), uint64(i)/1000)
		first[run[0]]++
		part := 1 / float64(len(run))
		for _, m := range run {
			any[m] += part
		}
	}
	return first, any
}

// A client that sorts addresses uses the lowest it is given. One address an
// answer is exact for it too; more are not, and nothing could make them so.
func TestSortingClientNeedsSingleAnswers(t *testing.T) {
	shares := []float64{3, 2, 1}
	w := newWheel(shares, 1)
	got := make([]float64, 3)
	for n := range uint64(60_000) {
		got[slices.Min(w.pick(nil, n*golden, 0))]++
	}
	for i, want := range []float64{30_000, 20_000, 10_000} {
		if math.Abs(got[i]-want) > 10 {
			t.Errorf("member %d: %v times, want %v", i, got[i], want)
		}
	}
}

// The intervals themselves are measured, so there is no sampling in it: the
// sum over the sets that hold a member, each shared evenly, is its share.
func TestIntervalsMeetSharesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := drawShares(t)
		w := newWheel(shares, rapid.IntRange(1, maxAnswers).Draw(t, "size"))
		got := make([]float64, len(shares))
		total := 0.0
		for _, s := range w.sets {
			part := math.Ldexp(float64(s.width), -64)
			if s.width == 0 {
				part = 1
			}
			total += part
			for _, m := range w.order[:s.size] {
				got[m] += part / float64(s.size)
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("intervals sum to %v, want 1", total)
		}
		for i, want := range proportions(shares) {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Fatalf("member %d of %v: share %v, want %v", i, shares, got[i], want)
			}
		}
	})
}

func drawShares(t *rapid.T) []float64 {
	shares := rapid.SliceOfN(rapid.OneOf(
		rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, 1e-9}),
	), 1, 40).Draw(t, "shares")
	shares[rapid.IntRange(0, len(shares)-1).Draw(t, "alive")] = 1 // something has a share
	return shares
}

func TestRunsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := drawShares(t)
		size := rapid.IntRange(1, maxAnswers).Draw(t, "size")
		w := newWheel(shares, size)
		r, minute := rapid.Uint64().Draw(t, "r"), rapid.Uint64().Draw(t, "minute")
		run := w.pick(nil, r, minute)
		if len(run) == 0 || len(run) > size {
			t.Fatalf("%d members, want 1..%d", len(run), size)
		}
		if later := w.pick(nil, r, minute+1); later[0] != run[0] || len(later) != len(run) {
			t.Fatalf("a minute later %v, was %v: the first must not change", later, run)
		}
		for i, m := range run {
			if shares[m] <= 0 {
				t.Fatalf("member %d has no share, and is in %v", m, run)
			}
			if slices.Contains(run[:i], m) {
				t.Fatalf("member %d twice in %v", m, run)
			}
		}
	})
}

// Every rank of every set is tried in every minute: with runs of m, each
// member is in m runs and leads one.
func TestRingHasNoFavourites(t *testing.T) {
	const n, size = 11, 3
	w := newWheel(falling(n), size)
	for minute := range turns {
		for k := size + 1; k <= n; k++ {
			in, leads := make([]int, n), make([]int, n)
			for rank := range k {
				run := w.run(nil, &w.rings[minute], rank, k)
				leads[run[0]]++
				for _, m := range run {
					in[m]++
				}
			}
			for m := range k {
				if in[m] != size || leads[m] != 1 {
					t.Errorf("minute %d, k %d, member %d: in %d runs and first in %d, want %d and 1", minute, k, m, in[m], leads[m], size)
				}
			}
		}
	}
}

// Who stands by for a node changes, so that its loss spreads over all others.
func TestPartnersVary(t *testing.T) {
	w := newWheel(even(6), 2)
	partners := map[[2]int]bool{}
	for minute := range uint64(turns) {
		for r := range uint64(6) {
			run := w.pick(nil, r*(math.MaxUint64/6+1), minute)
			partners[[2]int(run)] = true
		}
	}
	if got, want := len(partners), 6*5; got != want {
		t.Errorf("%d pairs within an hour, want all %d", got, want)
	}
}

func TestEmptyWheelPicksNothing(t *testing.T) {
	for _, shares := range [][]float64{nil, {0}, {0, 0}} {
		w := newWheel(shares, 1)
		if run := w.pick(nil, 7, 7); len(run) != 0 {
			t.Errorf("shares %v: picked %v", shares, run)
		}
	}
}

// The first and the last number of all belong to the first and the last set.
func TestEdgesOfTheNumbers(t *testing.T) {
	w := newWheel([]float64{1, 1, 2}, maxAnswers)
	if got := w.pick(nil, 0, 0); !slices.Equal(got, []int{2}) {
		t.Errorf("number 0: %v, want the largest alone", got)
	}
	if got := w.pick(nil, math.MaxUint64, 0); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("last number: %v, want all, the last in front", got)
	}
	whole := newWheel(even(4), maxAnswers)
	for r, want := range map[uint64]int{0: 0, 1<<62 - 1: 0, 1 << 62: 1, 1 << 63: 2, math.MaxUint64: 3} {
		if got := whole.pick(nil, r, 0)[0]; got != want {
			t.Errorf("number %#x of four equal: first is %d, want %d", r, got, want)
		}
	}
}

func TestTurnIsEven(t *testing.T) {
	for n := 1; n <= 5; n++ {
		got := make([]float64, n)
		for i := range uint64(10_000) {
			got[turn(i*golden, n)]++
		}
		for i := range got {
			if want := 10_000 / float64(n); math.Abs(got[i]-want) > 20 {
				t.Errorf("address %d of %d: %v times, want %v", i, n, got[i], want)
			}
		}
	}
}
