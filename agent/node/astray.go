package node

import "fmt"

// Astray says in a sentence that clients do not go where the answers send them,
// and what helps; empty while there is nothing to say, or nothing known. Log and
// status use the same words.
func (v *View) Astray() string {
	a := v.Plan.Astray
	if !a.Known || !a.Much {
		return ""
	}
	return fmt.Sprintf("at least %d %% of new connections go to other nodes than the answers send them to (most to %s): %s",
		int(100*a.Share), a.More, remedy(v.Answers))
}

// remedy depends on what an answer may hold: one address leaves nothing to sort.
func remedy(answers int) string {
	if answers == 1 {
		return "they do not come by these names, or hold on to an address: look for fixed addresses, hosts files, a balancer in front"
	}
	return "clients sort addresses, which `zone.answers: 1` makes harmless, or they do not come by these names at all"
}
