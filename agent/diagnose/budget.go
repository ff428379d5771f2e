package diagnose

import (
	"bytes"
	"strconv"
)

// debt finds in a text of budgets the lowest balance below zero, in
// milliseconds, and the cutoff that stands beside it. Most texts have none, and
// are passed over quickly. Balances and cutoffs look so: "Balance:-1.5",
// "EndBalance=-1.5", "Balance%3a-1.5"; "Cutoff:600000", "Cutoff=Unlimited".
func debt(b []byte) (balance, cutoff float64, in bool) {
	for rest := b; ; {
		i := bytes.Index(rest, []byte("alance"))
		if i < 0 {
			return balance, cutoff, in
		}
		rest = rest[i+len("alance"):]
		value, negative := signed(rest)
		if !negative {
			continue
		}
		x := number(value)
		if in && x <= -balance {
			continue
		}
		balance, cutoff, in = -x, limit(rest), x > 0
	}
}

// limit is the cutoff that follows, or zero: unlimited, or not logged.
func limit(b []byte) float64 {
	i := bytes.Index(b, []byte("utoff"))
	if i < 0 {
		return 0
	}
	value, _ := signed(b[i+len("utoff"):])
	return number(value)
}

// signed passes over what separates a name from its value, and a sign.
func signed(b []byte) (value []byte, negative bool) {
	switch {
	case len(b) > 0 && (b[0] == ':' || b[0] == '='):
		b = b[1:]
	case len(b) > 2 && b[0] == '%' && b[1] == '3':
		b = b[3:]
	}
	switch {
	case len(b) > 0 && b[0] == '-':
		return b[1:], true
	case len(b) > 2 && b[0] == '%' && b[1] == '2' && b[2]|0x20 == 'd':
		return b[3:], true
	}
	return b, false
}

// number is the number that a text begins with, or zero.
func number(b []byte) float64 {
	n := 0
	for n < len(b) && n < 24 && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	x, err := strconv.ParseFloat(string(b[:n]), 64)
	if err != nil {
		return 0
	}
	return x
}

// deletedPolicy finds a policy that was deleted: the directory renames it to its
// name, a line feed, "DEL:" and its GUID. The line feed and the colon are written
// in many ways ("\0A", "%0A", "_x000A_", a blank), so the GUID decides.
func deletedPolicy(raw []byte) (name []byte, ok bool) {
	for rest := raw; ; {
		i := bytes.Index(rest, []byte("DEL"))
		if i < 0 {
			return nil, false
		}
		after := rest[i+3:]
		if tail, ok := colon(after); ok && guid(tail) {
			return policyName(raw[:len(raw)-len(rest)+i]), true
		}
		rest = after
	}
}

func colon(b []byte) ([]byte, bool) {
	switch {
	case len(b) > 1 && b[0] == ':':
		return b[1:], true
	case len(b) > 3 && b[0] == '%' && b[1] == '3' && b[2]|0x20 == 'a':
		return b[3:], true
	}
	return nil, false
}

// guid: eight hexadecimal digits and a hyphen are enough to tell it.
func guid(b []byte) bool {
	if len(b) < 9 || b[8] != '-' && b[8] != '%' {
		return false
	}
	for _, c := range b[:8] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// policyName is the name that ends where the mark of deletion is.
func policyName(b []byte) []byte {
	for _, feed := range []string{"_x000A_", "_x000a_", `\0A`, `\0a`, `\n`, "%5C0A", "%5c0A", "%5c0a", "%0A", "%0a", "\n", "+", " "} {
		if cut, ok := bytes.CutSuffix(b, []byte(feed)); ok {
			b = cut
			break
		}
	}
	start := bytes.LastIndexAny(b, ":=,/\"'\n\t;&") + 1
	for _, escaped := range []string{"%3a", "%3A", "%3d", "%3D", "%2c", "%2C", "%2f", "%2F"} {
		if i := bytes.LastIndex(b, []byte(escaped)); i >= 0 {
			start = max(start, i+len(escaped))
		}
	}
	return b[start:]
}
