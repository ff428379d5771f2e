// Package linestest holds what the tests of all formats of lines share: to say
// what was read, to follow a file that grows, and to hold a format to its
// promises. Only tests import it.
//
// Start with [Format].
package linestest

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/lines"
)

// BOM is the mark of UTF-8.
const BOM = "\xef\xbb\xbf"

// Rows is what a format's readers have in common.
type Rows interface {
	Next() bool
	Line() int64
	Offset() int64
	Raw() []byte
	Unended() bool
	Logged(i int) bool
	Field(i int) []byte
	Time() (time.Time, bool)
	Stats() lines.Stats
}

// Reader is a format's reader of finished files.
type Reader[P any] interface {
	Rows
	Err() error
	Position() P
}

// Tail is a format's reader of files that are still written.
type Tail[P any] interface {
	Rows
	Feed(block []byte)
	Waiting() bool
	GiveUp()
	Position() P
}

// A Format is one that is tested, with P as its position.
type Format[P comparable] struct {
	Max    int                                                            // bytes of a line
	Read   func(src io.Reader, at P, block int, want ...string) Reader[P] // the finished file, some bytes at once; 0: as it does
	Follow func(at P, want ...string) Tail[P]                             // the live one
	Place  func(at P) lines.Position                                      // in the file
	Clock  string                                                         // how a time is shown; empty: not at all
	Value  func(v []byte) string                                          // how a value is shown
}

// Tell says of a row its line, its time and its n wanted values: "?" for a
// column that is not logged.
func (f Format[P]) Tell(r Rows, n int) string {
	words := []string{fmt.Sprint(r.Line())}
	if t, ok := r.Time(); ok && f.Clock != "" {
		words = append(words, t.Format(f.Clock))
	}
	for i := range n {
		v := "?"
		if r.Logged(i) {
			v = f.Value(r.Field(i))
		}
		words = append(words, v)
	}
	if r.Unended() {
		words = append(words, "unended")
	}
	return strings.Join(words, " ")
}

// tell reads all of r, and says of every row what Tell does.
func (f Format[P]) tell(r Rows, n int) (out []string) {
	for r.Next() {
		out = append(out, f.Tell(r, n))
	}
	return out
}

// Told reads all of data, and says of every row what Tell does.
func (f Format[P]) Told(data string, want ...string) ([]string, lines.Stats) {
	var start P
	r := f.Read(strings.NewReader(data), start, 0, want...)
	out := f.tell(r, len(want))
	if err := r.Err(); err != nil {
		out = append(out, err.Error())
	}
	return out, r.Stats()
}

// Timeless is Told without the times, and without what tells of places: as a
// plain oracle has it.
func (f Format[P]) Timeless(data string, want ...string) ([]string, lines.Stats) {
	f.Clock = ""
	out, stats := f.Told(data, want...)
	stats.Bytes, stats.First = 0, lines.Reject{}
	return out, stats
}

// A Kind is what a file may be like.
type Kind struct {
	Promise, Data string
	Want          []string    // as Told says them, without their lines and a day that is the first
	Stats         lines.Stats // without Bytes and First
}

// Kind reads all of a file, and holds it against what is wanted.
func (f Format[P]) Kind(t *testing.T, k Kind, want ...string) {
	t.Helper()
	got, stats := f.Told(k.Data, want...)
	for i, g := range got {
		_, rest, _ := strings.Cut(g, " ")
		got[i] = strings.TrimPrefix(rest, "01T")
	}
	if strings.Join(got, "\n") != strings.Join(k.Want, "\n") {
		t.Errorf("%s: got rows %.2000q, want %.2000q", k.Promise, got, k.Want)
	}
	if stats.Bytes != int64(len(k.Data)) {
		t.Errorf("%s: %d bytes of %d", k.Promise, stats.Bytes, len(k.Data))
	}
	stats.Bytes, stats.First = 0, lines.Reject{}
	if stats != k.Stats {
		t.Errorf("%s: got %+v, want %+v", k.Promise, stats, k.Stats)
	}
}

// Places: what Raw, Offset and Line say is where each of a file's rows can be
// found again.
func Places(t *testing.T, r Rows, data string, rows int) {
	t.Helper()
	n := 0
	for ; r.Next(); n++ {
		raw := string(r.Raw())
		if !strings.HasPrefix(data[r.Offset():], raw+"\n") || int64(strings.Count(data[:r.Offset()], "\n")) != r.Line()-1 {
			t.Errorf("%q is not at byte %d, line %d", raw, r.Offset(), r.Line())
		}
	}
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
}
