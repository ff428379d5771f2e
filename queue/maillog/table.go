package maillog

import (
	"time"

	"evenkeel/queue/exlog"
	"evenkeel/queue/lines"
	"evenkeel/queue/w3c"
)

// A table is a header and the present row under it.
type table struct {
	kind   Kind         // of the rows; Unknown: it is no log that is known
	last   Kind         // the last kind that was known
	header exlog.Header // that kind was told by; its dates and versions are of no account
	used   []int        // places of the columns that the kind has and the file logs

	at    time.Time
	cells cells // nil for no value
}

// A source gives rows.
type source interface {
	row(t *table) bool // goes to the next row, if there is one, and fills t
	Line() int64
	Raw() []byte
	Stats() lines.Stats
	position(k Kind) Position
}

// hear takes another header's word. Cells that no row will fill are emptied.
func (t *table) hear(kind Kind, h exlog.Header, logged func(int) bool) {
	t.kind, t.header = kind, h
	if kind != Unknown {
		t.last = kind
	}
	clear(t.cells[:])
	t.used = t.used[:0]
	from, to := places(kind)
	for i := from; i < to; i++ {
		if logged(i) {
			t.used = append(t.used, i)
		}
	}
}

// systemHeader is h as a table keeps it.
func systemHeader(h w3c.Header) exlog.Header {
	return exlog.Header{Software: h.Software, Version: h.Version, Date: h.Date, Fields: h.Fields}
}

// hearSystem takes the header's word if it is a new one.
func (t *table) hearSystem(h w3c.Header, logged func(int) bool) {
	t.hear(ofSystem(h.Software, h.Fields), systemHeader(h), logged)
}

// The four sources differ in their types alone. Their rows are taken by calls
// that the compiler knows: through an interface, a dozen of them a row cost as
// much as finding the columns.
type (
	systemReader   struct{ *w3c.Reader }
	systemTail     struct{ *w3c.Tail }
	exchangeReader struct{ *exlog.Reader }
	exchangeTail   struct{ *exlog.Tail }
)

func (r systemReader) row(t *table) bool {
	ok := r.Next()
	if h := r.Header(); h.Fields != t.header.Fields || h.Software != t.header.Software {
		t.hearSystem(h, r.Logged)
	}
	if ok {
		for _, i := range t.used {
			t.cells[i] = r.Field(i)
		}
		t.at, _ = r.Time()
	}
	return ok
}

func (r systemTail) row(t *table) bool {
	ok := r.Next()
	if h := r.Header(); h.Fields != t.header.Fields || h.Software != t.header.Software {
		t.hearSystem(h, r.Logged)
	}
	if ok {
		for _, i := range t.used {
			t.cells[i] = r.Field(i)
		}
		t.at, _ = r.Time()
	}
	return ok
}

func (r exchangeReader) row(t *table) bool {
	ok := r.Next()
	if h := r.Header(); h.Fields != t.header.Fields || h.LogType != t.header.LogType || h.Software != t.header.Software {
		t.hear(ofExchange(h), h, r.Logged)
	}
	if ok {
		for _, i := range t.used {
			t.cells[i] = r.Field(i)
		}
		t.at, _ = r.Time()
	}
	return ok
}

func (r exchangeTail) row(t *table) bool {
	ok := r.Next()
	if h := r.Header(); h.Fields != t.header.Fields || h.LogType != t.header.LogType || h.Software != t.header.Software {
		t.hear(ofExchange(h), h, r.Logged)
	}
	if ok {
		for _, i := range t.used {
			t.cells[i] = r.Field(i)
		}
		t.at, _ = r.Time()
	}
	return ok
}

func (r systemReader) position(k Kind) Position   { return fromSystem(k, r.Position()) }
func (r systemTail) position(k Kind) Position     { return fromSystem(k, r.Position()) }
func (r exchangeReader) position(k Kind) Position { return Position{k, r.Position()} }
func (r exchangeTail) position(k Kind) Position   { return Position{k, r.Position()} }
