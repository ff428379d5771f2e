package exlog

import "slices"

// A Tail reads a file that is still written. It consumes whole rows alone, and
// nothing from the first NUL on: a system may make a file longer by NULs first
// and fill them later. What it does not consume is to be fed again.
//
//	t.Feed(block)     // read from the file at t.Position().Offset
//	for t.Next() { …  // rows are parts of the block
//	}
//	t.Position()      // where the next block begins, now or after a restart
//
// Blocks may be cut anywhere; those that are longer than [MaxRow] by two bytes
// always bring it on, unless it waits for the writer. When the file is finished,
// a [Reader] from the same position reads the rest. It is for one goroutine.
type Tail struct{ rows }

// NewTail makes a tail at a position that looks up the wanted columns: those of
// [Tail.Field] 0, 1 and so on.
func NewTail(at Position, want ...string) *Tail {
	t := &Tail{rows{want: slices.Clone(want)}}
	t.begin(nil, at)
	return t
}

// Feed gives t what stands in the file from its position on. The block must not
// be changed before the next call of Feed.
func (t *Tail) Feed(block []byte) { t.in.Feed(block) }

// Next goes to the next row, and reports false if the block has no more.
func (t *Tail) Next() bool { return t.next() }

// Waiting reports that Next said false because of a NUL in the block, or because of
// a quote that does not end in it, though there are lines behind it that look like
// rows.
func (t *Tail) Waiting() bool { return t.in.Waiting() }

// GiveUp gives up what t waits for, and Next goes on. Of NULs it is also those that
// follow them in the next blocks, and what stands between them and their line's
// start counts as cut: a machine that lost power leaves them, and the writer appends
// behind. Of a quote it is its end, and the first line of its row is rejected: a
// row that was cut may have left it. It is for a writer that will not go on there.
func (t *Tail) GiveUp() { t.in.GiveUp() }
