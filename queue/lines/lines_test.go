package lines_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/lines"
	"evenkeel/queue/lines/linestest"
	"pgregory.net/rapid"
)

// longest is short, so that lines are often too long.
const longest = 20

// raw is the simplest format: a line is a row of one column.
type raw struct {
	lines.Scanner
	text []byte
}

func (r *raw) Next() (ok bool) {
	if r.text, ok = r.Scanner.Next(); ok {
		r.Count.Rows++
	}
	return ok
}
func (r *raw) Raw() []byte             { return r.text }
func (r *raw) Logged(int) bool         { return true }
func (r *raw) Field(int) []byte        { return r.text }
func (r *raw) Time() (time.Time, bool) { return time.Time{}, false }

func begun(src io.Reader, at lines.Position, block int) *raw {
	r := &raw{Scanner: lines.Scanner{Max: longest, Block: block}}
	r.Begin(src, at)
	return r
}

func format() linestest.Format[lines.Position] {
	return linestest.Format[lines.Position]{
		Max: longest,
		Read: func(src io.Reader, at lines.Position, block int, _ ...string) linestest.Reader[lines.Position] {
			return begun(src, at, block)
		},
		Follow: func(at lines.Position, _ ...string) linestest.Tail[lines.Position] { return begun(nil, at, 0) },
		Place:  func(at lines.Position) lines.Position { return at },
		Value:  func(v []byte) string { return fmt.Sprintf("%q", v) },
	}
}

// slowly reads a finished file in bytes the plain way.
func slowly(data string, _ ...string) (out []string, s lines.Stats) {
	line := 1
	for data = strings.TrimPrefix(data, linestest.BOM); data != ""; {
		text, end := data, ""
		if n := strings.IndexAny(data, "\n\x00"); n >= 0 {
			text, end = data[:n], data[n:n+1]
		}
		data = data[len(text)+len(end):]
		plain := strings.TrimPrefix(strings.TrimRight(text, "\r"), linestest.BOM)
		switch {
		case len(text) > longest:
			s.Long++
		case end == "\x00" && text != "":
			s.Cut++
		case end == "" && plain != "":
			out = append(out, fmt.Sprintf("%d %q unended", line, plain))
		case plain != "":
			out = append(out, fmt.Sprintf("%d %q", line, plain))
		}
		if end == "\n" {
			line++
		} else {
			s.Nul += int64(len(end))
		}
	}
	s.Rows, s.Rejected = int64(len(out)), s.Long+s.Cut
	return out, s
}

func file(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\x00", "\x00\x00\x00\x00", linestest.BOM, "\xff", "ä☃😀", strings.Repeat("x", longest), "0123456789"}),
		rapid.StringMatching(`[ -~]{0,5}\n?`)), 0, 60).Draw(t, "pieces"), "")
}

func encoded(t *rapid.T, text string) string {
	if big := rapid.IntRange(0, 2).Draw(t, "encoding"); big < 2 {
		return linestest.InUTF16(strings.ToValidUTF8(text, "?"), big > 0)
	}
	return text
}

func TestAnyBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { format().AnyBlocks(t, encoded(t, file(t)), "line") })
}

func TestAnyGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format().AnyGrowth(t, encoded(t, strings.ReplaceAll(file(t), "\x00", "0"))+"\n", "line")
	})
}

func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { format().Oracle(t, file(t), slowly, "line") })
}

// FuzzScanner: any bytes are read to their end, however they come.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{"a\nb\r\n\x00\x00c\n", linestest.InUTF16("a\n", false), linestest.InUTF16("a\n", true), linestest.BOM + strings.Repeat("x", longest+1)} {
		f.Add(s, uint16(3))
	}
	f.Fuzz(func(t *testing.T, data string, first uint16) {
		format().AnyBytes(t, data, int(first), slowly, "line")
	})
}

// A block of a line that does not end brings a tail on if it is longer than Max
// by two bytes: of one less, UTF-16 may have a line of Max and half its end.
func TestBringsOn(t *testing.T) {
	for _, c := range []struct {
		name string
		e    lines.Encoding
		more int
		want bool
	}{
		{"bytes, Max", lines.UTF8, 0, false}, {"bytes, one more", lines.UTF8, 1, true}, {"bytes, two more", lines.UTF8, 2, true},
		{"UTF-16, one more", lines.UTF16LE, 1, false}, {"UTF-16, two more", lines.UTF16LE, 2, true}, {"UTF-16BE, two more", lines.UTF16BE, 2, true},
	} {
		r := begun(nil, lines.Position{Offset: 100, Encoding: c.e}, 0)
		r.Feed([]byte(strings.Repeat("x", longest+c.more)))
		if r.Next() || r.Position().Offset > 100 != c.want || r.Stats().Long > 0 != c.want {
			t.Errorf("%s: got %+v %+v", c.name, r.Position(), r.Stats())
		}
	}
}
