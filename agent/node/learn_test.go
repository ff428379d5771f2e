package node

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/policy/balance"
)

// watched is the time in which the node of v was calm and could have been busy.
func watched(v *View) (calm time.Duration) {
	for _, s := range v.Learner.Kept().Seen {
		calm += time.Duration(s.Calm * float64(time.Second))
	}
	return calm.Round(time.Second)
}

// What a node can hold is learnt while it works: not in its first five minutes,
// and not while it drains.
func TestLearnsAtWork(t *testing.T) {
	for _, c := range []struct {
		drain, want time.Duration
	}{{0, 10 * time.Minute}, {7 * time.Minute, 2 * time.Minute}} {
		l := live(t, world{sample: calm, drain: c.drain}, 15*time.Minute)
		if got := watched(l.last); got < c.want-2*time.Second || got > c.want+2*time.Second {
			t.Errorf("drained at %v: watched for %v in 15m, want %v", c.drain, got, c.want)
		}
		if l.last.Plan.Own.Limit != 4000 || l.last.Learner.Limit() != 0 {
			t.Errorf("limit %d, of what is learnt %d: it was not asked for", l.last.Plan.Own.Limit, l.last.Learner.Limit())
		}
	}
}

// A limit that is learnt begins where it is told to, or where it was; the
// operator turns it off and on while the node runs, and what was seen stays.
func TestLimitIsLearnt(t *testing.T) {
	before, err := balance.Kept{Version: 1, From: 6000, Limit: 5000.5, Seen: []balance.Seen{{Connections: 2048, Calm: 100}}}.Learner()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := life{start: time.Now()}
		n := l.node(t, world{sample: calm}, &bytes.Buffer{})
		n.Learn, n.Connections, n.Learner = true, 6000, before
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		step := func(at time.Duration, learn bool, connections, limit int) {
			time.AfterFunc(at, func() { n.Change(func(n *Node) { n.Learn, n.Connections = learn, connections }) })
			time.AfterFunc(at+3*time.Second, func() {
				if got := n.View().Plan.Own.Limit; got != limit || watched(n.View()) != 100*time.Second {
					t.Errorf("at %v: limit %d, want %d; watched for %v", at, got, limit, watched(n.View()))
				}
			})
		}
		step(10*time.Second, true, 6000, 5000)
		step(20*time.Second, false, 6000, 6000)
		step(30*time.Second, true, 6000, 6000)
		step(40*time.Second, true, 3000, 3000)
		n.Run(ctx)
	})
}

// Only a limit that was set, and far above what is known, is spoken of.
func TestLimitHint(t *testing.T) {
	kept := balance.Kept{Version: 1, Seen: []balance.Seen{{Connections: 2048, Calm: 36000}, {Connections: 4096, Calm: 600, Episodes: 4}}}
	for _, c := range []struct {
		promise     string
		from, limit int
		seen        []balance.Seen
		want        string
	}{
		{"far above", 0, 8000, kept.Seen, "the queue begins to grow at about 4,100 connections (3,450–4,280); limits.connections is 8000"},
		{"a little above", 0, 4700, kept.Seen, ""},
		{"nothing is known", 0, 8000, kept.Seen[:1], ""},
		{"it is learnt and on its way", 8000, 8000, kept.Seen, ""},
	} {
		l, err := balance.Kept{Version: 1, From: c.from, Limit: float64(c.from), Seen: c.seen}.Learner()
		if err != nil {
			t.Fatal(err)
		}
		v := &View{Learner: l, Plan: balance.Plan{Own: balance.Fact{Limit: c.limit}}}
		if got := v.LimitHint(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.promise, got, c.want)
		}
	}
}

func TestLearntText(t *testing.T) {
	for why, want := range map[string]string{
		"calm":   "the queue never grew",
		"few":    "the queue grew too seldom to tell at how many connections",
		"alike":  "the queue grows at no number of connections more than at fewer",
		"unseen": "where the queue begins to grow is not known yet",
		"":       "where the queue begins to grow is not known yet",
	} {
		if got := LearntText(balance.Learnt{Why: why}); got != want {
			t.Errorf("%q: %s, want %s", why, got, want)
		}
	}
	for n, want := range map[int]string{8: "8", 997: "997", 1000: "1,000", 3923: "3,920", 99950: "100,000", 1234567: "1,230,000"} {
		if got := about(n); got != want {
			t.Errorf("about %d is %s, want %s", n, got, want)
		}
	}
}
