package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A content is a file in the folder that is looked at, to find out which it is.
type content struct {
	h       *os.File
	size    int64
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
	c := &content{h: h, size: info.Size(), written: written(h, info.Size()), sums: map[int]string{}}
	c.head, _ = part(h, 0, int(min(c.size, headLen)))
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
