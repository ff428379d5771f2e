package diagnose

import "fmt"

// What was seen, and is less than is told of, is said in the place of "no": a
// reader who has the row in front of him would believe nothing else.

// seen is what there was of a kind that was not found; empty: nothing at all.
func (f *farm) seen(kind Kind) string {
	switch kind {
	case QueueFull:
		return f.seldom(full, "refused for a full queue")
	case PoolDown:
		return f.seldom(down, "refused because a pool was off")
	case Stall:
		return f.seldom(stalled, "left in a queue to the end of their time")
	case Recycle:
		if n := total(f.every(abandoned)); n > 0 {
			return plural(float64(n), "connection") + " ended with a pool's worker, and no outage followed."
		}
	case Skew:
		return f.seenSkew()
	case SlowAuthentication:
		return f.auth.all().seenSlow("logon", "")
	case SlowBackend:
		return f.backends().seenSlow("request", " to mailbox servers")
	case ProbeFlap:
		return f.seenProbes()
	case IdleTimeout:
		if n := f.cutWaits(); n > 0 {
			return plural(float64(n), "request") + " that waited for news were cut, too few or not at one age."
		}
	case LockedOut:
		return f.seldom(locked, "refused for a budget that was used up")
	case Throttled:
		return f.seldom(delayed, "delayed or refused by throttling")
	case Monopoly:
		return f.seenHog()
	}
	return ""
}

// every are the runs of a class on all nodes.
func (f *farm) every(c class) (out []*run) {
	for _, n := range f.nodes {
		out = append(out, n.all(c)...)
	}
	return out
}

// seldom says that it was, but not as much as is told of.
func (f *farm) seldom(c class, what string) string {
	var n, probes int64
	for _, r := range f.every(c) {
		n, probes = n+r.n, probes+r.probes
	}
	were := "requests were "
	if n == 1 {
		were = "request was "
	}
	switch {
	case n == 0:
		return ""
	case n == probes:
		return num(float64(n)) + " " + were + what + ", all of monitors."
	case n < few:
		return num(float64(n)) + " " + were + what + ", fewer than is told of."
	}
	return num(float64(n)) + " " + were + what + ", too seldom to be told of or as part of what is told."
}

func (f *farm) seenSkew() string {
	nodes := len(f.told())
	switch {
	case nodes < 2:
		return ""
	case f.share == 0 && f.most() >= leastIn:
		return "At no time are there logs of all nodes, so that it cannot be told how the sessions were spread."
	case f.share == 0:
		return "Too few sessions are in the logs to say how they were spread."
	case f.skewed():
		return fmt.Sprintf("%s of the MAPI sessions were on one of %d nodes, at most %s; nobody was refused because of it.", share(f.share), nodes, num(f.busiest.sessions.peak()))
	}
	return fmt.Sprintf("The sessions were spread over the nodes: the busiest of %d had %s.", nodes, share(f.share))
}

// leastPace is how many rows must tell how long something took, for it to be
// called fast.
const leastPace = 20

// seenSlow says how many were slow, or that there are too few to tell.
func (p pace) seenSlow(one, of string) string {
	switch {
	case p.slow > 0:
		return fmt.Sprintf("%d of %s took a second or more, too few or too seldom to be told of.", p.slow, plural(float64(p.n), one)+of)
	case p.n == 0:
		return fmt.Sprintf("No %s told how long it took.", one+of)
	case p.n < leastPace:
		return fmt.Sprintf("Only %s told how long it took: too few to say whether that was slow.", plural(float64(p.n), one)+of)
	}
	return ""
}

// backends is how fast mailbox servers were, all together.
func (f *farm) backends() (p pace) {
	for _, n := range f.nodes {
		for _, s := range n.backends {
			p = p.join(s.all())
		}
	}
	return p
}

func (f *farm) seenProbes() string {
	fails, probes := total(f.every(missed)), int64(0)
	for _, n := range f.nodes {
		for _, s := range n.streams {
			probes += s.probes
		}
	}
	switch {
	case fails > 0:
		return fmt.Sprintf("A balancer's probe failed: %s in all, not often enough to flap.", times(int(fails)))
	case probes == 0:
		return "No probe of a balancer is in the logs."
	}
	return ""
}

// cutWaits are the requests that waited and were cut.
func (f *farm) cutWaits() (sum int64) {
	for _, n := range f.nodes {
		for _, s := range n.streams {
			for _, a := range s.networks {
				sum += a.n
			}
		}
	}
	return sum
}
