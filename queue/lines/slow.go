package lines

// nextSlow takes the next line off where it is not plainly there: in UTF-16,
// among NULs, at the start and the end of a block, in a line that is too long.
func (s *Scanner) nextSlow() (line []byte, ok bool) {
	for {
		if !s.held { // else more of the file is needed first
			s.atNul, s.open = false, false
			if line, ok = s.find(); ok {
				return line, true
			}
		}
		s.held = false
		if !s.fill() {
			return nil, false
		}
	}
}

// find is nextSlow of the block. It is not ok if it has no whole line.
func (s *Scanner) find() (line []byte, ok bool) {
	if !s.known && !s.sniff() {
		return nil, false
	}
	for {
		rest := s.block[s.p:]
		end, whole := s.pos.Encoding.line(rest)
		nul := s.pos.Encoding.index(rest[:end], 0)
		s.slow = s.pos.Encoding != UTF8 || s.pos.Skip
		switch {
		case nul >= 0:
			if !s.passNul(rest, nul) {
				return nil, false
			}
		case s.pos.Skip || end > s.Max:
			s.skip(end, whole)
			if !whole {
				if s.last {
					s.consume(len(rest) - end) // half a unit
				}
				return nil, false
			}
		case whole:
			line = s.take(rest[:end], s.pos.Encoding.width())
			s.pos.Line++
			return line, true
		case s.last && len(rest) > 0:
			line = s.take(rest[:end], len(rest)-end) // with half a unit
			s.unended = true
			return line, true
		default:
			return nil, false
		}
	}
}

// take consumes a line and its end, and returns it in UTF-8.
func (s *Scanner) take(raw []byte, end int) []byte {
	s.enter()
	s.consume(len(raw) + end)
	if s.pos.Encoding == UTF8 {
		return raw
	}
	s.plain = s.pos.Encoding.appendPlain(s.plain[:0], raw)
	return s.plain
}

// skip consumes a line that is too long, as far as the block has it.
func (s *Scanner) skip(end int, whole bool) {
	if !s.pos.Skip {
		s.enter()
		s.Reject(Long)
	}
	s.consume(end)
	s.pos.Skip, s.slow = !whole, true
	if whole {
		s.consume(s.pos.Encoding.width())
		s.pos.Line++
	}
}

// passNul passes over NULs, and what stands before them in their line: a service
// may make a file longer before it writes there, so in a live file they are yet
// to be filled, and in a finished one the writer never came so far.
func (s *Scanner) passNul(rest []byte, nul int) bool {
	if s.pos.Skip || nul > s.Max {
		s.skip(nul, false)
		rest, nul = rest[nul:], 0
	}
	if s.waits(s.p + nul) {
		return false
	}
	if nul > 0 {
		s.enter()
		s.Reject(Cut)
	}
	run := s.pos.Encoding.nuls(rest[nul:])
	s.consume(nul + run)
	s.Count.Nul += int64(run)
	s.pos.Skip = false
	if s.given >= 0 && len(s.block)-s.p < s.pos.Encoding.width() {
		s.given = s.pos.Offset // more of them may follow
	}
	s.seekNul()
	return true
}

// waits reports, and notes, that the NUL at block[i] is yet to be filled.
func (s *Scanner) waits(i int) bool {
	s.atNul = s.src == nil && s.at(i) != s.given
	return s.atNul
}

// at is the Offset of block[i].
func (s *Scanner) at(i int) int64 { return s.pos.Offset + int64(i-s.p) }

// Waiting reports that the last call of Next was not ok though the block of a live
// file may have more: because of a NUL, or because of a row of many lines that does
// not end and is doubted.
func (s *Scanner) Waiting() bool { return s.atNul || s.open }

// GiveUp gives up what s waits for. Of NULs it is also those that follow them in
// the next blocks; Next then goes on behind them, and counts what stands between
// them and their line's start as cut. Of a row of many lines it is its end; the
// first line is then no row. It consumes nothing: what waits may be a row of many
// lines with good rows among them.
func (s *Scanner) GiveUp() {
	switch {
	case s.atNul:
		s.given = s.at(s.p + s.pos.Encoding.index(s.block[s.p:], 0))
	case s.open:
		s.cut = s.pos.Offset
	}
}
