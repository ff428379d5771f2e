package maillog

import (
	"evenkeel/queue/exlog"
	"evenkeel/queue/w3c"
)

// Stats count what was read. All begin at 0 with the reader, wherever it starts.
type Stats struct {
	Bytes    int64 // consumed
	Rows     int64 // given out
	Headers  int64 // lines or rows that name columns; more than one: the writer began anew
	Foreign  int64 // rows under a header of no log that is known, passed over
	Rejected int64 // lines that are neither row nor header nor blank: the sum of the five below
	Headless int64 // of them: before any header
	Columns  int64 // of them: with another number of columns than the header names
	Quotes   int64 // of them: with a quote that does not end
	Cut      int64 // of them: ended by NULs, or by the end of a finished file
	Long     int64 // of them: longer than a row may be
	Nul      int64 // NUL bytes passed over, not counted in Rejected
	First    Reject
}

// A Reject names a line that was rejected. The zero Reject is none.
type Reject struct {
	Line   int64  // from 1
	Offset int64  // of the line, in bytes
	Why    string // "headless", "columns", "quotes", "cut" or "long"
}

func ofSystemStats(s w3c.Stats) Stats {
	out := Stats{
		Bytes: s.Bytes, Rows: s.Rows, Headers: s.Headers, Rejected: s.Rejected,
		Headless: s.Headless, Columns: s.Columns, Cut: s.Cut, Long: s.Long, Nul: s.Nul,
	}
	if s.Rejected > 0 {
		out.First = Reject{s.First.Line, s.First.Offset, s.First.Why.String()}
	}
	return out
}

func ofExchangeStats(s exlog.Stats) Stats {
	out := Stats{
		Bytes: s.Bytes, Rows: s.Rows, Headers: s.Headers, Rejected: s.Rejected,
		Headless: s.Headless, Columns: s.Columns, Quotes: s.Quotes, Cut: s.Cut, Long: s.Long, Nul: s.Nul,
	}
	if s.Rejected > 0 {
		out.First = Reject{s.First.Line, s.First.Offset, s.First.Why.String()}
	}
	return out
}
