package lines_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/lines"
	"pgregory.net/rapid"
)

func TestColumn(t *testing.T) {
	names := []string{"date", "c-ip", "C-IP", ""}
	for name, want := range map[string]int{"date": 0, "Date": 0, "C-ip": 1, "": 3, "time": -1, "c-i": -1} {
		if got := lines.Column(names, name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

// A number is what strconv says, which takes a sign in front of none either.
func TestParseUint(t *testing.T) {
	check := func(t rapid.TB, v string) {
		want, err := strconv.ParseUint(v, 10, 64)
		if got, ok := lines.ParseUint([]byte(v)); ok != (err == nil) || ok && got != want {
			t.Fatalf("%q: got %d %v, want %d %v", v, got, ok, want, err)
		}
	}
	for _, v := range []string{"", "-1", "+1", "1.5", "0x1", "11 Max", "١", "1_0", "18446744073709551615", "18446744073709551616", "29999999999999999999", strings.Repeat("0", 40) + "7"} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringMatching(`0{0,3}[0-9]{0,21}`).Draw(t, "number")) })
}

// A day is what time says.
func TestParseDate(t *testing.T) {
	check := func(t rapid.TB, v string) {
		want, err := time.Parse(time.DateOnly, v)
		if got, ok := lines.ParseDate([]byte(v)); ok != (err == nil) || ok && got != want {
			t.Fatalf("%q: got %v %v, want %v %v", v, got, ok, want, err)
		}
	}
	for _, v := range []string{"2024-02-29", "2025-02-29", "2025-1-001", "20250-1-01", "x025-01-01", "20x5-01-01", "2025-0x-01", "2025-01-0:", "2025-01-01 ", "2025/01/01", "2025-01/01", "-", ""} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`(0000|0001|1900|2000|2024|2025)-(0[0-9]|1[0-3])-([012][0-9]|3[0-2])`).Draw(t, "date"))
	})
}

// A time of day is what the text was made of, and what stands behind is left.
func TestParseClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, m, s := rapid.IntRange(0, 25).Draw(t, "hour"), rapid.IntRange(0, 61).Draw(t, "minute"), rapid.IntRange(0, 61).Draw(t, "second")
		part := rapid.StringMatching(`(\.[0-9]{0,10})?`).Draw(t, "part")
		rest := rapid.SampledFrom([]string{"", "Z", "+02:00", " 443", ":"}).Draw(t, "rest")
		two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
		v := two(h) + ":" + two(m) + ":" + two(s) + part + rest

		nanos, _ := strconv.Atoi((strings.TrimPrefix(part, ".") + "000000000")[:9])
		want := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(nanos)
		is := h < 24 && m < 60 && s < 60 && len(part) != 1 && len(part) <= 10
		if got, left, ok := lines.ParseClock([]byte(v)); ok != is || ok && (got != want || string(left) != rest) {
			t.Fatalf("%q: got %v %q %v, want %v %q %v", v, got, left, ok, want, rest, is)
		}
	})
	for _, v := range []string{"", "-", "08:00:0", "8:00:000", "08:00.00", "08.00:00", "0x:00:00", "08:0x:00", "08:00:0x", "08:00:00.x"} {
		if got, _, ok := lines.ParseClock([]byte(v)); ok {
			t.Errorf("%q: got %v, and it is no time of day", v, got)
		}
	}
}
