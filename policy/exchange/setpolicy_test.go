package exchange

import (
	"slices"
	"testing"

	"evenkeel/policy/throttle"
)

func TestPolicyCommands(t *testing.T) {
	burst, _ := throttle.ParseParameter("EwsMaxBurst")
	hanging, _ := throttle.ParseParameter("EwsHangingConnectionLimit")
	values := []Setting{{burst, 60000}, {hanging, 3}}
	if got, want := SetPolicy("Bob's", values), "Set-ThrottlingPolicy -Identity 'Bob''s' -EwsMaxBurst 60000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []string{
		"New-ThrottlingPolicy -Name 'x$y' -IsServiceAccount $true -EwsMaxBurst 60000",
		"Set-ThrottlingPolicyAssociation -Identity 'o''neil@c.example' -ThrottlingPolicy 'x$y'",
	}
	if got := NewPolicy("x$y", "o'neil@c.example", true, values); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SetPolicy("a", values[1:]); got != "" {
		t.Errorf("no cmdlet sets it, and got %q", got)
	}
}
