package exchange

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"evenkeel/policy/throttle"
)

// A clixmlReader reads what Export-Clixml writes: objects with properties, each
// an element named for its type, with the property's name as the attribute N.
type clixmlReader struct {
	*feed
	d     *xml.Decoder
	open  []element
	o     object
	texts map[string]string // of links and values, by RefId, since the next that is the same object is a Ref
	own   map[string]string // likewise of all properties of this object
}

// An element is open.
type element struct {
	kind, name, ref string
	text            []byte
	o               object // of Obj inside of another: its own properties
	shown           string // its ToString
	line            int
}

// Bounds: of what is kept for references by other objects, and of how deep elements are.
const (
	mostRefs  = 1 << 16
	mostDepth = 256
)

func (f *feed) clixml(in *bufio.Reader) {
	r := clixmlReader{feed: f, d: xml.NewDecoder(in), texts: map[string]string{}}
	r.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	f.ration.fill()
	for {
		t, err := r.d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			line, _ := r.d.InputPos()
			f.end(line, err)
			return
		}
		r.take(t)
		if len(r.open) > mostDepth {
			line, _ := r.d.InputPos()
			f.end(line, errors.New("elements inside of one another without end"))
			return
		}
	}
}

func (r *clixmlReader) take(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		line, _ := r.d.InputPos()
		e := element{kind: t.Name.Local, line: line}
		for _, a := range t.Attr {
			switch a.Name.Local {
			case "N":
				e.name = unescape(a.Value)
			case "RefId":
				e.ref = a.Value
			}
		}
		if len(r.open) == 1 {
			r.ration.fill()
			r.o, r.own = object{line: line}, nil
		}
		r.open = append(r.open, e)
	case xml.CharData:
		if n := len(r.open); n > 0 {
			r.open[n-1].text = append(r.open[n-1].text, t...)
		}
	case xml.EndElement:
		e := &r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		r.close(e)
	}
}

// Depths of elements that are closed: Objs holds Obj, that holds Props or MS,
// that holds the properties, of which an Obj holds the same again.
const (
	depthObject   = 1
	depthProperty = 3
	depthShown    = 4
	depthInner    = 5
)

func (r *clixmlReader) close(e *element) {
	parent := len(r.open)
	switch {
	case parent == depthObject:
		if len(r.o.props) > 0 {
			r.object(&r.o)
		}
		r.o = object{}
	case parent == depthProperty && e.name != "":
		r.o.props = append(r.o.props, r.property(e))
	case parent == depthShown && e.kind == "ToString":
		r.open[depthProperty].shown = unescape(string(e.text))
	case parent == depthInner && e.name != "":
		owner := &r.open[depthProperty].o
		owner.props = append(owner.props, r.property(e))
	}
}

func (r *clixmlReader) property(e *element) property {
	p := property{name: e.name, line: e.line}
	switch e.kind {
	case "Nil":
		p.null = true
	case "Ref":
		text, known := r.own[e.ref]
		if !known {
			text, known = r.texts[e.ref]
		}
		p.value, p.null, p.lost = text, !known, !known
	case "Obj":
		p.value = strings.TrimSpace(e.shown)
		if p.value == "" {
			p.value, p.null = e.o.standsFor()
		}
		r.remember(e, p.value)
	default:
		p.value = strings.TrimSpace(unescape(string(e.text)))
	}
	return p
}

// remember keeps the text of an object for later references to it: all for this
// object's own, and for those of others what they may have in common.
func (r *clixmlReader) remember(e *element, text string) {
	if len(text) > mostName {
		return
	}
	if r.own == nil {
		r.own = map[string]string{}
	}
	r.own[e.ref] = text
	_, value := throttle.ParseParameter(e.name)
	if link := strings.EqualFold(e.name, "ThrottlingPolicy") || strings.EqualFold(e.name, "ThrottlingPolicyId"); (link || value) && len(r.texts) < mostRefs {
		r.texts[e.ref] = text
	}
}

// unescape undoes _xHHHH_, by which CLIXML writes the UTF-16 units that XML
// cannot hold, and an underscore that would look like one.
func unescape(s string) string {
	at := strings.Index(s, "_x")
	if at < 0 {
		return s
	}
	var out strings.Builder
	var high rune
	for ; at >= 0; at = strings.Index(s, "_x") {
		n, ok := escaped(s[at:])
		out.WriteString(s[:at])
		switch {
		case !ok:
			out.WriteString("_x")
			s = s[at+2:]
			continue
		case utf16.IsSurrogate(n) && n < 0xDC00:
			high = n
		case utf16.IsSurrogate(n):
			out.WriteRune(utf16.DecodeRune(high, n))
		default:
			out.WriteRune(n)
		}
		s = s[at+7:]
	}
	out.WriteString(s)
	return out.String()
}

func escaped(s string) (rune, bool) {
	if len(s) < 7 || s[6] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
