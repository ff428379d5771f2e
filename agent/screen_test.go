package main

import (
	"bytes"
	"strings"
	"testing"
)

// A table longer than the terminal must not scroll it, and must not hide that
// there is more.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text string
		rows int
		want string
	}{
		{"a\nb\nc\n", 4, "a\nb\nc"},
		{"a\nb\nc\n", 3, "a\nb\nc"},
		{"a\nb\nc\n", 2, "a\n(2 more lines)"},
		{"a\nb\nc\n", 1, "(3 more lines)"},
		{"a\nb\nc\n", 0, "a\nb\nc"}, // nobody knows how high it is
		{"a\n\nc", 3, "a\n\nc"},
		{"", 3, ""},
	} {
		if got := fit(c.text, c.rows); got != c.want {
			t.Errorf("%q on %d rows: %q, want %q", c.text, c.rows, got, c.want)
		}
	}
}

// Every mode that is set when a screen is taken is undone when it is left.
func TestScreenIsGivenBack(t *testing.T) {
	var out bytes.Buffer
	s := screen{&out, func() int { return 2 }}
	s.enter()
	if err := s.show("a\nb\nc\n"); err != nil {
		t.Fatal(err)
	}
	s.leave()
	if want := "\x1b[?1049h\x1b[?25l\x1b[?7l" + "\x1b[H\x1b[J" + "a\n(2 more lines)" + "\x1b[?7h\x1b[?25h\x1b[?1049l"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	for _, mode := range []string{"?1049", "?25", "?7"} {
		if strings.Count(out.String(), mode+"h") != 1 || strings.Count(out.String(), mode+"l") != 1 {
			t.Errorf("mode %s is not as it was: %q", mode, out.String())
		}
	}
}

func TestScreenOfNoTerminal(t *testing.T) {
	if s, ok := screenOf(&bytes.Buffer{}); ok {
		t.Errorf("a buffer is %+v", s)
	}
}
