package logs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/netip"
	"time"

	"evenkeel/queue/maillog"
)

// How much of a log is looked at. The second is for one that begins with NULs:
// HTTP.sys makes its files longer ahead of writing.
const (
	headLen = 64 << 10
	farLen  = 8 << 20
)

// markRows are enough to know a log by. Two servers may write the same row, of
// a monitor's request in the same second, but hardly five in the same order.
const markRows = 5

// A sight is what the head of a log tells.
type sight struct {
	item
	kind   maillog.Kind
	first  time.Time
	node   string     // what its rows call the server, as it stands
	server netip.Addr // that was asked, the first that is no loopback
	rows   int
	mark   [sha256.Size]byte // of its first rows: the same in every copy
}

// isLog says that it is one. What is read and not understood has nothing to say.
func (s sight) isLog() bool { return s.kind != maillog.Unknown && s.kind != maillog.Other }

// An eye looks at one log after another, with the same memory.
type eye struct {
	buf    []byte
	reader *maillog.Reader
	gz     bool // what it saw last was packed
}

// look reads the head of an item. The error says that it cannot be read, and so
// is not known.
func (e *eye) look(ctx context.Context, it item) (sight, error) {
	s := sight{item: it}
	for _, n := range []int{headLen, farLen} {
		head, err := e.read(ctx, it, n)
		if e.gz {
			s.size = -1
		}
		if err := unopened(head); err != nil {
			return s, err
		}
		if s.see(e, head); s.rows > 0 {
			return s, nil
		}
		if err != nil || len(head) < n || s.kind == maillog.Unknown && !empty(head) {
			return s, err
		}
	}
	return s, nil
}

func (e *eye) read(ctx context.Context, it item, n int) ([]byte, error) {
	r, err := it.open(ctx, func(int) {})
	if err != nil {
		return nil, err
	}
	defer r.close()
	e.gz = r.gz
	if len(e.buf) < n {
		e.buf = make([]byte, n)
	}
	got, err := io.ReadFull(r, e.buf[:n])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = r.err
	}
	return e.buf[:got], err
}

// empty says that there are only NULs.
func empty(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// see takes from the rows what it looks for.
func (s *sight) see(e *eye, head []byte) {
	if e.reader == nil {
		e.reader = maillog.NewReader(bytes.NewReader(head), maillog.Position{})
	} else {
		e.reader.Reset(bytes.NewReader(head), maillog.Position{})
	}
	first := sha256.New()
	for s.rows = 0; !s.enough() && e.reader.Next(); s.rows++ {
		if s.rows < markRows {
			first.Write(e.reader.Raw())
			first.Write([]byte{'\n'})
		}
		s.seeRow(e.reader.Record())
	}
	s.kind = e.reader.Kind()
	first.Sum(s.mark[:0])
}

// enough says that further rows would tell nothing: whose it is is known.
func (s *sight) enough() bool {
	return s.rows >= markRows && !s.first.IsZero() && (s.node != "" || s.server.IsValid())
}

func (s *sight) seeRow(r *maillog.Record) {
	if s.first.IsZero() {
		s.first = r.At
	}
	if s.node == "" {
		s.node = string(r.Node)
	}
	if a := r.Server.Addr(); !s.server.IsValid() && a.IsValid() && !a.IsLoopback() {
		s.server = a.WithZone("").Unmap()
	}
}
