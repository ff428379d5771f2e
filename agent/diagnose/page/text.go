package page

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// visible is s without what would hide or reorder a part of it: control
// characters become their pictures, marks of direction and of no width, and
// bytes that are no text, the sign for it.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return '␡'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func visibles(ss []string) []string {
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = visible(s)
	}
	return out
}

// numbered is n and its noun, "1 row", "2,000 rows".
func numbered(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped is n with its digits in threes.
func grouped(n int64) string {
	s, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		s, sign = s[1:], "-"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// size is bytes in the largest unit of which there is one.
func size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= u.bytes {
			return strconv.FormatFloat(float64(n)/u.bytes, 'f', 1, 64) + " " + u.name
		}
	}
	return numbered(n, "byte")
}

// day is the date of an instant.
func day(at time.Time) string { return at.UTC().Format("2 January 2006") }

// days are dates, with their month and year said once.
func days(from, to time.Time) string {
	from, to = from.UTC(), to.UTC()
	switch {
	case day(from) == day(to):
		return day(from)
	case from.Format("2006-01") == to.Format("2006-01"):
		return strconv.Itoa(from.Day()) + " – " + day(to)
	}
	return day(from) + " – " + day(to)
}

// clock is an instant to the second.
func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") }

// between is a time, its date said once.
func between(from, to time.Time) string {
	switch {
	case clock(from) == clock(to):
		return clock(from)
	case day(from) == day(to):
		return clock(from) + " – " + to.UTC().Format("15:04:05")
	}
	return clock(from) + " – " + clock(to)
}

// lasting is a duration in its two largest units.
func lasting(d time.Duration) string {
	d = d.Round(time.Second)
	days, h, m, s := int(d/(24*time.Hour)), int(d/time.Hour)%24, int(d/time.Minute)%60, int(d/time.Second)%60
	switch {
	case days > 0:
		return pair(days, "d", h, "h")
	case h > 0:
		return pair(h, "h", m, "min")
	case m > 0:
		return pair(m, "min", s, "s")
	}
	return strconv.Itoa(s) + " s"
}

func pair(n int, unit string, rest int, small string) string {
	s := strconv.Itoa(n) + " " + unit
	if rest > 0 {
		s += " " + strconv.Itoa(rest) + " " + small
	}
	return s
}
