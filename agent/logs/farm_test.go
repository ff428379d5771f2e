package logs

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// day is that of all logs here.
func day() time.Time { return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) }

// httpErr is a log of n rows, one a minute.
func httpErr(server string, from time.Duration, n int) string {
	var b strings.Builder
	b.WriteString("#Software: Microsoft HTTP API 2.0\r\n#Version: 1.0\r\n#Date: 2026-03-02 00:00:00\r\n" +
		"#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri streamid sc-status s-siteid s-reason s-queuename\r\n")
	for i := range n {
		at := day().Add(from + time.Duration(i)*time.Minute)
		fmt.Fprintf(&b, "%s 192.0.2.9 %d %s 443 HTTP/1.1 POST /mapi/emsmdb/ - 503 1 QueueFull MSExchangeMapiFrontEndAppPool\r\n", at.Format(time.DateTime), 40000+i, server)
	}
	return b.String()
}

// iis is a log of n rows, one a minute.
func iis(server string, from time.Duration, n int) string {
	var b strings.Builder
	b.WriteString("#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2026-03-02 00:00:00\r\n" +
		"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\r\n")
	for i := range n {
		at := day().Add(from + time.Duration(i)*time.Minute)
		fmt.Fprintf(&b, "%s %s POST /mapi/emsmdb/ MailboxId=%d@contoso.com 443 CONTOSO\\anna 192.0.2.9 Outlook - 200 0 0 %d\r\n", at.Format(time.DateTime), server, i, i)
	}
	return b.String()
}

// proxy is a log of Exchange's front end, whose rows name the server.
func proxy(host string, from time.Duration, n int) string {
	var b strings.Builder
	b.WriteString("#Software: Microsoft Exchange Server\r\n#Version: 15.02.1118.007\r\n#Log-type: HttpProxy Logs\r\n#Date: 2026-03-02T00:00:00.000Z\r\n" +
		"#Fields: DateTime,RequestId,ClientRequestId,Protocol,UrlStem,AuthenticatedUser,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,TargetServer,TotalRequestTime\r\n")
	for i := range n {
		at := day().Add(from + time.Duration(i)*time.Minute)
		fmt.Fprintf(&b, "%s,id-%s-%d,R:{%d}:1;RT:Execute;CI:{%d}:1,Mapi,/mapi/emsmdb/,CONTOSO\\anna,Outlook,192.0.2.9,%s,200,ex09,%d\r\n", at.Format("2006-01-02T15:04:05.000Z"), host, i, i, i, host, i)
	}
	return b.String()
}

// put writes files below a new folder, and returns it. A name that ends in .gz,
// or that is in a folder which ends in .zip, is packed.
func put(t testing.TB, files map[string]string) string {
	t.Helper()
	top, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	zips := map[string]map[string]string{}
	for name, text := range files {
		if archive, entry, ok := strings.Cut(name, ".zip/"); ok {
			if zips[archive] == nil {
				zips[archive] = map[string]string{}
			}
			zips[archive][entry] = text
			continue
		}
		if strings.HasSuffix(name, ".gz") {
			text = gzipped(text)
		}
		write(t, filepath.Join(top, filepath.FromSlash(name)), text)
	}
	for name, entries := range zips {
		write(t, filepath.Join(top, filepath.FromSlash(name))+".zip", zipped(t, entries))
	}
	return top
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func zipped(t testing.TB, entries map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range entries {
		e, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		e.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A crowd of takers notes all rows by stream.
type crowd struct {
	mu   sync.Mutex // guards the next
	rows map[string][]string
	hook func() // called at every row
}

// A note is what is told of one stream.
type note struct {
	of   *crowd
	name string
	file string
	rows []string
}

func (c *crowd) take(s Stream) Taker {
	return &note{of: c, name: fmt.Sprintf("%s %s", s.Node, s.Kind)}
}

func (n *note) File(name string) { n.file = name }

func (n *note) Add(r *maillog.Record, line int64, raw []byte) {
	if n.of.hook != nil {
		n.of.hook()
	}
	n.rows = append(n.rows, fmt.Sprintf("%d %s", line, raw))
}

func (n *note) End() {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	if n.of.rows == nil {
		n.of.rows = map[string][]string{}
	}
	n.of.rows[n.name] = append(n.of.rows[n.name], n.rows...)
}

func search(t testing.TB, paths ...string) *Found {
	t.Helper()
	f, err := Find(t.Context(), paths, "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// readAll reads everything, and holds that what is counted is what was given.
func readAll(t testing.TB, f *Found) (map[string][]string, Result) {
	t.Helper()
	var c crowd
	var p Progress
	r, err := f.Read(t.Context(), 3, c.take, &p)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, rows := range c.rows {
		n += len(rows)
	}
	if r.Rows != int64(n) || p.Rows.Load() != r.Rows || p.Bytes.Load() != r.Bytes || p.Packed.Load() != f.Packed() || p.Rejected.Load() != r.Rejected {
		t.Errorf("%d rows were given; the result is %+v; progress %d rows, %d bytes, %d of %d on disk", n, r, p.Rows.Load(), p.Bytes.Load(), p.Packed.Load(), f.Packed())
	}
	return c.rows, r
}
