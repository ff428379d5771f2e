package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// ask runs a command in this process, which has no environment.
func ask(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = command(ctx, env{args, &out, &err, func(string) string { return "" }})
	return status, out.String(), err.String()
}

// Every command explains itself, and refuses what it does not know with a
// pointer to that explanation: one that is added later, too.
func TestEveryCommandHasHelp(t *testing.T) {
	for _, c := range commands(env{getenv: func(string) string { return "" }}) {
		name := c.Name()
		status, stdout, stderr := ask(t.Context(), name, "--help")
		if status != 0 || !strings.HasPrefix(stdout, c.Short+"\n") || stderr != "" {
			t.Errorf("%s --help: exit status %d\n%s%s", name, status, stdout, stderr)
		}
		stray := []string{name, "stray"}
		want := fmt.Sprintf("error: usage: nothing is expected after the command, found \"stray\"\nhint: evenkeel %s --help\n", name)
		if strings.Contains(c.Use, "[NODE]") {
			stray = []string{name, "ex01", "stray"}
			want = fmt.Sprintf("error: usage: one node at a time, found \"stray\" too\nhint: evenkeel %s --help\n", name)
		}
		if strings.Contains(c.Use, "[SCENARIO]") {
			stray = []string{name, "morning", "stray"}
			want = fmt.Sprintf("error: usage: one scenario at a time, found \"stray\" too\nhint: evenkeel %s --help\n", name)
		}
		if strings.Contains(c.Use, "PATH...") { // takes any number, and misses the first
			stray = []string{name}
			want = fmt.Sprintf("error: usage: want a log, a folder or an archive\nhint: evenkeel %s --help\n", name)
		}
		status, stdout, stderr = ask(t.Context(), stray...)
		if status != 2 || stdout != "" || stderr != want {
			t.Errorf("%s stray: exit status %d\n%s%s", name, status, stdout, stderr)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "error: usage: a command is missing\nhint: evenkeel --help\n"},
		{"--deep", "error: usage: unknown flag: --deep\nhint: evenkeel --help\n"},
		{"swim --deep", "error: usage: unknown flag: --deep\nhint: evenkeel --help\n"},
		{"status --json=maybe", "error: usage: invalid argument \"maybe\" for \"--json\" flag: "},
		{"check --config", "error: usage: flag needs an argument: --config\nhint: evenkeel check --help\n"},
		{"demo --for ever", "error: usage: invalid argument \"ever\" for \"--for\" flag: "},
		{"demo --nodes 0", "error: usage: --nodes is 1 to 32, --clients at least 1\nhint: evenkeel demo --help\n"},
		{"demo --nodes 33", "error: usage: --nodes is 1 to 32, "},
		{"demo --clients 0", "error: usage: --nodes is 1 to 32, --clients at least 1\n"},
	} {
		status, stdout, stderr := ask(t.Context(), strings.Fields(c.args)...)
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, c.want) {
			t.Errorf("evenkeel %s: exit status %d\n%s%swant 2 and\n%s", c.args, status, stdout, stderr, c.want)
		}
	}
}

func TestHintsSurviveWrapping(t *testing.T) {
	err := fmt.Errorf("starting: %w", hinted{fmt.Errorf("binding: %w", io.ErrUnexpectedEOF), "try again"})
	if got, ok := hint(err); !ok || got != "try again" {
		t.Errorf("hint %q, %v", got, ok)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("a hint hides its error")
	}
	if got, ok := hint(io.EOF); ok {
		t.Errorf("an error without a hint has %q", got)
	}
}

// An agent that answers badly is an error, not an empty farm.
func TestStatusOfABadAnswer(t *testing.T) {
	for _, c := range []struct {
		answer http.HandlerFunc
		want   string
	}{
		{func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "starting", http.StatusServiceUnavailable) }, "503 Service Unavailable: starting"},
		{func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, "reading the agent's answer: "},
	} {
		s := httptest.NewServer(c.answer)
		status, stdout, stderr := ask(t.Context(), "status", "--admin", strings.TrimPrefix(s.URL, "http://"))
		if status != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("exit status %d, %q, %q; want 1 and %q", status, stdout, stderr, c.want)
		}
		s.Close()
	}
}

// Who interrupts a command that waits for an agent is not kept waiting.
func TestStatusIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	}))
	defer s.Close()
	if status, _, stderr := ask(ctx, "status", "--admin", strings.TrimPrefix(s.URL, "http://")); status != 1 {
		t.Errorf("exit status %d, %q", status, stderr)
	}
}

func TestLogOfATerminalHasNoDate(t *testing.T) {
	at := slog.Time(slog.TimeKey, time.Date(2025, 6, 30, 8, 15, 0, 0, time.UTC))
	if got := clockOnly(nil, at).Value.String(); got != "08:15:00" {
		t.Errorf("the record's time is shown as %s, want 08:15:00", got)
	}
	if got := clockOnly([]string{"node"}, at); !got.Equal(at) {
		t.Errorf("a time inside a group is shown as %v, want %v", got, at)
	}
}

func TestLogElsewhereIsJSON(t *testing.T) {
	var out bytes.Buffer
	logger(&out).Info("node changed", "node", "ex01")
	if got := out.String(); !strings.HasPrefix(got, `{"time":"`) || !strings.Contains(got, `"node":"ex01"`) {
		t.Errorf("got %s", got)
	}
}
