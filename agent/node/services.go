package node

import (
	"cmp"
	"slices"
	"time"

	"evenkeel/queue"
)

// A Service is a protocol that nodes are judged by apart from all else: a node
// that lacks one is named for the others.
type Service struct {
	Name  string   // a label of small letters, at most 15 bytes
	Ports []uint16 // it is there while something listens on each; the first is that of the SRV records
	SRV   []string // see [dnsrr.Service]
}

// A Carried is how one service stands at this node.
type Carried struct {
	Name   string
	Why    string // it fails for this: "port 993", "probe"; empty: it is well
	Detail string // what the probe said; empty where it is not that

	unproved bool // the probe was never answered well
}

// A Failure is a service whose probe fails.
type Failure struct {
	Err  error // never nil
	Well bool  // it was well once, so that the probe is no mistake
}

// listens is what is remembered of the ports of a service.
type listens struct {
	opened bool      // all were once open
	closed time.Time // since when one is closed; zero: none is
}

// listener is the source that knows which ports listen.
const listener = "listener"

// carried judges the services of this node: each by its ports, where the source
// that sees them can be read, and by its probe. unwell holds the services whose
// probe fails.
func carried(now time.Time, services []Service, s queue.Sample, unwell map[string]Failure, before map[string]listens) ([]Carried, map[string]listens) {
	var out []Carried
	next := make(map[string]listens, len(services))
	for _, svc := range services {
		c, l := Carried{Name: svc.Name}, before[svc.Name]
		closed := closedOf(svc, s)
		l.opened = l.opened || len(closed) == 0
		l.closed = since(l.closed, now, len(closed) > 0)
		if c.Why = brokenOf(now, l.closed, l.opened, closed); c.Why == "" && unwell[svc.Name].Err != nil {
			f := unwell[svc.Name]
			c.Why, c.Detail, c.unproved = "probe", f.Err.Error(), !f.Well
		}
		next[svc.Name] = l
		out = append(out, c)
	}
	return out, next
}

// closedOf lists the ports of a service on which nothing listens; none where
// that cannot be seen.
func closedOf(svc Service, s queue.Sample) (closed []uint16) {
	if !slices.ContainsFunc(s.Sources, func(st queue.Status) bool { return st.Name == listener && st.Err == nil }) {
		return nil
	}
	for _, p := range svc.Ports {
		if !slices.ContainsFunc(s.Ports, func(open queue.Port) bool { return open.Number == p }) {
			closed = append(closed, p)
		}
	}
	return closed
}

// unclaimed are those ports that are of no service: the node as a whole is
// judged by them.
func unclaimed(ports []uint16, services []Service) (out []uint16) {
	for _, p := range ports {
		if !slices.ContainsFunc(services, func(s Service) bool { return slices.Contains(s.Ports, p) }) {
			out = append(out, p)
		}
	}
	return out
}

// lacksOf names the services that fail.
func lacksOf(all []Carried) (names []string) {
	for _, c := range all {
		if c.Why != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// noneOf says why a node is broken as a whole, where none of its services is
// well: it has nothing left to be named for, and a balancer that asks only for
// the node must not send anybody there. A probe that was never answered well
// does not count here: it may be a mistake of the configuration, which all nodes
// share, and would take all of them out of service at once.
func noneOf(all []Carried) string {
	if len(all) == 0 || slices.ContainsFunc(all, func(c Carried) bool { return c.Why == "" || c.unproved }) {
		return ""
	}
	if len(all) == 1 {
		return all[0].Why
	}
	return "services"
}

// serves judges what this machine does for clients: each service, and why the
// node as a whole is broken.
func (n *Node) serves(now time.Time, mem memory, s queue.Sample) (memory, []Carried, string) {
	var unwell map[string]Failure
	if n.Unwell != nil {
		unwell = n.Unwell()
	}
	services, ports := carried(now, n.Services, s, unwell, mem.ports)
	mem.ports = ports

	closed := unclaimed(s.Closed, n.Services)
	mem.opened = mem.opened || len(s.Ports) > 0 && len(closed) == 0
	mem.closed = since(mem.closed, now, len(closed) > 0)
	return mem, services, cmp.Or(brokenOf(now, mem.closed, mem.opened, closed), noneOf(services))
}
