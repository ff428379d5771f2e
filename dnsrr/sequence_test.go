package dnsrr

import (
	"net/netip"
	"testing"
)

// A and AAAA of one asker walk the same numbers, whatever comes between.
func TestFamiliesWalkTogether(t *testing.T) {
	var s sequences
	asker := netip.MustParseAddr("192.0.2.1")
	var four, six []uint64
	for range 3 {
		four = append(four, s.next(1, 0, asker, false))
	}
	for range 3 {
		six = append(six, s.next(1, 0, asker, true))
	}
	for i := range four {
		if four[i] != six[i] {
			t.Errorf("number %d: A %#x, AAAA %#x", i, four[i], six[i])
		}
	}
	if step := four[1] - four[0]; step != golden {
		t.Errorf("step %#x, want the golden one", step)
	}
}

func TestWhoIsOneAsker(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"2001:db8::1", "2001:db8::ffff:0:0:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"0.0.0.0", "::", false},
	} {
		got := identify(netip.MustParseAddr(tt.a)) == identify(netip.MustParseAddr(tt.b))
		if got != tt.same {
			t.Errorf("%s and %s: one asker %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
}

// Agents start elsewhere, or all of them would send a resolver that asks each
// in turn to one node.
func TestAgentsStartElsewhere(t *testing.T) {
	seen := map[uint64]string{}
	asker := netip.MustParseAddr("192.0.2.1")
	for _, agent := range []string{"", "ex01", "ex02", "ex10", "10ex"} {
		var s sequences
		n := s.next(hashName(agent), 0, asker, false)
		if other, dup := seen[n]; dup {
			t.Errorf("agents %q and %q start at one number", agent, other)
		}
		seen[n] = agent
	}
}
