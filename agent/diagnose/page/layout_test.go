package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/diagnose"
)

// order is which findings and whether the timeline stand on a page, as they do.
func order(root *element) (out []string) {
	for _, e := range root.all(func(e *element) bool { return e.name == "article" || e.attrs["id"] == "timeline" }) {
		out = append(out, e.attrs["id"])
	}
	return out
}

// The timeline of a few nodes is right after the worst, and hides nothing else.
func TestPlaceOfTheTimeline(t *testing.T) {
	early := []string{"finding-1", "timeline", "finding-2", "finding-3", "finding-4"}
	late := []string{"finding-1", "finding-2", "finding-3", "finding-4", "timeline"}
	for nodes, want := range map[int][]string{1: early, 2: early, 4: early, 5: late, 12: late} {
		if got := order(parse(t, pageOf(t, incident(nodes, time.Hour)))); !slices.Equal(got, want) {
			t.Errorf("%d nodes: %v, want %v", nodes, got, want)
		}
	}
	r := incident(2, time.Hour)
	r.Nodes = nil
	root := parse(t, pageOf(t, r))
	if got := order(root); !slices.Equal(got, late[:4]) {
		t.Errorf("no node: %v, want %v", got, late[:4])
	}
	if n := len(root.all(named("section"))); n != 3 {
		t.Errorf("no node: %d sections, want the findings and two more", n)
	}
	if n := len(root.all(named("use"))); n != 0 {
		t.Errorf("no node: %d pictures of what is not there", n)
	}
	r = incident(2, time.Hour)
	r.Findings = r.Findings[:1]
	if got := parse(t, pageOf(t, r)); !slices.Equal(order(got), early[:2]) || strings.Contains(got.words(), "other findings") {
		t.Errorf("one finding: %v, want %v and no heading of others", order(got), early[:2])
	}
	if got := order(parse(t, pageOf(t, fine()))); !slices.Equal(got, []string{"timeline"}) {
		t.Errorf("no finding: %v, want the timeline", got)
	}
}

// Lines are open below the first finding, and folded below the others.
func TestEvidenceIsFolded(t *testing.T) {
	for i, want := range []struct {
		open, folded int
		summary      string
	}{{3, 2, "2 more lines that show it"}, {0, 1, "1 line that shows it"}, {0, 2, "2 lines that show it"}, {0, 1, "1 line that shows it"}} {
		article := parse(t, pageOf(t, incident(2, time.Hour))).all(named("article"))[i]
		lines := func(e *element) (n int) {
			for _, pre := range e.all(with("evidence")) {
				n += len(pre.all(named("span")))
			}
			return n
		}
		folds := article.all(named("details"))
		if len(folds) == 0 {
			t.Errorf("finding %d: nothing is folded", i+1)
			continue
		}
		if got := lines(folds[0]); got != want.folded || lines(article)-got != want.open {
			t.Errorf("finding %d: %d lines are open and %d folded, want %d and %d", i+1, lines(article)-got, got, want.open, want.folded)
		}
		if got := folds[0].all(named("summary"))[0].text; got != want.summary {
			t.Errorf("finding %d: %q, want %q", i+1, got, want.summary)
		}
	}
}

// The strip of the whole time is the first thing of the timeline, and its ends
// are its own: those of the ticks change.
func TestStripHasEnds(t *testing.T) {
	head := parse(t, pageOf(t, incident(2, time.Hour))).all(with("head"))[0]
	var got []string
	for _, part := range head.inside {
		for _, what := range []string{"strip", "ends", "tools", "ticks"} {
			if with(what)(part) || len(part.all(with(what))) > 0 {
				got = append(got, what)
			}
		}
	}
	if want := []string{"strip", "ends", "tools", "ticks"}; !slices.Equal(got, want) {
		t.Errorf("the head is %v, want %v", got, want)
	}
	if got := strings.Fields(head.all(with("ends"))[0].words()); !slices.Equal(got, []string{"2", "Mar", "00:00", "4", "Mar", "00:00"}) {
		t.Errorf("the ends are %v", got)
	}
	for length, want := range map[time.Duration][2]string{
		time.Minute:                   {"2 Mar 00:00:00", "2 Mar 00:01:00"},
		10 * time.Minute:              {"2 Mar 00:00", "2 Mar 00:10"},
		400 * 24 * time.Hour:          {"2 Mar 2026", "6 Apr 2027"},
		48*time.Hour + 50*time.Minute: {"2 Mar 00:00", "4 Mar 00:50"},
	} {
		if got := axisOf(diagnose.Report{From: began, To: after(length)}).ends(); got != want {
			t.Errorf("%v: %v, want %v", length, got, want)
		}
	}
}
