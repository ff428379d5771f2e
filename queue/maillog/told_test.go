package maillog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// tell puts a record into words: what it has, field by field.
func tell(r *Record) string {
	var words []string
	say := func(name string, v any) { words = append(words, fmt.Sprintf("%s=%v", name, v)) }
	text := func(name string, v []byte) {
		if v != nil {
			say(name, string(v))
		}
	}
	span := func(name string, d time.Duration) {
		if d >= 0 {
			say(name, d)
		}
	}
	words = append(words, r.Kind.String())
	if r.Protocol != NoProtocol {
		words = append(words, r.Protocol.String())
	}
	if !r.At.IsZero() {
		say("at", r.At.Format("15:04:05.999"))
	}
	span("took", r.Took)
	text("node", r.Node)
	if r.Server.Addr().IsValid() {
		say("server", r.Server)
	}
	if r.Client.Addr().IsValid() {
		say("client", r.Client)
	}
	text("forwarded", r.Forwarded)
	text("user", r.User)
	text("agent", r.Agent)
	text("method", r.Method)
	text("path", r.Path)
	text("query", r.Query)
	if r.Status != 0 {
		say("status", r.Status)
	}
	if r.Substatus >= 0 {
		say("substatus", r.Substatus)
	}
	if r.Win32 != 0 {
		say("win32", r.Win32)
	}
	text("reason", r.Reason)
	if r.Site != 0 {
		say("site", r.Site)
	}
	text("pool", r.Pool)
	text("type", r.Type)
	text("session", r.Session)
	text("front", r.FrontEnd)
	text("back", r.BackEnd)
	span("authenticating", r.Authenticating)
	span("backend", r.Backend)
	span("delay", r.Delay)
	text("policy", r.Policy)
	text("budget", r.Budget)
	text("errors", r.Errors)
	for _, f := range []struct {
		word string
		so   bool
	}{{"waits", r.Waits}, {"probe", r.Probe}, {"behind", r.Behind}} {
		if f.so {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, " ")
}

// read gives every row of a file, each with its line, and what came of it.
func read(file string) (rows []string, kind Kind, stats Stats, err error) {
	r := NewReader(strings.NewReader(file), Position{})
	for r.Next() {
		rows = append(rows, fmt.Sprintf("%d %s %q", r.Line(), tell(r.Record()), r.Raw()))
	}
	return rows, r.Kind(), r.Stats(), r.Err()
}

// one reads a file of one row.
func one(t *testing.T, file string) string {
	t.Helper()
	r := NewReader(strings.NewReader(file), Position{})
	if !r.Next() {
		t.Fatalf("no row in %q: %+v, %v", file, r.Stats(), r.Err())
	}
	said := tell(r.Record())
	if r.Next() {
		t.Fatalf("two rows in %q", file)
	}
	return said
}

// A follower reads a file that grows, in blocks that are cut anywhere.
type follower struct {
	tail *Tail
	rows []string
}

// poll feeds what stands in the file from the tail's position on, so much at once.
func (f *follower) poll(file string, block int) {
	for {
		at := f.tail.Position().Offset
		rest := file[at:]
		f.tail.Feed([]byte(rest[:min(len(rest), block)]))
		for f.tail.Next() {
			f.rows = append(f.rows, fmt.Sprintf("%d %s %q", f.tail.Line(), tell(f.tail.Record()), f.tail.Raw()))
		}
		switch {
		case f.tail.Position().Offset > at:
		case f.tail.Waiting() && strings.Contains(rest[:min(len(rest), block)], "\x00"):
			return // the writer may fill them
		case block < len(rest):
			block *= 2
		default:
			return
		}
	}
}

// restart writes the position down, and makes another tail of what was written.
func (f *follower) restart(t fataler) {
	at := f.tail.Position()
	b, err := json.Marshal(at)
	if err != nil {
		t.Fatalf("%+v: %v", at, err)
	}
	var back Position
	if err := json.Unmarshal(b, &back); err != nil || back != at {
		t.Fatalf("%s: got %+v %v, want %+v", b, back, err, at)
	}
	f.tail = NewTail(back)
}

type fataler interface{ Fatalf(string, ...any) }

// finish reads what the tail left, when nobody writes any more.
func (f *follower) finish(file string) {
	at := f.tail.Position()
	r := NewReader(strings.NewReader(file[at.Offset:]), at)
	for r.Next() {
		f.rows = append(f.rows, fmt.Sprintf("%d %s %q", r.Line(), tell(r.Record()), r.Raw()))
	}
}

// words are a row's without its line, and without its text.
func words(row string) string {
	_, row, _ = strings.Cut(row, " ")
	return row[:strings.LastIndex(row, ` "`)]
}
