package lines

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Column is the place of a name among those of a header, -1 for nowhere; the
// letters' case is of no meaning. Of two columns of one name the first counts.
func Column(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// ParseUint reads a decimal number that 64 bits can hold, digits and nothing else.
func ParseUint(v []byte) (n uint64, ok bool) {
	const safe = len("9999999999999999999") // so many digits always fit
	for i, c := range v {
		c -= '0'
		if c > 9 || i >= safe && n > (math.MaxUint64-uint64(c))/10 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, len(v) > 0
}

// ParseDate reads a day, "2006-01-02", and gives its midnight in UTC.
func ParseDate(v []byte) (midnight time.Time, ok bool) {
	if len(v) != len("2006-01-02") || v[4] != '-' || v[7] != '-' {
		return midnight, false
	}
	century, year, month, day := pair(v[0], v[1]), pair(v[2], v[3]), pair(v[5], v[6]), pair(v[8], v[9])
	if century > 99 || year > 99 || month < 1 || month > 12 {
		return midnight, false
	}
	midnight = time.Date(century*100+year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return midnight, midnight.Day() == day // else there is no such day
}

// ParseClock reads the time of day that v begins with, "15:04:05" with or without
// a fraction of up to nine digits, and returns what stands behind it.
func ParseClock(v []byte) (since time.Duration, rest []byte, ok bool) {
	const plain = len("15:04:05")
	if len(v) < plain || v[2] != ':' || v[5] != ':' {
		return 0, v, false
	}
	h, m, s := pair(v[0], v[1]), pair(v[3], v[4]), pair(v[6], v[7])
	if h > 23 || m > 59 || s > 59 {
		return 0, v, false
	}
	since = time.Duration(h*3600+m*60+s) * time.Second
	if len(v) == plain || v[plain] != '.' {
		return since, v[plain:], true
	}
	part, rest, ok := fraction(v[plain+1:])
	return since + part, rest, ok
}

// fraction reads the part of a second that v begins with, its point not
// counted, and returns what stands behind it.
func fraction(v []byte) (part time.Duration, rest []byte, ok bool) {
	n, unit := 0, time.Second
	for ; n < len(v) && v[n]-'0' <= 9; n++ {
		part = part*10 + time.Duration(v[n]-'0')
		unit /= 10
	}
	return part * unit, v[n:], n > 0 && n <= 9
}

// pair is the number of two digits; more than any if they are none.
func pair(ten, one byte) int {
	if ten, one = ten-'0', one-'0'; ten > 9 || one > 9 {
		return 255
	}
	return int(ten)*10 + int(one)
}
