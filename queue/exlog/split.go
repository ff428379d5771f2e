package exlog

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"evenkeel/queue/lines"
)

// A state says how far quotes were understood.
type state uint8

const (
	fits   state = iota // they end where they should
	open                // the text ends within them
	broken              // something stands behind their end, or they stand within a plain value of a row of many lines
)

// split finds the columns of a row whose first line is given, and reports
// whether it is one. Their number decides that.
func (s *rows) split(line []byte) bool {
	if s.plan.n == 0 {
		if !s.named(line) {
			s.in.Reject(lines.Headless)
		}
		return false
	}
	n, state := s.scan(line, false)
	if state == open {
		line, n, state = s.unfold(line)
	}
	switch {
	case state == fits && n == s.plan.n && s.dated(line):
	case s.in.Held() || state == fits && s.named(line):
		return false
	case state == fits && n == s.plan.n:
	default:
		return s.in.Reject(s.misfit(state))
	}
	s.text = line
	if s.quoted {
		s.unquote()
	}
	return true
}

// misfit is why a line is no row.
func (s *rows) misfit(state state) lines.Reason {
	switch {
	case s.in.Unended():
		return lines.Cut
	case state != fits:
		return lines.Quotes
	}
	return lines.Columns
}

// scan marks the columns of a line, and returns their number. It is 0 if the
// quotes do not fit. A quote within a plain value is a character as any other;
// strict, it is broken.
func (s *rows) scan(line []byte, strict bool) (n int, state state) {
	s.quoted = bytes.IndexByte(line, '"') >= 0
	if !s.quoted {
		return mark(line, s.marks), fits
	}
	for i := 0; ; i++ {
		width, state := field(line[i:], strict)
		if state != fits {
			return 0, state
		}
		i += width
		if n++; n < len(s.marks) {
			s.marks[n] = int32(i)
		}
		if i == len(line) {
			return n, fits
		}
	}
}

// mark is scan of a line without quotes. It looks at 8 bytes at a time.
func mark(line []byte, marks []int32) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(line); i += 8 {
		v := binary.LittleEndian.Uint64(line[i:]) ^ ','*ones
		for m := ^(v&^highs + ^uint64(highs) | v) & highs; m != 0; m &= m - 1 {
			if n++; n < len(marks) {
				marks[n] = int32(i + bits.TrailingZeros64(m)>>3)
			}
		}
	}
	for ; i < len(line); i++ {
		if line[i] == ',' {
			if n++; n < len(marks) {
				marks[n] = int32(i)
			}
		}
	}
	if n++; n < len(marks) {
		marks[n] = int32(len(line))
	}
	return n
}

// field is the width of the column that b begins with, its quotes counted, the
// comma behind it not; all of b if the quotes do not fit.
func field(b []byte, strict bool) (width int, state state) {
	if len(b) > 0 && b[0] == '"' {
		return quotation(b)
	}
	if width = bytes.IndexByte(b, ','); width < 0 {
		width = len(b)
	}
	if strict && bytes.IndexByte(b[:width], '"') >= 0 {
		return len(b), broken
	}
	return width, fits
}

// quotation is field where b begins with a quote.
func quotation(b []byte) (width int, state state) {
	for i := 1; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b), open
		}
		switch i += n + 1; {
		case i == len(b) || b[i] == ',':
			return i, fits
		case b[i] != '"':
			return len(b), broken
		}
	}
}

// column is what stands in a column of the row, by its place.
func (s *rows) column(col int) []byte {
	if col < 0 || len(s.text) == 0 {
		return nil
	}
	return present(s.text[s.marks[col]+1 : s.marks[col+1]])
}

// present is v, nil if there is nothing in it.
func present(v []byte) []byte {
	if len(v) == 0 {
		return nil
	}
	return v
}

// dated reports that what stands in the column of the time begins like one, so
// that a line that is marked is no header row.
func (s *rows) dated(line []byte) bool {
	if s.plan.time < 0 {
		return false
	}
	v := unquoted(line[s.marks[s.plan.time]+1 : s.marks[s.plan.time+1]])
	return len(v) > 0 && v[0]-'0' <= 9
}

// unquoted is v without its outer quotes; those within stay doubled.
func unquoted(v []byte) []byte {
	if len(v) > 1 && v[0] == '"' {
		return v[1 : len(v)-1]
	}
	return v
}

// unquote makes the wanted values of a row that has quotes.
func (s *rows) unquote() {
	s.scratch = s.scratch[:0]
	for i, col := range s.plan.cols {
		v := s.column(col)
		inner := unquoted(v)
		if len(inner) < len(v) && bytes.IndexByte(inner, '"') >= 0 {
			inner = s.undouble(inner)
		}
		s.values[i] = present(inner)
	}
}

// undouble is v with one quote for two.
func (s *rows) undouble(v []byte) []byte {
	from := len(s.scratch)
	for len(v) > 0 {
		n := bytes.IndexByte(v, '"') + 1
		if n == 0 {
			n = len(v)
		}
		s.scratch = append(s.scratch, v[:n]...)
		v = v[min(n+1, len(v)):]
	}
	return s.scratch[from:]
}
