package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A place is where something stands in the file.
type place struct {
	key          string // the path of keys that leads there; empty = the whole file
	line, column int    // from 1; 0 = the file does not hold it
}

// A kind is the form of a value.
type kind uint8

const (
	nothing kind = iota // null, or refused already: the default stays
	word                // text, as it is written; numbers are words until somebody wants a number
	list
	block // keys and values
)

// A value is what the file says in one place.
type value struct {
	place
	kind  kind
	text  string  // of a word; of nothing: "null" where the file says so
	items []value // of a list
	pairs []pair  // of a block, in the file's order, keys given twice included
}

// A pair is a key, where it stands, and its value.
type pair struct {
	place
	name  string
	value value
}

const (
	maxFile  = 256 << 10 // bytes of a configuration; far more than a farm needs. The parser's time grows with the square of the nesting
	maxDepth = 8         // blocks and lists in one another; the language needs 5
)

// parse reads the whole file into a tree. It refuses what YAML knows and a
// configuration is better without: a second document, anchors, aliases, tags
// and merge keys make a line mean something that stands elsewhere.
func (r *reader) parse(b []byte) value {
	if !r.readable(b) {
		return value{}
	}
	f, err := parser.ParseBytes(b, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return value{}
	}
	return r.document(f.Docs)
}

// document is the one document of a file; an empty file has none, or one
// without a body.
func (r *reader) document(docs []*ast.DocumentNode) value {
	switch {
	case len(docs) == 0 || docs[0].Body == nil && len(docs) == 1:
		return value{}
	case docs[0].Body != nil && docs[0].Body.Type() == ast.DirectiveType:
		r.refuse(r.start(docs[0].Body, ""), "directive is not used here", "leave the line out")
		return value{}
	case len(docs) > 1:
		r.refuse(r.start(docs[1].Body, ""), "a second document", "keep one; --- may stand at the very top only")
		return value{}
	}
	return r.value(docs[0].Body, "", 0)
}

// readable says whether b is text at all.
func (r *reader) readable(b []byte) bool {
	switch {
	case len(b) > r.most:
		r.refuse(place{}, fmt.Sprintf("%d bytes, more than the %d %s may have", len(b), r.most, r.what), "")
	case strings.HasPrefix(string(b[:min(2, len(b))]), "\xff\xfe"), strings.HasPrefix(string(b[:min(2, len(b))]), "\xfe\xff"):
		r.refuse(place{}, "not UTF-8 text", "it was saved as UTF-16; save it as UTF-8")
	case !utf8.Valid(b):
		r.refuse(invalid(b), "not UTF-8 text", "save the file as UTF-8")
	default:
		return true
	}
	return false
}

// invalid is the place of the first byte that is not UTF-8.
func invalid(b []byte) place {
	p := place{line: 1, column: 1}
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1:
			return p
		case c == '\n':
			p.line, p.column = p.line+1, 1
		default:
			p.column++
		}
		b = b[n:]
	}
	return p
}

// syntax tells an error of the YAML parser in the words of this package.
func (r *reader) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil {
		r.refuse(place{}, err.Error(), "")
		return
	}
	at := place{"", e.GetToken().Position.Line, e.GetToken().Position.Column}
	source := r.source(at.line)
	switch indent := source[:len(source)-len(strings.TrimLeft(source, " \t"))]; {
	case strings.Contains(indent, "\t"):
		at.column = strings.IndexByte(indent, '\t') + 1
		r.refuse(at, "a tab at the start of a line", "YAML is indented by spaces")
	case strings.Contains(e.GetMessage(), "reserved character"):
		r.refuse(at, "not YAML: "+e.GetMessage(), "put the words between quotes")
	case strings.Contains(source, "[:"):
		r.refuse(at, "not YAML: "+e.GetMessage(), `an address in brackets needs quotes: "[::1]:53"`)
	default:
		r.refuse(at, "not YAML: "+e.GetMessage(), "")
	}
}

// value turns a node of the YAML parser into ours.
func (r *reader) value(n ast.Node, key string, depth int) value {
	v := value{place: r.start(n, key)}
	if depth > maxDepth {
		r.spoil(v.place, "nested too deeply", "")
		return v
	}
	switch n := n.(type) {
	case *ast.NullNode:
		if n.GetToken().Type == token.NullType {
			v.text = "null" // written, where it might have been left out
		}
	case *ast.MappingNode:
		v.kind = block
		for _, p := range n.Values {
			v.pairs = r.pair(v.pairs, p, key, depth+1)
		}
	case *ast.SequenceNode:
		v.kind = list
		for i, item := range n.Values {
			v.items = append(v.items, r.value(item, fmt.Sprintf("%s[%d]", key, i), depth+1))
		}
	case *ast.LiteralNode:
		v.kind, v.text = word, strings.TrimSuffix(n.Value.Value, "\n")
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		v.kind, v.text = word, n.GetToken().Value
	default:
		r.spoil(v.place, n.Type().YAMLName()+" is not used here", "write the value itself")
	}
	return v
}

// pair adds a key and its value to a block, or refuses the key.
func (r *reader) pair(pairs []pair, n *ast.MappingValueNode, parent string, depth int) []pair {
	switch n.Key.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
	default:
		r.refuse(r.start(n.Key, parent), "not a plain key", "write a name and a colon")
		return pairs
	}
	name := n.Key.GetToken().Value
	key := strings.TrimPrefix(parent+"."+show(name), ".")
	return append(pairs, pair{r.start(n.Key, key), name, r.value(n.Value, key, depth)})
}

// start is where a node begins. The YAML parser has a block begin at its first
// colon, and a word behind a tab at the tab; for a reader the one begins at its
// first key, and the other at its first letter.
func (r *reader) start(n ast.Node, key string) place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return r.start(m.Values[0].Key, key)
	}
	if n == nil || n.GetToken() == nil {
		return place{key: key}
	}
	at := n.GetToken().Position
	p := place{key, at.Line, max(1, at.Column)}
	line := []rune(r.source(p.line))
	for p.column <= len(line) && strings.ContainsRune(" \t", line[p.column-1]) {
		p.column++
	}
	return p
}
