package w3c

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"evenkeel/queue/lines/linestest"
)

// The columns that HTTP.sys has logged over the years.
const (
	fields7  = "#Fields: date time cs-version cs-method cs-uri sc-status s-reason \n"
	fields13 = "#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename\n"
	fields14 = "#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri streamid sc-status s-siteid s-reason s-queuename\n"
	fields16 = "#Fields: " + httperrFields + "\n"
	fields18 = "#Fields: " + httperrFields + " fault-code extended-fault-code\n"
	siteHead = "#Fields: " + siteFields + "\n"
)

// format is ours, as the tests of all formats of lines see it.
func format() linestest.Format[Position] {
	return linestest.Format[Position]{
		Max: MaxLine,
		Read: func(src io.Reader, at Position, block int, want ...string) linestest.Reader[Position] {
			r := &Reader{rows{want: want}}
			r.in.Block = block
			r.Reset(src, at)
			return r
		},
		Follow: func(at Position, want ...string) linestest.Tail[Position] { return NewTail(at, want...) },
		Place:  func(at Position) lines.Position { return at.Position },
		Clock:  "02T15:04:05",
		Value:  func(v []byte) string { return cmp.Or(string(v), "-") },
	}
}

// restarted is a file in whose middle HTTP.sys began anew with other columns.
const restarted = "#Software: Microsoft HTTP API 2.0\n#Version: 1.0\n#Date: 2025-06-01 06:00:00\n" + fields13 +
	"2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 AppOffline PoolA\n" +
	"2025-06-01 06:00:01 192.0.2.7 40002 192.0.2.1 80 - - - - - Timer_ConnectionIdle -\n" +
	"2025-06-01 06:00:02 192.0.2.7 40003 192.0.2.1 80 HTTP/1.1 GET /x'%/<#part>[]{}|^~`$ 400 1 BadRequest -\n" +
	"#Software: Microsoft HTTP API 2.0\n#Version: 1.0\n#Date: 2025-06-01 07:00:00\n" + fields18 +
	"2025-06-01 07:00:01 2001:db8::7%12 40004 2001:db8::1 443 HTTP/2 POST /b 3 - 413 2 Request_Too_Large PoolB TCP - -\n" +
	"2025-06-01 07:00:02 192.0.2.7 40005 192.0.2.1 443 HTTP/3 GET /c 5 - 503 2 QueueFull PoolB QUIC 0x80070008 0x1\n"

func restartedTold() []string {
	return []string{
		"5 01T06:00:00 192.0.2.7 503 1 AppOffline PoolA ?",
		"6 01T06:00:01 192.0.2.7 - - Timer_ConnectionIdle - ?",
		"7 01T06:00:02 192.0.2.7 400 1 BadRequest - ?",
		"12 01T07:00:01 2001:db8::7%12 413 2 Request_Too_Large PoolB -",
		"13 01T07:00:02 192.0.2.7 503 2 QueueFull PoolB 0x80070008",
	}
}

func restartedWanted() []string {
	return []string{"c-ip", "sc-status", "s-siteid", "s-reason", "s-queuename", "fault-code"}
}

func TestKinds(t *testing.T) {
	const row13 = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a 503 1 QueueFull PoolA"
	const row14 = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 80 HTTP/1.1 GET /a - 503 1 QueueFull PoolA"
	const row16 = "2025-06-01 06:00:00 192.0.2.7 40001 192.0.2.1 443 M-POST-IS-A-METHOD M-POST /a\\..\\b - - 503 1 N/A PoolA TCP"
	full := "06:00:00 503 QueueFull PoolA"
	for _, k := range []struct {
		Promise, Data string
		Want          []string // sc-status, s-reason, s-queuename
		Stats         Stats
	}{
		{"the header comes again and again, after a blank line", "\n" + fields13 + row13 + "\n" + fields13 + fields13 + row13 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 3}},
		{"14 columns, with the stream", fields14 + row14 + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"16 columns, then 14: never shifted", fields16 + row16 + "\n" + fields14 + row14 + "\n", []string{"06:00:00 503 N/A PoolA", full}, Stats{Rows: 2, Headers: 2}},
		{"14 columns under a header of 16 are no row", fields16 + row14 + "\n" + row16 + "\n", []string{"06:00:00 503 N/A PoolA"}, Stats{Rows: 1, Headers: 1, Rejected: 1, Columns: 1}},
		{"16 columns under a header of 14 are no row", fields14 + row16 + "\n" + row14 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Columns: 1}},
		{"rows before any header are no rows", row13 + "\n" + row13 + "\n" + fields13 + row13 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Headless: 2}},
		{"addresses that somebody cut out leave no row, one blank or two", fields13 + "2025-06-01 06:00:00  443 HTTP/1.1 GET / 400 - Header -\n2025-06-01 06:00:00 443 HTTP/1.1 GET /owa - 1 Request_Cancelled Pool\n", nil, Stats{Headers: 1, Rejected: 2, Columns: 2}},
		{"a header of 7 columns that ends in a blank", fields7 + "2025-06-01 06:00:00 HTTP/1.1 GET /a/b.asp 400 FieldLength\n", []string{"06:00:00 400 FieldLength ?"}, Stats{Rows: 1, Headers: 1}},
		{"and rows that do", fields7 + "2025-06-01 06:00:00 HTTP/1.1 GET /a/b.asp 400 FieldLength \n", []string{"06:00:00 400 FieldLength ?"}, Stats{Rows: 1, Headers: 1}},
		{"and rows that end in many", fields13 + row13 + strings.Repeat(" ", 300) + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a row that lacks a column and ends in a blank has the right number, and is none", fields14 + row13 + " \n", nil, Stats{Headers: 1, Rejected: 1, Columns: 1}},
		{"a header without names", "#Fields:\n" + row13 + "\n", nil, Stats{Headers: 1, Rejected: 1, Headless: 1}},
		{"names in any letters", strings.ToUpper(fields13) + row13 + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a # within a row is no directive, a remark no row", fields13 + "#Remark: none\n#\n" + strings.Replace(row13, "/a", "/a#b", 1) + "\n", []string{full}, Stats{Rows: 1, Headers: 1}},
		{"quotes mean nothing", fields13 + strings.Replace(row13, "/a", `/"a`, 1) + "\n" + strings.Replace(row13, "/a", `"/a b"`, 1) + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Columns: 1}},
		{"what is no UTF-8 stays", fields13 + strings.Replace(row13, "PoolA", "Pool\xff\xc3", 1) + "\n", []string{"06:00:00 503 QueueFull Pool\xff\xc3"}, Stats{Rows: 1, Headers: 1}},
		{"CR and CR CR before LF", fields13 + row13 + "\r\n" + row13 + "\r\r\n\r\n", []string{full, full}, Stats{Rows: 2, Headers: 1}},
		{"files put together, each with its mark", linestest.BOM + fields13 + row13 + "\n" + linestest.BOM + fields13 + row13 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 2}},
		{"NULs between rows", fields13 + row13 + "\n" + strings.Repeat("\x00", 70_000) + row13 + "\n\x00\x00\r\n", []string{full, full}, Stats{Rows: 2, Headers: 1, Nul: 70_002}},
		{"NULs in the midst of a row", fields13 + row13[:60] + "\x00\x00" + row13[62:] + "\n" + row13 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 2, Cut: 1, Columns: 1, Nul: 2}},
		{"NULs after all columns: the last may be cut, so it is no row", fields13 + row13 + "\x00\x00", nil, Stats{Headers: 1, Rejected: 1, Cut: 1, Nul: 2}},
		{"a last line that is cut", fields13 + row13 + "\n" + row13[:70], []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Cut: 1}},
		{"a last line without its end", fields13 + row13, []string{full + " unended"}, Stats{Rows: 1, Headers: 1}},
		{"a cut header", fields13 + row13 + "\n" + fields14[:40], []string{full}, Stats{Rows: 1, Headers: 1}},
		{"a line that is too long, and the next", fields13 + strings.Repeat("x", MaxLine+1) + "\n" + row13 + "\n" + strings.Repeat("y ", 300_000) + "\n" + row13 + "\n", []string{full, full}, Stats{Rows: 2, Headers: 1, Rejected: 2, Long: 2}},
		{"a line that is too long ends at NULs", fields13 + strings.Repeat("x", MaxLine+1) + "\x00" + row13 + "\n", []string{full}, Stats{Rows: 1, Headers: 1, Rejected: 1, Long: 1, Nul: 1}},
		{"nothing", "", nil, Stats{}},
	} {
		format().Kind(t, linestest.Kind(k), "sc-status", "s-reason", "s-queuename")
	}
}

// A file that somebody saved again has the same rows.
func TestEncodings(t *testing.T) {
	format().Encodings(t, restarted, restartedTold(), restartedWanted()...)
}

// Rows of a site, among them those of Exchange's PowerShell, which has a blank
// too many before the user.
func TestSite(t *testing.T) {
	const (
		before = "2025-06-01 06:00:00 ::1 POST /powershell serializationLevel=Full;PSVersion=5.1 444 "
		after  = " ::1 Microsoft+WinRM+Client - 200 0 0 15\n"
		user   = `contoso\admin`
	)
	for _, c := range []struct {
		promise, row, want string // the user, the browser, the status, the time taken
	}{
		{"a plain row", before + user + after, user + " Microsoft+WinRM+Client 200 0 15"},
		{"two blanks before the user", before + " " + user + after, user + " Microsoft+WinRM+Client 200 0 15"},
		{"no user", before + "-" + after, "- Microsoft+WinRM+Client 200 0 15"},
		{"no user, and no dash for it", before + after, "- Microsoft+WinRM+Client 200 0 15"},
		{"three blanks", before + "  " + user + after, ""},
		{"two blanks elsewhere", strings.Replace(before+user+after, " POST", "  POST", 1), ""},
		{"two blanks elsewhere, and a column missing", strings.Replace(before+user+after, " POST /powershell", "  /powershell", 1), user + " Microsoft+WinRM+Client 200 0 15"},
		{"two blanks, and a column missing behind", before + " " + user + strings.Replace(after, " -", "", 1), ""},
		{"no user, and a blank in the browser", before + strings.Replace(after, "+WinRM", " WinRM", 1), ""},
		{"a blank in the query", strings.Replace(before+user+after, ";PS", "; PS", 1), ""},
		{"a blank in the query and two before the user", strings.Replace(before+" "+user+after, ";PS", "; PS", 1), ""},
		{"numbers of more than 32 bits", before + user + strings.Replace(after, " 0 15", " 214784354254 18446744073709551615", 1), user + " Microsoft+WinRM+Client 200 214784354254 18446744073709551615"},
		{"a query with everything", strings.Replace(before+user+after, "PSVersion", "$(%do)=m:Get;&End(17156.25ms)>>Conn:3,#", 1), user + " Microsoft+WinRM+Client 200 0 15"},
	} {
		r := NewReader(strings.NewReader(siteHead+c.row), Position{}, "cs-username", "cs(User-Agent)", "sc-status", "sc-win32-status", "time-taken")
		got := ""
		for r.Next() {
			_, got, _ = strings.Cut(format().Tell(r, 5), " 01T06:00:00 ")
			for _, i := range []int{2, 3, 4} {
				if n, ok := r.Uint(i); !ok || fmt.Sprint(n) != string(r.Field(i)) {
					t.Errorf("%s: number %d: %d %v", c.promise, i, n, ok)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.promise, got, c.want)
		}
	}
}

// The columns may stand in any order, and be of one's own making.
func TestColumnsByName(t *testing.T) {
	const data = "#Date: 2025-06-01 05:00:00\n" +
		"#Fields: X-Forwarded-For time-taken time cs-method date cs-method\n" +
		"192.0.2.51,+10.0.11.6,10.23.2.39 600013 06:00:00.25 PING 2025-06-01 second\n" +
		"#Fields: time\tcs-method\n" +
		"07:00:00\tGET it\n"
	r := NewReader(strings.NewReader(data), Position{}, "cs-method", "x-forwarded-for", "s-ip", "cs-method", "date")
	want := []string{"3 01T06:00:00 PING 192.0.2.51,+10.0.11.6,10.23.2.39 ? PING 2025-06-01", "5 01T07:00:00 GET it ? ? GET it ?"}
	for i := 0; r.Next(); i++ {
		if got := format().Tell(r, 5); i >= len(want) || got != want[i] {
			t.Errorf("got %q, want %q", got, want)
		}
		if now, _ := r.Time(); i == 0 && now.Nanosecond() != 250_000_000 {
			t.Errorf("a quarter of a second is lost: %v", now)
		}
	}
	if h := r.Header(); h.Date != "2025-06-01 05:00:00" || strings.Join(h.Columns(), ",") != "time,cs-method" || r.Stats().Rows != 2 {
		t.Errorf("got %+v", h)
	}
}

// What Raw, Offset and Line say is where the row can be found again.
func TestPlace(t *testing.T) {
	data := strings.Replace(restarted, "\n", "\n\n", 3)
	r := NewReader(strings.NewReader(data), Position{})
	linestest.Places(t, r, data, 5)
	if r.Header().Software != "Microsoft HTTP API 2.0" || r.Header().Version != "1.0" {
		t.Errorf("got %+v", r.Header())
	}
	long := strings.Repeat("x", 3*lines.Block) + "\n"
	if got, _ := format().Told("#Fields: a\n"+long+"b\n", "a"); strings.Join(got, "") != "3 b" {
		t.Errorf("a line that is too long is one: got %q", got)
	}
	_, stats := format().Told(fields13+"\nno row\nnor this\n", "date")
	if want := (lines.Reject{Line: 3, Offset: int64(len(fields13)) + 1, Why: lines.Columns}); stats.First != want || want.Why.String() != "columns" {
		t.Errorf("first rejected: got %+v, want %+v", stats.First, want)
	}
}
