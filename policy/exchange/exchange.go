// Package exchange reads what Exchange says about throttling: exports of its
// cmdlets, budgets in its logs, its error texts and events. It is told the bytes
// and answers with values; it reads no clock and opens nothing.
//
// Start with [Export.Read] and [Export.Check] for exports, and with [Decode] for
// the rest.
package exchange

import (
	"errors"
	"fmt"
	"strings"
)

// A Mistake is something in an export that cannot be used. What is around it
// is used all the same.
type Mistake struct {
	File    string // as named to [Export.Read]
	Line    int    // from 1; 0 where it is of no one line
	Key     string // the property; empty where it is of none
	Message string // what is wrong with it, in words
}

// Error is the file, the line, the key and the message.
func (m Mistake) Error() string {
	at := m.where()
	if m.Key != "" {
		at += ": " + m.Key
	}
	return at + ": " + m.Message
}

func (m Mistake) where() string {
	if m.Line == 0 {
		return m.File
	}
	return fmt.Sprintf("%s:%d", m.File, m.Line)
}

// Mistakes are all that were found in a file, in its order: at most a hundred,
// and one that says how many more there are.
type Mistakes []Mistake

// Error is one line a mistake.
func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i := range m {
		lines[i] = m[i].Error()
	}
	return strings.Join(lines, "\n")
}

// What one export may cost. Memory grows by the account and by the policy,
// and not by what else is in the file.
const (
	mostMistakes = 100
	mostObject   = 1 << 20 // bytes of one object, beside what readers look ahead
	mostObjects  = 1 << 20 // accounts and policies of one Export
	mostName     = 1024    // bytes of a name or link: a distinguished name is far shorter
)

// errTooLong: an object that does not end, such as after a quote that does not close.
var errTooLong = errors.New("an object of more than a mebibyte")
