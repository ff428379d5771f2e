package page

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An element of a page, with the text directly in it.
type element struct {
	name, text string
	attrs      map[string]string
	inside     []*element
}

// parse reads a page, whose every element but HTML's void ones must be closed.
// Script and style, which are no markup inside, are left out.
func parse(t testing.TB, page string) *element {
	t.Helper()
	page = regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!doctype html>")))
	d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	d.Strict = false // void elements
	open := []*element{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return open[0]
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		switch top := open[len(open)-1]; token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.inside = append(top.inside, e)
			open = append(open, e)
		case xml.EndElement:
			if top.name != token.Name.Local {
				t.Fatalf("</%s> closes <%s>", token.Name.Local, top.name)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += strings.TrimSpace(string(token))
		}
	}
}

// all are the elements below e that is true of, in the order of the page.
func (e *element) all(is func(*element) bool) (out []*element) {
	for _, c := range e.inside {
		if is(c) {
			out = append(out, c)
		}
		out = append(out, c.all(is)...)
	}
	return out
}

// words is all text in e.
func (e *element) words() string {
	s := e.text
	for _, c := range e.inside {
		s += "\n" + c.words()
	}
	return s
}

func named(name string) func(*element) bool { return func(e *element) bool { return e.name == name } }

// with are the elements of a class.
func with(class string) func(*element) bool {
	return func(e *element) bool { return slices.Contains(strings.Fields(e.attrs["class"]), class) }
}

func anything(*element) bool { return true }
