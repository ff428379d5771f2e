package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is one mistake in a configuration file.
type Problem struct {
	File         string // as given to [Load]
	Line, Column int    // from 1, columns in characters; 0 when the mistake is something missing
	Key          string // its path, such as limits.degrade or listen.dns[1]; empty for a mistake in the YAML itself
	Message      string // what is wrong, without the place
	Hint         string // how to put it right; empty = the message says it
	Source       string // the line of the file it stands on; empty without a line, or when that is too long to show
}

// String is the problem as an operator reads it: FILE:LINE:COLUMN, the key and
// the message on one line; then the line of the file with a caret below the
// place, and the hint, where there are any.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.headline())
	if p.Source != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", p.Source, margin(p.Source, p.Column))
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n    hint: %s", p.Hint)
	}
	return b.String()
}

func (p Problem) headline() string {
	parts := []string{p.File}
	if p.Line > 0 {
		parts[0] = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	if p.Key != "" {
		parts = append(parts, p.Key)
	}
	return strings.Join(append(parts, p.Message), ": ")
}

// margin is blank as far as column, with the tabs of source kept, so that a
// terminal shows what follows it below that column whatever a tab is worth.
func margin(source string, column int) string {
	var b strings.Builder
	for _, r := range source {
		if column--; column < 1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Problems are all the mistakes of a file, in the order of its lines; those
// without a line come first. It is never empty when used as an error.
type Problems []Problem

// Error is every problem as [Problem.String] shows it, one after the other.
func (ps Problems) Error() string {
	all := make([]string, len(ps))
	for i, p := range ps {
		all[i] = p.String()
	}
	return strings.Join(all, "\n")
}

func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}
