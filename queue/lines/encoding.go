package lines

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// An Encoding says how a file stores its characters. Services write bytes as they
// come; UTF-16 is what some tools make of a file when they save it again.
type Encoding uint8

// The encodings that are read. UTF8 stands for all that are written in bytes:
// what is no UTF-8 stays as it is.
const (
	UTF8 Encoding = iota
	UTF16LE
	UTF16BE
)

const utf8BOM = "\xef\xbb\xbf"

// sniff decides the encoding by the first four bytes of a file, with or without
// a byte order mark. It reports false if they are not there yet.
func (s *Scanner) sniff() bool {
	b := s.block[s.p:]
	if len(b) < 4 && !s.last {
		return false
	}
	e, mark := sniffed(b)
	if nul := bytes.IndexByte(b[:min(4, len(b))], 0); e == UTF8 && nul >= 0 && s.waits(s.p+nul) {
		return false // they are not written yet
	}
	s.known, s.pos.Encoding = true, e
	s.consume(mark)
	return true
}

// sniffed is the encoding that b begins like, and the length of its mark.
func sniffed(b []byte) (e Encoding, mark int) {
	switch {
	case bytes.HasPrefix(b, []byte(utf8BOM)):
		return UTF8, len(utf8BOM)
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return UTF16LE, 2
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return UTF16BE, 2
	case len(b) < 4:
		return UTF8, 0
	case b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		return UTF16LE, 0
	case b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		return UTF16BE, 0
	}
	return UTF8, 0
}

// width is the length of a unit in bytes.
func (e Encoding) width() int {
	if e == UTF8 {
		return 1
	}
	return 2
}

// whole is the length of the whole units in n bytes.
func (e Encoding) whole(n int) int { return n - n%e.width() }

// unit is the UTF-16 unit that b begins with.
func (e Encoding) unit(b []byte) uint16 {
	if e == UTF16BE {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// line is the length of the line that b begins with, in bytes without its LF,
// and whether the LF is there.
func (e Encoding) line(b []byte) (n int, whole bool) {
	if n = e.index(b, '\n'); n >= 0 {
		return n, true
	}
	return e.whole(len(b)), false
}

// index is where in b the first unit c stands, -1 for nowhere.
func (e Encoding) index(b []byte, c byte) int {
	if e == UTF8 {
		return bytes.IndexByte(b, c)
	}
	for i := 0; i+1 < len(b); i += 2 {
		if e.unit(b[i:]) == uint16(c) {
			return i
		}
	}
	return -1
}

// nuls is the length of the NULs that b begins with, in bytes.
func (e Encoding) nuls(b []byte) int {
	n := 0
	for n < len(b) && b[n] == 0 {
		n++
	}
	return e.whole(n)
}

// appendPlain appends UTF-16 to dst as UTF-8; half a surrogate pair becomes the
// replacement character.
func (e Encoding) appendPlain(dst, b []byte) []byte {
	for ; len(b) >= 2; b = b[2:] {
		r := rune(e.unit(b))
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if len(b) >= 4 {
				pair = utf16.DecodeRune(r, rune(e.unit(b[2:])))
			}
			if r = pair; pair != utf8.RuneError {
				b = b[2:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
