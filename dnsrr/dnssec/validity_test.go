package dnssec

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is handed out holds for two days more at least, whatever its content, and
// a signature is not renewed before it has served for four.
func TestValidity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := validFrom(noon, rapid.Uint64().Draw(t, "digest"))
		switch whole := v.expiration.Sub(noon); {
		case v.inception != noon.Add(-time.Hour):
			t.Fatalf("from %v, want an hour before %v", v.inception, noon)
		case whole < 7*24*time.Hour || whole >= 7*24*time.Hour+12*time.Hour:
			t.Fatalf("for %v", whole)
		case v.expiration.Sub(v.renew) < 48*time.Hour || v.expiration.Sub(v.renew) >= 72*time.Hour:
			t.Fatalf("renewed %v before its end", v.expiration.Sub(v.renew))
		}
		for at, want := range map[time.Time]bool{
			v.inception: true, v.inception.Add(-1): false, noon: true, v.renew.Add(-1): true, v.renew: false,
		} {
			if v.serves(at) != want {
				t.Fatalf("serves at %v: %v, want %v", at, !want, want)
			}
		}
	})
	if (validity{}).serves(noon) {
		t.Error("no signature serves")
	}
}

// Sets that are signed at one moment are renewed over a day, evenly enough that
// no hour has more than twice its part.
func TestRenewalsAreSpread(t *testing.T) {
	const sets = 2400
	hours := map[time.Duration]int{}
	for i := range sets {
		key := fmt.Sprintf("x%d.mail.example.", i)
		hours[validFrom(noon, digestOf([]byte(key))).renew.Sub(noon).Truncate(time.Hour)]++
	}
	for hour, n := range hours {
		if n > 2*sets/24 {
			t.Errorf("after %v, %d of %d are renewed within an hour", hour, n, sets)
		}
	}
	if len(hours) < 30 {
		t.Errorf("renewals are spread over %d hours", len(hours))
	}
}
