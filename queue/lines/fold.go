package lines

// A Fold is a row of many lines, as far as it was followed: the places in the
// block where it starts, where its text ends, and what stands behind it.
type Fold struct {
	start, end, next int
	lines            int64 // line ends behind the first
	unended          bool  // the last line has none
	doubted          bool
}

// Doubt says that a line of the row looks like a row of its own: perhaps the row
// will never end.
func (f *Fold) Doubt() { f.doubted = true }

// Fold begins a row of many lines with that which Next gave. Nothing more is
// consumed until the row is accepted.
func (s *Scanner) Fold() Fold {
	return Fold{start: s.p - int(s.pos.Offset-s.offset), next: s.p}
}

// Follow adds the next line to a row, and gives it in UTF-8, or as it stands. It
// is not ok if no line follows that may belong to it. If one yet may, the first
// is put back, as [Scanner.Held] says.
func (s *Scanner) Follow(f *Fold) (more []byte, ok bool) {
	e, rest := s.pos.Encoding, s.block[f.next:]
	n, whole := e.line(rest)
	nul := e.index(rest[:n], 0)
	if nul < 0 {
		nul = n
	}
	switch {
	case f.next+nul-f.start > s.Max: // too long
		return nil, false
	case nul < n:
		s.hold(f, s.waits(f.next+nul))
		return nil, false
	case !whole && !s.last:
		s.hold(f, true)
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
	s.plain = append(s.plain, '\n')
	from := len(s.plain)
	s.plain = e.appendPlain(s.plain, rest[:n])
	return s.plain[from:], true
}

// Text is the row as far as it was followed, trimmed.
func (s *Scanner) Text(f Fold) []byte {
	if s.pos.Encoding == UTF8 {
		return Trim(s.block[f.start:f.end])
	}
	return Trim(s.plain)
}

// Accept consumes a row of many lines.
func (s *Scanner) Accept(f Fold) {
	s.consume(f.next - s.p)
	s.pos.Line += f.lines
	s.unended = f.unended
}

// hold puts the row's first line back, if it is so and its end is not given up.
func (s *Scanner) hold(f *Fold, so bool) {
	if so && s.offset != s.cut {
		s.held, s.slow, s.open = true, true, f.doubted
		s.consume(-int(s.pos.Offset - s.offset))
		s.pos.Line = s.line - 1
	}
}

// Held reports that the line that Next gave was put back, because the row's end
// is not there yet. Next gives it again when there is more of the file.
func (s *Scanner) Held() bool { return s.held }
