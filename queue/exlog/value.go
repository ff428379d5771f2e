package exlog

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"evenkeel/queue/lines"
)

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

// parseTime reads a time as the logs have it: "2017-07-10T00:00:00.123Z", with or
// without a fraction of up to nine digits, the "Z", or an offset as "+02:00" for
// it; without either it is UTC, and the result always is. A blank may stand for
// the "T".
func parseTime(v []byte) (t time.Time, ok bool) {
	const day = len("2006-01-02")
	if len(v) <= day || v[day] != 'T' && v[day] != ' ' {
		return t, false
	}
	midnight, ok1 := lines.ParseDate(v[:day])
	since, rest, ok2 := lines.ParseClock(v[day+1:])
	east, ok3 := offset(rest)
	if !ok1 || !ok2 || !ok3 {
		return t, false
	}
	return midnight.Add(since - east), true
}

// offset reads how far east of UTC a clock is: "", "Z" or "+02:00".
func offset(v []byte) (east time.Duration, ok bool) {
	switch {
	case len(v) == 0 || string(v) == "Z":
		return 0, true
	case len(v) != len("+02:00") || v[0] != '+' && v[0] != '-' || v[3] != ':':
		return 0, false
	}
	h, ok1 := lines.ParseUint(v[1:3])
	m, ok2 := lines.ParseUint(v[4:])
	east = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if v[0] == '-' {
		east = -east
	}
	return east, ok1 && ok2 && h < 24 && m < 60
}
