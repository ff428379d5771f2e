package follow

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"
)

// A file is one that is followed. While it is open it has a tail; at rest it is
// what is saved of it.
type file[T Tail[P], P any] struct {
	saved  Saved[P]
	key    string // its name without regard to case; empty: the folder never had it
	listed sight  // as the folder showed it when it was last looked at
	bound  bool   // the folder has it
	newest bool   // it is one of those that stay open
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

	waits bool // for the writer, with bytes that are there already
	at    int64
	since time.Time // when it began to wait at that offset; zero while nothing is behind it
	said  bool      // that it is none of the format
}

// expects reports that the time is running in which what is behind NULs or a quote
// is not read. Who closes f stops it.
func (f *file[T, P]) expects() bool { return f.waits && !f.since.IsZero() }

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
			return false, f.foreign()
		}
	}
}

// A ForeignError says that a file is none of the format. It is told once.
type ForeignError struct {
	File string
	Err  error // what its tail says
}

// Error is the file and what is wrong with it.
func (e *ForeignError) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap is what the tail says.
func (e *ForeignError) Unwrap() error { return e.Err }

// foreign is why f is none of the format, once.
func (f *file[T, P]) foreign() error {
	t, ok := any(f.tail).(interface{ Err() error })
	if !ok || f.said || t.Err() == nil {
		return nil
	}
	f.said = true
	return &ForeignError{f.saved.Name, t.Err()}
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

// next goes to the next row, over NULs and quotes that are given up.
func (d *Folder[T, P]) next(now time.Time, f *file[T, P], block []byte) bool {
	for given := int64(-1); ; {
		if f.tail.Next() {
			f.waits = false
			return true
		}
		if f.waits = f.tail.Waiting(); !f.waits {
			return false
		}
		at := d.at(f)
		if at > f.offset && len(block) == blockLen {
			return false // the next block may have what is missing
		}
		at += int64(max(0, bytes.IndexByte(block[at-f.offset:], 0))) // else it is a quote in the row there
		if at == given || !d.givesUp(now, f, at) {
			return false
		}
		f.tail.GiveUp()
		given = at
	}
}

// givesUp reports whether nobody will write what is waited for at an offset:
// because it was met before, or because for long enough there is something behind
// it. A writer that makes its file longer ahead may take its time while there is
// nothing.
func (d *Folder[T, P]) givesUp(now time.Time, f *file[T, P], at int64) bool {
	low := max(at, f.size-lookLen)
	switch {
	case at < f.past:
		return true
	case written(f.open, f.size, low) == low: // or far away
		f.since = time.Time{}
		return false
	case f.since.IsZero() || at != f.at:
		f.at, f.since = at, now
	}
	return now.Sub(f.since) >= d.o.Wait
}
