package node

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/policy/balance"
)

func TestDrainIsOver(t *testing.T) {
	for _, c := range []struct {
		d    Drain
		at   time.Duration
		want bool
	}{
		{Drain{}, time.Hour, false},
		{Drain{Since: epoch, Over: time.Minute}, 59 * time.Second, false},
		{Drain{Since: epoch, Over: time.Minute}, time.Minute, true},
		{Drain{Since: epoch}, 0, true},
		{Drain{Since: epoch, Over: -1}, 24 * time.Hour, false},
	} {
		if got := c.d.over(epoch.Add(c.at)); got != c.want {
			t.Errorf("%+v after %v: got %v", c.d, c.at, got)
		}
	}
}

// What another node asks is done once, by the one that is asked, and only while
// it may still be told.
func TestObey(t *testing.T) {
	var log bytes.Buffer
	n := &Node{Name: "ex01", Log: slog.New(slog.NewTextHandler(&log, nil))}
	var done map[string]uint64
	for _, c := range []struct {
		name string
		ask  Ask
		age  time.Duration
		want string
	}{
		{"another is asked", Ask{Node: "ex03", ID: 1, Beat: 90}, 0, "no drain"},
		{"asked of a former self", Ask{Node: "ex01", ID: 9, Beat: 79, Over: time.Minute}, 0, "no drain"},
		{"asked", Ask{Node: "ex01", ID: 2, Beat: 80, Over: time.Minute}, 0, "drains 1m0s"},
		{"the same once more, after a resume by hand", Ask{Node: "ex01", ID: 2, Beat: 90, Over: time.Minute}, 0, "no drain"},
		{"asked anew", Ask{Node: "ex01", ID: 3, Beat: 90, Over: time.Hour}, 0, "drains 1h0m0s"},
		{"asked to resume", Ask{Node: "ex01", ID: 4, Beat: 90, Resume: true}, 0, "no drain"},
		{"asked by one whose clock was set back", Ask{Node: "ex01", ID: 1, Beat: 90, Over: time.Hour}, 0, "drains 1h0m0s"},
		{"asked to resume", Ask{Node: "ex01", ID: 6, Beat: 90, Resume: true}, 0, "no drain"},
		{"asked long ago", Ask{Node: "ex01", ID: 5, Beat: 90, Over: time.Hour}, time.Minute, "no drain"},
	} {
		if c.name == "the same once more, after a resume by hand" {
			n.Resume()
		}
		heard := []balance.Node{{Name: "ex02", Born: epoch.Add(-c.age)}}
		done = n.obey(done, 80, heard, map[string]Fact{"ex02": {Ask: c.ask}}, epoch)
		got := "no drain"
		if d := n.Drained(); !d.Since.IsZero() {
			got = fmt.Sprint("drains ", d.Over)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := bytes.Count(log.Bytes(), []byte("by=ex02")); got != 5 {
		t.Errorf("%d lines say who asked, want 5:\n%s", got, log.String())
	}
}

// An Ask is told for a while, and to a node that is known.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &Node{Name: "ex01"}
		if err := n.Ask("ex02", false, time.Minute); !errors.Is(err, ErrNoNode) {
			t.Errorf("a node that is not known: %v", err)
		}
		n.view.Store(&View{Plan: balance.Plan{Nodes: []balance.Standing{{Name: "ex01"}, {Name: "ex02"}}}})
		if err := n.Ask("ex02", false, time.Minute); err != nil {
			t.Error(err)
		}
		first := n.asked(time.Now())
		if first.Node != "ex02" || first.Over != time.Minute || !n.Drained().Since.IsZero() {
			t.Errorf("tells %+v, drains itself: %v", first, n.Drained())
		}
		time.Sleep(time.Second)
		n.Ask("ex02", true, 0)
		if got := n.asked(time.Now()); !got.Resume || got.ID <= first.ID {
			t.Errorf("then tells %+v after %+v", got, first)
		}
		time.Sleep(askFor)
		if got := n.asked(time.Now()); got != (Ask{}) {
			t.Errorf("still tells %+v", got)
		}
		n.Ask("", false, time.Hour)
		if got := n.Drained(); got.Over != time.Hour {
			t.Errorf("asked itself, drains %+v", got)
		}
		n.Ask("ex01", true, 0)
		if got := n.Drained(); got != (Drain{}) {
			t.Errorf("asked itself to resume, drains %+v", got)
		}
	})
}
