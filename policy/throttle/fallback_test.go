package throttle

import (
	"os"
	"strings"
	"testing"
)

// golden is what a table in testdata says: "value status" by parameter. A row is
// of one parameter, or of as many as endings of its name have a number.
func golden(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	endings := map[int][]string{
		1: {""},
		3: {"PercentTimeInAD", "PercentTimeInCAS", "PercentTimeInMailboxRPC"},
		4: {"MaxConcurrency", "MaxBurst", "RechargeRate", "CutoffBalance"},
	}
	out := map[string]string{}
	for row := range strings.Lines(string(text)) {
		words := strings.Fields(row)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		values, status := words[1:len(words)-1], words[len(words)-1]
		if endings[len(values)] == nil {
			t.Fatalf("%s: %q", name, row)
		}
		for i, ending := range endings[len(values)] {
			if out[words[0]+ending] != "" {
				t.Errorf("%s: %s is listed twice", name, words[0]+ending)
			}
			out[words[0]+ending] = values[i] + " " + status
		}
	}
	return out
}

// Every built-in value of every generation, with how sure it is, is that of a
// table that was not made from the code.
func TestBuiltInValues(t *testing.T) {
	for _, g := range Generations() {
		want := golden(t, "testdata/builtin-"+g.String()+".txt")
		for p := range Parameters() {
			if !p.Of(g) {
				continue
			}
			f := p.Fresh(g)
			if got := f.Value.String() + " " + f.Status.String(); got != want[p.String()] {
				t.Errorf("%s in %s: got %s, want %s", p, g, got, want[p.String()])
			}
			delete(want, p.String())
		}
		for name := range want {
			t.Errorf("%s in %s: not a parameter", name, g)
		}
	}
}
