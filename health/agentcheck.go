package health

import "strconv"

// The agent line's percent. Below 1 HAProxy would take the server for draining;
// above twice the fair share nobody is sent.
const (
	lowestPercent  = 1
	highestPercent = 200
)

// AgentCheck is the line for HAProxy's agent-check (configuration manual,
// "agent-check"), ended by LF: "up ready 73%", "drain" or "down #reason".
//
// It is the whole state every time. HAProxy leaves what a line does not mention
// as it was, and a balancer that has just restarted knows nothing: so "up ready"
// is repeated, which undoes an earlier "down" and "drain", and the percent with
// it. A draining node says drain even once its page refuses: its open sessions
// are still welcome to finish.
func (r Report) AgentCheck() string {
	switch {
	case r.State == Draining:
		return "drain\n"
	case !r.inService():
		return "down #" + word(r.Reason) + "\n"
	}
	percent := min(max(r.Percent, lowestPercent), highestPercent)
	return "up ready " + strconv.Itoa(percent) + "%\n"
}
