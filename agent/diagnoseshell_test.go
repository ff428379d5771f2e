package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	sysErr  = "#Software: Microsoft HTTP API 2.0\n#Version: 1.0\n#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename\n"
	idleRow = "2026-03-02 08:00:00 10.2.0.9 5000 10.1.0.11 443 - - - - - Timer_ConnectionIdle -\n"
)

// logOf is a folder with a log of HTTP.sys of one server.
func logOf(t *testing.T, rows string) string {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "EX1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "EX1", "httperr1.log"), []byte(sysErr+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packedOf is a zip archive with one entry, whose list is as edit leaves it.
func packedOf(t *testing.T, name, text string, edit func([]byte)) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if e, err := w.Create(name); err != nil {
		t.Fatal(err)
	} else if _, err := e.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	edit(b.Bytes())
	path := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Who has the row before him does not believe "No pool's queue was full".
func TestFewRowsAreNotNone(t *testing.T) {
	dir := logOf(t, "2026-03-02 08:00:00 10.2.0.9 5000 10.1.0.11 443 HTTP/1.1 POST /mapi/emsmdb/ 503 1 QueueFull MSExchangeMapiFrontEndAppPool\n"+
		"2026-03-02 08:00:09 10.2.0.9 5000 10.1.0.11 443 HTTP/1.1 POST /mapi/emsmdb/ 503 1 AppOffline MSExchangeMapiFrontEndAppPool\n")
	_, out, _ := ask(t.Context(), "diagnose", dir)
	for _, want := range []string{"- 1 request was refused for a full queue, fewer than is told of.\n", "- 1 request was refused because a pool was off, fewer than is told of.\n", "- No pool stood still.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Logs of which nothing but an address tells whose they are, are of as many servers.
func TestAddressesAreNodes(t *testing.T) {
	dir := t.TempDir()
	for name, address := range map[string]string{"a.log": "10.1.0.11", "b.log": "10.1.0.21"} {
		var b strings.Builder
		b.WriteString(sysErr)
		for i := range 30 {
			fmt.Fprintf(&b, "2026-03-02 08:00:%02d 10.2.0.9 5000 %s 443 HTTP/1.1 POST /EWS/x 503 1 Disabled MSExchangeServicesAppPool\n", i, address)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, out, _ := ask(t.Context(), "diagnose", dir); !strings.Contains(out, "was off on 10.1.0.11 and 10.1.0.21") {
		t.Error(out)
	}
}

// A name gives the terminal no orders, wherever it stands.
func TestHostileNames(t *testing.T) {
	const bad = "a\x1b]0;owned\x07\u202e.log"
	idle := logOf(t, idleRow)
	archive := packedOf(t, bad, "\x1f\x8b\x08\x00garbage", func([]byte) {})
	for _, args := range [][]string{
		{archive}, {archive, idle}, {bad}, {filepath.Join(idle, bad)}, {idle, "--html", bad + "/x/page.html"}, {idle, "--from", bad}, {idle, "--node", bad}, {idle, archive, "--from", "2027-01-01"},
	} {
		status, out, stderr := ask(t.Context(), append([]string{"diagnose"}, args...)...)
		if strings.ContainsAny(out+stderr, "\x1b\x07\u202e") || status == 0 && stderr != "" {
			t.Errorf("%q: exit status %d, %q, %q", args, status, out, stderr)
		}
	}
}

// What cannot be read may be a log: its reason is told, and no word of kinds.
func TestReasonFirst(t *testing.T) {
	encrypted := packedOf(t, "httperr1.log", sysErr+idleRow, func(b []byte) { b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1 })
	_, _, stderr := ask(t.Context(), "diagnose", encrypted)
	if want := "error: " + filepath.ToSlash(encrypted) + "/httperr1.log: it is encrypted\n"; stderr != want {
		t.Errorf("got %q, want %q", stderr, want)
	}
	dir := logOf(t, idleRow)
	if err := os.WriteFile(filepath.Join(dir, "x.zip"), []byte("PK\x03\x04broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := ask(t.Context(), "diagnose", dir, "--from", "2027-01-01"); !strings.Contains(stderr, "x.zip: the archive is damaged") {
		t.Errorf("no row, and no word of what was not read: %s", stderr)
	}
}

// A page of two who write at once is that of one of them, whole; and it takes
// nothing away that was there.
func TestPageTakesNothing(t *testing.T) {
	logs, dir := logOf(t, idleRow), t.TempDir()
	name := filepath.Join(dir, "p.html")
	strange := name + ".0.new"
	if err := os.WriteFile(strange, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if status, _, stderr := ask(t.Context(), "diagnose", logs, "--html", name); status != 0 {
				t.Errorf("exit status %d: %s", status, stderr)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(dir)
	if text, _ := os.ReadFile(strange); err != nil || len(left) != 2 || string(text) != "mine" {
		t.Errorf("%v are left, %v; the stranger's file holds %q", left, err, text)
	}
	if text, err := os.ReadFile(name); err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// A link stays one, and what is no file is not replaced by one: nothing is read for
// a page that cannot be.
func TestPageWhereNoFileIs(t *testing.T) {
	logs, dir := logOf(t, idleRow), t.TempDir()
	to, link := filepath.Join(dir, "to.html"), filepath.Join(dir, "link.html")
	if err := os.WriteFile(to, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, link); err != nil {
		t.Skipf("no link can be made here: %v", err)
	}
	if status, _, stderr := ask(t.Context(), "diagnose", logs, "--html", link); status != 0 {
		t.Errorf("through a link: %s", stderr)
	}
	if about, err := os.Lstat(link); err != nil || about.Mode().IsRegular() {
		t.Errorf("the link is %v, %v", about.Mode(), err)
	}
	if about, err := os.Stat(to); err != nil || about.Size() == 0 {
		t.Errorf("where it leads nothing was written: %v", err)
	}
	os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "astray"))
	socket := filepath.Join(dir, "socket") // and no device of the machine: a test that fails would replace it
	if l, err := net.Listen("unix", socket); err != nil {
		t.Skipf("no socket can be made here: %v", err)
	} else {
		defer l.Close()
	}
	for _, name := range []string{dir, socket, filepath.Join(dir, "astray")} {
		if status, out, stderr := ask(t.Context(), "diagnose", logs, "--html", name); status == 0 || out != "" || !strings.HasPrefix(stderr, "error: --html: ") {
			t.Errorf("%s: exit status %d, %q, %s", name, status, out, stderr)
		}
	}
}

// All that was read is told, though the page cannot be put where it belongs.
func TestTextComesWithoutItsPage(t *testing.T) {
	dir := t.TempDir()
	p, err := openPage(filepath.Join(dir, "p.html"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "p.html"), 0o755); err != nil { // since it was opened
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := shown(p, func(io.Writer) error { return nil }, jsonText(1), &b); err == nil || b.String() != "1\n" {
		t.Errorf("%v, %q", err, &b)
	}
}

// With times, both numbers of rows are told; one is one.
func TestRowsWithin(t *testing.T) {
	dir := logOf(t, idleRow+strings.Replace(idleRow, "08:00", "09:00", 1))
	if _, out, _ := ask(t.Context(), "diagnose", dir, "--from", "2026-03-02 08:30"); !strings.HasPrefix(out, "1 log, 2 rows (1 judged), ") {
		t.Error(out)
	}
	if _, out, _ := ask(t.Context(), "diagnose", logOf(t, idleRow)); !strings.HasPrefix(out, "1 log, 1 row, ") {
		t.Error(out)
	}
	var said struct{ Rows, Judged int }
	_, out, _ := ask(t.Context(), "diagnose", dir, "--from", "2026-03-02 08:30", "--json")
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Rows != 2 || said.Judged != 1 {
		t.Errorf("%+v, %v", said, err)
	}
}
