package w3c

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"evenkeel/queue/lines/linestest"
	"pgregory.net/rapid"
)

// pieces of files: whole lines, parts of lines, and what spoils them.
func pieces() *rapid.Generator[string] {
	const row13 = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA"
	const row16 = "2025-06-01 06:00:01 2001:db8::7%12 40001 192.0.2.1 443 HTTP/2 GET /b 3 - 400 1 BadRequest PoolB TCP"
	const siteRow = `2025-06-01 06:00:02 ::1 POST /p q=1 444 contoso\user fe80::1%3 Agent+(x) - 200 0 0 15`
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			fields7, fields13, fields14, fields16, siteHead, strings.ReplaceAll(fields13[9:], " ", "\t"), "#Fields: a\tb\n", "#Date: 2025-06-01 06:00:00\n", "#Software: \xff\xfe\n", "#Fields:\n",
			row13 + "\n", row13 + "\r\n", row16 + "\n", row16 + " \n", siteRow + "\n", strings.Replace(siteRow, " contoso", "  contoso", 1) + "\n",
			strings.Replace(siteRow, `contoso\user`, "", 1) + "\n", strings.ReplaceAll(row13, " ", "\t") + "\n", strings.Replace(siteRow, "q=1", "q=1 2", 1) + "\n",
			"\n", "\r\n", " ", "-", "\x00", strings.Repeat("\x00", 100), "\r", linestest.BOM, "\xff", "a b\n", "a\tb\n", "#", row13, row16[:50], siteRow[40:],
		}),
		rapid.StringMatching(`[ -~]{0,20}\n?`),
	)
}

func file(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(pieces(), 0, 60).Draw(t, "pieces"), "")
}

// parts are what a file may have long stretches of.
func parts() []string { return []string{"x", "y ", "\x00", "\n", restarted} }

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

func TestMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(rapid.SampledFrom([]byte{' ', ' ' + 1, ' ' - 1, ' ' | 0x80, 'x', 0, 0xff}), 1, 300).Draw(t, "line")
		at := make([]int32, len(line)+slack)
		n, twice := mark(line, at, ' ')
		var want []int32
		for i, c := range line {
			if c == ' ' {
				want = append(want, int32(i))
			}
		}
		if fmt.Sprint(at[:n]) != fmt.Sprint(want) || twice != bytes.Contains(line, []byte("  ")) {
			t.Fatalf("%q: got %v %v, want %v", line, at[:n], twice, want)
		}
	})
}
