package maillog

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for v, want := range map[string]time.Duration{
		"00:00:00.0310000": 31 * time.Millisecond, "1.02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second, "00:00:00": 0,
		"31": 31 * time.Millisecond, "1.5": 1500 * time.Microsecond,
		"": none, "$null": none, "-00:00:01": none, "00:00:01 x": none, "00:60:00": none, "x.00:00:01": none, "10001.00:00:00": none, "00:00": none, "::": none,
	} {
		if got := span([]byte(v)); got != want {
			t.Errorf("%q: got %v, want %v", v, got, want)
		}
	}
}
