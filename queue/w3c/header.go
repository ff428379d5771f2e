package w3c

import (
	"bytes"
	"slices"
	"strings"

	"evenkeel/queue/lines"
)

// A Header holds the directives that are in force, each as the last line of
// its kind says it. HTTP.sys writes all four when it opens or reopens a file.
type Header struct {
	Software string // "Microsoft HTTP API 2.0"
	Version  string // of the format: "1.0"
	Date     string // when the header was written: "2025-03-14 08:00:01", UTC
	Fields   string // the columns' names and what stands between them; empty before any #Fields
}

// Columns are the names of the columns, in the order of the rows.
func (h Header) Columns() []string { return strings.Fields(h.Fields) }

// A Position says where in a file a reader is, and what it must know of the
// part before. The zero Position is the start of a file. It is a plain value
// that can be written down, and compared.
type Position struct {
	lines.Position
	Header Header // in force there
}

// directive reads a line that begins with "#". Others than the four are remarks.
func (s *rows) directive(line []byte) {
	name, value, _ := bytes.Cut(line[1:], []byte(":"))
	said := strings.ToValidUTF8(string(bytes.TrimSpace(value)), "\ufffd") // as any way of writing a Position down would have it
	h := &s.header
	switch strings.ToLower(string(bytes.TrimSpace(name))) {
	case "software":
		h.Software = said
	case "version":
		h.Version = said
	case "date":
		h.Date = said
	case "fields":
		s.in.Count.Headers++
		h.Fields = said
		s.compile()
	}
}

// compile makes what follows from the header.
func (s *rows) compile() {
	s.plan.compile(s.header, s.want)
	s.marks = slices.Grow(s.marks[:0], s.plan.n+slack+1)[:s.plan.n+slack+1]
	s.marks[0] = -1 // the column before the first ends before the line
}

// A plan says where in a row the columns are that anybody asks for. A place is
// -1 for a column that is not logged.
type plan struct {
	n           int   // columns of a row; 0 before any #Fields
	sep         byte  // between two columns
	cols        []int // of the wanted columns
	date, clock int
	user        int
	numbers     []int // columns that hold a number or nothing
	addrs       []int // likewise an address
}

// compile replaces the plan by that for rows under h.
func (p *plan) compile(h Header, want []string) {
	names := h.Columns()
	*p = plan{n: len(names), sep: ' ', date: lines.Column(names, "date"), clock: lines.Column(names, "time"), user: lines.Column(names, "cs-username")}
	if strings.Contains(h.Fields, "\t") {
		p.sep = '\t'
	}
	for _, w := range want {
		p.cols = append(p.cols, lines.Column(names, w))
	}
	p.numbers = among(names, "c-port", "s-port", "s-siteid", "sc-status", "sc-substatus", "sc-win32-status", "sc-bytes", "cs-bytes", "time-taken")
	p.addrs = among(names, "c-ip", "s-ip")
}

// among are the places of those names that are there.
func among(names []string, wanted ...string) (cols []int) {
	for _, w := range wanted {
		if col := lines.Column(names, w); col >= 0 {
			cols = append(cols, col)
		}
	}
	return cols
}
