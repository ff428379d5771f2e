package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"evenkeel/agent/diagnose"
	"evenkeel/agent/logs"
)

func TestTimesOfFlags(t *testing.T) {
	at := func(h, m, s int) time.Time { return time.Date(2026, 3, 2, h, m, s, 0, time.UTC) }
	for _, tt := range []struct {
		text string
		want time.Time
	}{
		{"", time.Time{}},
		{"2026-03-02", at(0, 0, 0)},
		{"2026-03-02 08:05", at(8, 5, 0)},
		{"2026-03-02T08:05", at(8, 5, 0)},
		{"2026-03-02 08:05:09", at(8, 5, 9)},
		{"2026-03-02T08:05:09", at(8, 5, 9)},
		{"2026-03-02T08:05:09Z", at(8, 5, 9)},
		{"2026-03-02T08:05:09+02:00", at(6, 5, 9)},
	} {
		if got, err := timeFlag("--from", tt.text); err != nil || !got.Equal(tt.want) || got.Location() != time.UTC {
			t.Errorf("%q: got %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"1h", "08:00", "2.3.2026", "2026-02-30", "now"} {
		if got, err := timeFlag("--from", text); !errors.Is(err, errUsage) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
}

// On a Windows server the hint is a command that can be copied.
func TestUsualFolders(t *testing.T) {
	windows := map[string]string{"SystemRoot": `C:\Windows`, "ExchangeInstallPath": `D:\Exchange\V15\`}
	var out, stderr bytes.Buffer
	status := command(t.Context(), env{[]string{"diagnose"}, &out, &stderr, func(k string) string { return windows[k] }})
	want := `hint: evenkeel diagnose "C:\Windows\System32\LogFiles\HTTPERR" "C:\inetpub\logs\LogFiles" "D:\Exchange\V15\Logging"` + "\n"
	if status != 2 || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("exit status %d, %s; want %s", status, &stderr, want)
	}
}

func TestInterruptedDiagnosis(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.log"), []byte("#Fields: date time s-reason\n2026-03-02 08:00:00 x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	status, stdout, stderr := ask(ctx, "diagnose", folder, "--html", filepath.Join(folder, "page.html"))
	if status != 1 || stdout != "" || stderr != "error: interrupted, so nothing is told of what was read\n" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// drawn is any diagnosis, with texts of logs that would move a cursor.
func drawn(r *rapid.T) diagnosis {
	words := rapid.StringOfN(rapid.RuneFrom([]rune("abcé漢-\x1b\n\r\x07  ")), 1, 200, -1)
	var d diagnosis
	d.found = &logs.Found{Nodes: []string{"EX01", words.Draw(r, "node")}, Passed: rapid.IntRange(0, 2).Draw(r, "passed")}
	for range rapid.IntRange(0, 4).Draw(r, "faults") {
		d.found.Faults = append(d.found.Faults, logs.Fault{Name: words.Draw(r, "file"), Err: errors.New("damaged")})
	}
	d.report.From = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	d.report.To = d.report.From.Add(time.Hour)
	for range rapid.IntRange(0, 30).Draw(r, "findings") {
		d.report.Findings = append(d.report.Findings, diagnose.Finding{
			Title: words.Draw(r, "title"), Advice: words.Draw(r, "advice"), Nodes: []string{words.Draw(r, "n")}, From: d.report.From, To: d.report.To,
			Evidence: []diagnose.Evidence{{File: words.Draw(r, "f"), Line: 3, Text: words.Draw(r, "text")}}, Details: []string{words.Draw(r, "detail")},
		})
	}
	return d
}

// Nothing of a log gives the terminal an order, every finding is there, and
// without -v what is behind the first finding fits on the screen.
func TestScreen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d, s := drawn(r), size{rapid.IntRange(40, 110).Draw(r, "columns"), rapid.IntRange(24, 60).Draw(r, "rows")}
		for _, all := range []bool{false, true} {
			var b strings.Builder
			if err := d.text(s, all)(&b); err != nil {
				r.Fatal(err)
			}
			if strings.ContainsFunc(b.String(), func(c rune) bool { return c != '\n' && c < ' ' }) {
				r.Fatalf("control characters in %q", b.String())
			}
			lines := strings.Count(b.String(), "\n")
			n := len(d.report.Findings)
			least := len(d.head(s)) + 3
			if n > 0 {
				least += len(inShort(s, 1, d.report.Findings[0])) + 3
			}
			if !all && n > 0 && lines > max(s.rows-1, least) {
				r.Fatalf("%d lines on a screen of %d, %d at least:\n%s", lines, s.rows, least, b.String())
			}
			if shown := strings.Count("\n"+b.String(), "\n"+fmt.Sprintf("%2d  ", n)); n > 0 && shown != 1 && (all || !strings.Contains(b.String(), " more\n")) {
				r.Fatalf("finding %d is shown %d times:\n%s", n, shown, b.String())
			}
		}
	})
}

func TestFolded(t *testing.T) {
	for _, tt := range []struct {
		columns int
		text    string
		want    []string
	}{
		{12, "one two three", []string{"  one two", "  three"}},
		{9, "one two", []string{"  one two"}},
		{8, "one two", []string{"  one", "  two"}},
		{6, "Set-Mailbox -Identity x", []string{"  Set-Mailbox", "  -Identity", "  x"}},
		{9, "für  äöü", []string{"  für äöü"}},
		{9, "", []string{"  "}},
	} {
		if got := folded(tt.columns, "  ", tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d: got %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(1234567), "1,234,567"}, {grouped(-1234), "-1,234"}, {grouped(-123), "-123"},
		{bytesText(0), "0 B"}, {bytesText(999), "999 B"}, {bytesText(1000), "1.0 kB"}, {bytesText(99_949), "99.9 kB"}, {bytesText(99_950), "100 kB"},
		{bytesText(999_499), "999 kB"}, {bytesText(999_500), "1.0 MB"}, {bytesText(4_000_000_000), "4.0 GB"},
		{clipped("über", 4), "über"}, {clipped("übers", 4), "übe…"},
		{sureness(1), "almost certain"}, {sureness(0.8), "very likely"}, {sureness(0.79), "likely"}, {sureness(0.5), "possible"}, {sureness(0.1), "uncertain"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// Work of a second shows nothing; longer work a line that is empty at its end.
func TestProgressOfReading(t *testing.T) {
	for _, tt := range []struct {
		lasts time.Duration
		want  string
	}{
		{900 * time.Millisecond, ""},
		{1100 * time.Millisecond, clearLine + "[#####...............] 25 % of 4.0 GB, 1.0 GB/s, 3s left, EX01/W3SVC1/u�ex.log" + clearLine},
	} {
		synctest.Test(t, func(t *testing.T) {
			var w bytes.Buffer
			var p logs.Progress
			name := "EX01/W3SVC1/u\x1bex.log"
			p.File.Store(&name)
			p.Packed.Store(1_000_000_000)
			ended := make(chan struct{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				showProgress(&w, 120, func(since time.Duration, columns int) string { return readingLine(&p, 4_000_000_000, since, columns) }, ended)
			}()
			time.Sleep(tt.lasts)
			close(ended)
			<-done
			if w.String() != tt.want {
				t.Errorf("%v: got %q, want %q", tt.lasts, w.String(), tt.want)
			}
		})
	}
}

// A line of progress never folds, which would leave parts of it behind.
func TestProgressFits(t *testing.T) {
	var p logs.Progress
	name := strings.Repeat("long/", 40)
	p.File.Store(&name)
	for _, tt := range []struct {
		done  int64
		since time.Duration
	}{{0, time.Second}, {5, time.Second}, {100, time.Hour}, {200, 1}} {
		p.Packed.Store(tt.done)
		if line := readingLine(&p, 100, tt.since, 80); utf8.RuneCountInString(line) > 79 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}
