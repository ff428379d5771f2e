package follow

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
)

// meet finds out which of the files in the folder are those that are followed,
// whatever their names are now, and opens those that may have something new. The
// surest ways come first.
func (d *Folder[T, P]) meet(now time.Time, root *os.Root, seen []sight) (faults []error) {
	opened := d.unbind()
	left := map[string]int64{}
	try := func(way func(sight) (bool, error)) {
		seen = slices.DeleteFunc(seen, func(s sight) bool {
			ok, err := way(s)
			if err != nil {
				faults = append(faults, err)
			}
			return ok
		})
	}
	try(func(s sight) (bool, error) { return d.byHandle(d.named[s.name], s), nil })
	opened = slices.DeleteFunc(opened, func(f *file[T, P]) bool { return f.bound })
	try(func(s sight) (bool, error) { return d.byHandle(opened, s), nil })
	try(func(s sight) (bool, error) { return d.byName(now, root, d.named[s.name], s) })
	slices.SortFunc(seen, compareSights) // of many that are new the older are first
	try(func(s sight) (bool, error) { return true, d.byContent(now, root, s, left) })

	d.left, d.begun = left, true
	for _, f := range d.files {
		if !f.bound && f.gone.IsZero() {
			f.gone = now
		}
	}
	d.arrange()
	return faults
}

// unbind begins a new round, and returns the files that are open.
func (d *Folder[T, P]) unbind() (opened []*file[T, P]) {
	for _, f := range d.files {
		f.bound = false
		if f.open != nil {
			opened = append(opened, f)
		}
	}
	d.opened = len(opened)
	return opened
}

// refused stands in Folder.left for a file that could not be read when all was
// history, and so still is.
const refused = -1

// byHandle takes s for one of the files, if that is open as it.
func (d *Folder[T, P]) byHandle(files []*file[T, P], s sight) bool {
	for _, f := range files {
		if f.open != nil && !f.bound && d.stillOpen(f, s) {
			d.bind(f, s)
			return true
		}
	}
	return false
}

// byName takes s for one of the files at rest that had its name, if it is.
func (d *Folder[T, P]) byName(now time.Time, root *os.Root, files []*file[T, P], s sight) (bool, error) {
	for _, f := range files {
		if f.open != nil || f.bound {
			continue
		}
		if ok, err := d.stillAtRest(now, root, f, s); ok {
			d.bind(f, s)
			return true, err
		}
	}
	return false, nil
}

// stillOpen reports whether s is what f has open. A file that is that and has
// other bytes now was truncated: f is at rest then, for a copy of it may turn up.
func (d *Folder[T, P]) stillOpen(f *file[T, P], s sight) bool {
	info, err := f.open.Stat()
	if err != nil || !os.SameFile(info, s.info) {
		return false
	}
	if (info.Size() != f.size || !info.ModTime().Equal(f.mod)) && !f.same() {
		d.rest(f)
		return false
	}
	return true
}

// stillAtRest likewise for a file that is not open, and opens it if there may be
// something new. What cannot be opened is what it was, and so is for now what comes
// when enough are open.
func (d *Folder[T, P]) stillAtRest(now time.Time, root *os.Root, f *file[T, P], s sight) (ok bool, err error) {
	if !s.newest && !s.turn && f.unchanged(s) {
		return true, nil
	}
	if d.full() {
		return true, nil
	}
	c, err := open(root, s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // renamed since the folder was listed
	}
	if err != nil {
		return true, err
	}
	if d.fitting(c, f) != f {
		return false, c.h.Close()
	}
	if !s.newest && c.size == f.saved.Size && f.quietSince(s) {
		f.listed = s
		return true, c.h.Close()
	}
	d.begin(now, f, c, s)
	return true, nil
}

func (f *file[T, P]) unchanged(s sight) bool {
	return f.listed.info != nil && f.listed.info.Size() == s.info.Size() && f.quietSince(s)
}

// quietSince reports whether the folder shows no later writing.
func (f *file[T, P]) quietSince(s sight) bool {
	if f.listed.info == nil {
		return f.saved.At == nil // or it was open, and NULs may have been filled since
	}
	return f.listed.info.ModTime().Equal(s.info.ModTime())
}

// byContent finds out what an unknown file is, and opens it if there may be
// something new. In left stands what is to be known of it in the next poll. When
// enough are open it stays unknown: to look at all of many each time takes long.
func (d *Folder[T, P]) byContent(now time.Time, root *os.Root, s sight, left map[string]int64) error {
	history := !d.o.FromStart && (!d.begun || d.left[s.name] == refused)
	if !history && d.full() {
		if size, ok := d.left[s.name]; ok {
			left[s.name] = size
		}
		return nil
	}
	c, err := open(root, s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // renamed since the folder was listed
	}
	if err != nil && history {
		left[s.name] = refused
	}
	if err != nil {
		return err
	}
	f := d.whose(c, s, history, left)
	if f == nil {
		return c.h.Close()
	}
	d.bind(f, s)
	if !s.newest && f.saved.Offset == c.size {
		f.saved.Size = c.size
		return c.h.Close()
	}
	d.begin(now, f, c, s)
	return nil
}

// whose is the file that c is: one that was renamed, a copy, or a new one. It is
// nil if it cannot be told yet.
func (d *Folder[T, P]) whose(c *content, s sight, history bool, left map[string]int64) *file[T, P] {
	if c.written == 0 || d.linked(s) { // a copy too begins with nothing
		return nil
	}
	if history {
		return d.asRead(c)
	}
	if d.copied(c) {
		if d.left[s.name] != c.size {
			left[s.name] = c.size // it may be copied yet
			return nil
		}
		return d.asRead(c)
	}
	if f := d.fitting(c, nil); f != nil {
		d.rest(f)
		return f
	}
	return d.add(Saved[P]{})
}

// full reports that enough are open. Then there are more, for a later poll.
func (d *Folder[T, P]) full() bool {
	full := d.opened >= maxOpen
	d.waiting = d.waiting || full
	return full
}

// begin wakes f, if not too many are awake. If all that it has was met, nothing is
// read until it grows.
func (d *Folder[T, P]) begin(now time.Time, f *file[T, P], c *content, s sight) {
	if d.full() {
		c.h.Close()
		return
	}
	d.opened++
	f.listed = s
	d.wake(now, f, c.h)
	if f.past > 0 && f.past == c.size {
		f.size, f.mod = c.size, c.mod
	}
}

func (d *Folder[T, P]) add(v Saved[P]) *file[T, P] {
	f := &file[T, P]{saved: v}
	d.files = append(d.files, f)
	return f
}

// asRead is a new file of which all was met that is written.
func (d *Folder[T, P]) asRead(c *content) *file[T, P] {
	m, _ := markAt(c.h, c.written)
	return d.add(Saved[P]{Offset: c.written, Size: c.written, Mark: m.sum()})
}

// fitting is, of the files that are not found yet, the one that c has the bytes
// of, nil for none. Of some it is that which was read farthest, as others may
// have but a header in common with it; before is what is no worse than another.
func (d *Folder[T, P]) fitting(c *content, before *file[T, P]) (best *file[T, P]) {
	if before != nil && c.fits(before.saved.Mark, before.saved.Offset) {
		best = before
	}
	for _, f := range d.files {
		if f.bound {
			continue
		}
		v := f.now()
		if v.Mark.Foot > 0 && (best == nil || v.Offset > best.now().Offset) && c.fits(v.Mark, v.Offset) {
			best = f
		}
	}
	return best
}

// linked reports whether s is another name of a file that is read.
func (d *Folder[T, P]) linked(s sight) bool {
	return slices.ContainsFunc(d.files, func(f *file[T, P]) bool {
		if f.open == nil {
			return false
		}
		info, err := f.open.Stat()
		return err == nil && os.SameFile(info, s.info)
	})
}

// copied reports whether c is a copy of a file that is still there, whole or
// as far as it goes: its rows were met, or will be, in the other.
func (d *Folder[T, P]) copied(c *content) bool {
	head := c.head[:min(c.written, headLen)]
	n := min(c.written, footLen)
	foot, _ := part(c.h, c.written-n, int(n))
	for _, f := range d.files {
		v := f.saved
		switch {
		case !f.bound:
		case f.open != nil:
			if has(f.open, 0, head) && has(f.open, c.written-n, foot) {
				return true
			}
		case v.Mark.Head > 0 && v.Offset <= c.written && c.written <= v.Size:
			if c.fits(v.Mark, v.Offset) {
				return true
			}
		}
	}
	return false
}

// bind notes that the folder has f, as s.
func (d *Folder[T, P]) bind(f *file[T, P], s sight) {
	d.mixed = d.mixed || f.saved.Name != s.name
	f.saved.Name, f.key, f.bound, f.newest, f.gone = s.name, s.key, true, s.newest, time.Time{}
}
