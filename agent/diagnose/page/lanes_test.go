package page

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evenkeel/agent/diagnose"
)

// hour is an axis of one.
func hour() axis { return axis{began, began.Add(time.Hour)} }

func minute(from, to int, label string) diagnose.Span {
	return diagnose.Span{Kind: diagnose.Recycle, From: after(time.Duration(from) * time.Minute), To: after(time.Duration(to) * time.Minute), Label: label}
}

// What overlaps stands in lanes below one another, and the kind is said once.
func TestLanesKeepApart(t *testing.T) {
	got := lanes([]diagnose.Span{minute(0, 10, "a"), minute(5, 15, "b"), minute(12, 20, "c"), minute(70, 80, "after the end")}, hour())
	if len(got) != 2 || got[0].Kind != "recycle" || got[1].Kind != "" {
		t.Fatalf("%+v, want two lanes of recycle", got)
	}
	var texts []string
	for _, l := range got {
		for _, b := range l.Bars {
			texts = append(texts, b.Text)
		}
	}
	if want := []string{"a", "c", "b"}; !slices.Equal(texts, want) {
		t.Errorf("bars %v, want %v", texts, want)
	}
	if b := got[0].Bars[1]; b.Left != 20 || b.Width != 13.333 {
		t.Errorf("c is at %v and %v wide, want 20 and 13.333", b.Left, b.Width)
	}
}

// However many spans there are, the bars are few, and every span is under one.
func TestLanesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []diagnose.Span
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		seconds := rapid.IntRange(0, 3000)
		for range n {
			from := time.Duration(seconds.Draw(t, "from")) * time.Second
			spans = append(spans, diagnose.Span{Kind: diagnose.ProbeFlap, From: after(from), To: after(from + time.Duration(rapid.IntRange(0, 60).Draw(t, "long"))*time.Second)})
		}
		got := lanes(spans, hour())
		if len(got) > mostRows {
			t.Fatalf("%d lanes", len(got))
		}
		bars := 0
		for _, l := range got {
			bars += len(l.Bars)
		}
		if bars > mostBars {
			t.Fatalf("%d bars", bars)
		}
		for _, s := range spans {
			if !under(got, s) {
				t.Fatalf("nothing stands for %v – %v", s.From, s.To)
			}
		}
	})
}

func under(lanes []lane, s diagnose.Span) bool {
	for _, l := range lanes {
		for _, b := range l.Bars {
			if b.From <= s.From.UnixMilli() && b.To >= s.To.UnixMilli() {
				return true
			}
		}
	}
	return false
}
