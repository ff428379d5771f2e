package maillog

import (
	"evenkeel/queue/exlog"
	"evenkeel/queue/w3c"
)

// A Position says where in a file a reader is, and what it must know of the
// part before: also which log the file is, so that reading can go on in its
// middle. The zero Position is the start of a file. It is a plain value that can
// be written down, as JSON too, and compared.
type Position struct {
	Kind Kind // of the file, by its last header that could be told; Unknown: it is yet to be found
	exlog.Position
}

// system is the position as the reader of HTTP.sys' logs has it.
func (p Position) system() (at w3c.Position) {
	at.Offset, at.Line, at.Skip = p.Offset, p.Line, p.Skip
	at.Encoding = w3c.Encoding(p.Encoding)
	at.Header = w3c.Header{Software: p.Header.Software, Version: p.Header.Version, Date: p.Header.Date, Fields: p.Header.Fields}
	return at
}

// fromSystem is the reverse of [Position.system].
func fromSystem(kind Kind, at w3c.Position) (p Position) {
	p.Kind = kind
	p.Offset, p.Line, p.Skip = at.Offset, at.Line, at.Skip
	p.Encoding = exlog.Encoding(at.Encoding)
	p.Header = exlog.Header{Software: at.Header.Software, Version: at.Header.Version, Date: at.Header.Date, Fields: at.Header.Fields}
	return p
}
