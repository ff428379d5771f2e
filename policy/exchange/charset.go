package exchange

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded is r as UTF-8. PowerShell writes UTF-16 with a byte order mark, or
// UTF-8 with one or without. What is neither becomes U+FFFD, so that the names
// around it can still be read; NULs are left out.
func decoded(r io.Reader) io.Reader {
	in := bufio.NewReaderSize(r, 1<<16)
	head, _ := in.Peek(3)
	switch {
	case len(head) >= 2 && head[0] == 0xFF && head[1] == 0xFE:
		return &runeReader{next: wide{in: in}.next, skip: '\uFEFF'}
	case len(head) >= 2 && head[0] == 0xFE && head[1] == 0xFF:
		return &runeReader{next: wide{in: in, big: true}.next, skip: '\uFEFF'}
	case len(head) >= 2 && head[0] != 0 && head[1] == 0:
		return &runeReader{next: wide{in: in}.next}
	case len(head) >= 2 && head[0] == 0 && head[1] != 0:
		return &runeReader{next: wide{in: in, big: true}.next}
	}
	return &runeReader{next: func() (rune, error) {
		c, _, err := in.ReadRune()
		return c, err
	}, skip: '\uFEFF'}
}

// A runeReader writes runes as UTF-8.
type runeReader struct {
	next func() (rune, error)
	skip rune // is left out where it is the first
	rest [utf8.UTFMax]byte
	left int // of rest
	err  error
}

// Read fills p as far as there is something to be had.
func (r *runeReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.left == 0 && !r.fetch() {
			break
		}
		k := copy(p[n:], r.rest[:r.left])
		copy(r.rest[:], r.rest[k:r.left])
		n, r.left = n+k, r.left-k
	}
	if n == 0 && len(p) > 0 {
		return 0, r.err
	}
	return n, nil
}

// fetch puts the next rune into rest.
func (r *runeReader) fetch() bool {
	for r.err == nil {
		c, err := r.next()
		skip := r.skip
		r.skip = 0
		switch {
		case err != nil:
			r.err = err
		case c == 0 || skip != 0 && c == skip:
		default:
			r.left = utf8.EncodeRune(r.rest[:], c)
			return true
		}
	}
	return false
}

// A wide reads UTF-16.
type wide struct {
	in  *bufio.Reader
	big bool // the high byte comes first
}

// next is one rune. Half of a pair is U+FFFD, and so is half of a unit at the end.
func (w wide) next() (rune, error) {
	c, err := w.unit()
	if err != nil || !utf16.IsSurrogate(c) {
		return c, err
	}
	low, err := w.in.Peek(2)
	if err != nil {
		return utf8.RuneError, nil // the rest says what is wrong
	}
	pair := utf16.DecodeRune(c, w.of(low))
	if pair != utf8.RuneError {
		w.in.Discard(2)
	}
	return pair, nil
}

func (w wide) unit() (rune, error) {
	var b [2]byte
	switch _, err := io.ReadFull(w.in, b[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return utf8.RuneError, nil
	case err != nil:
		return 0, err
	}
	return w.of(b[:]), nil
}

func (w wide) of(b []byte) rune {
	if w.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

// A ration lets through so many bytes until it is filled again, before each
// object: readers of the standard library have no bounds of their own.
type ration struct {
	in   io.Reader
	left int
}

func (r *ration) fill() { r.left = mostObject }

// Read is that of in, while anything is left.
func (r *ration) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooLong
	}
	n, err := r.in.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
