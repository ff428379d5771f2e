// Package follow follows the files of a folder while they are written, renamed,
// truncated and replaced, and gives each file's bytes to the tail of a format, so
// that no row is lost and none is met twice: not when a new file begins, not when
// the program is started again. It knows files, and no format.
//
// Start with [New] and [Folder.Poll].
package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Tail reads the rows of one file that is still written, in one format. Feed
// gives it what stands in the file from its position on, the block of the last
// time included as far as it was not consumed. The position is behind the last
// row that Next went to, or before what waits for the writer: for the rest of a
// line, or, which Waiting tells, for NULs to be filled or a quote to be closed.
// GiveUp gives those up. P is a plain value that survives JSON; its zero is the
// start of a file. A method Err() error, if T has one, says that the file is none
// of the format.
type Tail[P any] interface {
	Feed(block []byte)
	Next() bool
	Waiting() bool
	GiveUp()
	Position() P
}

// A Format makes tails.
type Format[T Tail[P], P any] struct {
	Open   func(at P) T     // a tail at a position
	Offset func(at P) int64 // of a position, in bytes from the start of the file
}

// Options say what is followed.
type Options struct {
	Dir       string
	Patterns  []string      // as of [path/filepath.Match], without regard to case; a name has to match one
	FromStart bool          // without a state, what stands in the files is news too; else only what is written from now on is
	Wait      time.Duration // how long NULs may wait to be filled that have something behind them, or a quote to be closed; 0 is 10 minutes
}

// What bounds a Folder.
const (
	newest   = 8               // files by name that stay open: those that will be written
	quiet    = 5 * time.Minute // after which another file is closed
	grace    = time.Minute     // after which a file that is gone is forgotten
	maxOpen  = 64              // over half of it, files are closed as soon as they are read
	blockLen = 512 << 10       // is read at once; a row of a format must be shorter
	budget   = 16 << 20        // is read in one poll, and a block more
	patience = 10 * time.Minute
)

// A Folder follows the files of one folder. It is for one goroutine. It does
// nothing between two calls.
type Folder[T Tail[P], P any] struct {
	o       Options
	format  Format[T, P]
	files   []*file[T, P]            // in the order of their names
	named   map[string][]*file[T, P] // by their names
	mixed   bool                     // both are out of date
	begun   bool                     // what is new is news
	turn    int                      // whose turn it is to be looked at though it seems unchanged
	left    map[string]int64         // files that look like copies under way, and their sizes
	seen    []sight                  // the last listing's, for its memory
	buf     []byte
	budget  int  // what this poll may read yet
	opened  int  // files that are open
	waiting bool // there are more to open
}

// New makes a folder. It reads nothing.
func New[T Tail[P], P any](o Options, format Format[T, P]) *Folder[T, P] {
	if o.Wait == 0 {
		o.Wait = patience
	}
	o.Patterns = slices.Clone(o.Patterns)
	for i, p := range o.Patterns {
		o.Patterns[i] = strings.ToLower(p)
	}
	return &Folder[T, P]{o: o, format: format}
}

// Poll reads what is new, in the order of the files' names, and calls each for
// every row, with the tail at it. It reads some 16 MiB at most, and reports
// whether it left something. The error joins what could not be read; all else
// was, and a later call tries again. What the tail of a file says by Err is in it
// once. A folder that does not exist is [fs.ErrNotExist]; what it has when it
// comes is news. A pattern that is none is [filepath.ErrBadPattern].
func (d *Folder[T, P]) Poll(now time.Time, each func(file string, t T)) (more bool, err error) {
	for _, p := range d.o.Patterns {
		if _, err := filepath.Match(p, ""); err != nil {
			return false, fmt.Errorf("follow %s: pattern %q: %w", d.o.Dir, p, err)
		}
	}
	root, err := os.OpenRoot(d.o.Dir)
	if err != nil {
		d.begun = d.begun || errors.Is(err, fs.ErrNotExist)
		return false, fmt.Errorf("follow: %w", err)
	}
	defer root.Close()
	seen, err := d.list(root)
	if err != nil {
		return false, fmt.Errorf("follow %s: %w", d.o.Dir, err)
	}
	faults := d.meet(now, root, seen)
	more, d.waiting, d.budget = d.waiting, false, budget
	for _, f := range d.files {
		left, err := d.read(now, f, each)
		more = more || left
		faults = append(faults, err)
	}
	d.settle(now)
	if err := errors.Join(faults...); err != nil {
		return more, fmt.Errorf("follow %s: %w", d.o.Dir, err)
	}
	return more, nil
}

// Close closes the files. The next Poll goes on where the last one ended.
func (d *Folder[T, P]) Close() {
	for _, f := range d.files {
		d.rest(f)
	}
}

// settle closes files that nobody writes to, and forgets those that are gone.
func (d *Folder[T, P]) settle(now time.Time) {
	open, wait := 0, quiet
	for _, f := range d.files {
		if f.open != nil {
			open++
		}
	}
	if open > maxOpen/2 {
		wait = 0
	}
	for _, f := range d.files {
		if f.open != nil && !f.more && !f.newest && f.bound && !f.expects() && now.Sub(f.grew) >= wait {
			d.rest(f)
		}
	}
	d.files = slices.DeleteFunc(d.files, func(f *file[T, P]) bool {
		over := !f.bound && !f.more && now.Sub(f.gone) >= grace && now.Sub(f.grew) >= grace
		if over {
			d.rest(f)
			d.mixed = true
		}
		return over
	})
}
