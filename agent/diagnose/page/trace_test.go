package page

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evenkeel/agent/diagnose"
)

// unpack reads what pack wrote, as the script does.
func unpack(t interface{ Fatalf(string, ...any) }, s string) (out []int64) {
	at := 0
	number := func() (u int64) {
		for shift := 0; at < len(s); shift += 5 {
			d := strings.IndexByte(digits, s[at])
			if d < 0 {
				t.Fatalf("%q is no digit", s[at])
			}
			at++
			u |= int64(d&31) << shift
			if d < 32 {
				return u
			}
		}
		t.Fatalf("%q ends within a number", s)
		return 0
	}
	for last := int64(0); at < len(s); {
		if u := number(); u != 0 {
			last += u>>1 ^ -(u & 1)
			out = append(out, last)
			continue
		}
		for n := number() + 1; n > 0; n-- {
			out = append(out, last)
		}
	}
	return out
}

func TestPackIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vs := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(-1, 3), rapid.Int64Range(-1, 1e9))).Draw(t, "values")
		if got := unpack(t, pack(vs)); !slices.Equal(got, vs) {
			t.Fatalf("%v, want %v", got, vs)
		}
	})
}

func TestPackIsShort(t *testing.T) {
	if got := pack(make([]int64, 20_000)); len(got) > 5 {
		t.Errorf("twenty thousand zeros are %d letters: %s", len(got), got)
	}
	if got := pack([]int64{5, 6, 5, 5, 5}); got != "KCBAB" {
		t.Errorf("%s, want KCBAB: +5, +1, -1, two steps of none", got)
	}
}

// What cannot be told is not drawn as nothing, and a little is not nothing.
func TestWhole(t *testing.T) {
	got := whole([]float64{-1, math.NaN(), 0, 0.1, 1.5, 41.6, math.Inf(1)})
	if want := []int64{unknown, unknown, 0, 1, 2, 42, 1e9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// No peak and no dip is lost, however few columns there are.
func TestReduceLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := series{rapid.SliceOfN(rapid.Int64Range(-1, 1000), 1, 300).Draw(t, "values"), began, 10 * time.Second}
		a := axis{began, s.start.Add(time.Duration(len(s.values)) * s.step)}
		low, high := s.reduce(a, rapid.IntRange(1, 400).Draw(t, "columns"))
		if got, want := peak(high), peak(s.values); got != want {
			t.Fatalf("peak %d, want %d", got, want)
		}
		known := func(v int64) bool { return v == unknown }
		wants, gots := slices.DeleteFunc(slices.Clone(s.values), known), slices.DeleteFunc(low, known)
		if len(wants) > 0 && slices.Min(gots) != slices.Min(wants) {
			t.Fatalf("dip %d, want %d", slices.Min(gots), slices.Min(wants))
		}
	})
}

// A column is of its own time: values stand where they were.
func TestReduceKeepsPlaces(t *testing.T) {
	s := series{[]int64{1, 2, unknown, 4, 5, 6}, began.Add(20 * time.Second), 10 * time.Second}
	a := axis{began, began.Add(100 * time.Second)}
	low, high := s.reduce(a, 5)
	if want := []int64{unknown, 1, 4, 5, unknown}; !slices.Equal(low, want) {
		t.Errorf("low %v, want %v", low, want)
	}
	if want := []int64{unknown, 2, 4, 6, unknown}; !slices.Equal(high, want) {
		t.Errorf("high %v, want %v", high, want)
	}
	_, high = s.reduce(a, 20) // a step is two columns
	if want := []int64{unknown, unknown, unknown, unknown, 1, 1, 2, 2, unknown, unknown, 4, 4}; !slices.Equal(high[:12], want) {
		t.Errorf("high %v, want %v", high, want)
	}
}

func TestOutline(t *testing.T) {
	for _, c := range []struct {
		name      string
		pen       pen
		low, high []int64
		line      bool
		want      string
	}{
		{"a level", pen{}, []int64{50, 50}, []int64{50, 50}, true, "M0 100V50h2V100z"},
		{"nothing is known", pen{}, []int64{-1}, []int64{-1}, true, ""},
		{"a gap", pen{}, []int64{50, -1, 50}, []int64{50, -1, 50}, true, "M0 100V50h1V100zM2 100V50h1V100z"},
		{"a level of nothing is a line", pen{}, []int64{0}, []int64{0}, true, "M0 100h1z"},
		{"a count of nothing is nothing", pen{}, []int64{0, 0}, []int64{0, 100}, false, "M1 100V0h1V100z"},
		{"a single one is seen", pen{}, []int64{0}, []int64{1}, false, "M0 100V96h1V100z"},
		{"low and high", pen{}, []int64{20}, []int64{90}, true, "M0 100V10V80h1V100z"},
		{"the edge alone", pen{open: true}, []int64{50, 70}, []int64{50, 70}, true, "M0 50h1V30h1"},
	} {
		if got := c.pen.outline(c.low, c.high, 100, c.line); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The upper edge is round, and little above what it has room for.
func TestCeiling(t *testing.T) {
	for _, c := range [][2]int64{{-1, 1}, {0, 1}, {1, 1}, {7, 7}, {19, 19}, {21, 25}, {101, 110}, {8663, 9000}, {999, 1000}, {1e9, 1e9}} {
		if got := ceiling(c[0]); got != c[1] {
			t.Errorf("ceiling of %d is %d, want %d", c[0], got, c[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(1, 1e9).Draw(t, "v")
		if got := ceiling(v); got < v || float64(got) > 1.25*float64(v)+1 {
			t.Fatalf("ceiling of %d is %d", v, got)
		}
	})
}

// Whatever was measured, and whenever, what is drawn is numbers within the
// picture.
func TestOddReports(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.2, 1e300, 7}
	far := []time.Time{{}, began, began.Add(-200 * 366 * 24 * time.Hour), began.Add(200 * 366 * 24 * time.Hour), began.Add(time.Nanosecond)}
	steps := []time.Duration{0, -1, 1, time.Second, math.MaxInt64}
	rapid.Check(t, func(t *rapid.T) {
		when, step := rapid.SampledFrom(far), rapid.SampledFrom(steps)
		values := rapid.SliceOfN(rapid.SampledFrom(odd), 0, 5)
		r := diagnose.Report{From: when.Draw(t, "from"), To: when.Draw(t, "to")}
		for range rapid.IntRange(0, 3).Draw(t, "nodes") {
			r.Nodes = append(r.Nodes, diagnose.Course{
				Start: when.Draw(t, "start"), Step: step.Draw(t, "step"), Sessions: values.Draw(t, "sessions"), Cut: values.Draw(t, "cut"),
				Spans: []diagnose.Span{{From: when.Draw(t, "from"), To: when.Draw(t, "to")}},
			})
			r.Findings = append(r.Findings, diagnose.Finding{Confidence: rapid.SampledFrom(odd).Draw(t, "confidence"), Minutes: rapid.SampledFrom(odd).Draw(t, "minutes"), From: when.Draw(t, "from"), To: when.Draw(t, "to")})
		}
		var b strings.Builder
		if err := Write(&b, r, About{}); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); strings.Contains(s, "NaN%") || strings.Contains(s, "ZgotmplZ") || strings.Contains(s, "left:-") || strings.Contains(s, "width:-") {
			t.Fatalf("%s", s)
		}
	})
}
