package diagnose

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"evenkeel/queue/maillog"
)

// anyWorld draws a farm of a few nodes on which anything may have happened.
func anyWorld(t *rapid.T) *world {
	var w world
	nodes := []string{"EX1", "EX2", "EX3"}[:rapid.IntRange(1, 3).Draw(t, "nodes")]
	for range rapid.IntRange(1, 12).Draw(t, "things") {
		node := rapid.SampledFrom(nodes).Draw(t, "node")
		at := time.Duration(rapid.IntRange(0, 7200).Draw(t, "at")) * time.Second
		in := time.Duration(rapid.IntRange(1, 900).Draw(t, "in")) * time.Second
		n := rapid.IntRange(1, 120).Draw(t, "n")
		w.happen(node, rapid.IntRange(0, 8).Draw(t, "what"), at, in, n)
	}
	return &w
}

func (w *world) happen(node string, what int, at, in time.Duration, n int) {
	switch what {
	case 0, 1, 2:
		w.errs(node, []string{"QueueFull", "Disabled", "N/A"}[what], mapiPool, 503, at, in, n)
	case 3:
		w.errs(node, "Connection_Abandoned_By_ReqQueue", mapiPool, 0, at, in, n)
	case 4:
		w.hold(node, n*1000, n, at, at+in)
	case 5:
		w.times(n, node, at, in, logon(3*time.Second))
	case 6:
		w.times(n, node, at, in, mailbox(3*time.Second))
	case 7:
		r := budgeted(500, "ErrorServerBusy", "", 0)
		w.times(n, node, at, in, r)
	case 8:
		for i := range n {
			w.add(node, at+in*time.Duration(i)/time.Duration(n), cutWait(300*time.Second, i))
		}
	}
}

// TestOrderOfStreams: which log ends first is chance, and must not show; nor must
// it that they are told at once.
func TestOrderOfStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		keys := sortedKeys(w.books)
		one := New(Options{})
		for _, key := range keys {
			w.books[key].tell(one.Log(w.books[key].node))
		}
		two := New(Options{})
		var wg sync.WaitGroup
		for _, i := range rapid.Permutation(keys).Draw(t, "order") {
			wg.Go(func() { w.books[i].tell(two.Log(w.books[i].node)) })
		}
		wg.Wait()
		if a, b := one.Report(), two.Report(); !reflect.DeepEqual(a, b) {
			t.Fatalf("one order:\n%+v\nanother:\n%+v", a, b)
		}
	})
}

// TestCutsOfFiles: where one file ends and the next begins is chance too.
func TestCutsOfFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		whole, cut := New(Options{}), New(Options{})
		for _, key := range sortedKeys(w.books) {
			b := w.books[key]
			b.tell(whole.Log(b.node))
			l := cut.Log(b.node)
			line, files := int64(0), 0
			for i := range b.rows {
				if i == 0 || rapid.IntRange(0, 19).Draw(t, "cut") == 0 {
					files++
					l.File(fmt.Sprintf("%s.%d", b.file, files))
					line = 0
				}
				line++
				l.Add(&b.rows[i].rec, line, []byte(b.rows[i].raw))
			}
			l.End()
		}
		a, b := unplaced(whole.Report()), unplaced(cut.Report())
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("whole:\n%+v\ncut:\n%+v", a, b)
		}
	})
}

// unplaced forgets the files and lines of evidence, and the order of equal ones.
func unplaced(r Report) Report {
	for i := range r.Findings {
		x := &r.Findings[i]
		for j := range x.Evidence {
			x.Evidence[j].File, x.Evidence[j].Line = "", 0
		}
	}
	return r
}

// TestFindingsHold: whatever happened, a finding has lines that show it, lies
// within the time of the logs, and is sure of nothing.
func TestFindingsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyWorld(t).report(nil)
		for _, x := range r.Findings {
			switch {
			case len(x.Evidence) == 0 || len(x.Evidence) > maxEvidence:
				t.Fatalf("%s: %d lines of evidence", x.Title, len(x.Evidence))
			case x.From.Before(r.From) || x.To.After(r.To) || x.To.Before(x.From):
				t.Fatalf("%s: from %v to %v, logs from %v to %v", x.Title, x.From, x.To, r.From, r.To)
			case x.Kind != HiddenClients && !within(x, r):
				t.Fatalf("%s: a line of another time", x.Title)
			case x.Confidence <= 0 || x.Confidence >= 1 || x.Minutes < 0:
				t.Fatalf("%s: confidence %v, %v minutes", x.Title, x.Confidence, x.Minutes)
			case x.Minutes > r.To.Sub(r.From).Minutes()+1e-9:
				t.Fatalf("%s: %v minutes of %v", x.Title, x.Minutes, r.To.Sub(r.From))
			case x.Title == "" || x.Advice == "" || len(x.Nodes) == 0 || !slices.IsSorted(x.Nodes):
				t.Fatalf("incomplete: %+v", x)
			case !utf8.ValidString(x.Title + x.Advice + fmt.Sprint(x.Details, x.Evidence)):
				t.Fatalf("no text: %q", x.Title)
			}
		}
	})
}

// within says whether the lines of a finding are of its time; the builder's lines
// begin with theirs.
func within(x Finding, r Report) bool {
	return !slices.ContainsFunc(x.Evidence, func(e Evidence) bool {
		at, err := time.Parse(time.DateTime, e.Text[:len(time.DateTime)])
		return err != nil || at.Before(x.From) || at.After(x.To)
	})
}

// TestCounted: every refusal of HTTP.sys is in the course of its node, once.
func TestCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		r := w.report(nil)
		for _, n := range r.Nodes {
			want := 0.0
			for _, b := range w.books {
				for _, row := range b.rows {
					if b.node == n.Node && row.rec.Kind == maillog.HTTPErr && row.rec.Status == 503 {
						want++
					}
				}
			}
			got := 0.0
			for _, x := range n.Refused {
				got += x
			}
			if got != want {
				t.Fatalf("%s: %v refused, %v were", n.Node, got, want)
			}
		}
	})
}

// TestTwin: the same logs once more, of a node of another name, take nothing from
// what is told of the first: it was as long off as before.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		once := w.report(nil)
		for _, key := range sortedKeys(w.books) {
			b := *w.books[key]
			b.node += "-TWIN"
			w.books[key+" twin"] = &b
		}
		twice := w.report(nil)
		if a, b := off(once), off(twice); b < a-1e-9 { // sums of the same in another order
			t.Fatalf("%v minutes off; with a twin %v", a, b)
		}
	})
}

func off(r Report) (m float64) {
	for _, x := range r.Findings {
		if x.Kind != LockedOut {
			m = max(m, x.Minutes)
		}
	}
	return m
}

// TestFilesInAWrongOrder: a day that is told after the next does not become one
// long outage with it.
func TestFilesInAWrongOrder(t *testing.T) {
	var w world
	w.hold("EX1", 0, 100, 8*time.Hour, 9*time.Hour)
	w.hold("EX1", 0, 100, 32*time.Hour, 33*time.Hour)
	w.errs("EX1", "QueueFull", mapiPool, 503, 8*time.Hour, time.Minute, 50)
	w.errs("EX1", "QueueFull", mapiPool, 503, 32*time.Hour, time.Minute, 50)
	right := w.report(t)
	c := New(Options{})
	for _, key := range sortedKeys(w.books) {
		b := w.books[key]
		l := c.Log(b.node)
		i, _ := slices.BinarySearchFunc(b.rows, 24*time.Hour, func(r toldRow, at time.Duration) int { return int(r.at - at) })
		for j := range b.rows {
			row := &b.rows[(i+j)%len(b.rows)]
			l.Add(&row.rec, int64(j+1), []byte(row.raw))
		}
		l.End()
	}
	wrong := c.Report()
	if a, b := right.Findings[0].Minutes, wrong.Findings[0].Minutes; a != 2 || b != 2 {
		t.Errorf("%v minutes in the right order, %v in the wrong one; 2 were", a, b)
	}
	if !reflect.DeepEqual(right.Nodes, wrong.Nodes) {
		t.Error("the course is another")
	}
}
