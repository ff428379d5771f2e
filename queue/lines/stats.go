package lines

// Stats count what was read. All begin at 0 with the reader, wherever it starts.
type Stats struct {
	Bytes    int64 // consumed
	Rows     int64 // given out
	Headers  int64 // lines that name the columns; more than one: the writer began anew
	Rejected int64 // lines that are neither row nor header nor blank: the sum of the five below; a row of many lines counts once
	Headless int64 // of them: before any header
	Columns  int64 // of them: with another number of columns than the header names
	Quotes   int64 // of them: with a quote that does not end, or has something behind its end; 0 where quotes mean nothing
	Cut      int64 // of them: ended by NULs, or by the end of a finished file
	Long     int64 // of them: longer than the format allows
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
	Headless               // no header before it
	Columns                // more or fewer columns than the header names
	Quotes                 // a quote does not end, or has something behind its end
	Cut                    // ended by NULs, or not at all
	Long                   // longer than the format allows
)

// String is a short word: "columns".
func (r Reason) String() string {
	switch r {
	case Headless:
		return "headless"
	case Columns:
		return "columns"
	case Quotes:
		return "quotes"
	case Cut:
		return "cut"
	case Long:
		return "long"
	}
	return "fine"
}

// Reject counts the present line as no row, and reports false.
func (s *Scanner) Reject(why Reason) bool {
	s.Count.Rejected++
	switch why {
	case Headless:
		s.Count.Headless++
	case Columns:
		s.Count.Columns++
	case Quotes:
		s.Count.Quotes++
	case Cut:
		s.Count.Cut++
	case Long:
		s.Count.Long++
	}
	if s.Count.First == (Reject{}) {
		s.Count.First = Reject{s.line, s.offset, why}
	}
	return false
}
