package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"evenkeel/queue/follow"
	"evenkeel/queue/maillog"
)

const (
	pollFor     = 250 * time.Millisecond // a Read begins no further poll after so long
	expandEvery = 10 * time.Second       // new sub-folders are looked for
	keepEvery   = 30 * time.Second       // a state is made anew, when something moved
)

// A LogSource reads the logs in the folders below one, as they are written. It
// begins at their end: what stands in them at the first start is history. Its
// counts are since it was made, and its state makes the next one go on where it
// stopped.
//
// A reading's Queues are the pools whose queue ran over, as far as HTTP.sys says
// it; of their Refused only rows that were no older than five minutes when a
// Reading first had them are a part, so that catching up after a stop is no news.
// In Logs all are.
type LogSource struct {
	kind  logKind
	root  string
	clock func() time.Time
	list  func(dir string) ([]fs.DirEntry, error)
	addrs func() ([]net.Addr, error) // of this machine

	folders  []*logFolder // in the order in which they are polled, which turns
	tally    *logTally
	expanded time.Time
	begun    bool // folders were looked for before: one that is new now is news
	sights   sights
	hidden   error  // of a folder that cannot be listed
	empty    string // a hint: there are no files
	shown    LogFiles
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
	rows  []maillog.Kind
}

// HTTPErr reads what HTTP.sys logs in its folder HTTPERR. pools are the
// application pools that count where somebody is refused, in any letter case;
// none given: those of Exchange's front end, but for that of OWACalendar.
func HTTPErr(dir string, pools ...string) *LogSource {
	s := newLogs(logKind{"httperr", time.Second, []string{"."}, []string{"httperr*.log"}, []maillog.Kind{maillog.HTTPErr}}, dir)
	for _, name := range pools {
		s.tally.wanted[folded(name)] = name
	}
	return s
}

// IISLogs reads the W3C logs of sites, in the folder of one or in that of all.
func IISLogs(dir string) *LogSource {
	return newLogs(logKind{"iis", 2 * time.Second, []string{".", "W3SVC*"}, []string{"u_ex*.log", "ex*.log"}, []maillog.Kind{maillog.IIS}}, dir)
}

// ExchangeLogs reads what Exchange logs of requests below its folder Logging.
func ExchangeLogs(dir string) *LogSource {
	return newLogs(logKind{"exchange_logs", 5 * time.Second, []string{"HttpProxy/*", "MapiHttp/*", "Ews", "MAPI Client Access", "RPC Client Access"}, []string{"*.log"},
		[]maillog.Kind{maillog.HTTPProxy, maillog.MapiHTTP, maillog.EWS, maillog.RPCAccess}}, dir)
}

func newLogs(kind logKind, dir string) *LogSource {
	return &LogSource{kind: kind, root: dir, clock: time.Now, list: os.ReadDir, addrs: net.InterfaceAddrs, tally: newLogTally(), sights: sights{}, shown: LogFiles{Source: kind.name}}
}

// Name is part of metrics and status.
func (s *LogSource) Name() string { return s.kind.name }

// Read reads what was written since, as far as a quarter of a second goes; what
// is left is read next. What cannot be read is an error, beside the Reading of
// all that could, and is tried again.
func (s *LogSource) Read(ctx context.Context) (Reading, error) {
	now := s.clock()
	if s.tally.since.IsZero() {
		s.tally.since = now
	}
	if err := s.expand(now); err != nil {
		return s.without(), err
	}
	polled, err := s.poll(ctx, now)
	if s.moved && now.Sub(s.made) >= keepEvery {
		s.note(now)
	}
	if polled || s.last.Logs == nil {
		now = s.clock() // reading may have taken long: what is news is judged as it is told
		s.last = Reading{Queues: s.tally.queues(now), Logs: s.logs(now)}
	}
	return s.last, err
}

// without is what was read last, of a source that has no folder now. Sessions are
// of now, and so not known.
func (s *LogSource) without() Reading {
	r := s.last
	if r.Logs != nil {
		logs := *r.Logs
		logs.Sessions, r.Logs = nil, &logs
	}
	return r
}

// poll reads in every folder that is due, each in its turn.
func (s *LogSource) poll(ctx context.Context, began time.Time) (polled bool, err error) {
	n := len(s.folders) // that are not reached yet, the first ones
	for ; n > 0; n-- {
		f, now := s.folders[0], s.clock()
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
	for _, f := range s.folders[:n] {
		if ctx.Err() == nil && !began.Before(f.due) {
			f.behind = s.unread(f)
		}
	}
	err = s.hidden
	for _, f := range s.folders {
		err = errors.Join(err, f.fault)
	}
	return polled, err
}

// read polls a folder until nothing is left, or the time is over.
func (s *LogSource) read(ctx context.Context, began time.Time, f *logFolder) error {
	for {
		now := s.clock()
		rows := s.shown.Rows
		more, err := f.Poll(now, func(file string, t logTail) { s.take(now, f, file, t) })
		s.moved, f.polled = s.moved || s.shown.Rows > rows || more, true
		f.due = now.Add(s.kind.every)
		if more {
			f.due = now
		}
		f.behind = 0
		err = f.leaveForeign(err)
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && f.name != ".") { // a sub-folder may go
			return err
		}
		if !more {
			return nil
		}
		if ctx.Err() != nil || now.Sub(began) > pollFor {
			f.behind = s.unread(f)
			return nil
		}
	}
}

// take takes up the row that a tail is at, if the file is one of s' logs.
func (s *LogSource) take(now time.Time, f *logFolder, file string, t logTail) {
	s.shown.Rows++
	switch r := t.Record(); r.Kind {
	case maillog.Unknown, maillog.Other:
	default:
		if !slices.Contains(s.kind.rows, r.Kind) {
			f.leave(file, fmt.Errorf("it has rows of %v", r.Kind))
			return
		}
		s.tally.add(now, r)
	}
}

// logs is what the source says now.
func (s *LogSource) logs(now time.Time) *Logs {
	out := s.tally.logs(now)
	files := s.shown
	for _, f := range s.folders {
		files.Behind += f.behind
	}
	out.Files = []LogFiles{files}
	if a := s.tally.peers.found; a.IsValid() {
		out.Hints = append(out.Hints, balancerHint(s.kind.name, a))
	}
	if s.empty != "" && s.shown.Rows == 0 {
		out.Hints = append(out.Hints, s.empty)
	}
	out.Hints = append(out.Hints, s.leftOut()...)
	return out
}

// A logTail is the tail of a log that tells its source what it passes over.
type logTail struct {
	*maillog.Tail
	of       *LogSource
	rejected *int64 // of the tail, as far as it was told
}

// Next goes to the next row, and tells what was passed over when a block is at its end.
func (t logTail) Next() bool {
	if t.Tail.Next() {
		return true
	}
	if n := t.Stats().Rejected; n > *t.rejected {
		t.of.shown.Rejected += uint64(n - *t.rejected)
		*t.rejected = n
	}
	return false
}

func (s *LogSource) follow(name string, fromStart bool) *logFolder {
	o := follow.Options{Dir: join(s.root, name), Patterns: s.kind.files, FromStart: fromStart}
	open := func(at maillog.Position) logTail { return logTail{maillog.NewTail(at), s, new(int64)} }
	offset := func(p maillog.Position) int64 { return p.Offset }
	return &logFolder{name: path.Clean(name), news: fromStart, left: map[string]error{}, Folder: follow.New(o, follow.Format[logTail, maillog.Position]{Open: open, Offset: offset})}
}
