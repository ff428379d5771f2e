package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
)

// A drain outlives the agent, and a resume does too.
func TestDrainIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not", "there", "yet")
	agentOf := func() *agent {
		return &agent{cfg: config.Config{State: folder}, log: slog.New(slog.DiscardHandler), node: &node.Node{}}
	}
	if a := agentOf(); a.remember() != nil || a.node.Drained() != (node.Drain{}) {
		t.Error("drains at the first start")
	}
	since := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	if err := write(folder, node.Drain{Since: since, Over: time.Hour}); err != nil {
		t.Fatal(err)
	}
	a := agentOf()
	if err := a.remember(); err != nil || !a.node.Drained().Since.Equal(since) || a.node.Drained().Over != time.Hour {
		t.Errorf("after a restart: %+v, %v", a.node.Drained(), err)
	}
	for range 2 { // to resume twice is no mistake
		if err := write(folder, node.Drain{}); err != nil {
			t.Error(err)
		}
	}
	if a := agentOf(); a.remember() != nil || a.node.Drained() != (node.Drain{}) {
		t.Error("drains after it was resumed")
	}
}

// A file that cannot be understood stops the start, and says which.
func TestBrokenDrainFile(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, drainFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &agent{cfg: config.Config{State: folder}, log: slog.New(slog.DiscardHandler), node: &node.Node{}}
	err := a.remember()
	if _, ok := hint(err); !ok || !strings.HasPrefix(err.Error(), "state: ") || a.node.Drained() != (node.Drain{}) {
		t.Errorf("got %v", err)
	}
}
