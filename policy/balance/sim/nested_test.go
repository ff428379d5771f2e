package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyShares are whole numbers; many are alike, and some are zero.
func anyShares(t *rapid.T) (whole []int, shares []float64, sum int) {
	whole = rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 40)), 1, 10).Draw(t, "shares")
	for _, n := range whole {
		sum += n
		shares = append(shares, float64(n))
	}
	return whole, shares, sum
}

// Counted over every number that chance could give, the first of an answer is
// each node as often as its share says, and so is any of its members at random.
func TestMixtureMeetsShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, shares, sum := anyShares(t)
		var m mixture
		m.compile(shares)
		first, member := make([]int, len(whole)), make([]float64, len(whole))
		for j := range sum {
			set := m.pick(nil, (float64(j)+0.5)/float64(sum), len(whole))
			first[set[0]]++
			for _, i := range set {
				member[i] += 1 / float64(len(set))
			}
		}
		for i, want := range whole {
			if first[i] != want || !agrees(member[i], float64(want)) {
				t.Fatalf("shares %v: first %v, members %.3f", whole, first, member)
			}
		}
	})
}

// Neither do the borders between the sets belong to two, or to none: with a sum
// that is a power of two they are exact.
func TestMixtureBorders(t *testing.T) {
	for _, whole := range [][]int{{4}, {1, 1, 1, 1}, {2, 1, 1}, {4, 2, 1, 1}, {8, 4, 4}, {0, 3, 3, 2}, {5, 5, 5, 1}} {
		var shares []float64
		sum := 0
		for _, n := range whole {
			sum, shares = sum+n, append(shares, float64(n))
		}
		var m mixture
		m.compile(shares)
		first := make([]int, len(whole))
		for j := range sum {
			first[m.pick(nil, float64(j)/float64(sum), 8)[0]]++
		}
		if !slices.Equal(first, whole) {
			t.Errorf("shares %v: first %v", whole, first)
		}
	}
}

// A short answer is the beginning of the whole one.
func TestMixtureShortened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, shares, sum := anyShares(t)
		if sum == 0 {
			t.Skip("no shares")
		}
		var m mixture
		m.compile(shares)
		x, most := rapid.Float64Range(0, 0.999).Draw(t, "x"), rapid.IntRange(1, 10).Draw(t, "most")
		whole, short := m.pick(nil, x, len(shares)), m.pick([]int16{7}, x, most)
		if want := append([]int16{7}, whole[:min(most, len(whole))]...); !slices.Equal(short, want) {
			t.Fatalf("%v of %v, want %v", short, whole, want)
		}
		for i, n := range whole {
			if slices.Contains(whole[:i], n) || shares[n] == 0 {
				t.Fatalf("answer %v for %v", whole, shares)
			}
		}
	})
}

// Equal shares give every address in every answer; none give no answer.
func TestMixtureEqualAndNone(t *testing.T) {
	var m mixture
	m.compile([]float64{0.25, 0.25, 0.25, 0.25})
	for j := range 1000 {
		if set := m.pick(nil, float64(j)/1000, 8); len(set) != 4 {
			t.Fatalf("%v at %d", set, j)
		}
	}
	m.compile([]float64{0, 0})
	if set := m.pick(nil, 0.5, 8); len(set) != 0 {
		t.Errorf("%v of nothing", set)
	}
}
