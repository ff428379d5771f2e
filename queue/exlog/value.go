package exlog

import (
	"bytes"
	"math"
	"net/netip"
	"strconv"
	"time"
)

// ParseUint reads a decimal number that 64 bits can hold.
func ParseUint(v []byte) (n uint64, ok bool) {
	for _, c := range v {
		if c -= '0'; c > 9 || n > math.MaxUint64/10 {
			return 0, false
		}
		before := n * 10
		if n = before + uint64(c); n < before {
			return 0, false
		}
	}
	return n, len(v) > 0
}

// ParseFloat reads a number as .NET writes it: "27", "-1.5", "299979.3",
// "1.5E-05". "Unlimited" is +Inf, so that it may be compared with what is used;
// "$null" and all else are no numbers.
func ParseFloat(v []byte) (f float64, ok bool) {
	if string(v) == "Unlimited" {
		return math.Inf(1), true
	}
	if len(v) > 32 || !isFloat(v) { // either would cost an allocation
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// isFloat reports that v is a sign or none, digits with a point or without, and
// an exponent or none.
func isFloat(v []byte) bool {
	mantissa, exponent, scaled := bytes.Cut(unsigned(v), []byte{'E'})
	whole, part, _ := bytes.Cut(mantissa, []byte{'.'})
	if scaled && (len(unsigned(exponent)) == 0 || !isDigits(unsigned(exponent))) {
		return false
	}
	return len(whole)+len(part) > 0 && isDigits(whole) && isDigits(part)
}

// unsigned is v without its sign.
func unsigned(v []byte) []byte {
	if len(v) > 0 && (v[0] == '-' || v[0] == '+') {
		return v[1:]
	}
	return v
}

func isDigits(v []byte) bool {
	for _, c := range v {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// ParseTime reads a time as the logs have it: "2017-07-10T00:00:00.123Z", with or
// without a fraction of up to nine digits, the "Z", or an offset as "+02:00" for
// it; without either it is UTC, and the result always is. A blank may stand for
// the "T".
func ParseTime(v []byte) (t time.Time, ok bool) {
	const plain = len("2006-01-02T15:04:05")
	if len(v) < plain || v[4] != '-' || v[7] != '-' || v[10] != 'T' && v[10] != ' ' || v[13] != ':' || v[16] != ':' {
		return t, false
	}
	year, ok1 := digits(v[:4])
	month, ok2 := digits(v[5:7])
	day, ok3 := digits(v[8:10])
	hour, ok4 := digits(v[11:13])
	minute, ok5 := digits(v[14:16])
	second, ok6 := digits(v[17:19])
	part, v, ok7 := fraction(v[plain:])
	east, ok8 := offset(v)
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7 && ok8) || month > 12 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, part, time.UTC)
	if month < 1 || t.Day() != day { // there is no such day, or day 0
		return time.Time{}, false
	}
	return t.Add(-east), true
}

// fraction reads the part of a second that v may begin with, in nanoseconds,
// and returns what stands behind it.
func fraction(v []byte) (nanos int, rest []byte, ok bool) {
	if len(v) == 0 || v[0] != '.' {
		return 0, v, true
	}
	n := 1
	for n < len(v) && v[n]-'0' <= 9 {
		n++
	}
	if n == 1 || n > 10 {
		return 0, v, false
	}
	nanos, ok = digits(v[1:n])
	for range 10 - n {
		nanos *= 10
	}
	return nanos, v[n:], ok
}

// offset reads how far east of UTC a clock is: "", "Z" or "+02:00".
func offset(v []byte) (east time.Duration, ok bool) {
	switch {
	case len(v) == 0 || string(v) == "Z":
		return 0, true
	case len(v) != len("+02:00") || v[0] != '+' && v[0] != '-' || v[3] != ':':
		return 0, false
	}
	h, ok1 := digits(v[1:3])
	m, ok2 := digits(v[4:])
	east = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if v[0] == '-' {
		east = -east
	}
	return east, ok1 && ok2 && h < 24 && m < 60
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

// ParseAddr reads an IP address as the logs have them, IPv6 with a zone if one
// was written ("fe80::1%12"). It is not ok if v is none. Only IPv6 costs an
// allocation.
func ParseAddr(v []byte) (a netip.Addr, ok bool) {
	const longest = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%4294967295")
	if a, ok := parseIPv4(v); ok {
		return a, true
	}
	if len(v) < len("::") || len(v) > longest {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(string(v))
	return a, err == nil
}

// parseIPv4 takes four decimal numbers without leading zeros.
func parseIPv4(v []byte) (netip.Addr, bool) {
	var a [4]byte
	for i := range a {
		n := 0
		for n < len(v) && n < 3 && v[n]-'0' <= 9 {
			n++
		}
		part, _ := digits(v[:n])
		if n == 0 || part > 255 || n > 1 && v[0] == '0' {
			return netip.Addr{}, false
		}
		a[i], v = byte(part), v[n:]
		if i < 3 {
			if len(v) == 0 || v[0] != '.' {
				return netip.Addr{}, false
			}
			v = v[1:]
		}
	}
	return netip.AddrFrom4(a), len(v) == 0
}
