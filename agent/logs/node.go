package logs

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// ErrServers is that one name is given to logs of several servers.
var ErrServers = errors.New("they are of several servers")

// nameless is a node of which nothing tells the name.
const nameless = "this node"

// A find is a log with what tells whose it is.
type find struct {
	sight
	place
	own  string // the server by its rows; empty: they do not say
	node string // decided
}

// named decides for each log which node it is of, see DESIGN.md.
func named(finds []find) {
	settleNumbers(finds)
	settleFolders(finds)
	cutDomains(finds)
	sets := map[string][]*find{}
	for i := range finds {
		f := &finds[i]
		sets[strings.ToLower(f.last())] = append(sets[strings.ToLower(f.last())], f)
	}
	apart := len(sets) > 1 || !slices.ContainsFunc(finds, func(f find) bool { return len(f.above) <= f.outer })
	var open []*find
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		open = append(open, decide(sets[name], apart)...)
	}
	byAddress(finds, open)
	spell(finds)
}

// last is the folder that may be named for the server.
func (f find) last() string {
	if len(f.above) == 0 {
		return ""
	}
	return f.above[len(f.above)-1]
}

// decide names the logs of one folder that sets a server apart, or of all that
// nothing sets apart, and returns those that it cannot.
func decide(set []*find, apart bool) (open []*find) {
	own, mixed := servers(set), strange(set)
	for _, f := range set {
		switch {
		case len(own) == 1 && !mixed:
			f.node = own[0]
		case f.own != "":
			f.node = f.own
		case len(own) == 0 && !mixed && apart && f.last() != "":
			f.node = f.last()
		default:
			open = append(open, f)
		}
	}
	return open
}

// servers are those that the rows name, each once.
func servers(set []*find) (out []string) {
	for _, f := range set {
		if f.own != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, f.own) }) {
			out = append(out, f.own)
		}
	}
	return out
}

// strange says that logs of a kind, called as no server does, are of different
// addresses: somebody put those of several servers together.
func strange(set []*find) bool {
	var first *find
	for _, f := range set {
		switch {
		case f.usual || !f.server.IsValid():
		case first == nil:
			first = f
		case f.kind == first.kind && f.server != first.server:
			return true
		}
	}
	return false
}

// byAddress names logs by the address that was asked: after the node that alone
// has it, or by itself.
func byAddress(finds []find, open []*find) {
	of := map[netip.Addr]map[string]string{}
	for _, f := range finds {
		if f.node != "" && f.server.IsValid() {
			if of[f.server] == nil {
				of[f.server] = map[string]string{}
			}
			of[f.server][strings.ToLower(f.node)] = f.node
		}
	}
	mixed := strange(open)
	for _, f := range open {
		f.node = address(open, f, mixed)
		if nodes := of[f.server]; len(nodes) == 1 {
			f.node = slices.Collect(maps.Values(nodes))[0]
		}
	}
}

// address stands for the node of f: its own, or where all are of one server the
// least of all.
func address(open []*find, f *find, mixed bool) string {
	least := f.server
	for _, o := range open {
		if !mixed && o.server.IsValid() && (!least.IsValid() || o.server.Less(least)) {
			least = o.server
		}
	}
	if !least.IsValid() {
		return nameless
	}
	return least.String()
}

// spell writes the name of a node the same way everywhere.
func spell(finds []find) {
	ways := map[string]string{}
	for _, f := range finds {
		for _, name := range []string{f.node, f.own} {
			low := strings.ToLower(name)
			if way, ok := ways[low]; !ok || name < way {
				ways[low] = name
			}
		}
	}
	for i, f := range finds {
		finds[i].node = ways[strings.ToLower(f.node)]
	}
}

// calledAll gives all logs one name.
func calledAll(finds []find, node string) error {
	cutDomains(finds)
	var all []*find
	for i := range finds {
		finds[i].node = node
		all = append(all, &finds[i])
	}
	if own := servers(all); len(own) > 1 {
		return fmt.Errorf("%w: %s", ErrServers, strings.Join(own, ", "))
	}
	return nil
}
