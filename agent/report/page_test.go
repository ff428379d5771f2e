package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evenkeel/policy/balance/sim"
)

// An element of a page, with the text directly in it.
type element struct {
	name, text string
	attrs      map[string]string
	inside     []*element
}

// parse reads a page, whose every element but HTML's void ones must be closed.
// Script and style, which are no markup inside, are left out.
func parse(t *testing.T, page string) *element {
	t.Helper()
	page = regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!doctype html>")))
	d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	d.Strict = false // void elements
	open := []*element{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return open[0]
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		switch top := open[len(open)-1]; token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.inside = append(top.inside, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += strings.TrimSpace(string(token))
		}
	}
}

// all are the elements below e that is true of, in the order of the page.
func (e *element) all(is func(*element) bool) (out []*element) {
	for _, c := range e.inside {
		if is(c) {
			out = append(out, c)
		}
		out = append(out, c.all(is)...)
	}
	return out
}

func named(name string) func(*element) bool { return func(e *element) bool { return e.name == name } }

// texts are the texts of all elements of a name.
func (e *element) texts(name string) (out []string) {
	for _, c := range e.all(named(name)) {
		out = append(out, c.text)
	}
	return out
}

func TestPageShowsEverything(t *testing.T) {
	s := played(t, smallFarm(), []uint64{7}, "round-robin", "evenkeel")
	root := parse(t, pageOf(t, s))
	if got := root.texts("h1"); !slices.Equal(got, []string{"small"}) {
		t.Errorf("titles %v", got)
	}
	items := root.texts("li")
	for _, want := range []string{"2 nodes", "limits 300–600", "200 clients", "2 resolvers", "TTL 5s–30s", "30m played", "seed 7", "15m: crash ex01 for 5m"} {
		if !slices.Contains(items, want) {
			t.Errorf("no item %q among %q", want, items)
		}
	}
	panels := root.all(named("figure"))
	if len(panels) != 2 {
		t.Fatalf("%d panels, want one a rule", len(panels))
	}
	for i, f := range panels {
		name := s.Plays[i].Rule.Name
		if got := f.texts("h3"); !slices.Equal(got, []string{name}) {
			t.Errorf("panel %d is named %v, want %s", i, got, name)
		}
		var nodes []string
		for _, p := range f.all(func(e *element) bool { return e.attrs["data-node"] != "" }) {
			nodes = append(nodes, p.attrs["data-node"])
		}
		if want := []string{"ex01", "ex02", "ex01", "ex02"}; !slices.Equal(nodes, want) {
			t.Errorf("%s: lines of %v, want connections and queues of %v", name, nodes, want)
		}
		if got := f.texts("text"); !slices.Contains(got, "crash ex01") || !slices.Contains(got, "1.0") || !slices.Contains(got, "30m") {
			t.Errorf("%s: words %q, want the event, the limit and the last minute", name, got)
		}
		if got := f.texts("title"); !slices.Equal(got, []string{"15m: crash ex01 for 5m"}) {
			t.Errorf("%s: marks %q", name, got)
		}
	}
	if rows := root.all(named("tr")); len(rows) != 3 || len(rows[2].texts("td")) != len(figures()) {
		t.Errorf("%d rows of the table, want a head and two rules", len(rows))
	}
}

// A browser asks nobody for anything, and runs one script.
func TestPageNeedsNothing(t *testing.T) {
	page := pageOf(t, noisy(2))
	for _, foreign := range []string{"http:", "https:", "//www", " src=", "@import", "<link", "<img", "<iframe"} {
		if strings.Contains(page, foreign) {
			t.Errorf("the page holds %s", foreign)
		}
	}
	for _, m := range regexp.MustCompile(`url\([^)]*\)`).FindAllString(page, -1) {
		if !strings.HasPrefix(m, "url(#") {
			t.Errorf("the page holds %s", m)
		}
	}
	if !strings.Contains(page, `default-src &#39;none&#39;`) && !strings.Contains(page, `default-src 'none'`) {
		t.Error("no policy that forbids to load anything")
	}
}

// Whatever things are called, the page's markup is its own.
func TestPageEscapes(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img onerror=x> {{.}} </style>`
	s := played(t, smallFarm(), []uint64{1}, "evenkeel")
	plain := pageOf(t, s)
	s.Scenario.Name, s.Scenario.About = evil, evil
	s.Scenario.Events = []sim.Event{{Do: evil, Nodes: []string{evil}}, {Do: evil, At: 1}}
	s.Plays[0].Rule.Name, s.Plays[0].Rule.About = evil, evil
	s.Plays[0].Course.nodes = []string{evil, evil}
	page := pageOf(t, s)
	for _, tag := range []string{"<script", "</script", "<style", "</style", "<img", " onerror"} {
		if got, want := strings.Count(page, tag), strings.Count(plain, tag); tag != " onerror" && got != want {
			t.Errorf("%d of %s, want %d", got, tag, want)
		}
	}
	root := parse(t, page)
	if got := root.texts("h1"); len(got) != 1 || got[0] != evil {
		t.Errorf("the title reads %q, want %q", got, evil)
	}
	for _, e := range root.all(func(*element) bool { return true }) {
		for name := range e.attrs {
			if strings.HasPrefix(name, "on") {
				t.Errorf("<%s %s=%q>", e.name, name, e.attrs[name])
			}
		}
	}
}

func TestPageIsNotLarge(t *testing.T) {
	rules := len(sim.Rules()) + len(sim.Ablations())
	if got := len(pageOf(t, noisy(mostLines))); got > 110_000*rules {
		t.Errorf("%d bytes for %d rules and twelve restless nodes", got, rules)
	}
	if got := len(pageOf(t, noisy(mostLines+1))); got > 50_000*rules {
		t.Errorf("%d bytes for %d rules and a band", got, rules)
	}
}

// Whatever was measured, what is drawn is numbers.
func TestDrawingsAreNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		for _, p := range s.Plays {
			if all := fmt.Sprint(newAxes(s).panel(p.Course), p.Course); strings.Contains(all, "NaN") || strings.Contains(all, "Inf") {
				t.Error(all)
			}
			for _, line := range slices.Concat(p.Course.fill, p.Course.queue, []track{p.Course.ideal, p.Course.refused}) {
				for _, v := range line {
					if v < 0 || v > 1e9 {
						t.Errorf("%d is no number to draw", v)
					}
				}
			}
		}
	})
}

// And so is what the page makes of it.
func TestPageOfOddNumbers(t *testing.T) {
	r := sim.Result{Nodes: []string{"n"}, Series: sim.Series{Every: 1e9, Ideal: odd, Refused: odd, Fill: [][]float64{odd}, Queue: [][]float64{odd}}}
	s := Simulation{Scenario: smallFarm(), Seeds: []uint64{1}, Plays: []Play{{sim.Rules()[0], []sim.Result{r}, CourseOf(r)}}}
	number := regexp.MustCompile(`^[-0-9. MHVhvlz]*$`)
	seen := 0
	for _, e := range parse(t, pageOf(t, s)).all(func(*element) bool { return true }) {
		for _, name := range []string{"d", "x", "y", "data-step", "data-at", "viewBox", "transform"} {
			v := regexp.MustCompile(`translate|scale|[()]`).ReplaceAllString(e.attrs[name], "")
			if seen += len(v); !number.MatchString(v) {
				t.Errorf("<%s %s=%q>", e.name, name, e.attrs[name])
			}
		}
	}
	if seen < 500 {
		t.Errorf("%d letters of drawings: nothing was drawn", seen)
	}
}

// drawn is a simulation whose results are anything at all.
func drawn(t *rapid.T) Simulation {
	value := rapid.OneOf(rapid.SampledFrom(odd), rapid.Float64())
	nodes, points := rapid.IntRange(1, mostLines+2).Draw(t, "nodes"), rapid.IntRange(0, 9).Draw(t, "points")
	series := func(name string) []float64 { return rapid.SliceOfN(value, points, points).Draw(t, name) }
	s := Simulation{Scenario: smallFarm(), Seeds: []uint64{1}}
	r := sim.Result{Peak: value.Draw(t, "peak"), Ideal: value.Draw(t, "ideal"), Refused: value.Draw(t, "refused")}
	r.Series = sim.Series{Every: 1e9, Ideal: series("ideal"), Refused: series("refused")}
	for range nodes {
		r.Nodes = append(r.Nodes, "n")
		r.Series.Fill, r.Series.Queue = append(r.Series.Fill, series("fill")), append(r.Series.Queue, series("queue"))
	}
	rule, _ := sim.Find("evenkeel")
	s.Plays = []Play{{rule, []sim.Result{r}, CourseOf(r)}}
	return s
}
