package w3c

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"evenkeel/queue/lines"
)

// split finds the columns of a line, and reports whether it is a row. Their
// number decides that. An empty column is a sign that one is missing or too
// many; HTTP.sys writes "-" where it has no value. Then numbers and addresses
// must stand in their columns, too.
func (s *rows) split(line []byte) bool {
	if s.plan.n == 0 {
		return s.in.Reject(lines.Headless)
	}
	n, empty := s.mark(line)
	if n != s.plan.n-1 || empty {
		if line = s.mend(line, n); line == nil {
			return s.in.Reject(s.misfit())
		}
	}
	s.text = line
	return true
}

// mark marks the columns of a line. It returns the number of separators, and
// whether a column is empty.
func (s *rows) mark(line []byte) (n int, empty bool) {
	n, empty = mark(line, s.marks[1:], s.plan.sep)
	s.marks[s.plan.n] = int32(len(line)) // ends the last column
	return n, empty || line[0] == s.plan.sep || line[len(line)-1] == s.plan.sep
}

// misfit is why a line has the wrong number of columns.
func (s *rows) misfit() lines.Reason {
	if s.in.Unended() {
		return lines.Cut
	}
	return lines.Columns
}

// column is what stands in a column of a line that is marked, by its place.
func (s *rows) column(line []byte, col int) []byte {
	if col < 0 || len(line) == 0 {
		return nil
	}
	return line[s.marks[col]+1 : s.marks[col+1]]
}

// slack is how many places more than there are columns mark has to have.
const slack = 64

// mark writes down where sep stands in a line, and returns how often it does,
// and whether twice in a row. It stops when there are too many for a row.
//
// It looks at 64 bytes at a time: a bit for each in one word, then bit by bit.
func mark(line []byte, at []int32, sep byte) (n int, twice bool) {
	pattern := uint64(sep) * ones
	var m, pairs uint64
	for base := 0; base < len(line) && n+slack <= len(at); base += 64 {
		before := m >> 63 // the last byte of the 64 before
		switch left := len(line) - base; {
		case left >= 64:
			m = equal64(line[base:], pattern)
		case len(line) >= 64: // the last 64, without those that were seen
			m = equal64(line[len(line)-64:], pattern) >> (64 - left)
		default:
			m = equalShort(line, pattern)
		}
		pairs |= m & (m<<1 | before)
		for left := m; left != 0; left &= left - 1 {
			at[n] = int32(base + bits.TrailingZeros64(left))
			n++
		}
	}
	return n, pairs != 0
}

// Every byte of a word alike.
const (
	ones = 0x0101010101010101
	low7 = 0x7f7f7f7f7f7f7f7f
)

// equal has bit i set if the i-th of b's first 8 bytes is that which pattern
// repeats.
func equal(b []byte, pattern uint64) uint64 {
	v := binary.LittleEndian.Uint64(b) ^ pattern
	zero := ^(v&low7 + low7 | v | low7) // the high bit of each byte that is 0, exactly
	return zero * 0x0002040810204081 >> 56
}

// equal64 is equal for the first 64 bytes of b.
func equal64(b []byte, pattern uint64) uint64 {
	b = b[:64]
	return equal(b, pattern) | equal(b[8:], pattern)<<8 | equal(b[16:], pattern)<<16 | equal(b[24:], pattern)<<24 |
		equal(b[32:], pattern)<<32 | equal(b[40:], pattern)<<40 | equal(b[48:], pattern)<<48 | equal(b[56:], pattern)<<56
}

// equalShort is equal for all of b, which has less than 64 bytes.
func equalShort(b []byte, pattern uint64) (m uint64) {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		m |= equal(b[i:], pattern) << i
	}
	for ; i < len(b); i++ {
		if b[i] == byte(pattern) {
			m |= 1 << i
		}
	}
	return m
}

// mend gives a line that is not plainly a row, and has n separators, the right
// number of columns; else it gives nil. What may be too much is known and does
// no harm: some writers leave blanks at the end of a row, and Exchange's
// PowerShell has two in front of the user's name. Which of its columns is empty
// a row does not say, so that the others have to witness that none is shifted.
func (s *rows) mend(line []byte, n int) []byte {
	p := &s.plan
	if n >= p.n { // perhaps too many for mark
		n = bytes.Count(line, []byte{p.sep})
	}
	for ; n >= p.n && len(line) > 1 && line[len(line)-1] == p.sep; n-- {
		line = line[:len(line)-1]
	}
	s.mark(line)
	if n == p.n && p.user >= 0 && len(s.column(line, p.user)) == 0 {
		gap := s.marks[p.user+1]
		s.mended = append(append(s.mended[:0], line[:gap]...), line[gap+1:]...)
		line, n = s.mended, n-1
		s.mark(line)
	}
	if n != p.n-1 || !s.plausible(line) {
		return nil
	}
	return line
}

// plausible reports that all columns of numbers have numbers, and those of
// addresses something like addresses, or nothing.
func (s *rows) plausible(line []byte) bool {
	for _, col := range s.plan.numbers {
		if v := s.column(line, col); !nothing(v) && len(bytes.Trim(v, "0123456789")) > 0 {
			return false
		}
	}
	for _, col := range s.plan.addrs {
		if v := s.column(line, col); !nothing(v) && !likeAddr(v) {
			return false
		}
	}
	return true
}

// nothing reports that v stands for no value.
func nothing(v []byte) bool { return len(v) == 0 || len(v) == 1 && v[0] == '-' }

// likeAddr reports that v has the signs of an address, and no other.
func likeAddr(v []byte) bool {
	v, _, _ = bytes.Cut(v, []byte("%"))
	return bytes.ContainsAny(v, ".:") && len(bytes.Trim(v, "0123456789abcdefABCDEF.:")) == 0
}
