package logs

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"encoding/binary"
	"io"
	"math"
)

// A zip archive ends with the list of its entries, which one that was cut, or
// not copied to its end, has lost. Each entry also has a header of its own
// (APPNOTE 4.3.7), so that they can be found one after the other.

// localLen is the length of such a header, without name and extra field.
const localLen = 30

// salvage finds the entries by their own headers, up to the first that is none.
func (a *archive) salvage(s source) (out []item) {
	for off := int64(0); off < s.size; {
		h, ok := a.local(off)
		if !ok {
			return out
		}
		if h.later { // their lengths stand behind them
			h.packed = a.measure(h, s.size)
		}
		h.packed = min(h.packed, s.size-h.data)
		if h.readable() {
			it := a.item(s, h.name)
			it.size, it.packed = -1, h.packed
			it.raw = func() (io.ReadCloser, error) { return a.entry(func() (io.ReadCloser, error) { return h.open(a), nil }) }
			out = append(out, it)
		}
		off = a.next(h.data+h.packed, h.later)
	}
	return out
}

// A local is what an entry's own header says.
type local struct {
	name   string
	method uint16
	flags  uint16
	packed int64
	later  bool  // the lengths are not in it
	data   int64 // where the entry's bytes begin
}

func (a *archive) local(off int64) (h local, ok bool) {
	b := make([]byte, localLen)
	if _, err := a.ReadAt(b, off); err != nil || string(b[:4]) != zipMagic {
		return h, false
	}
	name := make([]byte, binary.LittleEndian.Uint16(b[26:]))
	if _, err := a.ReadAt(name, off+localLen); err != nil {
		return h, false
	}
	extra := int64(binary.LittleEndian.Uint16(b[28:]))
	packed := binary.LittleEndian.Uint32(b[18:])
	h = local{name: string(name), flags: binary.LittleEndian.Uint16(b[6:]), method: binary.LittleEndian.Uint16(b[8:]), packed: int64(packed)}
	h.data = off + localLen + int64(len(name)) + extra
	h.later = h.flags&8 != 0 && packed == 0 || packed == math.MaxUint32
	return h, true
}

// readable says that it is a file that can be unpacked.
func (h local) readable() bool {
	last := h.name[max(0, len(h.name)-1):]
	return last != "" && last != "/" && last != `\` && h.flags&1 == 0 && (h.method == zip.Deflate || h.method == zip.Store && !h.later)
}

func (h local) open(a *archive) io.ReadCloser {
	in := io.NewSectionReader(a, h.data, h.packed)
	if h.method == zip.Store {
		return io.NopCloser(in)
	}
	return flate.NewReader(bufio.NewReaderSize(in, 64<<10))
}

// measure unpacks an entry to find its end.
func (a *archive) measure(h local, size int64) int64 {
	if h.method != zip.Deflate {
		return size - h.data // nobody knows
	}
	in := &counting{r: bufio.NewReaderSize(io.NewSectionReader(a, h.data, size-h.data), 64<<10)}
	io.Copy(io.Discard, flate.NewReader(in))
	return in.n
}

// A counting reader counts what a decompressor takes; as an io.ByteReader it is
// asked for no byte too many.
type counting struct {
	r *bufio.Reader
	n int64
}

// Read counts bytes.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte counts a byte.
func (c *counting) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// next is where the next header begins: behind the entry, and its lengths where
// they follow it (APPNOTE 4.3.9), with or without a mark, in 32 bits or 64.
func (a *archive) next(off int64, later bool) int64 {
	if !later {
		return off
	}
	b := make([]byte, 28)
	n, _ := a.ReadAt(b, off) // less, with an error
	for _, skip := range []int{16, 24, 12, 20} {
		if n >= skip+4 && string(b[skip:skip+2]) == "PK" {
			return off + int64(skip)
		}
	}
	return off
}
