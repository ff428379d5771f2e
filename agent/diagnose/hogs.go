package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"evenkeel/queue/maillog"
)

// hogs are clients that ask for a large part of a node, one finding each, where
// that is no cause of an outage: that is told already.
func (f *farm) hogs() (out []found) {
	var all []hog
	for _, n := range f.nodes {
		all = append(all, n.hogs...)
	}
	for _, name := range hogNames(all) {
		if !slices.ContainsFunc(f.outages, func(o *outage) bool { return o.cause == cause{Monopoly, name} }) {
			out = append(out, f.hog(name))
		}
	}
	return out
}

// hog is the finding of one client, on whichever nodes.
func (f *farm) hog(name string) found {
	var nodes, details []string
	var lines []Evidence
	var most hog
	var where string
	var kinds kindSet
	s := span{f.to, f.from}
	for _, n := range f.nodes {
		h := hogOf(n.hogs, name)
		if h.n == 0 {
			continue
		}
		nodes, details, lines, kinds = append(nodes, n.name), append(details, h.detail(n.name)), append(lines, h.seen.evidence()), kinds|h.kinds
		s = span{min(s.from, h.from), max(s.to, h.to)}
		if h.n > most.n {
			most, where = h, n.name
		}
	}
	x := f.of(Monopoly, s, nodes)
	x.Title, x.Advice, x.Details = most.title(where), adviceHog(name), details
	x.Evidence, x.Confidence = distinct(lines), confidence(kinds, 0, direct)
	return found{Finding: x, weight: min(hogMost, 5*float64(most.busy)/60), who: []string{bare(name)}}
}

// hogMost is what one who asks much weighs at most, however long: less than a
// minute of outage, for others are still served.
const hogMost = 50

func hogNames(hs []hog) (out []string) {
	for _, h := range hs {
		out = append(out, h.name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hogOf is all of one client's time together. Two logs that both tell of it write
// the same requests: the one that tells of more counts.
func hogOf(hs []hog, name string) (sum hog) {
	hs = slices.DeleteFunc(slices.Clone(hs), func(h hog) bool { return h.name != name })
	slices.SortStableFunc(hs, func(a, b hog) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.n, a.n)) })
	for i, h := range hs {
		switch {
		case i == 0:
			sum = h
		case h.from <= sum.to:
			from, to, kinds := min(h.from, sum.from), max(h.to, sum.to), sum.kinds|h.kinds
			if h.n > sum.n {
				sum = h
			}
			sum.from, sum.to, sum.kinds = from, to, kinds
		default:
			sum.join(h)
		}
	}
	return sum
}

func (h hog) title(node string) string {
	return fmt.Sprintf("%s asked for %s of the requests and %s of their time on %s, for %s", plain(h.name),
		share(float64(h.n)/float64(max(1, h.of))), share(h.ms/max(1, h.ofMs)), node, long(float64(h.busy)/60))
}

func (h hog) detail(node string) string {
	return fmt.Sprintf("On %s from %s to %s: %s of %s, %s a second.", node, clock(h.from), clock(h.to), plural(float64(h.n), "request"), num(float64(h.of)),
		strconv.FormatFloat(float64(h.n)/float64(max(1, h.busy)), 'f', 1, 64))
}

// uses says whether a client's requests go through the queue of a pool; of pools
// that are not Exchange's nobody knows.
func (h *hog) uses(pool string) bool {
	p := protocolOf(pool)
	return p == maillog.NoProtocol || p == h.protocol
}

// protocolOf is what goes through a pool of Exchange, at the front end or the
// mailbox server.
func protocolOf(pool string) maillog.Protocol {
	name, _ := strings.CutPrefix(pool, "MSExchange")
	switch {
	case name == pool:
		return maillog.NoProtocol
	case strings.HasPrefix(name, "Mapi"):
		return maillog.MAPI
	case strings.HasPrefix(name, "RpcProxy"):
		return maillog.RPC
	case strings.HasPrefix(name, "Services"):
		return maillog.EWSProtocol
	case strings.HasPrefix(name, "Sync"):
		return maillog.EAS
	case strings.HasPrefix(name, "OWA"):
		return maillog.OWA
	case strings.HasPrefix(name, "ECP"):
		return maillog.ECP
	case strings.HasPrefix(name, "OAB"):
		return maillog.OAB
	case strings.HasPrefix(name, "Autodiscover"):
		return maillog.Autodiscover
	}
	return maillog.NoProtocol
}
