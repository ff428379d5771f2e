package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
)

const (
	httperrHead = "#Software: Microsoft HTTP API 2.0\r\n#Version: 1.0\r\n#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename\r\n"
	mapiPool    = "MSExchangeMapiFrontEndAppPool"
)

func appendTo(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func refusal(at time.Time) string {
	return at.UTC().Format("2006-01-02 15:04:05") + " 192.0.2.31 51514 127.0.0.1 443 HTTP/1.1 POST /mapi/emsmdb/ 503 1 QueueFull " + mapiPool + "\r\n"
}

// pool is what the agent says of the application pool.
func (r *running) pool(t *testing.T) (p dashboard.Pool) {
	t.Helper()
	l := r.see(t).Logs
	if l == nil {
		return p
	}
	for _, p := range l.Pools {
		if p.Name == mapiPool {
			return p
		}
	}
	return p
}

// The story of a log that is a source: what stood in it is history, a row that
// comes is shown to everyone and degrades the node, and after a restart what was
// met is not met again, and what was written meanwhile is.
func TestLogIsASource(t *testing.T) {
	t.Parallel()
	logs, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	file := filepath.Join(logs, "httperr1.log")
	appendTo(t, file, httperrHead+refusal(time.Now()))
	cfg := settings("ex01", taken(t), 0)
	cfg.Sources.HTTPErr.Path, cfg.State = logs, state

	first := start(t, cfg)
	await(t, "the log is read", func() bool {
		l := first.see(t).Logs
		return l != nil && len(l.Files) == 1
	})
	if p := first.pool(t); len(p.Refused) > 0 {
		t.Errorf("history: %+v", p)
	}
	appendTo(t, file, refusal(time.Now()))
	await(t, "the refusal is in the status", func() bool { return first.pool(t).Refused["QueueFull"] == 1 })
	await(t, "it degrades the node", func() bool { n := first.sees(t, "ex01"); return n.State == "degraded" && n.Why == "refused" })
	_, _, body := get(t, first.url("/metrics"))
	for _, want := range []string{
		`evenkeel_log_refused_total{pool="` + mapiPool + `",reason="QueueFull"} 1`, `evenkeel_log_rows_total{source="httperr"} 1`,
		`evenkeel_queue_rejected_total{queue="` + mapiPool + `"} 1`, `evenkeel_source_up{source="httperr"} 1`,
	} {
		if !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("/metrics has no %s", want)
		}
	}
	if strings.Contains(body, `evenkeel_queue_depth{queue="`+mapiPool) {
		t.Error("/metrics has a depth that nobody measured")
	}
	if _, _, table := get(t, first.url("/")); !strings.Contains(table, "pool "+mapiPool+": its queue was full, 1 refused, last at ") {
		t.Errorf("the table says nothing of it:\n%s", table)
	}
	first.tell()
	if err := first.wait(); err != nil {
		t.Fatal(err)
	}

	appendTo(t, file, refusal(time.Now().Add(-20*time.Minute)))
	second := start(t, cfg, (*agent).recallLogs)
	await(t, "what was written meanwhile is met, and nothing twice", func() bool { return second.pool(t).Refused["QueueFull"] == 1 })
	if n := second.sees(t, "ex01"); n.Why == "refused" {
		t.Errorf("a row of twenty minutes ago is news: %+v", n)
	}
}

// A damaged file is said, and the logs are read from their end; a folder that
// cannot be written is said once.
func TestLogStateCannotBeUsed(t *testing.T) {
	logs, state := t.TempDir(), t.TempDir()
	appendTo(t, filepath.Join(logs, "httperr1.log"), httperrHead+refusal(time.Now()))
	cfg := config.Config{State: state, Sources: config.Sources{HTTPErr: config.HTTPErr{Path: logs}}}
	for _, text := range []string{"{", `{"Path":"` + filepath.ToSlash(logs) + `","Folders":{".":{"Dir":"` + filepath.ToSlash(logs) + `","Files":[{"Name":"httperr1.log","Offset":-7}]}}}`} {
		if err := os.WriteFile(filepath.Join(state, "logs-httperr.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		a := &agent{cfg: cfg, log: slog.New(slog.NewTextHandler(&log, nil)), logs: logsOf(cfg.Sources)}
		a.recallLogs()
		if n := strings.Count(log.String(), "reading from their end"); n != 1 && filepath.Separator == '/' {
			t.Errorf("%s: said %d times: %s", text, n, &log)
		}
		r, err := a.logs[0].Read(t.Context())
		if err != nil || r.Logs.Files[0].Rows != 0 {
			t.Errorf("%s: got %+v, %v", text, r.Logs, err)
		}
		a.logs[0].Close()

		log.Reset()
		a.cfg.State = filepath.Join(state, "logs-httperr.json") // no folder
		kept := keptLogs{}
		a.keepLogs(kept)
		a.keepLogs(kept)
		if n := strings.Count(log.String(), "how far logs were read"); n != 1 {
			t.Errorf("said %d times: %s", n, &log)
		}
	}
}

// A state of another folder, and one that is too large to be one, are said.
func TestLogStateOfAnotherFolder(t *testing.T) {
	logs, state := t.TempDir(), t.TempDir()
	file := filepath.Join(state, "logs-httperr.json")
	large := func() error { return os.Truncate(file, mostState+1) }
	for want, spoil := range map[string]func() error{"elsewhere": func() error { return nil }, "larger than 64 MiB": large} {
		if err := os.WriteFile(file, []byte(`{"Path":"elsewhere"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		cfg := config.Config{State: state, Sources: config.Sources{HTTPErr: config.HTTPErr{Path: logs}}}
		a := &agent{cfg: cfg, log: slog.New(slog.NewTextHandler(&log, nil)), logs: logsOf(cfg.Sources)}
		if a.recallLogs(); !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "reading from their end") {
			t.Errorf("got %s, want %s", &log, want)
		}
	}
}

// What is written is written once, and nothing without a folder for it.
func TestLogStateIsWrittenWhenItMoved(t *testing.T) {
	logs, state := t.TempDir(), filepath.Join(t.TempDir(), "new")
	cfg := config.Config{State: state, Sources: config.Sources{HTTPErr: config.HTTPErr{Path: logs}}}
	a := &agent{cfg: cfg, log: slog.New(slog.DiscardHandler), logs: logsOf(cfg.Sources)}
	file, kept := filepath.Join(state, "logs-httperr.json"), keptLogs{}
	if a.keepLogs(kept); len(kept) > 0 {
		t.Error("kept before anything was read")
	}
	if _, err := a.logs[0].Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.keepLogs(kept)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if a.keepLogs(kept); isThere(file) {
		t.Error("written again, and nothing moved")
	}
	a.cfg.State = ""
	a.logs[0].Close()
	if a.keepLogs(kept); isThere(file) {
		t.Error("written without a folder")
	}
}

func isThere(name string) bool { _, err := os.Stat(name); return err == nil }

func TestLogSourcesOfConfiguration(t *testing.T) {
	if got := logsOf(config.Sources{}); len(got) > 0 {
		t.Errorf("none is named, and there are %d", len(got))
	}
	all := config.Sources{HTTPErr: config.HTTPErr{Path: "a"}, IIS: "b", ExchangeLogs: "c"}
	var names []string
	for _, l := range logsOf(all) {
		names = append(names, l.Name())
	}
	if got := strings.Join(names, " "); got != "httperr iis exchange_logs" {
		t.Errorf("got %s", got)
	}
}
