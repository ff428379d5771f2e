package throttle

import "encoding/binary"

// names keep those names of callers that are too long for their entries, as
// bytes, without a pointer each: behind one another in chunks, each name after its length. A chunk most of which is names
// that are not needed any more is emptied by who owns them, so that at most
// half of the memory, and a chunk, is lost.
type names struct {
	chunks []*nameChunk // nil where one was given back
	free   []uint32     // those
	last   uint32       // the chunk that is being filled
}

type nameChunk struct {
	used, live uint16 // bytes: written, and of those still needed
	b          [nameBytes]byte
}

const (
	nameBytes = 8192 - 4 // so that a chunk is as large as the allocator's next step
	nameShift = 13       // a place is the chunk's number and where in it
	mostName  = 1024     // bytes; who is called longer has no budget of his own
	nameHead  = 2        // bytes of a length
)

// A place is where a name begins: of the length, not of the text.
type place uint32

func (p place) chunk() uint32 { return uint32(p >> nameShift) }
func (p place) at() int       { return int(p & (1<<nameShift - 1)) }

// text is the name at p, for as long as nothing is put or dropped.
func (n *names) text(p place) []byte {
	text, _ := n.chunks[p.chunk()].read(p.at())
	return text
}

// read is the name that begins at i, and where it ends.
func (c *nameChunk) read(i int) (text []byte, end int) {
	end = i + nameHead + int(binary.LittleEndian.Uint16(c.b[i:]))
	return c.b[i+nameHead : end], end
}

// put keeps name, which is no longer than mostName, and is where.
func (n *names) put(name string) place {
	if len(n.chunks) == 0 || int(n.chunks[n.last].used)+nameHead+len(name) > nameBytes {
		n.grow()
	}
	c := n.chunks[n.last]
	i := int(c.used)
	binary.LittleEndian.PutUint16(c.b[i:], uint16(len(name)))
	size := uint16(nameHead + copy(c.b[i+nameHead:], name))
	c.used, c.live = c.used+size, c.live+size
	return place(n.last<<nameShift | uint32(i))
}

func (n *names) grow() {
	c := new(nameChunk)
	if k := len(n.free); k > 0 {
		n.last, n.free = n.free[k-1], n.free[:k-1]
		n.chunks[n.last] = c
		return
	}
	n.last = uint32(len(n.chunks))
	n.chunks = append(n.chunks, c)
}

// drop gives the name at p back. True: most of its chunk is not needed any more,
// and the names in it are to be moved by put, one after the other by next, before
// release.
func (n *names) drop(p place) (sparse bool) {
	c := n.chunks[p.chunk()]
	_, end := c.read(p.at())
	c.live -= uint16(end - p.at())
	return p.chunk() != n.last && c.live < c.used/2
}

// next is the name at p, and where the one behind it begins; false: there is none
// at p.
func (n *names) next(p place) (text []byte, behind place, ok bool) {
	c := n.chunks[p.chunk()]
	if p.at() >= int(c.used) {
		return nil, 0, false
	}
	text, end := c.read(p.at())
	return text, p + place(end-p.at()), true
}

// release gives the chunk of p back.
func (n *names) release(p place) {
	n.chunks[p.chunk()] = nil
	n.free = append(n.free, p.chunk())
}
