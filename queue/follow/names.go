package follow

import (
	"cmp"
	"strings"
)

// compareNames orders names as their writers number them: httperr9.log is before
// httperr10.log. The case of letters counts last.
func compareNames(a, b string) int {
	x, y := strings.ToLower(a), strings.ToLower(b)
	for x != "" && y != "" {
		var p, q string
		p, x = cutPart(x)
		q, y = cutPart(y)
		if c := compareParts(p, q); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
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
