package exlog

import (
	"bytes"

	"evenkeel/queue/lines"
)

// unfold adds the lines that belong to a row whose first ends within quotes, and
// gives its text and the number of its columns. They go up to the line with
// which the number of quotes is even: if all stand where they may, a value is
// open at the end of every line before, and none is at the end of that one.
//
// If they do not, or if there is no such line as far as a row may go, the state
// says so, and nothing but the first line is consumed: so a broken quote costs
// its own line alone. While such a line may yet be written, the first is put back.
func (s *rows) unfold(first []byte) (text []byte, n int, state state) {
	if quotes(first)%2 == 0 { // and yet one is open
		return nil, 0, broken
	}
	f := s.in.Fold()
	for {
		more, ok := s.in.Follow(&f)
		if !ok {
			return nil, 0, open
		}
		if quotes(more)%2 != 0 {
			break
		}
		if s.isRow(lines.Trim(more)) {
			f.Doubt()
		}
	}

	text = s.in.Text(f)
	if n, state = s.scan(text, true); state == fits {
		s.in.Accept(f)
	}
	return text, n, state
}

// isRow reports that a line would be a row, if it were not part of one.
func (s *rows) isRow(line []byte) bool {
	n, state := s.scan(line, false)
	return state == fits && n == s.plan.n && s.dated(line)
}

func quotes(text []byte) int { return bytes.Count(text, []byte{'"'}) }
