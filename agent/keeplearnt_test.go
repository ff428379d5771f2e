package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// learntHere is a file that an agent may have left.
const learntHere = `{"Version":1,"From":4000,"Limit":3950.5,"Seen":[{"Connections":2048,"Calm":36000,"Episodes":0},{"Connections":4096,"Calm":600,"Episodes":4}]}`

// keeper is an agent that keeps its state in folder, and what it logs.
func keeper(folder string) (*agent, *bytes.Buffer) {
	var log bytes.Buffer
	return &agent{cfg: config.Config{State: folder}, log: slog.New(slog.NewTextHandler(&log, nil)), node: &node.Node{
		Name: "ex01", Log: slog.New(slog.DiscardHandler),
		Local: func(time.Time) queue.Sample { return queue.Sample{} },
	}}, &log
}

// What was learnt outlives the agent, to the last digit: it is written at the
// end, into a folder that need not be there, and taken up at the next start.
func TestLearntIsKept(t *testing.T) {
	var k balance.Kept
	if err := json.Unmarshal([]byte(learntHere), &k); err != nil {
		t.Fatal(err)
	}
	before, err := k.Learner()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "not", "there", "yet")
	a, log := keeper(folder)
	a.node.Learner, a.node.Learn, a.node.Connections = before, true, 4000
	over, end := context.WithCancel(t.Context())
	end()
	a.node.Run(over) // one beat
	a.keep(over)

	again, log2 := keeper(folder)
	again.recall()
	if got := again.node.Learner.Kept(); !reflect.DeepEqual(got, k) || log.Len()+log2.Len() > 0 {
		t.Errorf("kept %+v, want %+v; said %s%s", got, k, log, log2)
	}
}

// What keeps it from being written is said once, until it is another thing.
func TestLearntCannotBeKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, log := keeper(folder)
	if said := a.keepLearnt(""); said != "" {
		t.Errorf("before the first beat: %s", said)
	}
	a.node.Learn, a.node.Connections = true, 4000
	over, end := context.WithCancel(t.Context())
	end()
	a.node.Run(over)
	said := a.keepLearnt(a.keepLearnt(""))
	if said == "" || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("%q, said %s", said, log)
	}
}

// A file that cannot be used is said once, by name, and the agent learns anew.
func TestBrokenLearntFile(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"Version":9}`, strings.Replace(learntHere, "2048", "2047", 1), strings.Replace(learntHere, "36000", "-1", 1)} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, learntFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a, log := keeper(folder)
		a.recall()
		if a.node.Learner != (balance.Learner{}) || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), learntFile) {
			t.Errorf("%q: %v, said %q", text, a.node.Learner.Learnt(), log)
		}
	}
	for _, folder := range []string{"", t.TempDir()} { // nothing kept is nothing wrong
		a, log := keeper(folder)
		if a.recall(); log.Len() > 0 {
			t.Errorf("%q: said %s", folder, log)
		}
	}
}

// Who lets limits be learnt, and keeps nothing, is told.
func TestForgetful(t *testing.T) {
	for _, c := range []struct {
		learn bool
		state string
		told  bool
	}{{true, "", true}, {true, "/var/lib/evenkeel", false}, {false, "", false}} {
		cfg := config.Config{State: c.state, Limits: config.Limits{Learn: c.learn}}
		a, log := keeper("")
		a.warn(cfg)
		if got := forgetful(cfg) != ""; got != c.told || (log.Len() > 0) != c.told {
			t.Errorf("learn %v, state %q: told %v, logged %q", c.learn, c.state, got, log)
		}
	}
}

// Whatever stands in the file, it is refused or taken up whole.
func FuzzLearntFile(f *testing.F) {
	f.Add([]byte(learntHere))
	f.Add([]byte(`{"Version":1,"From":1,"Limit":1e400,"Seen":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var k balance.Kept
		if json.Unmarshal(b, &k) != nil {
			return
		}
		l, err := k.Learner()
		if err != nil {
			return
		}
		again, err := l.Kept().Learner()
		if err != nil || again != l || l.Limit() < 0 || l.Learnt().Why == "" {
			t.Errorf("%s: %v, %+v, limit %d", b, err, l.Learnt(), l.Limit())
		}
	})
}
