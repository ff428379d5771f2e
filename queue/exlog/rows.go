package exlog

import "bytes"

// rows finds rows in the blocks that it is fed. It is what [Reader] and [Tail]
// share, and holds one row at a time.
type rows struct {
	want []string
	plan plan
	pos  Position // of block[p:]
	from int64    // the Offset that it began at

	block []byte
	p     int   // all before it is consumed
	nul   int   // where the next NUL of block is, its length for none; not for UTF-16
	given int64 // the Offset of NULs that are given up, though the file is live; -1 for none
	live  bool  // NULs and the last line will be filled yet
	last  bool  // nothing follows block
	slow  bool  // the next line may need more than its end looked for
	known bool  // the encoding is
	held  bool  // the row was put back: its end is not there yet
	atNul bool  // the last row that was asked for waits for NULs to be filled

	text         []byte  // the row
	marks        []int32 // where its columns end; the n-th at n + 1
	quoted       bool    // it has quotes
	values       [][]byte
	line, offset int64
	unended      bool

	plain   []byte // a row of UTF-16 in UTF-8
	scratch []byte // values that had quotes within
	stats   Stats
}

// begin starts anew at a position.
func (s *rows) begin(at Position, want []string, live bool) {
	*s = rows{
		want: want, pos: at, from: at.Offset, live: live, slow: true, known: at.Offset > 0, given: -1,
		marks: s.marks, plain: s.plain, scratch: s.scratch, values: s.values,
	}
	if s.values == nil {
		s.values = make([][]byte, len(want))
	}
	s.compile()
}

// feed replaces the block by one that begins at the position.
func (s *rows) feed(block []byte, last bool) {
	s.block, s.p, s.last = block, 0, last
	s.seekNul()
}

func (s *rows) seekNul() {
	s.nul = len(s.block)
	if n := bytes.IndexByte(s.block[s.p:], 0); n >= 0 {
		s.nul = s.p + n
	}
}

// next goes to the next row of the block, and reports whether there is one.
func (s *rows) next() bool {
	s.held, s.atNul = false, false
	for {
		line, ok := s.cut()
		if !ok {
			return s.none()
		}
		line = trim(line)
		switch {
		case len(line) == 0:
		case line[0] == '#':
			if !s.unended {
				s.directive(line)
			}
		case s.split(line):
			s.stats.Rows++
			return true
		case s.held:
			return s.none()
		}
	}
}

// none: there is no row.
func (s *rows) none() bool {
	s.text, s.quoted = nil, false
	return false
}

// trim takes off what belongs to no column: the CR of a line's end, and the mark
// of files that were put together.
func trim(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	if len(line) > 0 && line[0] == utf8BOM[0] {
		line = bytes.TrimPrefix(line, []byte(utf8BOM))
	}
	return line
}

// cut takes the next line off the block, without its LF. It is not ok if the
// block has no whole one.
func (s *rows) cut() (line []byte, ok bool) {
	rest := s.block[s.p:]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 || n > MaxRow || s.p+n > s.nul || s.slow {
		return s.cutSlow()
	}
	s.enter()
	s.consume(n + 1)
	s.pos.Line++
	return rest[:n], true
}

// enter notes that a line begins here.
func (s *rows) enter() {
	s.line, s.offset, s.unended = s.pos.Line+1, s.pos.Offset, false
}

func (s *rows) consume(n int) {
	s.p += n
	s.pos.Offset += int64(n)
}

// cutSlow is cut where the next line is not plainly there: in UTF-16, among
// NULs, at the start and the end of a file, in a line that is too long.
func (s *rows) cutSlow() (line []byte, ok bool) {
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
		case s.pos.Skip || end > MaxRow:
			s.skip(end, whole)
			if !whole {
				return nil, false
			}
		case whole:
			line = s.take(rest[:end], s.pos.Encoding.width())
			s.pos.Line++
			return line, true
		case s.last && len(rest) > 0:
			line = s.take(rest[:end], len(rest)-end)
			s.unended = true
			return line, true
		default:
			return nil, false
		}
	}
}

// take consumes a line and its end, and returns it in UTF-8.
func (s *rows) take(raw []byte, end int) []byte {
	s.enter()
	s.consume(len(raw) + end)
	if s.pos.Encoding == UTF8 {
		return raw
	}
	s.plain = s.pos.Encoding.appendPlain(s.plain[:0], raw)
	return s.plain
}

// skip consumes a line that is too long, as far as the block has it.
func (s *rows) skip(end int, whole bool) {
	if !s.pos.Skip {
		s.enter()
		s.reject(Long)
	}
	s.consume(end)
	s.pos.Skip, s.slow = !whole, true
	if whole {
		s.consume(s.pos.Encoding.width())
		s.pos.Line++
	}
}

// passNul passes over NULs, and what stands before them in their line: a system
// may make a file longer before it is written, so in a live file they are yet to
// be filled, and in a finished one the writer never came so far.
func (s *rows) passNul(rest []byte, nul int) bool {
	if s.pos.Skip || nul > MaxRow {
		s.skip(nul, false)
		rest, nul = rest[nul:], 0
	}
	if s.waits(s.p + nul) {
		return false
	}
	if nul > 0 {
		s.enter()
		s.reject(Cut)
	}
	run := s.pos.Encoding.nuls(rest[nul:])
	s.consume(nul + run)
	s.stats.Nul += int64(run)
	s.pos.Skip = false
	if s.given >= 0 && len(s.block)-s.p < s.pos.Encoding.width() {
		s.given = s.pos.Offset // more of them may follow
	}
	s.seekNul()
	return true
}

// waits reports, and notes, that the NUL at block[i] is yet to be filled.
func (s *rows) waits(i int) bool {
	s.atNul = s.live && s.at(i) != s.given
	return s.atNul
}

// at is the Offset of block[i].
func (s *rows) at(i int) int64 { return s.pos.Offset + int64(i-s.p) }
