package lines_test

import (
	"net/netip"
	"testing"

	"evenkeel/queue/lines"
	"pgregory.net/rapid"
)

// An address is what netip says, wherever it stands and whatever stands behind,
// and IPv4 costs no allocation.
func TestParseAddr(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{0,3}){2,4}`),
			rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){3}`),
			rapid.StringMatching(`(25[0-6]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(25[0-6]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3}`),
			rapid.StringMatching(`[0-9.:/a]{0,17}`),
			rapid.StringMatching(`[0-9a-f:.]{0,20}(%[0-9a-z]{0,4})?`),
			rapid.SampledFrom([]string{"", "-", "293.217.138.127", "256.1.1.1", "::1", "::1%0", "fe80::1%12", "fe80::1234:5678:123abc:245e%3", "2001:db8:0:fff:0:5efe:10.1.2.3%0", "1.2.3.4:5",
				"1.2.3.04", "1.2.3.4.", ".1.2.3.4", "1..2.3", "1.2.3.4\x00", "1234.1.2.3", "1.2.3.0004", "1.1234.2.3", "1.2.3.", "1234.1234.12.", "1.1.1234567890.", "255.255.255.255", "0.0.0.0"}),
		).Draw(t, "address")
		behind := rapid.SampledFrom([]string{"", " 443", "....", " 12345 192.0.2.1", ",EX1,200,200,,,,", "0123456789abcdef"}).Draw(t, "behind")
		array := append(make([]byte, 0, len(text)+len(behind)), text+behind...) // no larger than it says
		v := array[:len(text):len(array)]

		want, err := netip.ParseAddr(text)
		if got, ok := lines.ParseAddr(v); ok != (err == nil) || got != want {
			t.Fatalf("%q before %q: got %v %v, want %v %v", text, behind, got, ok, want, err)
		}
		if allocs := testing.AllocsPerRun(1, func() { lines.ParseAddr(v) }); allocs > 0 && want.Is4() {
			t.Fatalf("%q before %q: %v allocations", text, behind, allocs)
		}
	})
}
