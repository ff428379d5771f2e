package exlog

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	for v, want := range map[string]string{
		"2017-07-10T00:00:00.123Z":       "2017-07-10T00:00:00.123Z",
		"2017-07-10T00:00:00Z":           "2017-07-10T00:00:00Z",
		"2017-07-10T23:59:59.1234567":    "2017-07-10T23:59:59.1234567Z",
		"2017-07-10 23:59:59.000000001Z": "2017-07-10T23:59:59.000000001Z",
		"2024-02-29T01:00:00.5+02:00":    "2024-02-28T23:00:00.5Z",
		"2024-02-29T01:00:00-03:30":      "2024-02-29T04:30:00Z",
		"0001-01-01T00:00:00.000Z":       "0001-01-01T00:00:00Z",
		"2025-02-29T00:00:00Z":           "", "2025-00-01T00:00:00Z": "", "2025-13-01T00:00:00Z": "", "2025-01-00T00:00:00Z": "", "2025-01-32T00:00:00Z": "",
		"2025-01-01T24:00:00Z": "", "2025-01-01T00:60:00Z": "", "2025-01-01T00:00:60Z": "", "2025-01-01T00:00:00.Z": "", "2025-01-01T00:00:00.1234567890Z": "",
		"2025-01-01T00:00:00z": "", "2025-01-01T00:00:00ZZ": "", "2025-01-01T00:00:00+2:00": "", "2025-01-01T00:00:00+24:00": "", "2025-01-01T00:00:00+02x00": "", "2025-01-01T00:00:0": "",
		"2025-01-01": "", "": "", "2025-0x-01T00:00:00Z": "", "2025-01-01X00:00:00Z": "", "6/30/2021 10:03:57 AM": "", "20250101T000000.000Z": "",
	} {
		got, ok := parseTime([]byte(v))
		if ok != (want != "") || ok && (got.Format(time.RFC3339Nano) != want || got.Location() != time.UTC) {
			t.Errorf("%s: got %v %v, want %s", v, got, ok, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := time.UnixMilli(rapid.Int64Range(-62_135_596_800_000, 253_402_300_799_999).Draw(t, "ms")).UTC()
		if got, ok := parseTime([]byte(want.Format("2006-01-02T15:04:05.000Z"))); !ok || !got.Equal(want) {
			t.Fatalf("got %v %v, want %v", got, ok, want)
		}
	})
}

func TestNumbers(t *testing.T) {
	for v, want := range map[string]string{"0": "0", "007": "7", "18446744073709551615": "18446744073709551615", "18446744073709551616": "", "9999999999999999999": "9999999999999999999", "29999999999999999999": "", "": "", "-1": "", "1.5": "", "0x1": "", "11 Max": "", "١": ""} {
		r := NewReader(strings.NewReader("#Fields: n,o\n\""+v+"\",\n"), Position{}, "n", "m")
		r.Next()
		n, ok := r.Uint(0)
		if _, there := r.Uint(1); there || ok != (want != "") || ok && fmt.Sprint(n) != want {
			t.Errorf("%s: got %d %v, want %s", v, n, ok, want)
		}
	}
	for v, want := range map[string]float64{"27": 27, "-1.5": -1.5, "299979.3": 299979.3, "2.147484E+09": 2.147484e9, "1E-05": 1e-5, "Unlimited": math.Inf(1), ".5": .5} {
		if got, ok := ParseFloat([]byte(v)); !ok || got != want {
			t.Errorf("%s: got %v %v", v, got, ok)
		}
	}
	for _, v := range []string{"", "$null", "NaN", "Inf", "0x1p-2", "1_0", "1,5", "-", "E", "1E", "1E999", "1.2.3", "unlimited!", strings.Repeat("1", 33)} {
		if got, ok := ParseFloat([]byte(v)); ok {
			t.Errorf("%s: got %v, and it is no number", v, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.StringMatching(`[-+]?[0-9]{0,3}\.?[0-9]{0,3}(E[-+]?[0-9]{0,2})?`).Draw(t, "number")
		want, err := strconv.ParseFloat(v, 64)
		if got, ok := ParseFloat([]byte(v)); ok != (err == nil) || ok && got != want {
			t.Fatalf("%q: got %v %v, want %v %v", v, got, ok, want, err)
		}
	})
}

func TestAddr(t *testing.T) {
	r := NewReader(strings.NewReader("#Fields: a,b\n10.0.0.1,fe80::12345%3\n"), Position{}, "a", "b")
	r.Next()
	a, ok := r.Addr(0)
	if _, is := r.Addr(1); is || !ok || a != netip.MustParseAddr("10.0.0.1") {
		t.Errorf("got %v %v, and %v", a, ok, is)
	}
}
