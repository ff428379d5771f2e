package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"evenkeel/agent/config"
	"evenkeel/queue"
)

const (
	// keepLogsEvery is how often it is looked whether there is more to keep of
	// logs. A source makes that at most every 30 s: what was read since is read
	// again after a crash, and counted there anew.
	keepLogsEvery = 5 * time.Second
	// mostState bounds the file, which is a few megabytes for Exchange's logs of a month.
	mostState = 64 << 20
)

// logsOf are the sources that read logs.
func logsOf(s config.Sources) (out []*queue.LogSource) {
	if s.HTTPErr.Path != "" {
		out = append(out, queue.HTTPErr(s.HTTPErr.Path, s.HTTPErr.Pools...))
	}
	if s.IIS != "" {
		out = append(out, queue.IISLogs(s.IIS))
	}
	if s.ExchangeLogs != "" {
		out = append(out, queue.ExchangeLogs(s.ExchangeLogs))
	}
	return out
}

// logFile is what of the state folder says how far a source has read.
func logFile(l *queue.LogSource) string { return "logs-" + l.Name() + ".json" }

// recallLogs has the logs read on from where the agent stopped. A file that cannot
// be used is said and left: the logs are read from their end.
func (a *agent) recallLogs() {
	for _, l := range a.logs {
		if a.cfg.State == "" {
			return
		}
		err := readLogState(filepath.Join(a.cfg.State, logFile(l)), l)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.log.Warn("state: where logs were read to cannot be used, reading from their end", "file", logFile(l), "err", err)
		}
	}
}

func readLogState(name string, l *queue.LogSource) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostState+1))
	if err == nil && len(b) > mostState {
		err = fmt.Errorf("larger than %d MiB", mostState>>20)
	}
	if err != nil {
		return err
	}
	var s queue.LogState
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	return l.Load(s)
}

// sample reads the sources until ctx is done, and keeps how far logs were read:
// now and then, and when nobody reads them any more.
func (a *agent) sample(ctx context.Context) {
	over := make(chan struct{})
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() { defer close(over); a.sampler.Run(ctx) })
	tick := time.NewTicker(keepLogsEvery)
	defer tick.Stop()
	kept := keptLogs{}
	for {
		select {
		case <-tick.C:
			a.keepLogs(kept)
		case <-over:
			for _, l := range a.logs {
				l.Close()
			}
			a.keepLogs(kept)
			return
		}
	}
}

// keptLogs is what was written last and said last, by source.
type keptLogs map[*queue.LogSource]keptLog

type keptLog struct {
	state *queue.LogState
	said  string
}

// keepLogs writes what moved, and says what keeps it from that once.
func (a *agent) keepLogs(kept keptLogs) {
	for _, l := range a.logs {
		s, last := l.State(), kept[l]
		if a.cfg.State == "" || s == nil || s == last.state {
			continue
		}
		if err := replace(filepath.Join(a.cfg.State, logFile(l)), s); err != nil {
			if err.Error() != last.said {
				a.log.Error("state: a restart will not know how far logs were read", "source", l.Name(), "err", err)
			}
			kept[l] = keptLog{last.state, err.Error()}
			continue
		}
		kept[l] = keptLog{state: s}
	}
}
