package logs

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// whose are the logs below top, by node: "EX01: httperr1.log u_ex260302.log".
func whose(f *Found, top string) (out []string) {
	for _, node := range f.Nodes {
		var names []string
		for _, s := range f.Streams {
			for _, l := range s.Logs {
				if s.Node == node {
					names = append(names, strings.TrimPrefix(l.Name, filepath.ToSlash(top)+"/"))
				}
			}
		}
		slices.Sort(names)
		out = append(out, node+": "+strings.Join(names, " "))
	}
	return out
}

func TestNodes(t *testing.T) {
	one, two := "10.0.0.11", "10.0.0.12"
	for _, tt := range []struct {
		promise string
		files   map[string]string
		want    []string
	}{
		{"the folder that sets servers apart", map[string]string{
			"EX01/HTTPERR/httperr1.log": httpErr(one, 0, 3), "EX01/W3SVC1/u_ex260302.log": iis(one, 0, 9), "EX02/HTTPERR/httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: EX01/HTTPERR/httperr1.log EX01/W3SVC1/u_ex260302.log", "EX02: EX02/HTTPERR/httperr1.log"}},
		{"rows name the server for all of its folder, without domain and in one spelling", map[string]string{
			"a/HTTPERR/httperr1.log": httpErr(one, 0, 3), "a/HttpProxy/Mapi/HttpProxy_2026030200-1.LOG": proxy("mail01.contoso.com", 0, 3),
			"a/HttpProxy/Ews/HttpProxy_2026030200-1.LOG": proxy("MAIL01", time.Hour, 3), "b/HTTPERR/httperr1.log": httpErr(two, 0, 3),
		}, []string{"MAIL01: a/HTTPERR/httperr1.log a/HttpProxy/Ews/HttpProxy_2026030200-1.LOG a/HttpProxy/Mapi/HttpProxy_2026030200-1.LOG", "b: b/HTTPERR/httperr1.log"}},
		{"folders of the system, of drives, of dates and of versions tell nothing", map[string]string{
			"EX01/C$/Windows/System32/LogFiles/HTTPERR/httperr1.log":                                    httpErr(one, 0, 3),
			"EX01/D$/inetpub/logs/LogFiles/W3SVC1/u_ex260302.log":                                       iis(one, 0, 9),
			"EX01/E$/Program Files/Microsoft/Exchange Server/V15/Logging/Ews/2026-03-02/u_ex260303.log": iis(one, 24*time.Hour, 9),
			"EX02/C$/Windows/System32/LogFiles/HTTPERR/httperr1.log":                                    httpErr(two, 0, 3),
		}, []string{
			"EX01: EX01/C$/Windows/System32/LogFiles/HTTPERR/httperr1.log EX01/D$/inetpub/logs/LogFiles/W3SVC1/u_ex260302.log EX01/E$/Program Files/Microsoft/Exchange Server/V15/Logging/Ews/2026-03-02/u_ex260303.log",
			"EX02: EX02/C$/Windows/System32/LogFiles/HTTPERR/httperr1.log",
		}},
		{"kinds above servers", map[string]string{
			"HTTPERR/EX01/httperr1.log": httpErr(one, 0, 3), "IIS/EX01/u_ex260302.log": iis(one, 0, 3), "HTTPERR/EX02/httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: HTTPERR/EX01/httperr1.log IIS/EX01/u_ex260302.log", "EX02: HTTPERR/EX02/httperr1.log"}},
		{"a folder of that name in every server's", map[string]string{
			"EX01/export/httperr1.log": httpErr(one, 0, 3), "EX02/export/httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: EX01/export/httperr1.log", "EX02: EX02/export/httperr1.log"}},
		{"one server in two places", map[string]string{
			"x/EX01/HTTPERR/httperr1.log": httpErr(one, 0, 3), "y/EX01/W3SVC1/u_ex260302.log": iis(one, 0, 3), "x/EX02/HTTPERR/httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: x/EX01/HTTPERR/httperr1.log y/EX01/W3SVC1/u_ex260302.log", "EX02: x/EX02/HTTPERR/httperr1.log"}},
		{"archives are folders", map[string]string{
			"EX01.zip/HTTPERR/httperr1.log": httpErr(one, 0, 3), "EX02.zip/HTTPERR/httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: EX01.zip/HTTPERR/httperr1.log", "EX02: EX02.zip/HTTPERR/httperr1.log"}},
		{"stored with backslashes", map[string]string{
			`all.zip/EX01\HTTPERR\httperr1.log`: httpErr(one, 0, 3), `all.zip/EX02\HTTPERR\httperr1.log`: httpErr(two, 0, 3),
		}, []string{"EX01: all.zip/EX01/HTTPERR/httperr1.log", "EX02: all.zip/EX02/HTTPERR/httperr1.log"}},
		{"what stands before a server's own names of its logs", map[string]string{
			"EX01_httperr1.log": httpErr(one, 0, 3), "EX01-u_ex260302.log": iis(one, 0, 3), "EX02_httperr1.log": httpErr(two, 0, 3),
		}, []string{"EX01: EX01-u_ex260302.log EX01_httperr1.log", "EX02: EX02_httperr1.log"}},
		{"nothing sets it apart: its address, the least of several", map[string]string{
			"HTTPERR/httperr1.log": httpErr(two, 0, 3), "HTTPERR/httperr2.log": httpErr(one, time.Hour, 3),
		}, []string{one + ": HTTPERR/httperr1.log HTTPERR/httperr2.log"}},
		{"servers put together under other names: each its address", map[string]string{
			"a.log": httpErr(one, 0, 3), "b.log": httpErr(two, 0, 3),
		}, []string{one + ": a.log", two + ": b.log"}},
		{"an address that one named server alone has", map[string]string{
			"a.log": httpErr(one, 0, 3), "b.log": httpErr(two, 0, 3), "EX02/W3SVC1/u_ex260302.log": iis(two, 0, 3), "EX02/HttpProxy/Mapi/HttpProxy_2026030200-1.LOG": proxy("EX02", 0, 3),
		}, []string{one + ": a.log", "EX02: EX02/HttpProxy/Mapi/HttpProxy_2026030200-1.LOG EX02/W3SVC1/u_ex260302.log b.log"}},
		{"one alone that was found", map[string]string{"EX01/HTTPERR/httperr1.log": httpErr(one, 0, 3)}, []string{"EX01: EX01/HTTPERR/httperr1.log"}},
		{"one alone that was found in an archive", map[string]string{"a.zip/EX01/httperr1.log": httpErr(one, 0, 3)}, []string{"EX01: a.zip/EX01/httperr1.log"}},
		{"no address: loopback", map[string]string{"httperr1.log": httpErr("127.0.0.1", 0, 3)}, []string{"this node: httperr1.log"}},
		{"numbers, where both have the same file and other rows", map[string]string{
			"1/HTTPERR/httperr1.log": httpErr(one, 0, 9), "2/HTTPERR/httperr1.log": httpErr(two, time.Second, 9), "2/W3SVC1/u_ex260302.log": iis(two, 0, 9),
		}, []string{"1: 1/HTTPERR/httperr1.log", "2: 2/HTTPERR/httperr1.log 2/W3SVC1/u_ex260302.log"}},
		{"numbers with the files in them", map[string]string{
			"1/httperr1.log": httpErr(one, 0, 9), "2/httperr1.log": httpErr(one, time.Second, 9),
		}, []string{"1: 1/httperr1.log", "2: 2/httperr1.log"}},
		{"numbers below what may be a farm, by their addresses", map[string]string{
			"site/1/httperr1.log": httpErr(one, 0, 9), "site/2/httperr1.log": httpErr(two, time.Second, 9),
		}, []string{"1: site/1/httperr1.log", "2: site/2/httperr1.log"}},
		{"numbers below a server, which are two of its copies", map[string]string{
			"EX01/1/httperr1.log": httpErr(one, 0, 9), "EX01/2/httperr1.log": httpErr(one, time.Second, 9), "EX02/1/httperr1.log": httpErr(two, 0, 9),
		}, []string{"EX01: EX01/1/httperr1.log EX01/2/httperr1.log", "EX02: EX02/1/httperr1.log"}},
		{"the days of a server", map[string]string{
			"EX02/2026/03/02/httperr1.log": httpErr(one, 0, 9), "EX02/2026/03/03/httperr1.log": httpErr(one, 24*time.Hour, 9), "EX01.2026-03-02/httperr1.log": httpErr(two, 0, 9), "EX01.2026-03-03/httperr2.log": httpErr(two, 24*time.Hour, 9),
		}, []string{"EX01: EX01.2026-03-02/httperr1.log EX01.2026-03-03/httperr2.log", "EX02: EX02/2026/03/02/httperr1.log EX02/2026/03/03/httperr1.log"}},
		{"the days of one that nothing sets apart", map[string]string{
			"2026/03/02/httperr1.log": httpErr(one, 0, 9), "2026/03/03/httperr1.log": httpErr(one, 24*time.Hour, 9), "2026-03-04/httperr1.log": httpErr(one, 48*time.Hour, 9),
		}, []string{one + ": 2026-03-04/httperr1.log 2026/03/02/httperr1.log 2026/03/03/httperr1.log"}},
		{"hosts of one name in two domains", map[string]string{
			"mail.site1.corp/httperr1.log": httpErr(one, 0, 9), "mail.site2.corp/httperr1.log": httpErr(two, 0, 9),
		}, []string{"mail.site1.corp: mail.site1.corp/httperr1.log", "mail.site2.corp: mail.site2.corp/httperr1.log"}},
		{"the same by their rows", map[string]string{
			"a.log": proxy("mail.site1.corp", 0, 9), "b.log": proxy("mail.site2.corp", 0, 9), "c.log": proxy("EX03.site2.corp", 0, 9),
		}, []string{"EX03: c.log", "mail.site1.corp: a.log", "mail.site2.corp: b.log"}},
		{"folders with a dot", map[string]string{
			"backup.ex01/httperr1.log": httpErr(one, 0, 9), "backup.ex02/httperr1.log": httpErr(two, time.Second, 9),
		}, []string{"backup.ex01: backup.ex01/httperr1.log", "backup.ex02: backup.ex02/httperr1.log"}},
		{"an address is a name as good as any", map[string]string{
			one + "/httperr1.log": httpErr("127.0.0.1", 0, 3), two + "/httperr1.log": httpErr("::1", 0, 3),
		}, []string{one + ": " + one + "/httperr1.log", two + ": " + two + "/httperr1.log"}},
	} {
		top := put(t, tt.files)
		f := search(t, top)
		if got := whose(f, top); !slices.Equal(got, tt.want) || len(f.Faults) > 0 {
			t.Errorf("%s: got\n%s\nwant\n%s\nfaults %v", tt.promise, strings.Join(got, "\n"), strings.Join(tt.want, "\n"), f.Faults)
		}
	}
}

func TestOneNameForAll(t *testing.T) {
	top := put(t, map[string]string{"a.log": httpErr("10.0.0.11", 0, 3), "b/u_ex260302.log": iis("10.0.0.12", 0, 3), "c.log": proxy("EX01", 0, 2)})
	f, err := Find(t.Context(), []string{top}, "mail")
	if err != nil || !slices.Equal(f.Nodes, []string{"mail"}) || len(f.Streams) != 3 {
		t.Errorf("got %+v, %v", f, err)
	}
	write(t, filepath.Join(top, "d.log"), proxy("EX02", 0, 2))
	if _, err := Find(t.Context(), []string{top}, "mail"); !errors.Is(err, ErrServers) || !strings.Contains(err.Error(), "EX01, EX02") {
		t.Errorf("one name for two servers: %v", err)
	}
}

// The order of a stream is that of its rows, whatever its files are called.
func TestOrderOfTime(t *testing.T) {
	top := put(t, map[string]string{
		"HTTPERR/httperr10.log": httpErr("10.0.0.11", 2*time.Hour, 3), "HTTPERR/httperr9.log": httpErr("10.0.0.11", time.Hour, 3), "HTTPERR/a.log": httpErr("10.0.0.11", 3*time.Hour, 3),
		"HTTPERR/httperr11.log.gz": httpErr("10.0.0.11", 0, 3), "HTTPERR/u_ex260302.log": iis("10.0.0.11", 0, 3),
	})
	f := search(t, top)
	var got []string
	for _, s := range f.Streams {
		for _, l := range s.Logs {
			got = append(got, filepath.Base(l.Name))
		}
	}
	if want := []string{"httperr11.log.gz", "httperr9.log", "httperr10.log", "a.log", "u_ex260302.log"}; !slices.Equal(got, want) || len(f.Streams) != 2 {
		t.Errorf("got %v in %d streams, want %v in 2", got, len(f.Streams), want)
	}
	rows, r := readAll(t, f)
	if len(rows["10.0.0.11 "+f.Streams[0].Kind.String()]) != 12 || r.Rows != 15 {
		t.Errorf("got %d rows: %v", r.Rows, slices.Collect(maps.Keys(rows)))
	}
}

func TestWhatIsNoLog(t *testing.T) {
	top := put(t, map[string]string{
		"httperr1.log": httpErr("10.0.0.11", 0, 3), "notes.txt": "call Bert\n", "empty.log": "", "pic.png": "\x89PNG\r\n\x1a\n\x00\x00", "a.gz": "nothing",
		"sub.zip/readme": "hello", "sub.zip/httperr2.log": httpErr("10.0.0.11", time.Hour, 3),
	})
	f := search(t, top)
	if f.Logs() != 2 || f.Passed != 5 || len(f.Faults) != 0 {
		t.Errorf("got %d logs, %d passed over, %v; want 2, 5 and no fault", f.Logs(), f.Passed, f.Faults)
	}
	for _, name := range []string{"notes.txt", "empty.log", "a.gz"} {
		if _, err := Find(t.Context(), []string{top, filepath.Join(top, name)}, ""); !errors.Is(err, ErrNoLog) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, named: %v", name, err)
		}
	}
	if _, err := Find(t.Context(), []string{filepath.Join(top, "gone")}, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

// The same log by two ways, by a link, as a copy, and as an earlier copy, is read
// once; links in a circle end.
func TestOnce(t *testing.T) {
	long := httpErr("10.0.0.11", 0, 40)
	top := put(t, map[string]string{
		"EX01/httperr1.log": long, "copy/httperr1.log": long, "An earlier/httperr1.log": long[:len(long)/2], "x.zip/EX01/httperr1.log": long, "httperr1.log.gz": long,
	})
	if err := os.Symlink(top, filepath.Join(top, "EX01", "circle")); err != nil {
		t.Skip(err)
	}
	os.Symlink(filepath.Join(top, "EX01", "httperr1.log"), filepath.Join(top, "a"))
	t.Chdir(top)
	f := search(t, ".", "EX01", filepath.Join(top, "EX01", "httperr1.log"), "EX01/../EX01/httperr1.log")
	if rows, _ := readAll(t, f); f.Logs() != 1 || len(rows) != 1 || f.Doubles != 3+4 || len(f.Faults) > 0 {
		t.Errorf("%d logs, %d found twice, want 1 and 3 ways and 4 copies; faults %v", f.Logs(), f.Doubles, f.Faults)
	}
	if r := f.Streams[0].Logs[0]; r.Size != int64(len(long)) {
		t.Errorf("kept %s of %d bytes, want the longest", r.Name, r.Size)
	}
}

// Of a copy that is packed, the length is that of the log: an earlier copy that is
// not packed is shorter, though it takes more bytes on disk.
func TestPackedCopyIsKept(t *testing.T) {
	long := httpErr("10.0.0.11", 0, 600)
	early := httpErr("10.0.0.11", 0, 100)
	for _, files := range []map[string]string{
		{"httperr1.log": early, "httperr1.log.gz": long},
		{"httperr1.log": early, "a.zip/httperr1.log": gzipped(long)},
	} {
		f := search(t, put(t, files))
		if _, r := readAll(t, f); r.Rows < 600 {
			t.Errorf("%v: %d rows of 600 are left", f.Streams, r.Rows)
		}
	}
}

// Not every shell expands a pattern.
func TestPatterns(t *testing.T) {
	top := put(t, map[string]string{"httperr1.log": httpErr("10.0.0.11", 0, 9), "httperr2.log": httpErr("10.0.0.11", time.Hour, 9), "u_ex260302.log": iis("10.0.0.11", 0, 9), "a.txt": "no log", "[x].log": iis("10.0.0.11", time.Hour, 9)})
	for pattern, want := range map[string]int{"*.log": 4, "httperr?.log": 2, "[x].log": 1} {
		if f := search(t, filepath.Join(top, pattern)); f.Logs() != want {
			t.Errorf("%s: %d logs, want %d", pattern, f.Logs(), want)
		}
	}
	for _, pattern := range []string{"*.zip", "h[*"} {
		if _, err := Find(t.Context(), []string{filepath.Join(top, pattern)}, ""); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), pattern) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// A log that begins with the NULs of a writer that got no further.
func TestFarFirstRow(t *testing.T) {
	top := put(t, map[string]string{"a.log": strings.Repeat("\x00", 300<<10) + httpErr("10.0.0.11", 0, 3)})
	rows, _ := readAll(t, search(t, top))
	if len(rows) != 1 {
		t.Errorf("got %v", rows)
	}
}

// However logs lie about, the same streams come out of them, with the same rows
// in the same order.
func TestAnyDivision(t *testing.T) {
	var farm []string // paths
	texts := map[string]string{}
	for n := 1; n <= 2; n++ {
		server := fmt.Sprintf("10.0.0.1%d", n)
		add := func(path, text string) {
			path = fmt.Sprintf("EX0%d/%s", n, path)
			farm = append(farm, path)
			texts[path] = text
		}
		for i := range 3 {
			add(fmt.Sprintf("HTTPERR/httperr%d.log", i+1), httpErr(server, time.Duration(i)*time.Hour, 7+i))
			add(fmt.Sprintf("W3SVC1/u_ex26030%d.log", i+1), iis(server, time.Duration(i)*24*time.Hour, 9))
			add(fmt.Sprintf("HttpProxy/Mapi/HttpProxy_202603020%d-1.LOG", i), proxy(fmt.Sprintf("ex0%d.contoso.com", n), time.Duration(i)*time.Hour, 8))
		}
	}
	wantRows, _ := readAll(t, search(t, put(t, texts)))
	if len(wantRows) != 6 {
		t.Fatalf("%d streams", len(wantRows))
	}
	packed := map[string]string{}
	for path, text := range texts {
		packed[path] = gzipped(text)
	}
	rapid.Check(t, func(r *rapid.T) {
		files := map[string]string{}
		for _, path := range farm {
			way := rapid.SampledFrom([]string{"a/%s", "b/%s", "c.zip/%s", "d/e.zip/%s", "a/%s.2", "c.zip/deep/%s"}).Draw(r, path)
			text := texts[path]
			if strings.HasSuffix(way, ".2") || rapid.Bool().Draw(r, "gz") { // known by what it holds
				text = packed[path]
			}
			files[fmt.Sprintf(way, path)] = text
		}
		top := put(t, files)
		var paths []string
		for _, name := range []string{"a", "b", "c.zip", "d"} {
			if _, err := os.Stat(filepath.Join(top, name)); err == nil {
				paths = append(paths, filepath.Join(top, name))
			}
		}
		f := search(t, rapid.Permutation(paths).Draw(r, "order")...)
		rows, result := readAll(t, f)
		if len(result.Faults)+len(f.Faults) > 0 || !reflect.DeepEqual(rows, wantRows) {
			r.Fatalf("%v: got %v, want %v; faults %v", whose(f, top), rows, wantRows, result.Faults)
		}
	})
}
