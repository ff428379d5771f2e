package exlog

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
	"pgregory.net/rapid"
)

// pieces of files: whole lines, parts of lines, and what spoils them.
func pieces() *rapid.Generator[string] {
	quoted := strings.Replace(row4, "-All", "\"a, \"\"b\"\"\r\n"+row4+"\n\"", 1)
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			head4, head3, head4[9:], head3[9:], "#Fields: Status,User\n", "Status,User\n", "#Date: x\n", "#Software: \xff\xfe\n", "#Fields:\n", "#Fields: \"User\n", `"DateTime","User","Status"` + "\n",
			row4 + "\n", row4 + "\r\n", row3 + "\n", quoted + "\n", quoted + "\r\n", strings.Replace(row4, "-All", `""`, 1) + "\n", strings.Replace(row3, "200", `"`, 1) + "\n",
			"\n", "\r\n", " ", ",", "\"", "\"\"", "\",\"", "\"\n", "\",", "\x00", strings.Repeat("\x00", 100), "\r", linestest.BOM, "\xff", "a,b\n", "#", row4, row4[:30], quoted[:50], quoted[40:],
		}),
		rapid.StringMatching(`[ -~]{0,20}\n?`),
		rapid.StringMatching(`[",x\r\n]{0,20}\n?`),
	)
}

func file(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(pieces(), 0, 60).Draw(t, "pieces"), "")
}

// parts are what a file may have long stretches of.
func parts() []string { return []string{"x", "y,", "\x00", "\n", "\"\"", "z\n", mixed} }

// However a finished file is cut into blocks, its rows are the same.
func TestAnyBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format().AnyBlocks(t, format().Encoded(t, file(t), parts()...), oracleWanted()...)
	})
}

// Whatever a follower sees of a growing file, and whenever it starts anew, it
// gets the rows that one reading of the whole file gives: none lost, none twice.
func TestAnyGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := format().Encoded(t, strings.ReplaceAll(file(t), "\x00", "0"), parts()...) + "\n"
		format().AnyGrowth(t, whole, oracleWanted()...)
	})
}

// What another program writes by the rules is read as it was, whatever stands in
// the values.
func TestAgainstWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`([a-z",\r\n#' ]|[ä☃])*`), 3, 3), 0, 20).Draw(t, "values")
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Write([]string{"a", "DateTime", "b", "c"})
		var want []string
		for _, v := range values {
			w.Write([]string{"." + v[0], "2025-06-01T06:00:00.000Z", v[1], v[2]})
			want = append(want, "."+strings.Join(v, "|"))
		}
		w.Flush()
		r := NewReader(strings.NewReader(b.String()), Position{}, "c", "b", "a")
		var got []string
		for r.Next() {
			got = append(got, string(r.Field(2))+"|"+string(r.Field(1))+"|"+string(r.Field(0)))
		}
		if strings.Join(got, "\x01") != strings.Join(want, "\x01") || r.Stats().Rejected > 0 {
			t.Fatalf("%q: got %q, %+v", want, got, r.Stats())
		}
	})
}

// A row with a quote too many costs itself, and no other row in a log of rows
// like those of Exchange, which begin with their time.
func TestBrokenQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []string
		for range rapid.IntRange(2, 30).Draw(t, "rows") {
			v := rapid.SampledFrom([]string{"x", "", `""`, `"a, b"`, `", "`, `"say ""yes"""`, "\"two\nlines\"", `5" disk`}).Draw(t, "value")
			rows = append(rows, strings.Replace(row4, "-All", v, 1)+"\n")
		}
		at := rapid.IntRange(0, len(rows)-1).Draw(t, "at")
		good, _ := format().Told(head4+strings.Join(rows, ""), "Parameters")
		rows[at] = strings.Replace(row4, "-All", rapid.SampledFrom([]string{`"`, `"a`, `"a""`, `"a"b`, `"a,200`, `"a"" `}).Draw(t, "broken"), 1) + "\n"
		got, stats := format().Told(head4+strings.Join(rows, ""), "Parameters")
		if len(got) != len(good)-1 || stats.Rejected != 1 || stats.Quotes != 1 {
			t.Fatalf("%q, broken at %d: got %q, %+v", rows, at, got, stats)
		}
	})
}

func TestMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.SampledFrom([]byte{',', ',' + 1, ',' - 1, ',' | 0x80, 'x', 0, 0xff}), 1, 100).Draw(t, "line")
		marks := make([]int32, rapid.IntRange(1, 110).Draw(t, "columns"))
		var want []int32
		for i, c := range append(line[:len(line):len(line)], ',') {
			if c == ',' {
				want = append(want, int32(i))
			}
		}
		n := mark(line, marks)
		if known := min(n, len(marks)-1); n != len(want) || !slices.Equal(marks[1:known+1], want[:known]) {
			t.Fatalf("%q: got %d %v, want %v", line, n, marks, want)
		}
	})
}
