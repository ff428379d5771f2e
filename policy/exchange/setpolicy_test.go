package exchange

import (
	"slices"
	"testing"

	"evenkeel/policy/throttle"
)

func TestPolicyCommands(t *testing.T) {
	set := func(name string, v throttle.Value) Setting {
		p, ok := throttle.ParseParameter(name)
		if !ok {
			t.Fatal(name)
		}
		return Setting{p, v}
	}
	values := []Setting{set("EwsMaxBurst", throttle.Number(60000)), set("EwsHangingConnectionLimit", throttle.Number(3)), set("OwaMaxBurst", throttle.Value{})}
	if got, want := SetPolicy("Bob's", values), "Set-ThrottlingPolicy -Identity 'Bob''s' -EwsMaxBurst 60000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []string{
		"New-ThrottlingPolicy -Name 'x$y' -IsServiceAccount $true -EasMaxBurst Unlimited -OwaMaxBurst $null -EwsMaxBurst 60000",
		"Set-ThrottlingPolicyAssociation -Identity 'o''neil@c.example' -ThrottlingPolicy 'x$y'",
	}
	all := append([]Setting{set("IsServiceAccount", throttle.Number(1)), set("EasMaxBurst", throttle.Value{State: throttle.NoLimit}), set("OwaMaxBurst", throttle.Value{State: throttle.Unset})}, values...)
	if got := NewPolicy("x$y", "o'neil@c.example", all); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SetPolicy("a", []Setting{set("IsServiceAccount", throttle.Number(0))}); got != "Set-ThrottlingPolicy -Identity 'a' -IsServiceAccount $false" {
		t.Errorf("got %q", got)
	}
	if got := SetPolicy("a", values[1:]); got != "" {
		t.Errorf("no cmdlet sets it, and got %q", got)
	}
	if got := NewPolicy("a", "anna", values[1:]); got != nil {
		t.Errorf("no cmdlet sets it, and got %q", got)
	}
}
