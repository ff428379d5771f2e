// Package w3c reads logs in the W3C extended log file format, as HTTP.sys
// writes them: the HTTPERR files of rejected and broken connections, and the
// W3C logs of IIS sites.
//
// Columns are known by name alone, and only as the last #Fields line names
// them, which may change in the middle of a file. A row with any other number
// of columns is rejected and counted; nothing is ever taken from the column
// beside it. Rows cost no allocation.
//
// Start with [NewReader] for a file that is finished, or with [NewTail] for one
// that is still written.
package w3c

import (
	"net/netip"
	"time"

	"evenkeel/queue/lines"
)

// MaxLine is how many bytes of a file a line may have, its end not counted.
// HTTP.sys cuts a URL at 4096 bytes; the longest rows of Exchange have some
// 20 KiB. A longer line is rejected.
const MaxLine = 64 << 10

// Stats count what was read, as in all logs of lines.
type Stats = lines.Stats

// Line is the number of the row's line, from 1, as an editor shows it.
func (s *rows) Line() int64 { return s.in.Line() }

// Offset is where in the file the row's line begins, in bytes.
func (s *rows) Offset() int64 { return s.in.Offset() }

// Raw is the row's whole line without its end, in UTF-8 if the file is in
// UTF-16, else as it stands, valid UTF-8 or not. It may be used until the next
// call of Next.
func (s *rows) Raw() []byte { return s.text }

// Unended reports that the row's line has no end, which only the last of a
// finished file may lack: the row has all its columns, but what stands in the
// last may be cut short.
func (s *rows) Unended() bool { return s.in.Unended() }

// Logged reports whether #Fields names the column that was wanted as the i-th.
// A column that is not logged is another thing than one without a value.
func (s *rows) Logged(i int) bool { return s.plan.cols[i] >= 0 }

// Field is the value of the column that was wanted as the i-th, as it stands in
// the file: blanks as "+", from which a plus that the client sent cannot be told,
// quotes where it sent some, UTF-8 or not. It is nil if there is no value, which is written "-", or
// if the column is not logged. It may be used until the next call of Next.
func (s *rows) Field(i int) []byte {
	v := s.column(s.text, s.plan.cols[i])
	if nothing(v) {
		return nil
	}
	return v
}

// Uint is the value of the column that was wanted as the i-th, if it is a
// decimal number that 64 bits can hold.
func (s *rows) Uint(i int) (n uint64, ok bool) { return lines.ParseUint(s.Field(i)) }

// Time is when the row was written, in UTC, whole seconds unless the log has
// fractions. It is taken from the columns date and time; where the date is not
// logged, from the last #Date, which is right until midnight. It is not ok if
// either is missing or no date or time.
func (s *rows) Time() (t time.Time, ok bool) {
	since, rest, ok := lines.ParseClock(s.column(s.text, s.plan.clock))
	if !ok || len(rest) > 0 || !s.day.know(s.date()) {
		return time.Time{}, false
	}
	return time.Unix(s.day.start+int64(since/time.Second), int64(since%time.Second)).UTC(), true
}

func (s *rows) date() []byte {
	if s.plan.date >= 0 {
		return s.column(s.text, s.plan.date)
	}
	said := s.header.Date
	return []byte(said[:min(len(said), len("2006-01-02"))])
}

// Addr is the value of the column that was wanted as the i-th, if it is an IP
// address, with its zone if it has one. The log may have what is none. Only an
// IPv6 address costs an allocation.
func (s *rows) Addr(i int) (a netip.Addr, ok bool) { return lines.ParseAddr(s.Field(i)) }

// Stats are the counts so far.
func (s *rows) Stats() Stats { return s.in.Stats() }

// Header is what the directives in force say of the rows that follow them.
func (s *rows) Header() Header { return s.header }

// Position is where all is consumed: a reader that starts there sees what comes
// next and nothing twice.
func (s *rows) Position() Position { return Position{s.in.Position(), s.header} }
