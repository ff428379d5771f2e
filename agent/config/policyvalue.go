package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// parameter reads the value of a parameter. Null, unlimited and a number are
// three things, and nothing at all would be a fourth: it is refused, since it
// might mean any of them.
func (r *reader) parameter(w parameterWord) (throttle.Value, bool) {
	v := w.value
	switch {
	case v.kind == nothing && r.spoilt[v.key]:
		return throttle.Value{}, false
	case v.kind == nothing && v.text == "":
		r.refuse(v.place, "nothing is said of it", "null unsets it, unlimited lifts the limit; without the key it is inherited")
		return throttle.Value{}, false
	case v.kind == nothing:
		return throttle.Value{State: throttle.Unset}, true
	}
	return understand(r, v, parameterValue(w.parameter))
}

// parameterValue is a word for a value of p.
func parameterValue(p throttle.Parameter) form[throttle.Value] {
	return form[throttle.Value]{wantOf(p), func(s string) (throttle.Value, error) {
		switch strings.ToLower(s) {
		case "unlimited":
			if p.Unit() == throttle.Switch {
				return throttle.Value{}, noHint
			}
			return throttle.Value{State: throttle.NoLimit}, nil
		case "$null", "unset":
			return throttle.Value{State: throttle.Unset}, nil
		case "inherited":
			return throttle.Value{}, nil
		}
		n, err := numberOf(p, s)
		if err != nil {
			return throttle.Value{}, err
		}
		return throttle.Number(n), nil
	}}
}

// wantOf says what words p takes.
func wantOf(p throttle.Parameter) string {
	if p.Unit() == throttle.Switch {
		return "null, true or false"
	}
	return "null, unlimited or " + numbersOf(p)
}

func numbersOf(p throttle.Parameter) string {
	switch p.Unit() {
	case throttle.Millis:
		return fmt.Sprintf("milliseconds from 0 to %d, or a duration such as 5m", p.Most())
	case throttle.MillisPerHour:
		return fmt.Sprintf("milliseconds an hour from 0 to %d, or a duration such as 15m", p.Most())
	case throttle.Seconds, throttle.Minutes, throttle.Days:
		return fmt.Sprintf("a whole number of %s from 0 to %d, or a duration", p.Unit(), p.Most())
	case throttle.PercentCPU, throttle.PercentMinute:
		return fmt.Sprintf("percent from 0 to %d", p.Most())
	}
	return fmt.Sprintf("a whole number from 0 to %d", p.Most())
}

// numberOf reads a number in Exchange's unit, or in another that cannot be
// mistaken.
func numberOf(p throttle.Parameter, s string) (int64, error) {
	if p.Unit() == throttle.Switch {
		yes, err := yesNo().read(strings.TrimPrefix(strings.ToLower(s), "$"))
		if yes {
			return 1, err
		}
		return 0, err
	}
	plain := s
	if u := p.Unit(); u == throttle.PercentCPU || u == throttle.PercentMinute {
		plain = strings.TrimSuffix(s, "%")
	}
	n, err := strconv.ParseInt(plain, 10, 64)
	if err != nil {
		n, err = timeOf(p, s)
	}
	if err != nil || n < 0 || n > p.Most() {
		return 0, thousands(s, err)
	}
	return n, nil
}

// timeOf reads a duration as the number of a parameter that counts time.
func timeOf(p throttle.Parameter, s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, noHint
	}
	var unit time.Duration
	switch p.Unit() {
	case throttle.Millis, throttle.MillisPerHour:
		unit = time.Millisecond
	case throttle.Seconds:
		unit = time.Second
	case throttle.Minutes:
		unit = time.Minute
	case throttle.Days:
		unit = 24 * time.Hour
	default:
		return 0, hint("it counts no time")
	}
	if d%unit != 0 {
		return 0, hint("want whole " + p.Unit().String())
	}
	return int64(d / unit), nil
}

// thousands explains a number with separators.
func thousands(s string, err error) error {
	plain := strings.NewReplacer(",", "", "_", "", " ", "", "'", "").Replace(s)
	if _, whole := strconv.ParseUint(plain, 10, 63); whole == nil && plain != s {
		return hint("without separators: " + plain)
	}
	if err == nil {
		return noHint
	}
	return hint(err.Error())
}
