package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync/atomic"
	"time"

	"evenkeel/queue/follow"
	"evenkeel/queue/maillog"
)

const (
	pollFor     = 250 * time.Millisecond // a Read begins no further poll after so long
	expandEvery = 10 * time.Second       // new sub-folders are looked for
	keepEvery   = 5 * time.Second        // a state is made anew, when something moved
)

// A LogSource reads the logs in the folders below one, as they are written. It
// begins at their end: what stands in them at the first start is history. Its
// counts are since it was made, and its state makes the next one go on where it
// stopped.
//
// A reading's Queues are the pools whose queue ran over, as far as HTTP.sys says
// it; of their Refused only rows that were no older than five minutes when they
// were read are a part, so that catching up after a stop is no news. In Logs all
// are.
type LogSource struct {
	kind  logKind
	root  string
	pools []string
	clock func() time.Time

	folders  []*logFolder // in the order in which they are polled, which turns
	tally    *logTally
	expanded time.Time
	begun    bool // folders were looked for before: one that is new now is news
	files    LogFiles
	foreign  error // of a file that is no log
	last     Reading
	moved    bool // since the state was made
	made     time.Time
	keep     atomic.Pointer[LogState]
}

// A logKind says which files are of one kind of source.
type logKind struct {
	name  string
	every time.Duration // a folder is polled so often while nothing is left to read
	under []string      // sub-folders, with * as in [path.Match], in any letter case; "." is the folder itself
	files []string      // as of [follow.Options]
}

// A logFolder is one folder that is followed.
type logFolder struct {
	name string // below the root, with slashes
	*follow.Folder[logTail, maillog.Position]
	due    time.Time
	behind int64
	fault  error // of its last poll
}

// HTTPErr reads what HTTP.sys logs in its folder HTTPERR. pools are the
// application pools that count where somebody is refused; none given: all.
func HTTPErr(dir string, pools ...string) *LogSource {
	s := newLogs(logKind{"httperr", time.Second, []string{"."}, []string{"httperr*.log"}}, dir)
	s.pools = pools
	return s
}

// IISLogs reads the W3C logs of sites, in the folder of one or in that of all.
func IISLogs(dir string) *LogSource {
	return newLogs(logKind{"iis", 2 * time.Second, []string{".", "W3SVC*"}, []string{"u_ex*.log", "u_nc*.log", "ex*.log"}}, dir)
}

// ExchangeLogs reads what Exchange logs of requests below its folder Logging.
func ExchangeLogs(dir string) *LogSource {
	return newLogs(logKind{"exchange_logs", 5 * time.Second, []string{"HttpProxy/*", "MapiHttp/*", "Ews", "MAPI Client Access", "RPC Client Access"}, []string{"*.log"}}, dir)
}

func newLogs(kind logKind, dir string) *LogSource {
	return &LogSource{kind: kind, root: dir, clock: time.Now, tally: newLogTally(), files: LogFiles{Source: kind.name}}
}

// Name is part of metrics and status.
func (s *LogSource) Name() string { return s.kind.name }

// Read reads what was written since, as far as a quarter of a second goes; what
// is left is read next. What cannot be read is an error, and is tried again.
func (s *LogSource) Read(ctx context.Context) (Reading, error) {
	now := s.clock()
	if s.tally.since.IsZero() {
		s.tally.since = now
	}
	if err := s.expand(now); err != nil {
		return Reading{}, err
	}
	polled, err := s.poll(ctx, now)
	if s.moved && now.Sub(s.made) >= keepEvery {
		s.note(now)
	}
	if err != nil {
		return Reading{}, err
	}
	if polled || s.last.Logs == nil {
		s.last = Reading{Queues: s.tally.queues(s.pools), Logs: s.logs(now)}
	}
	return s.last, nil
}

// poll reads in every folder that is due, each in its turn.
func (s *LogSource) poll(ctx context.Context, began time.Time) (polled bool, err error) {
	for range len(s.folders) {
		f := s.folders[0]
		now := s.clock()
		if ctx.Err() != nil || polled && now.Sub(began) > pollFor {
			break
		}
		s.folders = append(s.folders[1:], f)
		if now.Before(f.due) {
			continue
		}
		polled = true
		f.fault = s.read(ctx, began, f)
	}
	for _, f := range s.folders {
		err = errors.Join(err, f.fault)
	}
	return polled, err
}

// read polls a folder until nothing is left, or the time is over.
func (s *LogSource) read(ctx context.Context, began time.Time, f *logFolder) error {
	for {
		now := s.clock()
		rows := s.files.Rows
		more, err := f.Poll(now, func(_ string, t logTail) {
			s.files.Rows++
			s.tally.add(now, t.Record())
		})
		s.moved = s.moved || s.files.Rows > rows || more
		f.due = now.Add(s.kind.every)
		if more {
			f.due = now
		}
		f.behind = 0
		if errors.Is(err, maillog.ErrKind) { // it is said once; what else is in err is said by the next poll again
			s.foreign, err = err, nil
		}
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && f.name != ".") { // a sub-folder may go
			return err
		}
		if !more {
			return nil
		}
		if ctx.Err() != nil || now.Sub(began) > pollFor {
			f.behind = behind(f.State())
			return nil
		}
	}
}

func behind(s follow.State[maillog.Position]) (n int64) {
	for _, f := range s.Files {
		n += max(0, f.Size-f.Offset)
	}
	return n
}

// logs is what the source says now.
func (s *LogSource) logs(now time.Time) *Logs {
	out := s.tally.logs(now)
	files := s.files
	for _, f := range s.folders {
		files.Behind += f.behind
	}
	out.Files = []LogFiles{files}
	if a := s.tally.peers.found; a.IsValid() {
		out.Hints = append(out.Hints, balancerHint(s.kind.name, a))
	}
	if s.foreign != nil {
		out.Hints = append(out.Hints, fmt.Sprintf("source %s: a file among the logs is left out: %v", s.kind.name, s.foreign))
	}
	return out
}

// A logTail is the tail of a log that tells its source what it passes over.
type logTail struct {
	*maillog.Tail
	of       *LogSource
	rejected *int64 // of the tail, as far as it was told
}

// Next tells when a block is at its end.
func (t logTail) Next() bool {
	if t.Tail.Next() {
		return true
	}
	if n := t.Stats().Rejected; n > *t.rejected {
		t.of.files.Rejected += uint64(n - *t.rejected)
		*t.rejected = n
	}
	return false
}

func (s *LogSource) follow(name string, fromStart bool) *logFolder {
	o := follow.Options{Dir: join(s.root, name), Patterns: s.kind.files, FromStart: fromStart}
	open := func(at maillog.Position) logTail { return logTail{maillog.NewTail(at), s, new(int64)} }
	offset := func(p maillog.Position) int64 { return p.Offset }
	return &logFolder{name: path.Clean(name), Folder: follow.New(o, follow.Format[logTail, maillog.Position]{Open: open, Offset: offset})}
}
