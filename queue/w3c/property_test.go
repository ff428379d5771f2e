package w3c

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

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
			"\n", "\r\n", " ", "-", "\x00", strings.Repeat("\x00", 100), "\r", utf8BOM, "\xff", "a b\n", "a\tb\n", "#", row13, row16[:50], siteRow[40:],
		}),
		rapid.StringMatching(`[ -~]{0,20}\n?`),
	)
}

func file(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(pieces(), 0, 60).Draw(t, "pieces"), "")
}

// However a finished file is cut into blocks, its rows are the same.
func TestAnyBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := encoded(t, file(t))
		want, wantStats := told(data, oracleWanted()...)
		r := &Reader{buf: make([]byte, rapid.SampledFrom([]int{MaxLine + 100, 2 * MaxLine, blockLen}).Draw(t, "buffer"))}
		r.want = oracleWanted()
		r.Reset(iotest.HalfReader(strings.NewReader(data)), Position{})
		var got []string
		for r.Next() {
			got = append(got, tell(&r.rows))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || r.Stats() != wantStats {
			t.Fatalf("%q: got %q %+v, want %q %+v", data, got, r.Stats(), want, wantStats)
		}
	})
}

// encoded is the file as one of its kinds, or with long parts, so that blocks
// end everywhere in it.
func encoded(t *rapid.T, data string) string {
	switch rapid.IntRange(0, 4).Draw(t, "encoding") {
	case 0:
		return inUTF16(strings.ToValidUTF8(data, "?"), false)
	case 1:
		return inUTF16(strings.ToValidUTF8(data, "?"), true)
	case 2:
		return lengthened(t, data)
	}
	return data
}

// lengthened is the file twice, with something long in between or nothing: as
// long as a line may be and a little more, or more than a block.
func lengthened(t *rapid.T, data string) string {
	n := rapid.SampledFrom([]int{0, 0, MaxLine, 100_000, blockLen + 10_000}).Draw(t, "length") + rapid.IntRange(0, 100).Draw(t, "more")
	part := rapid.SampledFrom([]string{"x", "y ", "\x00", "\n", restarted}).Draw(t, "part")
	return data + strings.Repeat(part, n/len(part)+1)[:n] + data
}

// Whatever a follower sees of a growing file, and whenever it starts anew, it
// gets the rows that one reading of the whole file gives: none lost, none twice.
func TestAnyGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := encoded(t, strings.ReplaceAll(file(t), "\x00", "0")) + "\n"
		if i := strings.IndexByte(whole, 0); i >= 0 && !strings.HasPrefix(whole, "\xff\xfe") && !strings.HasPrefix(whole, "\xfe\xff") {
			whole = strings.ReplaceAll(whole, "\x00", "0")
		}
		want, _ := told(whole[:len(whole)-len(whole)%2], oracleWanted()...)
		whole = whole[:len(whole)-len(whole)%2]
		w := follow(oracleWanted()...)
		for written := 0; written < len(whole); {
			written = min(len(whole), written+rapid.IntRange(1, max(1, len(whole)/3)).Draw(t, "written"))
			ahead := rapid.SampledFrom([]int{0, 0, 1, 64, 65536}).Draw(t, "ahead")
			w.poll(t, whole[:written]+strings.Repeat("\x00", ahead), rapid.IntRange(MaxLine+2, 4*MaxLine).Draw(t, "block"))
			if rapid.Bool().Draw(t, "restart") {
				w.restart(t)
			}
		}
		w.poll(t, whole, 4*MaxLine)
		at := w.tail.Position()
		r := NewReader(strings.NewReader(whole[at.Offset:]), at, oracleWanted()...)
		for r.Next() {
			w.rows = append(w.rows, tell(&r.rows))
		}
		if strings.Join(w.rows, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q:\ngot  %q\nwant %q", whole, w.rows, want)
		}
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
