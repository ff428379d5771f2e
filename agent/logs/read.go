package logs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"evenkeel/queue/maillog"
)

// A Taker is told the rows of a stream, by one goroutine.
type Taker interface {
	// File says of which log the rows that follow are, see [Log.Name].
	File(name string)
	// Add gives a row, the number of its line, and the line. All may be used until
	// it returns.
	Add(r *maillog.Record, line int64, raw []byte)
	// End says that the stream is over.
	End()
}

// Progress is how far finding and then reading have come. It is safe for concurrent
// use.
type Progress struct {
	Files  atomic.Int64 // that were found
	Looked atomic.Int64 // thereof, that were looked at

	Packed   atomic.Int64 // bytes on disk that are done
	Bytes    atomic.Int64 // of logs, unpacked
	Rows     atomic.Int64
	Rejected atomic.Int64 // lines that are no rows
	File     atomic.Pointer[string]
}

// A Result is what came of reading.
type Result struct {
	Bytes, Rows, Rejected int64
	Rejects               []Reject // logs with lines that are no rows, sorted by name
	Faults                []Fault  // sorted by name
}

// A Reject says how many lines of a log are no rows.
type Reject struct {
	Name  string
	Lines int64
	First int64  // line, from 1
	Why   string // a word for the first: "columns"
}

// Read reads all streams, so many at once, the largest first, and each in its
// order. take is asked once for each stream, by the goroutine that reads it. The
// error is that of ctx: then some was read.
func (f *Found) Read(ctx context.Context, workers int, take func(Stream) Taker, p *Progress) (Result, error) {
	todo := slices.Clone(f.Streams)
	slices.SortStableFunc(todo, func(a, b Stream) int { return cmp.Compare(b.Packed(), a.Packed()) })
	var next atomic.Int64
	results := make([]Result, min(max(workers, 1), len(todo)))
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r := reading{ctx: ctx, progress: p, result: &results[i]}
			for n := next.Add(1) - 1; n < int64(len(todo)) && ctx.Err() == nil; n = next.Add(1) - 1 {
				r.stream(todo[n], take(todo[n]))
			}
		})
	}
	wg.Wait()
	return sum(results), ctx.Err()
}

func sum(results []Result) (all Result) {
	for _, r := range results {
		all.Bytes += r.Bytes
		all.Rows += r.Rows
		all.Rejected += r.Rejected
		all.Rejects = append(all.Rejects, r.Rejects...)
		all.Faults = append(all.Faults, r.Faults...)
	}
	slices.SortFunc(all.Rejects, func(a, b Reject) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(all.Faults, func(a, b Fault) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// A reading is one worker: it has one log open at a time, and one reader's memory.
type reading struct {
	ctx      context.Context
	progress *Progress
	result   *Result
	reader   *maillog.Reader
}

func (r *reading) stream(s Stream, t Taker) {
	for _, l := range s.Logs {
		if r.ctx.Err() != nil {
			break
		}
		if err := r.log(l, t); err != nil && r.ctx.Err() == nil {
			r.result.Faults = append(r.result.Faults, faultOf(l.Name, err))
		}
	}
	t.End()
}

// log reads a log to its end, or as far as it can.
func (r *reading) log(l Log, t Taker) error {
	r.progress.File.Store(&l.Name)
	meter := meter{total: l.Packed, done: &r.progress.Packed, scale: l.scale()}
	defer meter.finish()
	src, err := l.open(r.ctx, meter.read)
	if err != nil {
		return err
	}
	defer src.close()
	if r.reader == nil {
		r.reader = maillog.NewReader(src, maillog.Position{})
	} else {
		r.reader.Reset(src, maillog.Position{})
	}
	t.File(l.Name)
	r.rows(t)
	r.count(l)
	return cmp.Or(src.err, r.reader.Err())
}

// tellEvery is after how many rows Progress hears of them.
const tellEvery = 4096

// rows hands all rows on.
func (r *reading) rows(t Taker) {
	in, told := r.reader, int64(0)
	for n := 0; in.Next(); n++ {
		t.Add(in.Record(), in.Line(), in.Raw())
		if n%tellEvery == tellEvery-1 {
			r.progress.Rows.Add(tellEvery)
			told += tellEvery
		}
	}
	r.progress.Rows.Add(in.Stats().Rows - told)
}

func (r *reading) count(l Log) {
	s := r.reader.Stats()
	r.progress.Bytes.Add(s.Bytes)
	r.progress.Rejected.Add(s.Rejected)
	r.result.Bytes += s.Bytes
	r.result.Rows += s.Rows
	r.result.Rejected += s.Rejected
	if s.Rejected > 0 {
		r.result.Rejects = append(r.result.Rejects, Reject{l.Name, s.Rejected, s.First.Line, s.First.Why.String()})
	}
}

// A meter turns bytes that were read into bytes on disk, of which it counts as
// many as there are.
type meter struct {
	total, told int64
	scale       float64
	done        *atomic.Int64
}

func (m *meter) read(n int) {
	more := min(int64(float64(n)*m.scale), m.total-m.told)
	m.told += more
	m.done.Add(more)
}

func (m *meter) finish() { m.done.Add(m.total - m.told) }

// scale is how many bytes on disk stand for one that is read.
func (l Log) scale() float64 {
	if l.Size > l.Packed {
		return float64(l.Packed) / float64(l.Size)
	}
	return 1
}
