package maillog

import (
	"bytes"

	"evenkeel/queue/exlog"
	"evenkeel/queue/w3c"
)

// A Tail reads a file that is still written, as [w3c.Tail] and [exlog.Tail] do:
//
//	t.Feed(block)     // read from the file at t.Position().Offset
//	for t.Next() { …  // records are parts of the block
//	}
//	t.Position()      // where the next block begins, now or after a restart
//
// Until it knows which log the file is, it consumes nothing. Blocks may be cut
// anywhere; those of [Enough] bytes always bring it on, unless it waits for the
// writer or has an error. When the file is finished, a [Reader] from the same
// position reads the rest. It is for one goroutine.
type Tail struct {
	rows
	w     *w3c.Tail
	x     *exlog.Tail
	block []byte // while the kind is not known
	atNul bool
}

// Enough is how many bytes a block must have to bring a [Tail] on: the longest
// row of any kind and its end.
const Enough = exlog.MaxRow + 4

// NewTail makes a tail at a position.
func NewTail(at Position) *Tail {
	t := &Tail{}
	t.begin(at)
	switch {
	case at.Kind == Unknown:
	case at.Kind.system():
		t.w = w3c.NewTail(at.system(), systemColumns()...)
		t.src = systemTail{t.w}
	default:
		t.x = exlog.NewTail(at.Position, exchangeColumns()...)
		t.src = exchangeTail{t.x}
	}
	return t
}

// Feed gives t what stands in the file from its position on. The block must not
// be changed before the next call of Feed.
func (t *Tail) Feed(block []byte) {
	switch {
	case t.w != nil:
		t.w.Feed(block)
	case t.x != nil:
		t.x.Feed(block)
	default:
		t.block = block
	}
}

// Next goes to the next row, and reports false if the block has no more.
func (t *Tail) Next() bool {
	if t.src == nil && !t.find() {
		return false
	}
	return t.next()
}

// Err is why the file cannot be read: nil, or an error that wraps [ErrKind] and
// names what was seen. It stays.
func (t *Tail) Err() error { return t.err }

// find looks in the block for the kind, and begins if it is there.
func (t *Tail) find() bool {
	t.atNul = false
	if t.err != nil {
		return false
	}
	kind, sure := t.scout.look(t.block, false)
	switch {
	case kind == Unknown && sure:
		t.err = t.scout.err()
	case kind == Unknown:
		t.atNul = bytes.Contains(t.block, []byte{0, 0})
	default:
		at, block, passed, nuls := t.at, t.block, t.passed, t.nuls
		at.Kind = kind
		*t = *NewTail(at)
		t.passed, t.nuls = passed, nuls
		t.Feed(block)
	}
	return kind != Unknown
}

// Waiting reports that Next said false because of a NUL in the block, or because of
// a quote that does not end in it, though there are lines behind it that look like
// rows.
func (t *Tail) Waiting() bool {
	switch {
	case t.w != nil:
		return t.w.Waiting()
	case t.x != nil:
		return t.x.Waiting()
	}
	return t.atNul
}

// GiveUp gives up what t waits for, as [exlog.Tail.GiveUp] does. What stands before
// NULs in their line is given up too.
func (t *Tail) GiveUp() {
	switch {
	case t.w != nil:
		t.w.GiveUp()
	case t.x != nil:
		t.x.GiveUp()
	case t.atNul:
		n := bytes.Index(t.block, []byte{0, 0})
		n += nuls(t.block[n:])
		t.pass(t.block[:n])
		t.block, t.atNul = t.block[n:], false
	}
}
