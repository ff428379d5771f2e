package follow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// lookLen is how far from its end a file is looked at for what is no NUL, by
// those who look often.
const lookLen = 1 << 20

// A content is a file in the folder that is looked at, to find out which it is.
type content struct {
	h       *os.File
	size    int64
	mod     time.Time
	written int64 // without NULs at its end
	head    []byte
	sums    map[int]string // of its head, by length
}

// open opens a file so that its writer may rename and remove it, also on
// Windows, where [os.Open] would not let it, and [os.Root] does.
func open(root *os.Root, name string) (*content, error) {
	h, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := h.Stat()
	if err != nil || !info.Mode().IsRegular() {
		h.Close()
		return nil, fmt.Errorf("%s: not a file that can be read: %w", name, errors.Join(err, fs.ErrInvalid))
	}
	c := &content{h: h, size: info.Size(), mod: info.ModTime(), sums: map[int]string{}}
	c.head, _ = part(h, 0, int(min(c.size, headLen)))
	var low int64
	if !isText(c.head) { // and perhaps nothing else is
		low = max(0, c.size-lookLen)
	}
	if c.written = written(h, c.size, low); c.written == low {
		c.written = 0
	}
	return c, nil
}

// fits reports whether c has the bytes of a mark that was made at an offset.
func (c *content) fits(m Mark, offset int64) bool {
	if c.size < offset || len(c.head) < m.Head {
		return false
	}
	head, ok := c.sums[m.Head]
	if !ok {
		head = sum(c.head[:m.Head])
		c.sums[m.Head] = head
	}
	if head != m.HeadSum {
		return false
	}
	foot, ok := part(c.h, offset-int64(m.Foot), m.Foot)
	return ok && sum(foot) == m.FootSum
}

// isText reports that b is not all NULs.
func isText(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) > 0 }

// written is the size of a file without the NULs at its end, which is looked at
// down to low; low if there is nothing else.
func written(f io.ReaderAt, size, low int64) int64 {
	for size > low {
		n := min(size-low, 64<<10)
		b, ok := part(f, size-n, int(n))
		if b = bytes.TrimRight(b, "\x00"); !ok || len(b) > 0 {
			return size - n + int64(len(b))
		}
		size -= n
	}
	return low
}
