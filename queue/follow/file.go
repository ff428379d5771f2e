package follow

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// A file is one that is followed. While it is open it has a tail; at rest it is
// what is saved of it.
type file[T Tail[P], P any] struct {
	saved  Saved[P]
	listed sight // as the folder showed it when it was last looked at
	bound  bool  // the folder has it
	newest bool  // it is one of those that stay open
	gone   time.Time

	open   *os.File
	tail   T
	offset int64 // of the tail
	mark   mark  // at it
	past   int64 // rows that end here or before were met; 0 when the tail is behind it
	size   int64 // when it was last read, -1 if it was not
	mod    time.Time
	grew   time.Time
	more   bool // there is more to read

	waits bool // at a NUL
	nul   int64
	since time.Time // when that NUL began to wait; zero while nothing is behind it
}

// now is f as it is to be saved.
func (f *file[T, P]) now() Saved[P] {
	if f.open == nil || f.past > 0 {
		return f.saved
	}
	at := f.tail.Position()
	return Saved[P]{f.saved.Name, f.offset, max(f.size, 0), f.mark.sum(), &at}
}

// same reports whether what is open is still the file that f was.
func (f *file[T, P]) same() bool {
	if !f.mark.holds(f.open, f.offset) {
		return false
	}
	_, ok := f.saved.Mark.load(f.open, f.saved.Offset)
	return ok || f.past == 0
}

// wake begins to read f, which is open now as h. A position that is saved needs
// no more; without one all is read again, for what a format must know of the part before.
func (d *Folder[T, P]) wake(now time.Time, f *file[T, P], h *os.File) {
	var start P
	f.open, f.offset, f.mark, f.past, f.size, f.grew, f.waits = h, 0, mark{}, f.saved.Offset, -1, now, false
	if f.saved.At != nil {
		if m, ok := f.saved.Mark.load(h, f.saved.Offset); ok {
			start, f.offset, f.mark, f.past = *f.saved.At, f.saved.Offset, m, 0
		}
	}
	f.tail = d.format.Open(start)
}

// rest closes f, and keeps of it what is saved.
func (d *Folder[T, P]) rest(f *file[T, P]) {
	if f.open == nil {
		return
	}
	f.saved = f.now()
	f.open.Close()
	var none T
	f.open, f.tail, f.more, f.waits = nil, none, false, false
}

// read hands on what is new in f, as far as the budget goes.
func (d *Folder[T, P]) read(now time.Time, f *file[T, P], each func(string, T)) (more bool, err error) {
	if f.open == nil {
		return false, nil
	}
	info, err := f.open.Stat()
	if err != nil {
		return false, fmt.Errorf("%s: %w", f.saved.Name, err)
	}
	if !f.more && !f.waits && info.Size() == f.size && info.ModTime().Equal(f.mod) {
		return false, nil
	}
	f.size, f.mod, f.more = info.Size(), info.ModTime(), false
	for {
		if d.budget <= 0 {
			f.more = true
			return true, nil
		}
		block, err := d.block(f)
		if err != nil {
			f.size = -1 // the next poll looks whether it is another file
			return false, err
		}
		if moved := d.feed(now, f, block, each); !moved || len(block) < blockLen {
			return false, nil
		}
	}
}

// block is what stands behind f's offset. It is empty if the file is not what it
// was: that is looked at after reading, so that what was read is known to be of the old one.
func (d *Folder[T, P]) block(f *file[T, P]) ([]byte, error) {
	if d.buf == nil {
		d.buf = make([]byte, footLen+blockLen)
	}
	foot := len(f.mark.foot)
	n, err := f.open.ReadAt(d.buf[:foot+blockLen], f.offset-int64(foot))
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: read at byte %d: %w", f.saved.Name, f.offset, err)
	}
	d.budget -= n
	if n < foot || !bytes.Equal(d.buf[:foot], f.mark.foot) || !has(f.open, 0, f.mark.head) {
		f.size = -1
		return nil, nil
	}
	return d.buf[foot:n], nil
}

// feed hands on the rows of a block, and reports whether it brought f on.
func (d *Folder[T, P]) feed(now time.Time, f *file[T, P], block []byte, each func(string, T)) (moved bool) {
	f.tail.Feed(block)
	for d.next(now, f, block) {
		if f.past == 0 || d.at(f) > f.past {
			each(f.saved.Name, f.tail)
		}
	}
	at := d.at(f)
	moved = at > f.offset
	f.mark.add(f.offset, block[:at-f.offset])
	f.offset = at
	if at >= f.past {
		f.past = 0
	}
	if moved {
		f.grew = now
	}
	return moved
}

func (d *Folder[T, P]) at(f *file[T, P]) int64 { return d.format.Offset(f.tail.Position()) }

// next goes to the next row, over NULs that are given up.
func (d *Folder[T, P]) next(now time.Time, f *file[T, P], block []byte) bool {
	for skipped := int64(-1); ; {
		if f.tail.Next() {
			f.waits = false
			return true
		}
		if f.waits = f.tail.AtNul(); !f.waits {
			return false
		}
		at := d.at(f)
		nul := at + int64(max(0, bytes.IndexByte(block[at-f.offset:], 0)))
		if nul == skipped || !d.givesUp(now, f, nul) {
			return false
		}
		f.tail.SkipNul()
		skipped = nul
	}
}

// givesUp reports whether nobody will fill the NUL at an offset: because it was
// met before, or because for long enough there is something behind it. A writer
// that makes its file longer ahead may take its time while there is nothing.
func (d *Folder[T, P]) givesUp(now time.Time, f *file[T, P], nul int64) bool {
	switch {
	case nul < f.past:
		return true
	case written(f.open, f.size) <= nul:
		f.since = time.Time{}
		return false
	case f.since.IsZero() || nul != f.nul:
		f.nul, f.since = nul, now
	}
	return now.Sub(f.since) >= d.o.NulWait
}

// written is the size of a file without the NULs at its end, as far as they
// are looked at: a MiB.
func written(f io.ReaderAt, size int64) int64 {
	for low := max(0, size-1<<20); size > low; {
		n := min(size-low, 64<<10)
		b, ok := part(f, size-n, int(n))
		if b = bytes.TrimRight(b, "\x00"); !ok || len(b) > 0 {
			return size - n + int64(len(b))
		}
		size -= n
	}
	return size
}

func (d *Folder[T, P]) sort() {
	slices.SortStableFunc(d.files, func(a, b *file[T, P]) int { return compareNames(a.saved.Name, b.saved.Name) })
}
