package w3c

import (
	"net/netip"
	"time"
)

// AppendBlanks appends a value to dst with the blanks that IIS wrote as "+". A
// plus that the client sent cannot be told from a blank.
func AppendBlanks(dst, value []byte) []byte {
	for _, c := range value {
		if c == '+' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}

// ParseAddr reads an IP address as the logs have them, IPv6 with a zone if one
// was written ("fe80::1%12", "::1%0"). It is not ok if v is none. Only IPv6
// costs an allocation.
func ParseAddr(v []byte) (a netip.Addr, ok bool) {
	if a, ok := parseIPv4(v); ok {
		return a, true
	}
	const longest = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%4294967295")
	if len(v) < len("::") || len(v) > longest {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(string(v))
	return a, err == nil
}

// parseIPv4 takes the form of four decimal numbers without leading zeros, as
// [netip.ParseAddr] does.
func parseIPv4(v []byte) (netip.Addr, bool) {
	var a [4]byte
	if len(v) < len("0.0.0.0") || len(v) > len("255.255.255.255") {
		return netip.Addr{}, false
	}
	part, n, digits := 0, 0, 0
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9' && (digits == 0 || n > 0):
			n, digits = n*10+int(c-'0'), digits+1
		case c == '.' && digits > 0 && part < 3:
			a[part] = byte(n)
			part, n, digits = part+1, 0, 0
		default:
			return netip.Addr{}, false
		}
		if n > 255 {
			return netip.Addr{}, false
		}
	}
	a[3] = byte(n)
	return netip.AddrFrom4(a), part == 3 && digits > 0
}

// A day is the date that was read last: rows of one day stand together, and
// counting days is most of the work of reading a time.
type day struct {
	text  [len("2006-01-02")]byte
	start int64 // Unix time of its midnight, UTC
	good  bool
}

// know reads a date, and reports whether it is one.
func (d *day) know(date []byte) bool {
	if d.good && string(date) == string(d.text[:]) {
		return true
	}
	if len(date) != len(d.text) || date[4] != '-' || date[7] != '-' {
		return false
	}
	year, ok1 := digits(date[:4])
	month, ok2 := digits(date[5:7])
	dom, ok3 := digits(date[8:])
	midnight := time.Date(year, time.Month(month), dom, 0, 0, 0, 0, time.UTC)
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || midnight.Day() != dom {
		return false
	}
	*d = day{text: [10]byte(date), start: midnight.Unix(), good: true}
	return true
}

// parseClock reads a time of day, with or without a fraction of the second.
func parseClock(v []byte) (since time.Duration, ok bool) {
	const plain = len("15:04:05")
	if len(v) < plain || v[2] != ':' || v[5] != ':' {
		return 0, false
	}
	h, ok1 := digits(v[:2])
	m, ok2 := digits(v[3:5])
	s, ok3 := digits(v[6:8])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	since = time.Duration(h*3600+m*60+s) * time.Second
	if len(v) == plain {
		return since, true
	}
	part, ok := fraction(v[plain:])
	return since + part, ok
}

// fraction reads the part of a second behind its point, of up to nine digits.
func fraction(v []byte) (time.Duration, bool) {
	if v[0] != '.' || len(v) < 2 || len(v) > 10 {
		return 0, false
	}
	n, ok := digits(v[1:])
	for range 10 - len(v) {
		n *= 10
	}
	return time.Duration(n), ok
}

// digits reads a number of at most nine digits.
func digits(v []byte) (n int, ok bool) {
	for _, c := range v {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	return n, true
}
