package w3c

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for _, c := range []struct{ date, clock, want string }{
		{"2025-02-28", "23:59:59", "2025-02-28T23:59:59Z"},
		{"2024-02-29", "00:00:00", "2024-02-29T00:00:00Z"},
		{"2024-02-29", "00:00:00.1234567", "2024-02-29T00:00:00.1234567Z"},
		{"1601-01-01", "12:00:00.000000001", "1601-01-01T12:00:00.000000001Z"},
		{"2025-02-29", "00:00:00", ""}, {"2025-00-01", "00:00:00", ""}, {"2025-13-01", "00:00:00", ""}, {"2025-01-00", "00:00:00", ""},
		{"2025-1-001", "00:00:00", ""}, {"20250-1-01", "00:00:00", ""}, {"2025-0x-01", "00:00:00", ""}, {"-", "00:00:00", ""},
		{"2025-01-01", "24:00:00", ""}, {"2025-01-01", "00:60:00", ""}, {"2025-01-01", "00:00:60", ""}, {"2025-01-01", "0:00:000", ""},
		{"2025-01-01", "00:00:0", ""}, {"2025-01-01", "00:00:00.", ""}, {"2025-01-01", "00:00:00.1234567890", ""}, {"2025-01-01", "00:00:00.x", ""}, {"2025-01-01", "00:00:00Z", ""}, {"2025-01-01", "-", ""},
	} {
		r := NewReader(strings.NewReader("#Fields: time date\n10:00:00 2025-03-31\n"+c.clock+" "+c.date+"\n"), Position{})
		r.Next()
		r.Time() // another day is known
		r.Next()
		got, ok := r.Time()
		if ok != (c.want != "") || ok && got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s %s: got %v %v, want %s", c.date, c.clock, got, ok, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[string]string{"0": "0", "007": "7", "18446744073709551615": "18446744073709551615", "18446744073709551616": "", "9999999999999999999": "9999999999999999999", "29999999999999999999": "", "-": "", "-1": "", "1.5": "", "0x1": "", "١": ""} {
		r := NewReader(strings.NewReader("#Fields: n\n"+v+"\n"), Position{}, "n", "m")
		r.Next()
		n, ok := r.Uint(0)
		if _, there := r.Uint(1); there || ok != (want != "") || ok && fmt.Sprint(n) != want {
			t.Errorf("%s: got %d %v, want %s", v, n, ok, want)
		}
	}
}

func TestAddr(t *testing.T) {
	r := NewReader(strings.NewReader("#Fields: c-ip s-ip cs-host\n192.0.2.1 fe80::1%12 -\n"), Position{}, "c-ip", "s-ip", "cs-host", "x")
	r.Next()
	for i, want := range []string{"192.0.2.1", "fe80::1%12", "", ""} {
		if a, ok := r.Addr(i); ok != (want != "") || ok && a != netip.MustParseAddr(want) {
			t.Errorf("got %v %v, want %q", a, ok, want)
		}
	}
}
