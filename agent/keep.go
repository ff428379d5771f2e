package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"evenkeel/agent/node"
)

// drainFile is what of the state folder says that this node drains.
const drainFile = "drain.json"

// remember takes up the drain that stood when the agent stopped. A file that
// cannot be read stops the start: to serve a node in maintenance is worse.
func (a *agent) remember() error {
	if a.cfg.State == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(a.cfg.State, drainFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var d node.Drain
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil {
		return hinted{fmt.Errorf("state: %w", err), "remove the file if this node need not drain"}
	}
	a.log.Warn("draining, as before the agent stopped; `evenkeel resume` ends it", "since", d.Since)
	a.node.Restore(d)
	return nil
}

// note hands a drain that began or ended to keep; a newer one takes the place of
// one that is not written yet. That of leaving ends with the agent.
func (a *agent) note(d node.Drain) {
	if d.Over < 0 || a.cfg.State == "" {
		return
	}
	a.noting.Lock() // or two might each find the other's place taken
	defer a.noting.Unlock()
	select {
	case <-a.drains:
	default:
	}
	a.drains <- d
}

// keep writes drains, and now and then what was learnt, until ctx is done, and
// then the last of both.
func (a *agent) keep(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	said := ""
	for {
		select {
		case d := <-a.drains:
			a.write(d)
		case <-tick.C:
			said = a.keepLearnt(said)
		case <-ctx.Done():
			select {
			case d := <-a.drains:
				a.write(d)
			default:
			}
			a.keepLearnt(said)
			return
		}
	}
}

func (a *agent) write(d node.Drain) {
	if err := write(a.cfg.State, d); err != nil {
		a.log.Error("state: a restart will not know this drain", "err", err)
	}
}

// write keeps d; no drain is no file.
func write(folder string, d node.Drain) error {
	name := filepath.Join(folder, drainFile)
	if d == (node.Drain{}) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return replace(name, node.Drain{Since: d.Since.Round(0), Over: d.Over})
}

// replace makes the file whole or not at all, and its folder.
func replace(name string, of any) error {
	b, err := json.Marshal(of)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", b, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
