package report

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evenkeel/policy/balance/sim"
)

// readBack is what the page's script makes of a path: its points, and the value
// at each number between them.
func readBack(d string) (points [][2]int) {
	var at [2]int
	for i, word := range regexp.MustCompile(`-?\d+`).FindAllString(d, -1) {
		n, _ := strconv.Atoi(word)
		at[i%2] += n
		if i%2 == 1 {
			points = append(points, at)
		}
	}
	return points
}

func valuesOf(points [][2]int) track {
	var v track
	for k, p := range points {
		for k > 0 && len(v) < p[0] {
			v = append(v, points[k-1][1]) // only equal values are left out
		}
		if len(v) == p[0] {
			v = append(v, p[1])
		}
	}
	return v
}

// The path is the data: what was drawn can be read.
func TestPathsAreTheData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := track(rapid.SliceOfN(rapid.IntRange(0, 3), 1, 20).Draw(t, "values"))
		if got := valuesOf(readBack(values.path())); !slices.Equal(got, values) {
			t.Errorf("%v is drawn as %s, which reads %v", values, values.path(), got)
		}
	})
}

func TestRestIsNotDrawn(t *testing.T) {
	for _, tt := range []struct {
		values track
		want   string
	}{
		{nil, ""},
		{track{5}, "M0 5l0 0"},
		{track{0, 3, 1}, "M0 0l1 3 1-2"},
		{track{7, 7, 7, 7, 2}, "M0 7l3 0 1-5"},
		{track{0, 0, 0, 0}, "M0 0l3 0"},
	} {
		if got := tt.values.path(); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.values, got, tt.want)
		}
	}
}

// A band goes there on its upper edge and back on its lower.
func TestBandsAreTheData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "points")
		low := track(rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "low"))
		high := track(rapid.SliceOfN(rapid.IntRange(3, 6), n, n).Draw(t, "high"))
		points := readBack(around(low, high))
		turn := 1
		for points[turn][0] > points[turn-1][0] {
			turn++
		}
		back := points[turn:]
		slices.Reverse(back)
		if got := valuesOf(points[:turn]); !slices.Equal(got, high) {
			t.Errorf("high %v reads %v", high, got)
		}
		if got := valuesOf(back); !slices.Equal(got, low) {
			t.Errorf("low %v reads %v", low, got)
		}
	})
}

func TestManyNodesAreABand(t *testing.T) {
	r := sim.Result{Series: sim.Series{Every: time.Second, Ideal: []float64{0.5}, Refused: []float64{0.2}}}
	for i := range mostLines + 1 {
		if c := CourseOf(r); c.band() || len(c.fill) != i {
			t.Fatalf("%d nodes: band %v, %d lines", i, c.band(), len(c.fill))
		}
		r.Nodes = append(r.Nodes, strconv.Itoa(i))
		r.Series.Fill = append(r.Series.Fill, []float64{float64(i) / 10})
		r.Series.Queue = append(r.Series.Queue, []float64{0})
	}
	c := CourseOf(r)
	if !c.band() || len(c.fill) != 3 || c.fill[0][0] != 0 || c.fill[1][0] != 600 || c.fill[2][0] != 1200 {
		t.Errorf("thirteen nodes: band %v of %v, want 0, 600 and 1200", c.band(), c.fill)
	}
	if c.refused[0] != 1 {
		t.Errorf("0.2 refused a second are shown as %d, want a mark", c.refused[0])
	}
}

func TestMarksOfRefusal(t *testing.T) {
	path, values := track{0, 3, 1, 0, 0, 9}.marks()
	if path != "M1 0h2M5 0h1" || values != "1 3 2 1 5 9 " {
		t.Errorf("got %q and %q", path, values)
	}
}
