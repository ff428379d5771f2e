package w3c

// Stats count what was read. All begin at 0 with the reader, wherever it starts.
type Stats struct {
	Bytes    int64 // consumed
	Rows     int64 // given out
	Headers  int64 // lines of #Fields; more than one: the writer began anew
	Rejected int64 // lines that are neither row nor directive nor blank: the sum of the four below
	Headless int64 // of them: before any #Fields
	Columns  int64 // of them: with another number of columns than #Fields names
	Cut      int64 // of them: ended by NULs, or by the end of a finished file
	Long     int64 // of them: longer than [MaxLine]
	Nul      int64 // NUL bytes passed over, not counted in Rejected
	First    Reject
}

// A Reject names a line that was rejected. The zero Reject is none.
type Reject struct {
	Line   int64 // from 1
	Offset int64 // of the line, in bytes
	Why    Reason
}

// A Reason says why a line is no row.
type Reason uint8

// The reasons, as [Stats] counts them.
const (
	Fine     Reason = iota // it is one
	Headless               // no #Fields before it
	Columns                // more or fewer columns than #Fields names
	Cut                    // ended by NULs, or not at all
	Long                   // longer than [MaxLine]
)

// String is a short word: "columns".
func (r Reason) String() string {
	switch r {
	case Headless:
		return "headless"
	case Columns:
		return "columns"
	case Cut:
		return "cut"
	case Long:
		return "long"
	}
	return "fine"
}

// reject counts the present line as no row, and reports false.
func (s *rows) reject(why Reason) bool {
	s.stats.Rejected++
	switch why {
	case Headless:
		s.stats.Headless++
	case Columns:
		s.stats.Columns++
	case Cut:
		s.stats.Cut++
	case Long:
		s.stats.Long++
	}
	if s.stats.First == (Reject{}) {
		s.stats.First = Reject{s.line, s.offset, why}
	}
	return false
}
