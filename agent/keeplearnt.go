package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"evenkeel/agent/config"
	"evenkeel/policy/balance"
)

const (
	learntFile = "learnt.json"
	keepEvery  = 10 * time.Minute // of what is learnt in days, so much may be lost
)

// recall takes up what was learnt before the agent stopped. A file that cannot
// be used is said and left: it is written anew, and what it held is learnt again.
func (a *agent) recall() {
	if a.cfg.State == "" {
		return
	}
	l, err := readLearnt(filepath.Join(a.cfg.State, learntFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		a.log.Warn("state: what was learnt cannot be used, learning anew", "file", learntFile, "err", err)
	default:
		a.node.Learner = l
	}
}

func readLearnt(name string) (balance.Learner, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return balance.Learner{}, err
	}
	var k balance.Kept
	if err := json.Unmarshal(b, &k); err != nil {
		return balance.Learner{}, err
	}
	return k.Learner()
}

// keepLearnt writes what the last beat knew, and says what keeps it from that
// once. said is what it said last.
func (a *agent) keepLearnt(said string) string {
	v := a.node.View()
	if a.cfg.State == "" || v == nil {
		return said
	}
	k := v.Learner.Kept()
	if len(k.Seen) == 0 && k.From == 0 {
		return said
	}
	now := ""
	if err := replace(filepath.Join(a.cfg.State, learntFile), k); err != nil {
		now = err.Error()
	}
	if now != "" && now != said {
		a.log.Error("state: a restart will not know what was learnt", "err", now)
	}
	return now
}

// forgetful is a hint for who lets limits be learnt and has no place to keep them.
func forgetful(cfg config.Config) string {
	if !cfg.Limits.Learn || cfg.State != "" {
		return ""
	}
	return "limits.connections is learnt anew after every start: name a folder under state"
}
