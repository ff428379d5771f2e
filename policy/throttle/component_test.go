package throttle

import (
	"strings"
	"testing"
)

// Every component is found by its name as either generation writes it, and nothing
// else is one.
func TestParseComponent(t *testing.T) {
	for want := range components {
		for _, name := range []string{want.String(), strings.ToUpper(want.String()), strings.ToLower(want.String())} {
			if got, ok := ParseComponent(name); got != want || !ok {
				t.Errorf("%s: got %v, %t", name, got, ok)
			}
		}
	}
	for _, name := range []string{"", "unknown", "Ews ", "EwsMaxConcurrency"} {
		if got, ok := ParseComponent(name); ok || got != Anonymous {
			t.Errorf("%q: got %v", name, got)
		}
	}
}
