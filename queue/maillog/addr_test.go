package maillog

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// An address is what netip says, wherever it stands and whatever stands behind.
func TestAddr(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){3}`),
			rapid.StringMatching(`(25[0-6]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(25[0-6]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3}`),
			rapid.StringMatching(`[0-9.:/a]{0,17}`),
			rapid.SampledFrom([]string{"293.217.138.127", "::1%0", "2001:db8:0:fff:0:5efe:10.1.2.3%0", "1.2.3.04", "fe80::1%12", "1.2.3.4.", ".1.2.3.4", "1..2.3", "1.2.3.4\x00", "1234.1.2.3", "1.2.3.0004", "1.1234.2.3", "1.2.3."}),
		).Draw(t, "address")
		behind := rapid.SampledFrom([]string{"", " 443", " 12345 192.0.2.1", ",EX1,200,200,,,,", "0123456789abcdef"}).Draw(t, "behind")
		v := []byte(text + behind)[:len(text)]
		want, err := netip.ParseAddr(text)
		var k known
		for range 2 {
			if got := k.addr(v); got != want.Unmap() {
				t.Fatalf("%q before %q: got %v, want %v %v", text, behind, got, want, err)
			}
		}
	})
}
