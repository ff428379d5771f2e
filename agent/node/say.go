package node

import (
	"fmt"
	"slices"

	"evenkeel/policy/balance"
)

// said is what the log has said. Only changes are logged, never the steady state.
type said struct {
	errs   map[string]string // by what was being done
	faults []string          // sources that cannot be read
	unread []string          // nodes whose Facts cannot be read
	hidden []string          // records of the zone that a node's name hides
}

// sayOnce logs err when it is new, and its end.
func (n *Node) sayOnce(s said, doing string, err error) said {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if s.errs[doing] == text {
		return s
	}
	next := map[string]string{doing: text}
	for k, v := range s.errs {
		if k != doing {
			next[k] = v
		}
	}
	s.errs = next
	if err != nil {
		n.Log.Error(doing, "err", err)
	} else {
		n.Log.Info("over: " + doing)
	}
	return s
}

// say logs what changed between two views.
func (n *Node) say(s said, last, v *View, unread []string) said {
	for _, now := range v.Plan.Nodes {
		was, known := standing(last, now.Name)
		if !known || was.Status != now.Status {
			n.sayNode(was, now, known)
		}
	}
	n.sayTurn(open(last), open(v),
		"no node is below its marks: work goes where room is left", "a node is below its marks again")
	n.sayTurn(last != nil && last.Plan.Alone, v.Plan.Alone,
		"most of the farm fell silent at once: keeping the last nodes for a minute", "no longer alone")
	n.sayTurn(last != nil && last.Plan.Astray.Much, v.Plan.Astray.Much, v.Astray(), "new connections follow the answers again")
	n.sayServices(last, v)
	s.faults = n.sayFaults(s.faults, v)
	if !slices.Equal(s.unread, unread) {
		n.Log.Warn("facts that cannot be read, from another version?", "nodes", unread)
		s.unread = unread
	}
	return s
}

// open says that the farm is, and not only because this node leaves it empty.
func open(v *View) bool { return v != nil && v.Plan.Open && v.Plan.Own.Status != balance.Draining }

// sayTurn logs that something began, which is a warning, or ended.
func (n *Node) sayTurn(was, is bool, begins, ends string) {
	switch {
	case is && !was:
		n.Log.Warn(begins)
	case was && !is:
		n.Log.Info(ends)
	}
}

// sayHidden logs records that are not answered because a node has their name.
func (n *Node) sayHidden(s said, hidden []string) said {
	if len(hidden) > 0 && !slices.Equal(s.hidden, hidden) {
		n.Log.Warn("zone.records hidden by nodes of the same name", "names", hidden)
	}
	s.hidden = hidden
	return s
}

func (n *Node) sayNode(was, now balance.Standing, known bool) {
	from := "-"
	if known {
		from = was.Status.String()
	}
	log := n.Log.Info
	if now.Status != balance.Up {
		log = n.Log.Warn
	}
	log("node changed", "node", now.Name, "from", from, "to", now.Status.String(), "why", word(now.Why),
		"share", fmt.Sprintf("%.3f", now.Share))
}

func (n *Node) sayFaults(before []string, v *View) []string {
	var now []string
	for _, f := range v.Sample.Faults {
		now = append(now, f.Source)
		if !slices.Contains(before, f.Source) {
			n.Log.Warn("source cannot be read", "source", f.Source, "err", f.Err)
		}
	}
	for _, name := range before {
		if !slices.Contains(now, name) {
			n.Log.Info("source read again", "source", name)
		}
	}
	return now
}

func standing(v *View, name string) (balance.Standing, bool) {
	if v == nil {
		return balance.Standing{}, false
	}
	for _, n := range v.Plan.Nodes {
		if n.Name == name {
			return n, true
		}
	}
	return balance.Standing{}, false
}

// sayServices logs which services fail here, and which are well again.
func (n *Node) sayServices(last, v *View) {
	for _, now := range v.Services {
		var was Carried
		if last != nil {
			if i := slices.IndexFunc(last.Services, func(c Carried) bool { return c.Name == now.Name }); i >= 0 {
				was = last.Services[i]
			}
		}
		switch {
		case now.Why != "" && now.Why != was.Why:
			n.Log.Warn("service fails here", "service", now.Name, "why", now.Why, "detail", now.Detail)
		case now.Why == "" && was.Why != "":
			n.Log.Info("service is well again", "service", now.Name)
		}
	}
}
