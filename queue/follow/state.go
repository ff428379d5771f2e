package follow

import (
	"errors"
	"fmt"
)

// A State is what a Folder knows of its files. It is a plain value that survives
// JSON. A program that starts with it meets every row that was written since,
// and no other; with an older one, the rows since that again.
type State[P any] struct {
	Dir   string     // the folder
	Files []Saved[P] // in the order of their names; those that are gone are not in it
}

// A Saved is what is known of one file: all rows that end at or before Offset
// were met.
type Saved[P any] struct {
	Name   string
	Offset int64
	Size   int64 // when it was last read
	Mark   Mark
	At     *P `json:",omitempty"` // the format's position at Offset; nil for a file at rest, which is read from its start when it grows
}

// ErrState is the error of a state that no Folder wrote.
var ErrState = errors.New("state of followed files is damaged")

// State is what d knows now, of all rows that it has called each for.
func (d *Folder[T, P]) State() State[P] {
	s := State[P]{Dir: d.o.Dir}
	for _, f := range d.files {
		v := f.now()
		if f.open == nil && !f.newest {
			v.At = nil
		}
		s.Files = append(s.Files, v)
	}
	return s
}

// Load makes d go on from a state. It is for before the first Poll. A state of
// another folder is none. The error wraps [ErrState], and leaves d as it was.
func (d *Folder[T, P]) Load(s State[P]) error {
	if s.Dir != d.o.Dir {
		return nil
	}
	var files []*file[T, P]
	for i, v := range s.Files {
		if err := v.check(); err != nil {
			return fmt.Errorf("file %d, %q: %w", i, v.Name, ErrState)
		}
		if v.At != nil && d.format.Offset(*v.At) != v.Offset {
			v.At = nil
		}
		files = append(files, &file[T, P]{saved: v})
	}
	d.files, d.begun, d.mixed = files, true, true
	d.arrange()
	return nil
}

// check refuses what would read outside of a file or much of it.
func (v Saved[P]) check() error {
	m := v.Mark
	if v.Name == "" || v.Size < 0 || m.Head < 0 || m.Head > headLen || m.Foot < 0 || m.Foot > footLen || int64(max(m.Head, m.Foot)) > v.Offset {
		return ErrState
	}
	return nil
}
