package exlog

import (
	"io"
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"evenkeel/queue/lines/linestest"
)

// format is ours, as the tests of all formats of lines see it.
func format() linestest.Format[Position] {
	return linestest.Format[Position]{
		Max: MaxRow,
		Read: func(src io.Reader, at Position, block int, want ...string) linestest.Reader[Position] {
			r := &Reader{rows{want: want}}
			r.in.Block = block
			r.Reset(src, at)
			return r
		},
		Follow: func(at Position, want ...string) linestest.Tail[Position] { return NewTail(at, want...) },
		Place:  func(at Position) lines.Position { return at.Position },
		Clock:  "02T15:04:05.000",
		Value:  func(v []byte) string { return "[" + string(v) + "]" },
	}
}

// mixed is a file with rows of many lines, in whose middle the columns change.
const mixed = "DateTime,User,Parameters,Status\n" +
	"#Software: Microsoft Exchange Server\n#Version: 15.00.1104.002\n#Log-type: Rps Cmdlet Logs\n#Date: 2025-06-01T06:00:00.000Z\n#Fields: DateTime,User,Parameters,Status\n" +
	"2025-06-01T06:00:00.100Z,CONTOSO\\user1,,200\n" +
	"2025-06-01T06:00:01.200Z,,\"-Size \"\"1\"\", -All\",200\n" +
	"2025-06-01T06:00:02.300Z,user2,\"first\n2025-06-01T06:00:02.400Z,nobody,,500\n\nlast, \"\"x\"\"\",404\n" +
	"#Version: 15.02.1544.004\n#Fields: Status,DateTime,User\n" +
	"Status,DateTime,User\n" +
	"503,2025-06-01T07:00:00.000Z,\"O, user3\"\n" +
	"\"200\",\"2025-06-01T07:00:01.000Z\",\"\"\n"

func mixedWanted() []string { return []string{"user", "Parameters", "STATUS"} }

func mixedTold() []string {
	return []string{
		`7 01T06:00:00.100 [CONTOSO\user1] [] [200]`,
		`8 01T06:00:01.200 [] [-Size "1", -All] [200]`,
		"9 01T06:00:02.300 [user2] [first\n2025-06-01T06:00:02.400Z,nobody,,500\n\nlast, \"x\"] [404]",
		`16 01T07:00:00.000 [O, user3] ? [503]`,
		`17 01T07:00:01.000 [] ? [200]`,
	}
}

const (
	head4 = "#Fields: DateTime,User,Parameters,Status\n"
	head3 = "#Fields: DateTime,User,Status\n"
	row4  = "2025-06-01T06:00:00.000Z,user1,-All,200"
	row3  = "2025-06-01T06:00:00.000Z,user1,200"
)

func TestKinds(t *testing.T) {
	const full = "06:00:00.000 [user1] [-All] [200]"
	quoted := func(v string) string { return strings.Replace(row4, "-All", v, 1) }
	is := func(v string) string { return strings.Replace(full, "-All", v, 1) }
	for _, k := range []struct {
		Promise, Data string
		Want          []string // User, Parameters, Status
		Stats         Stats
	}{
		{"a #Fields line", head4 + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a header row", head4[len("#Fields: "):] + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"both, in either order", head4[9:] + head4 + head4[9:] + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 3}},
		{"a header row with quotes, as other tools write it", `"DateTime","User","Parameters","Status"` + "\n" + `"2025-06-01T06:00:00.000Z","user1","-All","200"` + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a header row without the time, before any other", "User,Parameters,Status\nuser1,-All,200\n", []string{"[user1] [-All] [200]"}, Stats{Rows: 1, Headers: 1}},
		{"a row of words is no header row", "User,Parameters,Status\nGet,Set,Remove\n", []string{"[Get] [Set] [Remove]"}, Stats{Rows: 1, Headers: 1}},
		{"the columns change by #Fields", head4 + row4 + "\n" + head3 + row3 + "\n", []string{full, "06:00:00.000 [user1] ? [200]"}, Stats{Rows: 2, Headers: 2}},
		{"the columns change by a header row", head4 + row4 + "\n" + head3[9:] + row3 + "\n", []string{full, "06:00:00.000 [user1] ? [200]"}, Stats{Rows: 2, Headers: 2}},
		{"blanks about the names", "#Fields: DateTime, User ,Parameters,\tStatus \r\n" + row4 + "\r\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"too few columns and too many", head4 + row3 + "\n" + row4 + ",\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Columns: 2}},
		{"rows before any header", row4 + "\n" + "\"\n" + head4 + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Headless: 2}},
		{"a header without names", "#Fields:\n" + row4 + "\n", nil, Stats{Headers: 1, Rejected: 1, Headless: 1}},
		{"a header whose quotes do not fit", "#Fields: DateTime,\"User,Status\n" + row3 + "\n", nil, Stats{Headers: 1, Rejected: 1, Headless: 1}},
		{"a column of no name is one", "#Fields: DateTime,User,Parameters,Status,\n" + row4 + ",\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Columns: 1}},
		{"a # within a row is no directive, a remark no row", head4 + "#Remark: none\n#\n" + quoted("#x") + "\n", []string{is("#x")}, Stats{Rows: 1, Headers: 1}},

		{"commas and quotes in quotes", head4 + quoted(`"a, ""b"", "`) + "\n" + quoted(`""""`) + "\n" + quoted(`""`) + "\n", []string{is(`a, "b", `), is(`"`), is("")}, Stats{Rows: 3, Headers: 1}},
		{"line ends in quotes", head4 + quoted("\"a\r\n\r\n#b\nc\"") + "\r\n" + row4 + "\n", []string{is("a\r\n\r\n#b\nc"), full}, Stats{Rows: 2, Headers: 1}},
		{"the last column has them", head3 + strings.Replace(row3, "200", "\"2\n00\"", 1) + "\r\n" + row3 + "\n", []string{"06:00:00.000 [user1] ? [2\n00]", "06:00:00.000 [user1] ? [200]"}, Stats{Rows: 2, Headers: 1}},
		{"rows and headers in quotes are none", head4 + quoted("\"\n"+row4+"\n"+head3+"\"") + "\n", []string{is("\n" + row4 + "\n" + head3)}, Stats{Rows: 1, Headers: 1}},
		{"a quote within a plain value is a character", head4 + quoted(`5" disk`) + "\n" + quoted(`x"y"`) + "\n", []string{is(`5" disk`), is(`x"y"`)}, Stats{Rows: 2, Headers: 1}},
		{"something behind the end of a quote", head4 + quoted(`"a"b`) + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Quotes: 1}},
		{"a quote that does not end costs its own line", head4 + quoted(`"a`) + "\n" + row4 + "\n" + row4 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 1, Rejected: 1, Quotes: 1}},
		{"also if a later row has quotes", head4 + quoted(`"a`) + "\n" + row4 + "\n" + quoted(`"a, b"`) + "\n" + quoted(`""`) + "\n" + row4 + "\n", []string{full, is("a, b"), is(""), full}, Stats{Rows: 4, Headers: 1, Rejected: 1, Quotes: 1}},
		{"also if that begins with a comma", head4 + quoted(`"a`) + "\n" + quoted(`", b"`) + "\n" + row4 + "\n", []string{is(", b"), full}, Stats{Rows: 2, Headers: 1, Rejected: 1, Quotes: 1}},
		{"also if that is broken, too", head4 + quoted(`"a`) + "\n" + quoted(`"b`) + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Quotes: 2}},
		{"also far from the end of the file", head4 + quoted(`"a`) + "\n" + strings.Repeat(row4+"\n", 8000) + row4, append(repeat(full, 8000), full+" unended"), Stats{Rows: 8001, Headers: 1, Rejected: 1, Quotes: 1}},
		{"a row of many lines with a wrong number is one", head4 + "2025-06-01T06:00:00.000Z,\"a\n" + row4 + "\n\",200\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Columns: 1}},
		{"a cut row with the next behind it", head4 + row4[:30] + row4 + "\n" + quoted(`"a`)[:30] + row4 + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Columns: 2}},
		{"a cut row within quotes, with the next behind it", head4 + "2025-06-01T06:00:00.000Z,user1,\"a" + row4 + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Quotes: 1}},

		{"what is no UTF-8 stays", head4 + quoted("\xff\xc3") + "\n", []string{is("\xff\xc3")}, Stats{Rows: 1, Headers: 1}},
		{"CR and CR CR before LF", head4 + row4 + "\r\n" + row4 + "\r\r\n\r\n", []string{full, full}, Stats{Rows: 2, Headers: 1}},
		{"files put together, each with its mark", linestest.BOM + head4 + row4 + "\n" + linestest.BOM + head4 + row4 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 2}},
		{"NULs between rows", head4 + row4 + "\n" + strings.Repeat("\x00", 270_000) + row4 + "\n\x00\x00\r\n", []string{full, full}, Stats{Rows: 2, Headers: 1, Nul: 270_002}},
		{"NULs in the midst of a row", head4 + row4[:30] + "\x00\x00" + row4[32:] + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Cut: 1, Columns: 1, Nul: 2}},
		{"NULs after all columns: the last may be cut, so it is no row", head4 + row4 + "\x00\x00", nil, Stats{Headers: 1, Rejected: 1, Cut: 1, Nul: 2}},
		{"NULs within quotes", head4 + quoted("\"a\nb\x00\x00c\"") + "\n" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 3, Quotes: 1, Cut: 1, Columns: 1, Nul: 2}},
		{"a last line that is cut", head4 + row4 + "\n" + row4[:30], []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Cut: 1}},
		{"a last line that is cut within quotes", head4 + row4 + "\n" + quoted(`"a`), []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Cut: 1}},
		{"a last row of two lines that is cut", head4 + row4 + "\n" + quoted("\"a\nb"), []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Quotes: 1, Cut: 1}},
		{"a last line without its end", head4 + row4, []string{full + " unended"}, Stats{Rows: 1, Headers: 1}},
		{"a last row of two lines without its end", head4 + quoted("\"a\nb\""), []string{is("a\nb") + " unended"}, Stats{Rows: 1, Headers: 1}},
		{"a cut header", head4 + row4 + "\n" + head4[:20], []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a cut header row", head4 + row4 + "\n" + head4[9:20], []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a line that is too long, and the next", head4 + strings.Repeat("x", MaxRow+1) + "\n" + row4 + "\n" + strings.Repeat("y,", 300_000) + "\n" + row4 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 1, Rejected: 2, Long: 2}},
		{"a line that is too long ends at NULs", head4 + strings.Repeat("x", MaxRow+1) + "\x00" + row4 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Long: 1, Nul: 1}},
		{"nothing", "", nil, Stats{}},
	} {
		format().Kind(t, linestest.Kind(k), "User", "Parameters", "Status")
	}
}

func repeat(s string, n int) []string {
	return strings.Split(strings.Repeat(s+"\x01", n-1)+s, "\x01")
}

// A row may be as long as it may, and no byte longer, in one line or in many.
func TestLongest(t *testing.T) {
	for name, part := range map[string]string{"one line": "x", "many": "y\n"} {
		for _, more := range []int{0, 1} {
			start, end := "2025-06-01T06:00:00.000Z,\"", "\",200"
			n := MaxRow + more - len(start) - len(end)
			v := strings.Repeat(part, n/len(part)+1)[:n]
			row := start + v + end
			for promise, data := range map[string]string{"and another": row + "\n" + row3 + "\n", "after NULs": "\x00" + row + "\n" + row3 + "\n", "without an end": row3 + "\n" + row} {
				got, stats := format().Told(head3+data, "User")
				if len(got) != 2-more || stats.Rejected > 0 != (more > 0) {
					t.Errorf("%s, %d too long, %s: %d rows, %+v", name, more, promise, len(got), stats)
				}
			}
		}
	}
}

// A file that somebody saved again has the same rows.
func TestEncodings(t *testing.T) {
	format().Encodings(t, mixed, mixedTold(), mixedWanted()...)
}

// The logs that Exchange has written over the years, by name in any order.
func TestLogs(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"HttpProxy":         {string(proxy(1 << 16)), proxyWanted()},
		"RPC Client Access": {string(rca(1 << 16)), rcaWanted()},
		"cmdlets":           {string(cmd(1 << 16)), cmdWanted()},
	} {
		_, stats := format().Told(c.data, c.want...)
		if stats.Rejected != 0 || stats.Rows != int64(strings.Count(c.data, "\r\n2025-03")) {
			t.Errorf("%s: %+v", name, stats)
		}
	}
	ecp := "#Version: 15.0.0.0\n#Log-type: ECP Server Log\n#Fields: " + ecpFields + "\n" +
		"2025-03-03T06:49:53.772Z,EX1,ECP.Request,\"'S:CMD=Set-X.Url=''http://f/<a b=\"\"c\"\">(1, 2);''.Id=''7''';;S:EX=\"\n"
	r := NewReader(strings.NewReader(ecp), Position{}, "EventData")
	if !r.Next() {
		t.Fatalf("no row: %+v", r.Stats())
	}
	p, _ := Lookup(r.Field(0), "CMD")
	if got := string(p.AppendValue(nil)); got != `Set-X.Url='http://f/<a b="c">(1, 2);'.Id='7'` {
		t.Errorf("got %q", got)
	}
	if now, ok := r.Time(); !ok || now.Format("15:04:05.000") != "06:49:53.772" || r.Header().LogType != "ECP Server Log" {
		t.Errorf("got %v %v %+v", now, ok, r.Header())
	}
}

// What is empty has no value, and what a service writes instead of one stays.
func TestNoValue(t *testing.T) {
	r := NewReader(strings.NewReader("#Fields: a,b,c,d,e,a\n,\"\",$null,<null>,11 Max,second\n"), Position{}, "a", "b", "c", "d", "e", "f")
	if !r.Next() || r.Field(0) != nil || r.Field(1) != nil || r.Logged(5) || !r.Logged(0) || r.Field(5) != nil {
		t.Errorf("got %q", r.Raw())
	}
	for i, want := range []string{"$null", "<null>", "11 Max"} {
		if got := string(r.Field(i + 2)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What Raw, Offset and Line say is where the row can be found again.
func TestPlace(t *testing.T) {
	data := strings.Replace(mixed, "\n", "\n\n", 3)
	r := NewReader(strings.NewReader(data), Position{})
	linestest.Places(t, r, data, 5)
	want := Header{"Microsoft Exchange Server", "15.02.1544.004", "Rps Cmdlet Logs", "2025-06-01T06:00:00.000Z", "Status,DateTime,User"}
	if r.Header() != want || strings.Join(r.Header().Columns(), "|") != "Status|DateTime|User" {
		t.Errorf("got %+v", r.Header())
	}
	_, stats := format().Told(head4+"\nno row\nnor this\n", "date")
	if want := (lines.Reject{Line: 3, Offset: int64(len(head4)) + 1, Why: lines.Columns}); stats.First != want || want.Why.String() != "columns" {
		t.Errorf("first rejected: got %+v, want %+v", stats.First, want)
	}
}
