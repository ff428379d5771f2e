package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// What a terminal is told (ECMA-48, and xterm's private modes).
const (
	// enterScreen changes to the alternate screen, which has no scrollback to
	// fill, hides the cursor and cuts long lines instead of folding them.
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	// leaveScreen undoes it: what was shown before is shown again.
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[H\x1b[J"
)

// A screen is a whole terminal, taken with enter and given back with leave.
type screen struct {
	w    io.Writer
	rows func() int // its height now; 0 = not known
}

// screenOf is w as a screen, where it is a terminal.
func screenOf(w io.Writer) (screen, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{}, false
	}
	return screen{f, func() int {
		_, rows, _ := term.GetSize(int(f.Fd())) // 0 with an error
		return rows
	}}, true
}

func (s screen) enter() { io.WriteString(s.w, enterScreen) }
func (s screen) leave() { io.WriteString(s.w, leaveScreen) }

// show replaces what is shown by text, in one write so that nobody sees half.
func (s screen) show(text string) error {
	_, err := io.WriteString(s.w, clearScreen+fit(text, s.rows()))
	return err
}

// fit cuts text to so many rows, the last of which then says how much is
// missing. It ends without a line's end, which would scroll a full screen.
func fit(text string, rows int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if rows < 1 || len(lines) <= rows {
		return strings.Join(lines, "\n")
	}
	missing := len(lines) - (rows - 1)
	return strings.Join(append(lines[:rows-1], fmt.Sprintf("(%d more lines)", missing)), "\n")
}
