package w3c

import (
	"io"
	"slices"
)

// A Reader reads a file that nobody writes to any more. NULs in it are passed
// over: the writer never came so far. A last line without an end is a row if it
// has all columns (see [Reader.Unended]). Its memory is bounded whatever the
// file holds. It is for one goroutine.
type Reader struct{ rows }

// NewReader makes a reader of src, which begins at the position at, that looks
// up the wanted columns: those of [Reader.Field] 0, 1 and so on. It reads nothing.
func NewReader(src io.Reader, at Position, want ...string) *Reader {
	r := &Reader{rows{want: slices.Clone(want)}}
	r.Reset(src, at)
	return r
}

// Reset makes r what [NewReader] would with the same columns, but keeps its memory.
func (r *Reader) Reset(src io.Reader, at Position) { r.begin(src, at) }

// Next goes to the next row. It reports false at the end of the file, and
// when it cannot be read on: see [Reader.Err].
func (r *Reader) Next() bool { return r.next() }

// Err is why reading ended before the file did, nil if it did not.
func (r *Reader) Err() error { return r.in.Err() }
