package lines

import (
	"bytes"
	"fmt"
	"io"
)

// A Scanner takes the lines off a file. It reads a finished one by itself; of
// one that is still written it is fed blocks, and consumes whole rows alone, and
// nothing from the first NUL on. Its memory is bounded whatever the file holds,
// and a line costs no allocation. It is for one goroutine.
type Scanner struct {
	Max   int   // bytes that a line may have, its LF not counted; a longer one is rejected
	Block int   // bytes read at once, more than Max by two or more; 0 for [Block]
	Count Stats // of what was found; rows and headers, and what is no row, are the format's to count

	src  io.Reader // of a finished file; nil for one that is fed
	buf  []byte
	err  error
	pos  Position // of block[p:]
	from int64    // the Offset that it began at

	block []byte
	p     int   // all before it is consumed
	nul   int   // where the next NUL of block is, its length for none; not for UTF-16
	given int64 // the Offset of NULs that are given up, though the file is live; -1 for none
	last  bool  // nothing follows block
	slow  bool  // the next line may need more than its end looked for
	known bool  // the encoding is
	held  bool  // the row was put back: its end is not there yet
	atNul bool  // the last row that was asked for waits for NULs to be filled
	open  bool  // or, if not, for the end of a row that is doubted
	cut   int64 // the Offset of a row whose end is given up; -1 for none

	line, offset int64
	unended      bool

	plain []byte // a row of UTF-16 in UTF-8
}

// Begin starts anew at a position of a finished file, which src gives from there
// on; or of one that is still written and will be fed, if src is nil. It keeps
// the memory, and reads nothing.
func (s *Scanner) Begin(src io.Reader, at Position) {
	*s = Scanner{
		Max: s.Max, Block: s.Block, src: src, buf: s.buf, plain: s.plain,
		pos: at, from: at.Offset, slow: true, known: at.Offset > 0, given: -1, cut: -1,
	}
	if s.Block == 0 {
		s.Block = Block
	}
	if s.buf == nil && src != nil {
		s.buf = make([]byte, s.Block)
	}
}

// Feed gives s what stands in a live file from the position on. The block must
// not be changed before the next call. It may be cut anywhere; one that is longer
// than Max by two bytes always brings s on, unless it waits for the writer.
func (s *Scanner) Feed(block []byte) { s.feed(block, false) }

// feed replaces the block by one that begins at the position.
func (s *Scanner) feed(block []byte, last bool) {
	s.block, s.p, s.last, s.atNul, s.open = block, 0, last, false, false
	s.seekNul()
}

func (s *Scanner) seekNul() {
	s.nul = len(s.block)
	if n := bytes.IndexByte(s.block[s.p:], 0); n >= 0 {
		s.nul = s.p + n
	}
}

// fill feeds the rest of the block, which is no whole row, and what follows it.
func (s *Scanner) fill() bool {
	if s.src == nil || s.last || s.err != nil {
		return false
	}
	kept := copy(s.buf, s.block[s.p:])
	n, err := io.ReadFull(s.src, s.buf[kept:])
	end := err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !end {
		s.err = fmt.Errorf("read at byte %d: %w", s.pos.Offset+int64(kept+n), err)
	}
	s.feed(s.buf[:kept+n], end)
	return true
}

// Next gives the next line that is not blank, trimmed as [Trim] does and in
// UTF-8 if the file is in UTF-16. It may be used until the next call. It is not
// ok at the end of a file, where it cannot be read on (see [Scanner.Err]), and
// where the block has no more.
func (s *Scanner) Next() (line []byte, ok bool) {
	for {
		rest := s.block[s.p:]
		n := bytes.IndexByte(rest, '\n')
		if n < 0 || n > s.Max || s.p+n > s.nul || s.slow {
			if line, ok = s.nextSlow(); !ok {
				return nil, false
			}
		} else {
			s.enter()
			s.consume(n + 1)
			s.pos.Line++
			line = rest[:n]
		}
		if line = Trim(line); len(line) > 0 {
			return line, true
		}
	}
}

// enter notes that a line begins here.
func (s *Scanner) enter() {
	s.line, s.offset, s.unended = s.pos.Line+1, s.pos.Offset, false
}

func (s *Scanner) consume(n int) {
	s.p += n
	s.pos.Offset += int64(n)
}

// Line is the number of the row's first line, from 1, as an editor shows it.
func (s *Scanner) Line() int64 { return s.line }

// Offset is where in the file the row begins, in bytes.
func (s *Scanner) Offset() int64 { return s.offset }

// Unended reports that the row's line has no end, which only the last of a
// finished file may lack: its last value may be cut short.
func (s *Scanner) Unended() bool { return s.unended }

// Position is where all is consumed: a scanner that begins there sees what comes
// next and nothing twice.
func (s *Scanner) Position() Position { return s.pos }

// Stats are the counts so far.
func (s *Scanner) Stats() Stats {
	s.Count.Bytes = s.pos.Offset - s.from
	return s.Count
}

// Err is why reading ended before the file did, nil if it did not.
func (s *Scanner) Err() error { return s.err }
