package exchange

import (
	"bufio"
	"errors"
	"strings"
	"unicode/utf8"
)

// A listReader reads what Format-List writes: "Name : value", the rest of a long
// value indented on the lines below, an empty line between objects.
type listReader struct {
	*feed
	line   int
	o      object
	widest int    // line of the object, in characters
	last   int    // width of the line before
	piece  string // what it had of a value
}

func (f *feed) list(in *bufio.Reader) {
	r := listReader{feed: f}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostObject)
	for f.ration.fill(); lines.Scan(); {
		r.line++
		r.take(strings.TrimRight(lines.Text(), " \t\r"))
	}
	r.finish()
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = errTooLong
		}
		f.end(r.line+1, err)
	}
}

func (r *listReader) take(line string) {
	name, value, ok := label(line)
	switch {
	case line == "":
		r.finish()
	case ok:
		r.o.props = append(r.o.props, property{name: name, value: value, line: r.line})
		r.saw(line, value)
	case (line[0] == ' ' || line[0] == '\t') && len(r.o.props) > 0:
		more := strings.TrimLeft(line, " \t")
		r.add(&r.o.props[len(r.o.props)-1], more)
		r.saw(line, more)
	case strings.HasPrefix(line, "[PS]") || strings.HasPrefix(line, "PS "): // the prompt and what was typed
		r.finish()
	default:
		r.spoilt(r.line, "", "want \"Name : value\", an indented line that goes on, or an empty one")
	}
}

// saw notes how wide the window was at least.
func (r *listReader) saw(line, piece string) {
	r.piece = piece
	r.last = utf8.RuneCountInString(line)
	r.widest = max(r.widest, r.last)
}

// label splits a line at the colon behind a name.
func label(line string) (name, value string, ok bool) {
	name, value, found := strings.Cut(line, ":")
	name = strings.TrimRight(name, " ")
	if !found || name == "" || value != "" && value[0] != ' ' {
		return "", "", false
	}
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return "", "", false
		}
	}
	return name, strings.TrimSpace(value), true
}

// add goes on with a value. Lines are broken at blanks, which go, behind
// hyphens, and inside of a word that is wider than the window. The line feed in
// the name of a deleted object looks like any of these.
func (r *listReader) add(p *property, more string) {
	between := " "
	switch {
	case isDEL(more):
		between = "\n"
	case p.value == "" || strings.HasSuffix(p.value, "-"):
		between = ""
	case r.last >= r.widest && !strings.ContainsAny(r.piece, " -"):
		between = ""
	}
	if p.wrapped = true; len(p.value) <= 4*mostName { // what is longer is refused anyway
		p.value += between + more
	}
}

// finish hands the object on.
func (r *listReader) finish() {
	if len(r.o.props) > 0 {
		r.o.line = r.o.props[0].line
		o := r.o
		r.object(&o)
	}
	r.o, r.widest, r.last, r.piece = object{}, 0, 0, ""
	r.ration.fill()
}

// isDEL says that text is the second half of a deleted object's name.
func isDEL(text string) bool {
	return len(text) >= 4 && strings.EqualFold(text[:4], "DEL:")
}
