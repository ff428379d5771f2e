package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// num is a number as people read it: "4,012".
func num(x float64) string {
	s := strconv.FormatFloat(math.Abs(math.Round(x)), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if x <= -0.5 {
		s = "-" + s
	}
	return s
}

// about is a number of sessions, rounded so that it does not claim what was not
// counted: "4,000".
func about(x float64) string {
	if x < 100 {
		return num(x)
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return num(math.Round(x/unit) * unit)
}

// times is "once", "twice", "7 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return num(float64(n)) + " times"
}

// plural is "1 failover", "6 failovers".
func plural(n float64, word string) string {
	if math.Round(n) == 1 {
		return "1 " + word
	}
	return num(n) + " " + word + "s"
}

// long is how long something lasted: "45 s", "4 minutes", "3.5 hours".
func long(minutes float64) string {
	switch {
	case minutes < 2:
		return num(math.Max(1, minutes*60)) + " s"
	case minutes < 10:
		return strconv.FormatFloat(minutes, 'f', 1, 64) + " minutes"
	case minutes < 600:
		return num(minutes) + " minutes"
	}
	return strconv.FormatFloat(minutes/60, 'f', 1, 64) + " hours"
}

// took is a duration of a request, in milliseconds.
func took(ms float64) string {
	if ms < 1000 {
		return num(ms) + " ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
}

// share is a part of a whole: "99 %". What is not all is not called so.
func share(x float64) string {
	p := math.Round(100 * x)
	if p == 100 && x < 1 {
		p = 99
	}
	return num(p) + " %"
}

func utc(sec int64) time.Time { return time.Unix(sec, 0).UTC() }

func clock(sec int64) string { return utc(sec).Format("2006-01-02 15:04:05") }

// list is "EX1", "EX1 and EX2", "EX1, EX2 and 3 others".
func list(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "the farm"
	case n == 1:
		return names[0]
	case n == 2:
		return names[0] + " and " + names[1]
	case n == 3:
		return names[0] + ", " + names[1] + " and " + names[2]
	default:
		return fmt.Sprintf("%s, %s and %d others", names[0], names[1], n-2)
	}
}

// pool is how a pool is called; rows need not say which it was.
func poolName(name string) string {
	if name == "" || name == "-" {
		return "a pool"
	}
	return plain(name)
}

// plain makes a name of a log fit for a title: one line, and not endless.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, name)
	if len(name) > 120 {
		name = strings.ToValidUTF8(name[:120], "") + "…"
	}
	return name
}
