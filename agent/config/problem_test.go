package config

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestProblemAsItIsRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    Problem
		want string
	}{
		{
			"all of it",
			Problem{"e.yaml", 2, 12, "limits.degrade", "unknown", "did you mean fail?", "  degrade: x"},
			"e.yaml:2:12: limits.degrade: unknown\n      degrade: x\n               ^\n    hint: did you mean fail?",
		},
		{
			"a tab stays a tab above the caret",
			Problem{"e.yaml", 1, 3, "", "not YAML", "", "\té: x"},
			"e.yaml:1:3: not YAML\n    \té: x\n    \t ^",
		},
		{
			"behind the end of the line",
			Problem{"e.yaml", 1, 4, "", "not YAML", "", "a: "},
			"e.yaml:1:4: not YAML\n    a: \n       ^",
		},
		{
			"something missing has no place",
			Problem{"e.yaml", 0, 0, "node.name", "missing", "", ""},
			"e.yaml: node.name: missing",
		},
	} {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestProblemsInTheOrderOfTheFile(t *testing.T) {
	ps := Problems{{File: "f", Line: 3, Column: 1, Message: "d"}, {File: "f", Line: 1, Column: 9, Message: "c"}, {File: "f", Line: 1, Column: 2, Message: "b"}, {File: "f", Message: "a"}}
	if got, want := ps.sorted().Error(), "f: a\nf:1:2: b\nf:1:9: c\nf:3:1: d"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A line too long for a terminal is not shown; its place is.
func TestLongLinesAreNotShown(t *testing.T) {
	long := make([]byte, 200)
	for i := range long {
		long[i] = '#'
	}
	for _, tt := range []struct {
		text string
		show bool
	}{
		{"drain: 3 " + string(long[:191]), true},
		{"drain: 3 " + string(long[:192]), false},
	} {
		_, err := load("f", []byte(tt.text), nil, "ex01")
		ps, ok := err.(Problems)
		if !ok || len(ps) != 1 || ps[0].Line != 1 || (ps[0].Source != "") != tt.show {
			t.Errorf("%d bytes: got %v, want shown %v", len(tt.text), err, tt.show)
		}
	}
}

// What is wrong with a file may be in it to fool a terminal.
func TestNothingMovesTheCursor(t *testing.T) {
	for _, text := range []string{"\"a\\nb\": 1", "drain: \"\\e[2J\"", "zone: \x1b[2J", "drain: \x00", "node: {name: \"x\\u2028y\"}"} {
		_, err := load("f", []byte(text), fakeKeys, "ex01")
		ps, ok := err.(Problems)
		if !ok || len(ps) == 0 {
			t.Fatalf("%q: got %v, want problems", text, err)
		}
		for _, p := range ps {
			all := p.headline() + p.Source + p.Hint
			if i := strings.IndexFunc(all, func(c rune) bool { return !unicode.IsPrint(c) }); i >= 0 {
				t.Errorf("%q: got %q, want nothing a terminal obeys", text, all)
			}
		}
	}
}

func TestHints(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"limits: {degarde: 0.8}", "did you mean limits.degrade?"},
		{"gossip: {key-file: k}", "did you mean gossip.key_file?"},
		{"limit: {}", "did you mean limits?"},
		{"Zone: {}", "did you mean zone?"},
		{"ttl: {min: 5s}", "known here: node, zone, listen, gate, dns, gossip, admin, sources, limits, health, drain, policy, services, state"},
		{"min_in_service: 2", "did you mean health.min_in_service?"},
		{"sources: [{listner: {}}]", "did you mean sources.listener?"},
		{"zone: {ttl: {mim: 5s}}", "did you mean zone.ttl.min?"},
		{"zone.ttl.min: 5s", "write zone: {ttl: {min: ...}}"},
		{"drain: 30", "a number needs its unit: 30s"},
		{"drain: soon", ""},
		{"limits: {fail: 90}", "90% is written 0.90"},
		{"limits: {fail: 900}", ""},
		{"listen: {dns: [':53']}", "every address is 0.0.0.0:53"},
		{"listen: {dns: ['localhost:53']}", "localhost is 127.0.0.1:53"},
		{"listen: {dns: ''}", "an empty list is []"},
		{"listen: {dns: {a: 1}}", ""},
		{"gossip: {join: [ex02]}", "add the port: ex02:7946"},
		{"gossip: {join: ['fd00::1']}", "add the port: [fd00::1]:7946"},
		{"zone: {records: [@ MX 10 a]}", "put the words between quotes"},
		{"zone:mail.test.", "a space belongs after the colon"},
	} {
		_, err := load("f", []byte(tt.text), fakeKeys, "ex01")
		ps, ok := err.(Problems)
		if !ok || !slices.ContainsFunc(ps, func(p Problem) bool { return p.Hint == tt.want }) {
			t.Errorf("%s: got %v, want hint %q", tt.text, err, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"name", "name", 0},
		{"nmae", "name", 1}, // two letters swapped are one slip
		{"nam", "name", 1},
		{"names", "name", 1},
		{"mame", "name", 1},
		{"degrade", "recover", 6},
		{"ca", "abc", 3}, // a swapped pair is not edited again
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q to %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a); got != tt.want {
			t.Errorf("%q to %q: got %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
