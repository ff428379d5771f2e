package exlog

import "bytes"

// unfold adds the lines that belong to a row whose first ends within quotes, and
// gives its text and the number of its columns. They go up to the line with
// which the number of quotes is even: if all stand where they may, a value is
// open at the end of every line before, and none is at the end of that one.
//
// If they do not, or if there is no such line as far as a row may go, the state
// says so, and nothing but the first line is consumed: so a broken quote costs
// its own line alone. While such a line may yet be written, the first is put back.
func (s *rows) unfold(first []byte) (text []byte, n int, state state) {
	f := fold{start: s.p - int(s.pos.Offset-s.offset), next: s.p}
	for odd := quotes(first)%2 != 0; odd; {
		more, ok := s.follow(&f)
		if !ok {
			return nil, 0, open
		}
		odd = quotes(more)%2 == 0
	}
	if f.next == s.p { // they were even, and one was open
		return nil, 0, broken
	}

	text = s.plain
	if s.pos.Encoding == UTF8 {
		text = s.block[f.start:f.end]
	}
	text = trim(text)
	if n, state = s.scan(text, true); state == fits {
		s.consume(f.next - s.p)
		s.pos.Line += f.lines
		s.unended = f.unended
	}
	return text, n, state
}

func quotes(text []byte) int { return bytes.Count(text, []byte{'"'}) }

// A fold is a row of many lines, as far as it was followed: the places in the
// block where it starts, where its text ends, and what stands behind it.
type fold struct {
	start, end, next int
	lines            int64 // line ends behind the first
	unended          bool  // the last line has none
}

// follow adds the next line to a row, and gives it in UTF-8, or as it stands. It
// is not ok if no line follows that may belong to it; held, if one yet may.
func (s *rows) follow(f *fold) (more []byte, ok bool) {
	e, rest := s.pos.Encoding, s.block[f.next:]
	n, whole := e.line(rest)
	nul := e.index(rest[:n], 0)
	if nul < 0 {
		nul = n
	}
	switch {
	case f.next+nul-f.start > MaxRow: // too long
		return nil, false
	case nul < n:
		s.hold(s.waits(f.next + nul))
		return nil, false
	case !whole && !s.last:
		s.hold(true)
		return nil, false
	case !whole && n == 0:
		return nil, false
	}

	f.end, f.next, f.unended = f.next+n, f.next+n, !whole
	if whole {
		f.next += e.width()
		f.lines++
	}
	if e == UTF8 {
		return rest[:n], true
	}
	from := len(s.plain)
	s.plain = e.appendPlain(append(s.plain, '\n'), rest[:n])
	return s.plain[from:], true
}

// hold puts the row's first line back, if it is so.
func (s *rows) hold(so bool) {
	if so {
		s.held = true
		s.consume(-int(s.pos.Offset - s.offset))
		s.pos.Line = s.line - 1
	}
}
