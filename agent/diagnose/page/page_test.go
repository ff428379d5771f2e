package page

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/diagnose"
)

func pageOf(t testing.TB, r diagnose.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, aboutOf()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageShowsEverything(t *testing.T) {
	r := incident(2, 10*time.Second)
	root := parse(t, pageOf(t, r))
	words := root.words()
	for _, want := range append(append([]string{
		"Diagnosis of 2 – 3 March 2026", "212 files", "4.0 GB", "18,234,567 rows", "3 rows not understood", "2026-03-02 00:00:00 – 2026-03-04 00:00:00 UTC", "2 nodes: EX01, EX02",
	}, r.Clear...), r.Blind...) {
		if !strings.Contains(words, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	shown := root.all(named("article"))
	if len(shown) != len(r.Findings) {
		t.Fatalf("%d findings, want %d", len(shown), len(r.Findings))
	}
	for i, f := range r.Findings {
		has := shown[i].words()
		want := append([]string{f.Title, string(f.Kind), confidence(f.Confidence), f.Advice}, append(f.Nodes, f.Details...)...)
		for _, e := range f.Evidence {
			want = append(want, e.File+":"+strconv.FormatInt(e.Line, 10), e.Text)
		}
		if f.Minutes > 0 {
			want = append(want, "83.5 min")
		}
		if !f.From.IsZero() {
			want = append(want, clock(f.From))
		}
		for _, w := range want {
			if !strings.Contains(has, w) {
				t.Errorf("finding %d has no %q", i+1, w)
			}
		}
	}
}

func TestTimelineShowsEverything(t *testing.T) {
	r := incident(2, 10*time.Second)
	figures := parse(t, pageOf(t, r)).all(named("figure"))
	if len(figures) != 2 {
		t.Fatalf("%d figures, want one a node", len(figures))
	}
	for i, f := range figures {
		pictures := f.all(func(e *element) bool { return e.attrs["data-kind"] != "" })
		for j, q := range quantities() {
			p := pictures[j]
			if p.attrs["data-kind"] != q.kind || len(p.inside) != 1 || len(p.inside[0].attrs["d"]) < 20 {
				t.Errorf("%s: picture %d is of %s, and drawn %v; want %s", r.Nodes[i].Node, j, p.attrs["data-kind"], p.inside, q.kind)
			}
			if got, want := unpack(t, p.attrs["data-values"]), whole(q.of(r.Nodes[i])); !slices.Equal(got, want) {
				t.Errorf("%s: the %s that the script reads are others", r.Nodes[i].Node, q.kind)
			}
		}
		if got, want := len(f.all(with("bar"))), len(r.Nodes[i].Spans); got != want {
			t.Errorf("%s: %d bars, want %d", r.Nodes[i].Node, got, want)
		}
		for _, s := range r.Nodes[i].Spans {
			if w := f.words(); !strings.Contains(w, s.Label) || !strings.Contains(w, string(s.Kind)) {
				t.Errorf("%s: no bar of %s %q", r.Nodes[i].Node, s.Kind, s.Label)
			}
		}
	}
}

// A quiet farm has a page that says so, and no empty parts.
func TestPageOfNothing(t *testing.T) {
	root := parse(t, pageOf(t, fine()))
	if got := root.words(); !strings.Contains(got, "Nothing wrong was found.") || strings.Contains(got, "Findings") || strings.Contains(got, "cannot show") {
		t.Errorf("the page reads %s", got)
	}
	if got := parse(t, pageOf(t, diagnose.Report{})); len(got.all(named("figure"))) != 0 || len(got.all(named("section"))) != 0 {
		t.Errorf("a report of nothing has sections: %s", got.words())
	}
}

// A browser asks nobody for anything, and runs one script.
func TestPageNeedsNothing(t *testing.T) {
	page := pageOf(t, incident(2, time.Minute))
	for _, foreign := range []string{"http:", "https:", "//www", " src=", "@import", "url(", "<link", "<img", "<iframe"} {
		if strings.Contains(page, foreign) {
			t.Errorf("the page holds %s", foreign)
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`) {
		t.Error("no policy that forbids to load anything")
	}
}

// attack is a report of which all that is text is word.
func attack(word string) diagnose.Report {
	r := incident(2, time.Hour)
	for i := range r.Nodes {
		r.Nodes[i].Node = word
		for j := range r.Nodes[i].Spans {
			r.Nodes[i].Spans[j].Kind, r.Nodes[i].Spans[j].Label = diagnose.Kind(word), word
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Kind, f.Title, f.Advice, f.Nodes, f.Details = diagnose.Kind(word), word, word, []string{word}, []string{word}
		for j := range f.Evidence {
			f.Evidence[j].File, f.Evidence[j].Text = word, word
		}
	}
	r.Clear, r.Blind = []string{word}, []string{word}
	return r
}

// FuzzWriteEscapes: whatever stands in a log, the page's markup is its own.
func FuzzWriteEscapes(f *testing.F) {
	f.Add("</script><img src=x onerror=alert(1)><script>alert(1)</script>\"'`--></style></svg></title> {{.}} \x00\x1b[31m\u202e\xff")
	f.Add("' onmouseover=alert(1) x='")
	f.Add("<!-- <script>")
	f.Add("]]>&amp;&lt;")
	want := len(parse(f, pageOf(f, attack("plain"))).all(anything))
	f.Fuzz(func(t *testing.T, evil string) {
		page := pageOf(t, attack(evil))
		got := parse(t, page).all(anything)
		if visible(evil) != "" && len(got) != want { // what is empty is left out
			t.Fatalf("%d elements, want %d", len(got), want)
		}
		for _, e := range got {
			for name := range e.attrs {
				if strings.HasPrefix(name, "on") {
					t.Errorf("<%s %s=%q>", e.name, name, e.attrs[name])
				}
			}
		}
		if i := strings.IndexFunc(page, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e }); i >= 0 {
			t.Errorf("a character that hides or reorders is on the page: %q", page[max(0, i-40):i+1])
		}
		for _, tag := range []string{"<script", "</script", "<style", "</style", "<!--"} {
			if n := strings.Count(page, tag); n > 1 || n > 0 && !strings.HasSuffix(tag, "script") && !strings.HasSuffix(tag, "style") {
				t.Errorf("%d of %s", n, tag)
			}
		}
	})
}

// What is hostile is still read.
func TestPageShowsWhatIsHostile(t *testing.T) {
	const evil = `</script><img src=x onerror="alert(1)">`
	root := parse(t, pageOf(t, attack(evil)))
	if got := strings.Count(root.words(), evil); got < 30 {
		t.Errorf("it is shown %d times, want once in every place", got)
	}
}

func TestPageIsTheSameEveryTime(t *testing.T) {
	r := incident(3, time.Minute)
	first := pageOf(t, r)
	for range 3 {
		if pageOf(t, r) != first {
			t.Fatal("the same report makes another page")
		}
	}
}

// Every link leads to something on the page, and no two things have one name.
func TestPageLinks(t *testing.T) {
	root := parse(t, pageOf(t, incident(2, time.Minute)))
	names := map[string]bool{}
	for _, e := range root.all(anything) {
		if id := e.attrs["id"]; id != "" && names[id] {
			t.Errorf("two elements are called %s", id)
		} else {
			names[id] = true
		}
	}
	part := regexp.MustCompile(`^#\d{8}T\d{6}Z-\d{8}T\d{6}Z$`)
	links := 0
	for _, e := range root.all(anything) {
		for _, attr := range []string{"href", "aria-labelledby"} {
			to, ok := e.attrs[attr]
			if !ok {
				continue
			}
			if links++; !part.MatchString(to) && !names[strings.TrimPrefix(to, "#")] {
				t.Errorf("<%s %s=%q> leads nowhere", e.name, attr, to)
			}
		}
	}
	if links < 8 {
		t.Errorf("%d links", links)
	}
}

// Twenty thousand steps of twelve nodes whose every number changes.
func TestPageIsNotLarge(t *testing.T) {
	if got := len(pageOf(t, restless())); got > 3_500_000 {
		t.Errorf("%d bytes", got)
	} else {
		t.Logf("%d bytes", got)
	}
}

// A writer that breaks is said.
func TestWriteFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	if err := Write(w, fine(), About{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v, want that the pipe is closed", err)
	}
}
