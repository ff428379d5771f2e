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
func (p Position) system() w3c.Position {
	h := p.Header
	return w3c.Position{
		Position: p.Position.Position,
		Header:   w3c.Header{Software: h.Software, Version: h.Version, Date: h.Date, Fields: h.Fields},
	}
}

// fromSystem is the reverse of [Position.system].
func fromSystem(kind Kind, at w3c.Position) Position {
	h := at.Header
	return Position{kind, exlog.Position{
		Position: at.Position,
		Header:   exlog.Header{Software: h.Software, Version: h.Version, Date: h.Date, Fields: h.Fields},
	}}
}
