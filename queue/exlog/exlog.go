// Package exlog reads the logs that Exchange writes as comma-separated values:
// HttpProxy, EWS, MapiHttp, MAPI and RPC Client Access, ECP, cmdlets and others
// of their kind, from 2010 to the Subscription Edition.
//
// Columns are known by name alone, as the last #Fields line or header row names
// them, which may change in the middle of a file. A row with any other number
// of columns is rejected and counted; nothing is ever taken from the column
// beside it. Values may be quoted and then have commas, quotes and line ends in
// them (RFC 4180); quotes that are broken lose their own line and no other.
// Rows cost no allocation.
//
// Start with [NewReader] for a file that is finished, or with [NewTail] for one
// that is still written. The lists within a value are walked by [Pairs].
package exlog

import (
	"net/netip"
	"time"

	"evenkeel/queue/lines"
)

// MaxRow is how many bytes of a file a row may have, its end not counted. The
// longest that are known, of EWS with many mailboxes, have some 30 KiB. A
// longer line is rejected, and so is the first line of a longer row of many.
const MaxRow = 128 << 10

// Stats count what was read, as in all logs of lines.
type Stats = lines.Stats

// Line is the number of the row's first line, from 1, as an editor shows it.
func (s *rows) Line() int64 { return s.in.Line() }

// Offset is where in the file the row begins, in bytes.
func (s *rows) Offset() int64 { return s.in.Offset() }

// Raw is the whole row without its end, with its quotes and the line ends within
// them, in UTF-8 if the file is in UTF-16, else as it stands, valid UTF-8 or not.
// It may be used until the next call of Next.
func (s *rows) Raw() []byte { return s.text }

// Unended reports that the row's line has no end, which only the last of a
// finished file may lack: the row has all its columns, but what stands in the
// last may be cut short.
func (s *rows) Unended() bool { return s.in.Unended() }

// Logged reports whether the file has the column that was wanted as the i-th. A
// column that is not logged is another thing than one without a value.
func (s *rows) Logged(i int) bool { return s.plan.cols[i] >= 0 }

// Field is the value of the column that was wanted as the i-th, without its
// quotes; valid UTF-8 or not. It is nil if there is no value, or if the column
// is not logged; "$null", "<null>" and their like are values. It may be used
// until the next call of Next.
func (s *rows) Field(i int) []byte {
	if s.quoted {
		return s.values[i]
	}
	return s.column(s.plan.cols[i])
}

// Uint is the value of the column that was wanted as the i-th, if it is a
// decimal number that 64 bits can hold.
func (s *rows) Uint(i int) (n uint64, ok bool) { return lines.ParseUint(s.Field(i)) }

// Float is the value of the column that was wanted as the i-th, if it is a
// number as [ParseFloat] reads it.
func (s *rows) Float(i int) (f float64, ok bool) { return ParseFloat(s.Field(i)) }

// Addr is the value of the column that was wanted as the i-th, if it is an IP
// address, with its zone if it has one. The log may have what is none. Only an
// IPv6 address costs an allocation.
func (s *rows) Addr(i int) (a netip.Addr, ok bool) { return lines.ParseAddr(s.Field(i)) }

// Time is when the row was written, in UTC, from the column DateTime, date-time
// or TimeStamp. It is not ok if there is none, or no time in it.
func (s *rows) Time() (t time.Time, ok bool) {
	return parseTime(unquoted(s.column(s.plan.time)))
}

// Stats are the counts so far.
func (s *rows) Stats() Stats { return s.in.Stats() }

// Header is what is said ahead of the rows that follow.
func (s *rows) Header() Header { return s.header }

// Position is where all is consumed: a reader that starts there sees what comes
// next and nothing twice.
func (s *rows) Position() Position { return Position{s.in.Position(), s.header} }
