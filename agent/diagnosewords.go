package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// spanText is from when to when, the day once where both are on one.
func spanText(from, to time.Time) string {
	form := time.DateTime
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		form = time.TimeOnly
	}
	if from.Equal(to) {
		return from.UTC().Format(time.DateTime)
	}
	return from.UTC().Format(time.DateTime) + " – " + to.UTC().Format(form)
}

// grouped is a number with a comma before every three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesText is a number of bytes in a unit that fits it.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, i := float64(n), 0
	for ; x >= 999.5 && i < len(units)-1; i++ {
		x /= 1000
	}
	if i == 0 || x >= 99.95 {
		return fmt.Sprintf("%.0f %s", x, units[i])
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// folded breaks text into lines of so many columns, each behind an indent. A word
// that is too long stays whole: a command can be copied. There is at least a line.
func folded(columns int, indent, text string) (out []string) {
	line, used := indent, len(indent)
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		if used > len(indent) && used+1+n > columns {
			out = append(out, line)
			line, used = indent, len(indent)
		}
		if used > len(indent) {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(out, line)
}

// clipped shortens a line to so many columns.
func clipped(line string, columns int) string {
	r := []rune(line)
	if len(r) <= columns {
		return line
	}
	return string(r[:columns-1]) + "…"
}
