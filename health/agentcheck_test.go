package health

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

func TestAgentCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Report
		want string
	}{
		{"up", ex01, "up ready 73%\n"},
		{"a full farm still gives each a little", but(ex01, func(r *Report) { r.Percent = 0 }), "up ready 1%\n"},
		{"twice the fair share is the most", but(ex01, func(r *Report) { r.Percent = 900 }), "up ready 200%\n"},
		{"degraded takes its floor", but(ex01, func(r *Report) { r.State, r.Percent = Degraded, 1 }), "up ready 1%\n"},
		{"unknown stays in", but(ex01, func(r *Report) { r.State, r.Percent = Unknown, 100 }), "up ready 100%\n"},
		{"draining", but(ex01, func(r *Report) { r.State = Draining }), "drain\n"},
		{"drained, and the last sessions may still finish", but(ex01, func(r *Report) { r.State, r.Serve = Draining, false }), "drain\n"},
		{"failing", but(ex01, func(r *Report) { r.State, r.Serve, r.Reason = Failing, false, "queue 940/1000" }), "down #queue 940/1000\n"},
		{"a reason of two lines is one", but(ex01, func(r *Report) { r.State, r.Reason = Failing, "queue\r\nup" }), "down #queue  up\n"},
		{"the zero report", Report{}, "down #-\n"},
	} {
		if got := c.r.AgentCheck(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// One whole line, always: HAProxy ignores a line without an end, and a second
// line would be ours to answer for.
func TestAgentCheckIsOneLine(t *testing.T) {
	line := regexp.MustCompile(`\A(up ready ([1-9]|[1-9][0-9]|1[0-9][0-9]|200)%|drain|down #[ -~]+)\n\z`)
	rapid.Check(t, func(t *rapid.T) {
		r := awkward().Draw(t, "report")
		if got := r.AgentCheck(); !line.MatchString(got) {
			t.Fatalf("%+v: %q", r, got)
		}
	})
}
