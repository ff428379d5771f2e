package maillog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evenkeel/queue/exlog"
)

// ErrKind is part of the error of a file that is no log that is known.
var ErrKind = errors.New("no log of HTTP.sys, IIS or Exchange")

// scoutLen is within how many bytes that are no NULs a file must say what it
// is. Headers have some 2 KiB.
const scoutLen = 64 << 10

// A scout looks at the start of a file for what it is. It consumes nothing.
type scout struct {
	header exlog.Header // of both formats, as far as it was read
	first  string       // the first line that is not blank
	passed int          // bytes before those that it looks at; NULs do not count
	plain  []byte
}

// look finds the kind in a file's first bytes. Single NULs are left out, so that
// UTF-16 reads as its characters; a line that ends in more of them says nothing. It
// is [Unknown] if no line says it; sure, if none that follows may.
func (s *scout) look(b []byte, last bool) (kind Kind, sure bool) {
	most := scoutLen - s.passed
	*s = scout{plain: appendPlain(s.plain[:0], b, most), first: s.first, passed: s.passed}
	rest, full := s.plain, len(s.plain) >= most
	for len(rest) > 0 && kind == Unknown {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		if n := bytes.LastIndexByte(line, 0); n >= 0 {
			s.begins(line[:n])
			line = line[n+1:]
		}
		if !whole && !last && !full {
			break
		}
		kind, rest = s.line(trim(line)), more
	}
	return kind, kind != Unknown || last || full
}

// appendPlain appends b without its NULs, as far as there are to be most bytes. Of a
// run of NULs one is left.
func appendPlain(dst, b []byte, most int) []byte {
	for len(b) > 0 && len(dst) < most {
		n := bytes.IndexByte(b, 0)
		if n < 0 {
			n = len(b)
		}
		dst = append(dst, b[:min(n, most-len(dst))]...)
		run := nuls(b[n:])
		if b = b[n+run:]; run > 1 {
			dst = append(dst, 0)
		}
	}
	return dst
}

// nuls is how many NULs b begins with.
func nuls(b []byte) (n int) {
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// trim takes off what belongs to no line: its end, and marks of the encoding.
func trim(line []byte) []byte {
	for _, mark := range [...]string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		line = bytes.TrimPrefix(line, []byte(mark))
	}
	return bytes.TrimRight(line, "\r")
}

// line takes one line's word, if it has one.
func (s *scout) line(line []byte) Kind {
	if len(bytes.TrimSpace(line)) == 0 {
		return Unknown
	}
	s.begins(line)
	h := &s.header
	if line[0] != '#' {
		return understood(ofExchange(exlog.Header{Fields: string(line)})) // a header row
	}
	name, value, _ := bytes.Cut(line[1:], []byte{':'})
	said := string(bytes.TrimSpace(value))
	switch strings.ToLower(string(bytes.TrimSpace(name))) {
	case "software":
		h.Software = said
	case "log-type":
		h.LogType = said
	case "fields":
		h.Fields = said
	}
	if kind := ofSystem(h.Software, h.Fields); kind != Unknown {
		return kind
	}
	return ofExchange(*h)
}

// begins notes what a file begins with.
func (s *scout) begins(line []byte) {
	line = trim(bytes.Trim(line, "\x00"))
	if s.first == "" && len(bytes.TrimSpace(line)) > 0 {
		s.first = strings.ToValidUTF8(string(line[:min(len(line), 80)]), "\ufffd")
	}
}

// understood is the kind, or [Unknown] if it is none that is understood.
func understood(k Kind) Kind {
	if k == Other {
		return Unknown
	}
	return k
}

// err says what was seen where a log was looked for; nil for nothing at all.
func (s *scout) err() error {
	seen := slices.DeleteFunc([]string{s.header.Software, s.header.LogType, s.header.Fields}, func(v string) bool { return v == "" })
	switch {
	case len(seen) > 0:
		said := strings.ToValidUTF8(strings.Join(seen, ", "), "\ufffd")
		return fmt.Errorf("%w: its header says %q", ErrKind, said[:min(len(said), 200)])
	case s.first != "":
		return fmt.Errorf("%w: it begins %q", ErrKind, s.first)
	}
	return nil
}
