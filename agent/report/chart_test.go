package report

import (
	"math"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"evenkeel/policy/balance/sim"
)

// Words of one row never touch, and none leaves the panel.
func TestWordsOfEventsDoNotTouch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := axes{length: 4 * time.Hour, points: 600, top: 1000}
		minute := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 239).Draw(t, "m")) * time.Minute
		})
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			a.events = append(a.events, sim.Event{At: minute.Draw(t, "at"), For: minute.Draw(t, "for"), Do: sim.Recycle, Nodes: []string{"ex01", "ex02"}})
		}
		ends := map[float64]float64{}
		marks, rows := a.marks(a.events)
		for _, m := range marks {
			if m.X < left || m.X+m.Width > left+plotWidth+0.11 || m.Width < 0 {
				t.Errorf("%+v is not on the axis", m)
			}
			if m.Text == "" {
				continue
			}
			from, long := m.TextX, perLetter*float64(utf8.RuneCountInString(m.Text))
			if m.Anchor == "end" {
				from -= long
			}
			if from < ends[m.TextY] || from+long > width {
				t.Errorf("%+v touches what ends at %.1f, or leaves the panel", m, ends[m.TextY])
			}
			ends[m.TextY] = from + long
		}
		if len(marks) != len(a.events) || len(ends) != rows || rows > labelRows {
			t.Errorf("%d marks in %d rows, said to be %d, of %d events", len(marks), len(ends), rows, len(a.events))
		}
	})
}

// All panels have the same axes, with room for the fullest node up to a bound.
func TestAxes(t *testing.T) {
	s := played(t, smallFarm(), []uint64{1}, "evenkeel", "round-robin")
	for _, tt := range []struct {
		peak      int
		top       int
		over      string
		halfTicks int
	}{
		{400, 1100, "", 3},
		{1340, 1400, "", 3},
		{2000, 2000, "", 5},
		{9310, 2000, "up to 9.3", 5},
	} {
		for i := range s.Plays {
			s.Plays[i].Course.fill = []track{{0, 0}, {0, 0}}
			s.Plays[i].Course.ideal = track{100, 100}
		}
		s.Plays[1].Course.fill[1][1] = tt.peak
		a := newAxes(s)
		quiet, loud := a.panel(s.Plays[0].Course), a.panel(s.Plays[1].Course)
		if a.top != tt.top || loud.Over != tt.over || quiet.Over != "" || len(loud.Fill.Ticks) != tt.halfTicks {
			t.Errorf("peak %d: top %d, %q, %d ticks; want %d, %q, %d", tt.peak, a.top, loud.Over, len(loud.Fill.Ticks), tt.top, tt.over, tt.halfTicks)
		}
		if quiet.Fill.Transform != loud.Fill.Transform || quiet.Height != loud.Height || !slices.Equal(quiet.Ticks, loud.Ticks) {
			t.Errorf("peak %d: the panels differ", tt.peak)
		}
		if want := loud.Fill.Y + fillHeight*(1-1000/float64(tt.top)); math.Abs(loud.Fill.Limit-want) > 0.1 {
			t.Errorf("peak %d: the limit is at %.1f, want %.1f", tt.peak, loud.Fill.Limit, want)
		}
	}
}

func TestTimesAreRound(t *testing.T) {
	for _, tt := range []struct {
		length     time.Duration
		want, last string
		n          int
	}{
		{time.Minute, "10s", "1m", 7},
		{30 * time.Minute, "5m", "30m", 7},
		{3 * time.Hour, "30m", "3h", 7},
		{4 * time.Hour, "1h", "4h", 5},
		{10 * time.Hour, "2h", "10h", 6},
		{7 * 24 * time.Hour, "24h", "168h", 8},
	} {
		ticks := axes{length: tt.length}.times()
		if len(ticks) != tt.n || ticks[1].Text != tt.want || ticks[len(ticks)-1].Text != tt.last || ticks[0].At != left {
			t.Errorf("%v: got %v, want %d from 0s over %s to %s", tt.length, ticks, tt.n, tt.want, tt.last)
		}
	}
}

// Twelve nodes are told apart by six colours, plain and dashed.
func TestNodesAreToldApart(t *testing.T) {
	seen := map[[2]any]bool{}
	s := noisy(mostLines)
	for _, c := range newAxes(s).panel(s.Plays[0].Course).Fill.Lines {
		seen[[2]any{c.Color, c.Dash}] = true
		if c.Color >= colors {
			t.Errorf("%s has colour %d of %d", c.Name, c.Color, colors)
		}
	}
	if len(seen) != mostLines {
		t.Errorf("%d looks for %d nodes", len(seen), mostLines)
	}
}
