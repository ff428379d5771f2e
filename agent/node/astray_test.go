package node

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"evenkeel/policy/balance"
)

// What is said depends on what helps: with one address in an answer there is
// nothing to sort, and nothing to advise that is the case already.
func TestAstrayInWords(t *testing.T) {
	found := balance.Astray{Known: true, Share: 0.352, More: "ex01", Much: true}
	const seen = "at least 35 % of new connections go to other nodes than the answers send them to (most to ex01): "
	for _, c := range []struct {
		name    string
		found   balance.Astray
		answers int
		want    string
	}{
		{"many addresses in an answer", found, 0,
			seen + "clients sort addresses, which `zone.answers: 1` makes harmless, or they do not come by these names at all"},
		{"one address in an answer", found, 1,
			seen + "they do not come by these names, or hold on to an address: look for fixed addresses, hosts files, a balancer in front"},
		{"too little to be worth it", balance.Astray{Known: true, Share: 0.04, More: "ex01"}, 0, ""},
		{"it was so, and is not known now", balance.Astray{Much: true}, 0, ""},
		{"nothing is known", balance.Astray{}, 0, ""},
	} {
		v := &View{Plan: balance.Plan{Astray: c.found}, Answers: c.answers}
		if got := v.Astray(); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// The log says it once, when it begins, and once when it is over. A farm that
// changes is not the end of it.
func TestAstrayIsSaidOnce(t *testing.T) {
	var out bytes.Buffer
	n := &Node{Log: slog.New(slog.NewTextHandler(&out, nil))}
	var last *View
	var s said
	for _, step := range []struct {
		found balance.Astray
		want  string
	}{
		{balance.Astray{}, ""},
		{balance.Astray{Known: true}, ""},
		{balance.Astray{Known: true, Share: 0.2, More: "ex02", Much: true}, "level=WARN msg=\"at least 20 % of new connections"},
		{balance.Astray{Known: true, Share: 0.3, More: "ex02", Much: true}, ""},
		{balance.Astray{Much: true}, ""},
		{balance.Astray{Known: true, Share: 0.25, More: "ex02", Much: true}, ""},
		{balance.Astray{Known: true}, "level=INFO msg=\"new connections follow the answers again\""},
	} {
		out.Reset()
		v := &View{Plan: balance.Plan{Astray: step.found}}
		s = n.say(s, last, v, nil)
		last = v
		if got := out.String(); !strings.Contains(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%+v: %q, want %q", step.found, got, step.want)
		}
	}
}
