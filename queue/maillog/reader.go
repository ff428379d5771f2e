package maillog

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"evenkeel/queue/exlog"
	"evenkeel/queue/w3c"
)

// A Reader reads a file that nobody writes to any more, as [w3c.Reader] and
// [exlog.Reader] do. Its memory is bounded whatever the file holds. It is for one
// goroutine.
type Reader struct {
	rows
	file     io.Reader
	head     head
	w        *w3c.Reader
	x        *exlog.Reader
	inSystem bool // w reads, not x
}

// NewReader makes a reader of src, which begins at the position at. It reads
// nothing.
func NewReader(src io.Reader, at Position) *Reader {
	r := &Reader{}
	r.Reset(src, at)
	return r
}

// Reset makes r what [NewReader] would, but keeps its memory.
func (r *Reader) Reset(src io.Reader, at Position) {
	r.file = src
	r.head = head{src: src, kept: r.head.kept[:0]}
	r.begin(at)
}

// Next goes to the next row. It reports false at the end of the file, and when it
// cannot be read on, or is no log that is known: see [Reader.Err].
func (r *Reader) Next() bool {
	if r.src == nil && !r.open() {
		return false
	}
	return r.next()
}

// Err is why reading ended before the file did, nil if it did not. Of a file
// that is no log that is known it wraps [ErrKind] and names what was seen; a file
// with nothing in it is no error.
func (r *Reader) Err() error {
	switch {
	case r.err != nil:
		return r.err
	case r.src == nil:
		return nil
	case r.inSystem:
		return r.w.Err()
	}
	return r.x.Err()
}

// open finds the kind, unless it is known, and begins.
func (r *Reader) open() bool {
	if r.err != nil {
		return false
	}
	src, kind := r.file, r.at.Kind
	if kind == Unknown {
		if kind = r.find(); kind == Unknown {
			return false
		}
		src = &r.head
		r.table.last = kind
	}
	if kind.system() {
		r.openSystem(src)
	} else {
		r.openExchange(src)
	}
	return true
}

func (r *Reader) openSystem(src io.Reader) {
	if r.w == nil {
		r.w = w3c.NewReader(src, r.at.system(), systemColumns()...)
	} else {
		r.w.Reset(src, r.at.system())
	}
	r.src, r.inSystem = systemReader{r.w}, true
}

func (r *Reader) openExchange(src io.Reader) {
	if r.x == nil {
		r.x = exlog.NewReader(src, r.at.Position, exchangeColumns()...)
	} else {
		r.x.Reset(src, r.at.Position)
	}
	r.src, r.inSystem = exchangeReader{r.x}, false
}

// find reads as much as it needs to tell the kind, and keeps it for reading it
// again.
func (r *Reader) find() Kind {
	for {
		more, err := r.head.more()
		if err != nil {
			r.err = fmt.Errorf("read at byte %d: %w", r.at.Offset+int64(len(r.head.kept)), err)
			return Unknown
		}
		kind, sure := r.scout.look(r.head.kept, !more)
		if kind != Unknown {
			return kind
		}
		if sure {
			r.err = r.scout.err()
			return Unknown
		}
		r.passNul()
	}
}

// passNul leaves what was looked at up to its last NULs, of which a file may have
// any number.
func (r *Reader) passNul() {
	const run = "\x00\x00\x00\x00" // so many are in no text of UTF-16
	n := bytes.LastIndex(r.head.kept, []byte(run))
	if n >= 0 && len(r.head.kept) >= scoutLen {
		n += len(run)
		r.pass(r.head.kept[:n])
		r.head.kept = slices.Delete(r.head.kept, 0, n)
	}
}

// A head is a file of whose first bytes a copy is kept, to be read once more.
type head struct {
	src   io.Reader
	kept  []byte
	taken int // of kept, by Read
}

// more keeps further bytes, and reports whether others may follow. They are as many
// again, so that to look at all of them each time is no more than to look twice.
func (h *head) more() (bool, error) {
	n := len(h.kept)
	step := max(n, 8<<10)
	h.kept = slices.Grow(h.kept, step)[:n+step]
	got, err := io.ReadFull(h.src, h.kept[n:])
	h.kept = h.kept[:n+got]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return false, nil
	}
	return true, err
}

// Read gives what is kept, and then the rest.
func (h *head) Read(p []byte) (int, error) {
	if h.taken < len(h.kept) {
		n := copy(p, h.kept[h.taken:])
		h.taken += n
		return n, nil
	}
	return h.src.Read(p)
}
