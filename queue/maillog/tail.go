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
		at, block, passed := t.at, t.block, t.passed
		at.Kind = kind
		*t = *NewTail(at)
		t.passed = passed
		t.Feed(block)
	}
	return kind != Unknown
}

// AtNul reports that Next said false because of a NUL in the block.
func (t *Tail) AtNul() bool {
	switch {
	case t.w != nil:
		return t.w.AtNul()
	case t.x != nil:
		return t.x.AtNul()
	}
	return t.atNul
}

// SkipNul gives up the NULs that t waits before, as [w3c.Tail.SkipNul] does: a
// machine that lost power leaves them, and appends behind. What stands before
// them in their line is given up too.
func (t *Tail) SkipNul() {
	switch {
	case t.w != nil:
		t.w.SkipNul()
	case t.x != nil:
		t.x.SkipNul()
	case t.atNul:
		t.pass()
	}
}

// pass consumes the block's first NULs and what stands before them: no line there
// says which log the file is.
func (t *Tail) pass() {
	n := bytes.Index(t.block, []byte{0, 0})
	t.at.Line += int64(bytes.Count(t.block[:n], []byte{'\n'}))
	for n < len(t.block) && t.block[n] == 0 {
		n++
	}
	t.at.Offset += int64(n)
	t.passed += int64(n)
	t.block, t.atNul = t.block[n:], false
}
