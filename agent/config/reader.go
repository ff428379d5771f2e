package config

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reader goes through one file and collects all that is wrong with it.
type reader struct {
	file     string
	what     string // what the file is, for messages
	most     int    // bytes it may have
	lines    []string
	open     func(string) ([]byte, error) // for the files that this one names
	asking   bool                         // it is read by who asks an agent, and goes by no policy
	problems Problems
	given    map[string]place   // every value that the file holds, by key
	items    map[string][]place // of every list, those of its items
	spoilt   map[string]bool    // the keys whose value is not to be had, and so not to be compared
	others   Problems           // of another file that this one names, sorted
}

// newReader makes the reader of one file, and its text as it is easiest read:
// without the mark that Windows editors put in front of UTF-8, and with LF at
// the end of every line (the YAML parser miscounts lines that end otherwise).
func newReader(file string, b []byte) (*reader, []byte) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	return &reader{
		file:   file,
		what:   "a configuration",
		most:   maxFile,
		lines:  strings.Split(string(b), "\n"),
		given:  map[string]place{},
		items:  map[string][]place{},
		spoilt: map[string]bool{},
	}, b
}

// refuse notes a problem.
func (r *reader) refuse(at place, message, hint string) {
	at = r.inside(at)
	r.problems = append(r.problems, Problem{
		File: r.file, Line: at.line, Column: at.column, Key: at.key,
		Message: message, Hint: hint, Source: r.source(at.line),
	})
}

// inside is at, or the last place of the file or line for what the YAML parser
// misses beyond it.
func (r *reader) inside(at place) place {
	if at.line == 0 {
		return at
	}
	if at.line > len(r.lines) {
		at.line, at.column = len(r.lines), math.MaxInt
	}
	at.column = max(1, min(at.column, 1+utf8.RuneCountInString(r.lines[at.line-1])))
	return at
}

// spoil notes a problem that leaves nothing of a value.
func (r *reader) spoil(at place, message, hint string) {
	r.spoilt[at.key] = true
	r.refuse(at, message, hint)
}

// source is a line of the file, counted from 1, if it is short enough to be
// shown. What would move a terminal's cursor is replaced.
func (r *reader) source(line int) string {
	if line < 1 || line > len(r.lines) {
		return ""
	}
	if len(r.lines[line-1]) > 200 {
		return ""
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\t' {
			return unicode.ReplacementChar
		}
		return c
	}, r.lines[line-1])
}

// walk compares a block with the language and sets what it gives. path is the
// block's own, without the numbers of list items; empty is the whole file.
func (r *reader) walk(lang language, path string, v value, seen map[string]place) {
	if v.kind != block && !r.sound(v.key) {
		return // parse has said why
	}
	if v.kind != block {
		r.refuse(v.place, fmt.Sprintf("want keys (%s), got %s", strings.Join(lang.under(path), ", "), v), colonHint(v))
		return
	}
	for _, p := range v.pairs {
		if first, twice := seen[p.name]; twice {
			r.refuse(p.place, fmt.Sprintf("given twice, first in line %d", first.line), "")
			continue
		}
		seen[p.name] = p.place
		r.key(lang, strings.TrimPrefix(path+"."+p.name, "."), p)
	}
}

// key finds what a key means and hands its value there.
func (r *reader) key(lang language, path string, p pair) {
	row, known := lang.row(path)
	switch {
	case p.name == "":
		r.refuse(p.place, "a key without a name", "")
	case strings.Contains(p.name, "."): // or it would pass for a path
		r.refuse(p.place, "unknown key", "write "+strings.ReplaceAll(show(p.name), ".", ": {")+": ..."+strings.Repeat("}", strings.Count(p.name, ".")))
	case !known && len(lang.under(path)) == 0:
		r.refuse(p.place, "unknown key", lang.suggest(path))
	case unavailable(path, p.value):
		r.spoil(p.place, "not available in this version", "leave it out")
	case p.value.kind == nothing: // a key without a value keeps its default
	case known && row.set != nil:
		row.set(r, p.value)
	case known: // empty, and all that it may be for now
	case path == "sources":
		r.sources(lang, p.value)
	default:
		r.walk(lang, path, p.value, map[string]place{})
	}
}

// sources reads the one section that is a list: each item is a block of one
// key, the kind of source.
func (r *reader) sources(lang language, v value) {
	if v.kind != list || len(v.items) == 0 {
		r.refuse(v.place, fmt.Sprintf("want a list of sources, got %s", v), "write - listener: {}")
		return
	}
	seen := map[string]place{}
	for _, item := range v.items {
		r.walk(lang, "sources", item, seen)
		for _, p := range item.pairs {
			if p.value.kind == nothing || p.value.kind == block && len(p.value.pairs) == 0 {
				r.given["sources."+p.name] = p.place // named alone
			}
		}
	}
}

// at is the place of the first of keys that the file gives: where to point
// when several do not fit each other. With none given it is the first, nowhere.
func (r *reader) at(keys ...string) place {
	i := slices.IndexFunc(keys, func(k string) bool { _, ok := r.given[k]; return ok })
	if i < 0 {
		return place{key: keys[0]}
	}
	return r.given[keys[i]]
}

// sound says that none of keys is spoilt: only then it makes sense to compare
// them.
func (r *reader) sound(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return r.spoilt[k] })
}

// String is the value as messages show it.
func (v value) String() string {
	switch {
	case v.kind == word:
		return show(v.text)
	case v.kind == list && len(v.items) == 0:
		return "an empty list"
	case v.kind == list:
		return "a list"
	case v.kind == block:
		return "keys"
	}
	return "nothing"
}

// show is text as messages show it: plain where that is clear, else quoted,
// and never long.
func show(s string) string {
	plain := s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
	if c := []rune(s); len(c) > 60 {
		s = string(c[:57]) + "..."
	}
	if plain {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// colonHint explains the commonest way to write a word where keys were meant.
func colonHint(v value) string {
	if v.kind == word && strings.Contains(v.text, ":") && !strings.Contains(v.text, ": ") {
		return "a space belongs after the colon"
	}
	return ""
}
