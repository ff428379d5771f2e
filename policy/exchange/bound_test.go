package exchange

import (
	"strings"
	"testing"

	"evenkeel/policy/throttle"
)

// What is long is read in a time that grows as its length does. Nothing is timed:
// one that takes the square of the length does not come to an end.
func TestLongTexts(t *testing.T) {
	const length = 1 << 20
	fill := func(unit string) string { return strings.Repeat(unit, length/len(unit)) }
	for _, text := range []string{
		fill("Owner:a,Conn:1,x:1 "), fill("Conn:1,x:1 "), fill("Conn:1,Policy:a;"), "Conn:1,Policy:" + fill("_"), fill("Conn%3a1%2cx%3a1 "),
	} {
		if len(budgets(text)) == 0 {
			t.Errorf("nothing is found in %.40s", text)
		}
	}
	for _, text := range []string{"WLM.Bal=1;" + fill("A='"), "WLM.Bal=1;" + fill("S:a='b;"), "WLM.Bal=1;" + fill("a=;")} {
		if len(genericInfo([]string{text})) == 0 {
			t.Errorf("nothing is found in %.40s", text)
		}
	}
	x := Export{policies: make([]policy, 1<<17)}
	for i := range x.policies {
		x.policies[i].Scope = throttle.Global
	}
	if len(x.throttled()) != len(x.policies) {
		t.Error("policies are left out")
	}
}

// Of an account in many places each other link is told of once.
func TestManyTwins(t *testing.T) {
	var text strings.Builder
	text.WriteString("Name,ThrottlingPolicy\n")
	const links = 1000
	for i := range 1 << 12 {
		text.WriteString("A,P" + strings.Repeat("p", i%links) + "\n")
	}
	x, wrong := read(t, text.String())
	if n := len(x.Check()); n != links-1 || wrong != "" {
		t.Errorf("%d problems, %s", n, wrong)
	}
}
