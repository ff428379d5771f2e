package config

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A form is one kind of word: what it is called, and how to read it.
type form[T any] struct {
	want string // completes "want …"
	read func(string) (T, error)
}

// A hint is the error of a form: how to do better, where more than the form's
// name can be said.
type hint string

// Error is the hint alone.
func (h hint) Error() string { return string(h) }

const noHint hint = ""

// one sets dst from a word.
func one[T any](dst *T, f form[T]) func(*reader, value) {
	return func(r *reader, v value) {
		if x, ok := understand(r, v, f); ok {
			*dst = x
		}
	}
}

// many sets dst from a list of words, each different from the others. A word
// that is refused leaves its place empty, so that the others keep their number.
func many[T comparable](dst *[]T, f form[T]) func(*reader, value) {
	return func(r *reader, v value) {
		if v.kind != list {
			r.spoil(v.place, fmt.Sprintf("want a list, got %s", v), listHint(v))
			return
		}
		var out []T // nil for [], as it is by default
		seen := map[T]place{}
		for _, item := range v.items {
			x, ok := understand(r, item, f)
			if first, twice := seen[x]; ok && twice {
				r.spoil(item.place, fmt.Sprintf("%s is listed twice, first in line %d", item, first.line), "")
				x, ok = *new(T), false
			}
			if ok {
				seen[x] = item.place
			}
			out = append(out, x)
			r.items[v.key] = append(r.items[v.key], item.place)
		}
		r.given[v.key] = v.place
		*dst = out
	}
}

// understand reads a word, or refuses what is there instead.
func understand[T any](r *reader, v value, f form[T]) (x T, ok bool) {
	if r.spoilt[v.key] {
		return x, false // by parse, which has said why
	}
	err := error(noHint)
	if v.kind == word {
		x, err = f.read(v.text)
	}
	if err != nil {
		r.spoil(v.place, fmt.Sprintf("want %s, got %s", f.want, v), err.Error())
		return x, false
	}
	r.given[v.key] = v.place
	return x, true
}

func listHint(v value) string {
	if v.kind != word {
		return ""
	}
	if v.text == "" {
		return "an empty list is []"
	}
	return fmt.Sprintf("write [%q]", v.text)
}

// optional takes an empty word for the zero value.
func optional[T any](f form[T]) form[T] { return or("", f) }

// or takes w for the zero value.
func or[T any](w string, f form[T]) form[T] {
	want := f.want
	if w != "" {
		want = w + " or " + want
	}
	return form[T]{want, func(s string) (T, error) {
		if s == w {
			var zero T
			return zero, nil
		}
		return f.read(s)
	}}
}

// whole is a whole number in decimal digits.
func whole(low, high int) form[int] {
	return form[int]{fmt.Sprintf("a whole number from %d to %d", low, high), func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return 0, noHint
		}
		return n, nil
	}}
}

// learnt sets a limit of connections: a number, or "learn", from the default or
// from the number given.
func learnt(l *Limits) func(*reader, value) {
	n := whole(1, 10_000_000)
	form := form[Limits]{"learn, learn from N or " + n.want, func(s string) (Limits, error) {
		if s == "learn" {
			return Limits{Connections: l.Connections, Learn: true}, nil
		}
		from, learn := strings.CutPrefix(s, "learn from ")
		x, err := n.read(from)
		return Limits{Connections: x, Learn: learn}, err
	}}
	return func(r *reader, v value) {
		if x, ok := understand(r, v, form); ok {
			l.Connections, l.Learn = x.Connections, x.Learn
		}
	}
}

// port is a TCP port that a packet can carry.
func port() form[uint16] {
	f := whole(1, math.MaxUint16)
	return form[uint16]{"a port from 1 to 65535", func(s string) (uint16, error) {
		n, err := f.read(s)
		return uint16(n), err
	}}
}

// share is a part of a limit.
func share() form[float64] {
	return form[float64]{"a share above 0 and at most 1, such as 0.70", func(s string) (float64, error) {
		f, err := strconv.ParseFloat(s, 64)
		if err == nil && f > 0 && f <= 1 { // false for NaN
			return f, nil
		}
		f, err = strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
		if err == nil && f > 1 && f <= 100 {
			return 0, hint(fmt.Sprintf("%g%% is written %.2f", f, f/100))
		}
		return 0, noHint
	}}
}

// duration is a length of time as time.ParseDuration knows it.
func duration(low, high time.Duration) form[time.Duration] {
	want := fmt.Sprintf("a duration from %s to %s, such as 30s", Short(low), Short(high))
	return form[time.Duration]{want, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err == nil && d >= low && d <= high {
			return d, nil
		}
		if _, bare := strconv.ParseUint(s, 10, 32); bare == nil {
			return 0, hint(fmt.Sprintf("a number needs its unit: %ss", s))
		}
		return 0, noHint
	}}
}

// seconds is a duration that DNS can carry: a TTL counts seconds (RFC 1035,
// 3.2.1).
func seconds(low, high time.Duration) form[time.Duration] {
	f := duration(low, high)
	return form[time.Duration]{fmt.Sprintf("whole seconds from %s to %s, such as 30s", Short(low), Short(high)),
		func(s string) (time.Duration, error) {
			d, err := f.read(s)
			if err == nil && d%time.Second != 0 {
				return 0, noHint
			}
			return d, err
		}}
}

// Short is a duration without the zeros that time.Duration.String adds: 5m, and
// not 5m0s.
func Short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// fileName is the name of a file; whether it is there is for who reads it.
func fileName() form[string] {
	return form[string]{"the name of a file", printable(4096)}
}

// folder is the name of a folder; it is made when there is something to keep.
func folder() form[string] {
	return form[string]{"the name of a folder", printable(4096)}
}

// gossipLabel is what memberlist takes as a label: up to 255 bytes.
func gossipLabel() form[string] {
	return form[string]{"1 to 255 printable ASCII characters", func(s string) (string, error) {
		if strings.ContainsFunc(s, func(c rune) bool { return c > '~' }) {
			return "", noHint
		}
		return printable(255)(s)
	}}
}

// record is one line of a zone file. Its words are for who compiles the zone.
func record() form[string] {
	return form[string]{"one line of a zone file, such as \"@ MX 10 mail\"", printable(math.MaxUint16)}
}

// printable reads a word of 1 to most bytes on one line.
func printable(most int) func(string) (string, error) {
	return func(s string) (string, error) {
		control := func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }
		if strings.TrimSpace(s) == "" || len(s) > most || strings.ContainsFunc(s, control) {
			return "", noHint
		}
		return s, nil
	}
}

// address is an IP address; an IPv4 address in IPv6 clothes is IPv4.
func address() form[netip.Addr] {
	return form[netip.Addr]{"an IP address such as 10.0.0.11", func(s string) (netip.Addr, error) {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return netip.Addr{}, noHint
		}
		return a.Unmap(), nil
	}}
}
