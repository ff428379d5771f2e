package w3c

import (
	"io"

	"evenkeel/queue/lines"
)

// rows finds rows among the lines of a file. It is what [Reader] and [Tail]
// share, and holds one row at a time.
type rows struct {
	in     lines.Scanner
	want   []string
	header Header // in force
	plan   plan

	text   []byte  // the row
	marks  []int32 // where its columns end; the n-th at n + 1
	mended []byte  // a row without a blank too many
	day    day
}

// begin starts anew at a position, and keeps the memory.
func (s *rows) begin(src io.Reader, at Position) {
	s.in.Max = MaxLine
	s.in.Begin(src, at.Position)
	s.header, s.text = at.Header, nil
	s.compile()
}

// next goes to the next row, and reports whether there is one.
func (s *rows) next() bool {
	for {
		line, ok := s.in.Next()
		switch {
		case !ok:
			s.text = nil
			return false
		case line[0] == '#':
			if !s.in.Unended() {
				s.directive(line)
			}
		case s.split(line):
			s.in.Count.Rows++
			return true
		}
	}
}
