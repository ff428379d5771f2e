// Package lines takes log files apart into lines, and is what the formats of
// one row a line have in common: files that are finished or still written, in
// bytes or in UTF-16, with NULs where the writer has not been yet, with lines
// that are cut or too long. It knows where it is in a file, and what it must
// know to go on from there. It reads the values too that all formats write alike.
//
// Start with [Scanner].
package lines

import "bytes"

// Block is how many bytes are read at once, if a [Scanner] does not say another
// number: well over the longest row, and small enough to stay in the
// processor's second cache.
const Block = 256 << 10

// A Position says where in a file a reader is. The zero Position is the start of
// a file. It is a plain value that can be written down, and compared.
type Position struct {
	Offset   int64    // in bytes from the start of the file; the start of a row, if not Skip
	Line     int64    // line ends before Offset
	Encoding Encoding // of the file
	Skip     bool     // Offset is within a line that is too long
}

// Trim takes off what belongs to no column: the CR of a line's end, and the mark
// of files that were put together.
func Trim(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	if len(line) > 0 && line[0] == utf8BOM[0] {
		line = bytes.TrimPrefix(line, []byte(utf8BOM))
	}
	return line
}
