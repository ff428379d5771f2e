package exlog

import (
	"fmt"
	"io"
	"slices"
)

// blockLen is how much is read at once: well over MaxRow, and small enough to
// stay in the processor's second cache.
const blockLen = 256 << 10

// A Reader reads a file that nobody writes to any more. NULs in it are passed
// over: the writer never came so far. A last line without an end is a row if it
// has all columns (see [Reader.Unended]). Its memory is bounded whatever the
// file holds. It is for one goroutine.
type Reader struct {
	rows
	src io.Reader
	buf []byte
	err error
}

// NewReader makes a reader of src, which begins at the position at, that looks
// up the wanted columns: those of [Reader.Field] 0, 1 and so on. It reads nothing.
func NewReader(src io.Reader, at Position, want ...string) *Reader {
	r := &Reader{buf: make([]byte, blockLen)}
	r.want = slices.Clone(want)
	r.Reset(src, at)
	return r
}

// Reset makes r what [NewReader] would with the same columns, but keeps its memory.
func (r *Reader) Reset(src io.Reader, at Position) {
	r.src, r.err = src, nil
	r.begin(at, r.want, false)
}

// Next goes to the next row. It reports false at the end of the file, and
// when it cannot be read on: see [Reader.Err].
func (r *Reader) Next() bool {
	for !r.next() {
		if !r.fill() {
			return false
		}
	}
	return true
}

// Err is why reading ended before the file did, nil if it did not.
func (r *Reader) Err() error { return r.err }

// fill feeds the rest of the block, which is no whole row, and what follows it.
func (r *Reader) fill() bool {
	if r.last || r.err != nil {
		return false
	}
	kept := copy(r.buf, r.block[r.p:])
	n, err := io.ReadFull(r.src, r.buf[kept:])
	end := err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !end {
		r.err = fmt.Errorf("read at byte %d: %w", r.pos.Offset+int64(kept+n), err)
	}
	r.feed(r.buf[:kept+n], end)
	return true
}
