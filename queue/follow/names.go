package follow

import (
	"cmp"
	"strings"
)

// compareNames orders names as their writers number them: httperr9.log is before
// httperr10.log.
func compareNames(x, y string) int {
	same := 0 // what they have in common, up to a number that it may end in
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	for same > 0 && digit(x[same-1]) {
		same--
	}
	x, y = x[same:], y[same:]
	for x != "" && y != "" {
		var p, q string
		p, x = cutPart(x)
		q, y = cutPart(y)
		if c := compareParts(p, q); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// compareParts compares two numbers by what they count, and else bytes.
func compareParts(p, q string) int {
	if !digit(p[0]) || !digit(q[0]) {
		return strings.Compare(p, q)
	}
	n, m := strings.TrimLeft(p, "0"), strings.TrimLeft(q, "0")
	return cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(n, m))
}

// cutPart cuts off a run of digits, or one other byte.
func cutPart(s string) (part, rest string) {
	n := 1
	for digit(s[0]) && n < len(s) && digit(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
