package diagnose

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"evenkeel/queue/maillog"
)

// Options are what part of the logs is looked at.
type Options struct {
	From, To time.Time // rows before and after are not counted; zero: no bound
}

// A Case gathers the logs of a farm, and judges them. Its memory is bounded by
// the number of streams and names, whatever their size. Its methods are safe
// for concurrent use.
type Case struct {
	options Options

	mu      sync.Mutex // guards the rest
	streams []*stream
}

// New is a Case without logs.
func New(o Options) *Case { return &Case{options: o} }

// Log is for one stream of rows: what one node wrote to one log, in the order of
// time, over all of its files. Different Logs may be used at once; each is for
// one goroutine. What it was told counts from [Log.End] on.
func (c *Case) Log(node string) *Log {
	l := &Log{c: c, from: 0, to: 1<<63 - 1}
	if !c.options.From.IsZero() {
		l.from = max(0, c.options.From.Unix())
	}
	if !c.options.To.IsZero() {
		l.to = c.options.To.Unix()
	}
	l.s = newStream(node)
	return l
}

// Report judges what has ended. It may be called again after more has.
func (c *Case) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortStableFunc(c.streams, func(a, b *stream) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.kinds, b.kinds), cmp.Compare(a.first, b.first), cmp.Compare(a.name, b.name))
	})
	return judge(newFarm(c.streams))
}

// kindSet is which kinds of logs there are, a bit each.
type kindSet uint16

func kindsOf(kinds ...maillog.Kind) (s kindSet) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// A Log is told the rows of one stream.
type Log struct {
	c        *Case
	from, to int64 // seconds of the rows that count
	here     place
	monitor  bool // the row is of a monitor, a balancer or the server itself
	s        *stream
	scratch  []byte
}

// File says that the records that follow are of this file.
func (l *Log) File(name string) {
	l.here.file = name
	if l.s.name == "" {
		l.s.name = name
	}
}

// A row of another century has a wrong clock, and would make all steps wide.
const oldestRow, newestRow = 946684800, 4102444799 // seconds: 2000 to 2099

// Add counts a row: its record, its line in the file, and the line itself. The
// three are not kept. Rows come in the order of time, give or take some seconds.
// A row without a time, or of a time before 2000 or after 2099, does not count.
func (l *Log) Add(r *maillog.Record, line int64, raw []byte) {
	at := r.At.Unix()
	if at < oldestRow || at > newestRow || at < l.from || at > l.to {
		return
	}
	l.here.at, l.here.line, l.here.raw, l.here.protocol = at, line, raw, r.Protocol
	s := l.s
	if s.rows == 0 {
		s.first = at
	}
	s.rows++
	s.cover(at)
	s.first, s.last = min(s.first, at), max(s.last, at)
	s.kinds |= 1 << r.Kind
	s.ledger.kind = 1 << r.Kind
	l.monitor = r.Probe || r.Client.Addr().IsLoopback()
	l.sort(r)
}

// sort tells the row to what its kind of log is asked for.
func (l *Log) sort(r *maillog.Record) {
	switch r.Kind {
	case maillog.HTTPErr:
		l.httpErr(r)
	case maillog.IIS:
		l.iis(r)
	case maillog.HTTPProxy:
		l.httpProxy(r)
	case maillog.MapiHTTP, maillog.RPCAccess:
		l.mapiHTTP(r)
	case maillog.EWS:
		l.ews(r)
	}
}

// End says that the stream is over: its numbers go into the case. The Log must
// not be used after.
func (l *Log) End() {
	l.s.end()
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.s.rows > 0 {
		l.c.streams = append(l.c.streams, l.s)
	}
}
