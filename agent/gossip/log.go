package gossip

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// A hush lets each kind of complaint through once in a while.
type hush struct {
	every time.Duration

	mu   sync.Mutex // guards said
	said map[string]time.Time
}

// due reports whether a complaint of this kind was not made lately. The caller
// sees to it that there are few kinds.
func (h *hush) due(kind string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, ok := h.said[kind]; ok && now.Sub(last) < h.every {
		return false
	}
	if h.said == nil {
		h.said = map[string]time.Time{}
	}
	h.said[kind] = now
	return true
}

// sayAgain is how often one complaint of memberlist is repeated at most. A peer
// with another key makes several a second.
const sayAgain = time.Minute

// kindLen is how much of a message tells complaints apart: the rest is mostly
// addresses. So there are only as many kinds as memberlist has formats.
const kindLen = 24

// A logWriter turns memberlist's lines into records: the level from the prefix,
// except where retold knows better.
type logWriter struct {
	log  *slog.Logger
	hush hush
}

func newLogWriter(log *slog.Logger) *logWriter {
	return &logWriter{log: log, hush: hush{every: sayAgain}}
}

// retold is what we say instead of memberlist: in plain words, or more quietly
// where it cries wolf or we say it ourselves.
var retold = [...]struct {
	has   string
	level slog.Level
	say   string // empty = memberlist's words
}{
	{"Conflicting address", slog.LevelDebug, ""}, // said by watch, once
	{"Refuting", slog.LevelInfo, ""},
	{"Failed fallback TCP ping", slog.LevelDebug, ""},
	{"Failed to send", slog.LevelDebug, ""},
	{"Push/Pull with", slog.LevelInfo, ""},
	{"Failed to resolve", slog.LevelDebug, ""},
	{"Decrypt packet failed", slog.LevelError, "a peer's key differs from ours"},
	{"no installed keys could decrypt", slog.LevelError, "a peer's key differs from ours"},
	{"encryption is configured but remote state is not encrypted", slog.LevelError, "a peer has no key, we have one"},
	{"remote state is encrypted and encryption is not configured", slog.LevelError, "a peer has a key, we have none"},
	{"unacceptable label", slog.LevelError, "a peer belongs to another farm: its label differs from ours"},
	{"over TCP but UDP probes failed", slog.LevelWarn, "UDP does not get through to a peer, TCP does"},
	{"Got ping for unexpected node", slog.LevelWarn, "a peer takes us for someone else"},
}

// Write takes one line, as package log writes them.
func (w *logWriter) Write(line []byte) (int, error) {
	level, text := parseLine(string(line))
	msg, detail := text, ""
	for _, r := range retold {
		if !strings.Contains(text, r.has) {
			continue
		}
		if level = r.level; r.say != "" {
			msg, detail = r.say, text
		}
		break
	}
	if level >= slog.LevelWarn && !w.hush.due(msg[:min(kindLen, len(msg))], time.Now()) {
		level = slog.LevelDebug
	}
	if detail == "" {
		w.log.Log(context.Background(), level, msg)
	} else {
		w.log.Log(context.Background(), level, msg, "memberlist", detail)
	}
	return len(line), nil
}

// parseLine splits "[WARN] memberlist: text" into its level and its text.
func parseLine(line string) (slog.Level, string) {
	level := slog.LevelWarn // a line without a prefix is one of memberlist's oddities
	if rest, ok := strings.CutPrefix(line, "["); ok {
		if prefix, text, ok := strings.Cut(rest, "] "); ok {
			level, line = levelOf(prefix), text
		}
	}
	return level, strings.TrimSpace(strings.TrimPrefix(line, "memberlist: "))
}

func levelOf(prefix string) slog.Level {
	switch prefix {
	case "DEBUG":
		return slog.LevelDebug
	case "INFO":
		return slog.LevelInfo
	case "WARN":
		return slog.LevelWarn
	}
	return slog.LevelError
}
