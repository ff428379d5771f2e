package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// A jsonReader reads what ConvertTo-Json writes: an object, or a list of them.
type jsonReader struct {
	*feed
	d     *json.Decoder
	lines lineCounter
}

func (f *feed) json(in *bufio.Reader) {
	r := jsonReader{feed: f, lines: lineCounter{in: in, line: 1}}
	r.d = json.NewDecoder(&r.lines)
	r.d.UseNumber()
	f.ration.fill()
	err := r.all()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.end(r.line(), err)
	}
}

func (r *jsonReader) line() int { return r.lines.at(r.d.InputOffset()) }

func (r *jsonReader) all() error {
	first, err := r.d.Token()
	switch {
	case err != nil:
		return err
	case first == json.Delim('{'):
		return r.one()
	case first != json.Delim('['):
		return errors.New("want an object or a list of objects")
	}
	for r.d.More() {
		r.ration.fill()
		switch item, err := r.d.Token(); {
		case err != nil:
			return err
		case item != json.Delim('{'):
			return errors.New("want an object in the list")
		}
		if err := r.one(); err != nil {
			return err
		}
	}
	if _, err := r.d.Token(); err != nil {
		return err
	}
	if _, err := r.d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the list")
	}
	return nil
}

// one reads an object whose brace was read.
func (r *jsonReader) one() error {
	o := object{line: r.line()}
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // the decoder accepts no other
		p := property{name: name, line: r.line()}
		if err := r.value(&p); err != nil {
			return err
		}
		o.props = append(o.props, p)
	}
	if _, err := r.d.Token(); err != nil {
		return err
	}
	r.object(&o)
	return nil
}

// value reads what a property has: a scalar, or an object of .NET of which its
// text is looked for.
func (r *jsonReader) value(p *property) error {
	t, err := r.d.Token()
	if err != nil {
		return err
	}
	if d, nested := t.(json.Delim); nested {
		return r.nested(p, d == '{')
	}
	p.value, p.null = scalar(t)
	return nil
}

func scalar(t json.Token) (value string, null bool) {
	switch t := t.(type) {
	case string:
		return strings.TrimSpace(t), false
	case json.Number:
		return t.String(), false
	case bool:
		if t {
			return "True", false
		}
		return "False", false
	}
	return "", true
}

// nested reads to the end of what began, and takes from its first level, where
// that is an object, the text that stands for it.
func (r *jsonReader) nested(p *property, names bool) error {
	var o object
	name := ""
	for depth := 1; depth > 0; {
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		d, delim := t.(json.Delim)
		switch {
		case delim && (d == '{' || d == '['):
			depth++
			name = ""
		case delim:
			depth--
		case depth > 1 || !names:
		case name == "":
			name, _ = t.(string)
		default:
			value, null := scalar(t)
			o.props, name = append(o.props, property{name: name, value: value, null: null}), ""
		}
	}
	p.value, p.null = o.standsFor()
	return nil
}

// standsFor is the text of an object inside of another: a limit's number or
// Unlimited, a link's name.
func (o *object) standsFor() (value string, null bool) {
	if strings.EqualFold(o.text("IsUnlimited"), "true") {
		return "Unlimited", false
	}
	for _, name := range [...]string{"Value", "DistinguishedName", "Address", "Name"} {
		if v := o.text(name); v != "" {
			return v, false
		}
	}
	return "", true
}

// A lineCounter tells the line of an offset, which is asked for in order.
type lineCounter struct {
	in   io.Reader
	read int64   // bytes
	ends []int64 // offsets behind line feeds that were not asked about yet
	line int     // of what was asked last
}

// Read is that of in, noting the lines.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i)+1)
		}
	}
	c.read += int64(n)
	return n, err
}

func (c *lineCounter) at(offset int64) int {
	k := 0
	for k < len(c.ends) && c.ends[k] <= offset {
		k++
	}
	c.line += k
	c.ends = c.ends[k:]
	return c.line
}
