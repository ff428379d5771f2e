package exlog

import (
	"bytes"
	"slices"
	"strings"

	"evenkeel/queue/lines"
)

// A Header holds the directives that are in force, each as the last line of
// its kind says it. Exchange writes all five when it opens a file, and in some
// versions a row of the columns' names before or after them.
type Header struct {
	Software string // "Microsoft Exchange Server"
	Version  string // of the software: "15.01.2375.007"
	LogType  string // "HttpProxy Logs"
	Date     string // when the header was written: "2023-01-06T01:00:04.124Z"
	Fields   string // the columns' names with commas between, from #Fields or a header row; empty before any
}

// Columns are the names of the columns, in the order of the rows.
func (h Header) Columns() (names []string) {
	if h.Fields == "" {
		return nil
	}
	line := []byte(h.Fields)
	for i := 0; i <= len(line); i++ {
		n, state := field(line[i:], false)
		if state != fits { // it cannot be told where a column ends
			return nil
		}
		name := strings.TrimSpace(string(unquoted(line[i : i+n])))
		if n > 0 && line[i] == '"' {
			name = strings.ReplaceAll(name, `""`, `"`)
		}
		names = append(names, name)
		i += n
	}
	return names
}

// A Position says where in a file a reader is, and what it must know of the
// part before. The zero Position is the start of a file. It is a plain value
// that can be written down, and compared.
type Position struct {
	lines.Position
	Header Header // in force there
}

// directive reads a line that begins with "#". Others than the five are remarks.
func (s *rows) directive(line []byte) {
	name, value, _ := bytes.Cut(line[1:], []byte(":"))
	h, said := &s.header, valid(value)
	switch strings.ToLower(string(bytes.TrimSpace(name))) {
	case "software":
		h.Software = said
	case "version":
		h.Version = said
	case "log-type":
		h.LogType = said
	case "date":
		h.Date = said
	case "fields":
		s.head(value)
	}
}

// head takes the columns' names.
func (s *rows) head(names []byte) {
	s.in.Count.Headers++
	s.header.Fields = valid(names)
	s.compile()
}

// valid is v as any way of writing a Position down would have it.
func valid(v []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(v)), "\ufffd")
}

// compile makes what follows from the header.
func (s *rows) compile() {
	s.plan = compile(s.header.Columns(), s.want)
	s.marks = slices.Grow(s.marks[:0], s.plan.n+1)[:s.plan.n+1]
	s.marks[0] = -1 // the column before the first ends before the line
}

// A plan says where in a row the columns are that anybody asks for. A place is
// -1 for a column that is not logged.
type plan struct {
	n    int   // columns of a row; 0 before any header
	cols []int // of the wanted columns
	time int
}

// compile makes the plan for rows of these columns.
func compile(names, want []string) plan {
	p := plan{n: len(names), time: slices.IndexFunc(names, isTimeName)}
	for _, w := range want {
		p.cols = append(p.cols, lines.Column(names, w))
	}
	return p
}

// named reports that line is a header row, and takes its names unless it is cut.
func (s *rows) named(line []byte) bool {
	if !s.isHeader(line) {
		return false
	}
	if !s.in.Unended() {
		s.head(line)
	}
	return true
}

// isHeader reports that line is a header row: names and nothing else, one of
// them that of the time, where a row has a time. Before any other header two
// names are enough.
func (s *rows) isHeader(line []byte) bool {
	columns, timed := 0, false
	for i := 0; i <= len(line); i++ {
		n, state := field(line[i:], true)
		if state != fits {
			return false
		}
		name := bytes.TrimSpace(unquoted(line[i : i+n]))
		if !isName(name) {
			return false
		}
		timed = timed || len(name) <= 9 && isTimeName(string(name))
		columns++
		i += n
	}
	return timed || s.plan.n == 0 && columns > 1
}

// isName reports that v begins with a letter, and has what names have.
func isName(v []byte) bool {
	for i, c := range v {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i == 0 || (c < '0' || c > '9') && strings.IndexByte("-_./ ()", c) < 0:
			return false
		}
	}
	return len(v) > 0
}

// isTimeName reports that a column of this name has the time of its row.
func isTimeName(name string) bool {
	switch strings.ToLower(name) {
	case "datetime", "date-time", "timestamp", "time":
		return true
	}
	return false
}
