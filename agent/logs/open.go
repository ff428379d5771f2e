package logs

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A disk opens files.
type disk struct {
	open func(name string) (*os.File, error)
}

// An item is what may be a log: a file, or an entry of an archive.
type item struct {
	name   string   // to show
	parts  []string // of its path, archives among them, the file's own name last
	below  int      // of the parts, those from here on are below what the operator named
	size   int64    // when it is read; -1: not known
	packed int64    // on disk
	raw    func() (io.ReadCloser, error)
}

const (
	zipMagic = "PK\x03\x04"
	gzMagic  = "\x1f\x8b"
)

// items are the file itself or, of an archive, its entries.
func (d disk) items(s source) ([]item, error) {
	f, err := d.open(s.true)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, len(zipMagic))
	n, err := io.ReadFull(f, magic)
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	case string(magic[:n]) == zipMagic:
		return d.entries(s, f)
	}
	it := item{name: filepath.ToSlash(s.name), parts: parts(s.true), below: s.below, size: s.size, packed: s.size}
	it.raw = func() (io.ReadCloser, error) { return d.open(s.true) }
	return []item{it}, nil
}

// entries are the files of a zip archive. One whose list is lost is searched
// from its start.
func (d disk) entries(s source, f *os.File) (out []item, err error) {
	a := &archive{disk: d, path: s.true, file: f}
	r, err := zip.NewReader(a, s.size)
	a.file = nil
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are shown, and never used as paths
		a.file = f
		out = a.salvage(s)
		a.file = nil
		return out, fmt.Errorf("the archive is damaged, %d entries were found: %w", len(out), err)
	}
	for _, e := range r.File {
		if !e.Mode().IsRegular() || strings.HasSuffix(e.Name, `\`) {
			continue
		}
		it := a.item(s, e.Name)
		it.size, it.packed = int64(e.UncompressedSize64), int64(e.CompressedSize64)
		if e.Flags&1 != 0 {
			it.raw = func() (io.ReadCloser, error) { return nil, errEncrypted }
		} else {
			it.raw = func() (io.ReadCloser, error) { return a.entry(e.Open) }
		}
		out = append(out, it)
	}
	return out, nil
}

var errEncrypted = errors.New("it is encrypted")

// item is an entry by the name that the archive has for it, with slashes or,
// of old tools of Windows, backslashes.
func (a *archive) item(s source, name string) item {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	return item{name: filepath.ToSlash(s.name) + "/" + name, parts: append(parts(s.true), parts(name)...), below: s.below}
}

// parts are those of a path.
func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
}

// An archive is a zip file, which is open while one of its entries is.
type archive struct {
	disk disk
	path string

	mu    sync.Mutex // guards the two below
	file  *os.File
	users int
}

// ReadAt reads the archive, of which an entry must be open.
func (a *archive) ReadAt(p []byte, off int64) (int, error) {
	a.mu.Lock()
	f := a.file
	a.mu.Unlock()
	return f.ReadAt(p, off)
}

// entry opens an entry, and the archive if it is the first.
func (a *archive) entry(open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	a.mu.Lock()
	if a.users == 0 {
		f, err := a.disk.open(a.path)
		if err != nil {
			a.mu.Unlock()
			return nil, err
		}
		a.file = f
	}
	a.users++
	a.mu.Unlock()
	r, err := open()
	if err != nil {
		a.leave()
		return nil, err
	}
	return closing{r, func() error { r.Close(); return a.leave() }}, nil
}

func (a *archive) leave() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.users--; a.users > 0 {
		return nil
	}
	return a.file.Close()
}

// A closing reader closes what is below it.
type closing struct {
	io.Reader
	close func() error
}

// Close closes the file.
func (c closing) Close() error { return c.close() }

// A content is an open log, unpacked. It ends where it cannot be read on, so that
// what came before counts: see err.
type content struct {
	src   io.Reader
	close func() error
	gz    bool  // it was unpacked, so that its length is not known before
	err   error // why it ended too early
}

// Read reads the log.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	if err != nil && err != io.EOF {
		c.err, err = err, io.EOF
	}
	if c.err == io.ErrUnexpectedEOF {
		c.err = errCut
	}
	return n, err
}

var errCut = errors.New("it is cut short")

// open opens the log, unpacked if it is packed. Reading ends with ctx. Each read
// of bytes on disk is told to read.
func (it item) open(ctx context.Context, read func(n int)) (*content, error) {
	raw, err := it.raw()
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(&told{ctx: ctx, src: raw, read: read}, 64<<10) // longer reads pass it by
	c := &content{src: in, close: raw.Close}
	if magic, err := in.Peek(len(gzMagic)); err == nil && string(magic) == gzMagic {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			raw.Close()
			return nil, err
		}
		c.src, c.gz = unpacked, true
	}
	return c, nil
}

// A told reader says how much it read, and ends with a context.
type told struct {
	ctx  context.Context
	src  io.Reader
	read func(n int)
}

// Read reads from the file.
func (t *told) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := t.src.Read(p)
	t.read(n)
	return n, err
}
