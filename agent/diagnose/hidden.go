package diagnose

import (
	"fmt"
	"slices"
)

// hidden is told where the clients of many users come from very few addresses, for
// all nodes at once: it is one way to set up balancers.
func (f *farm) hidden() (out []found) {
	var x Finding
	forwarded := false
	for _, n := range f.nodes {
		i := slices.IndexFunc(n.streams, (*stream).hides)
		if i < 0 {
			continue
		}
		s := n.streams[i]
		top := s.peers.top(func(e *hitter) float64 { return float64(e.least()) })
		x.Nodes, x.Evidence = append(x.Nodes, n.name), append(x.Evidence, top.seen.evidence())
		x.Details = append(x.Details, fmt.Sprintf("%s: about %s users, of whom most come from %s.", n.name, about(float64(s.users.count())), top.addr))
		x.Confidence, forwarded = confidence(s.kinds, 0, 0.8), forwarded || s.forwarded > 0
	}
	if len(x.Nodes) == 0 {
		return nil
	}
	y := f.of(HiddenClients, span{f.from, f.to}, x.Nodes)
	y.Evidence, y.Details, y.Confidence = distinct(x.Evidence), x.Details, x.Confidence
	y.Title = fmt.Sprintf("most requests of many users come from few addresses on %s: a balancer's, a proxy's, or those of terminal servers", list(y.Nodes))
	y.Advice = adviceHidden(forwarded)
	return []found{{Finding: y, weight: 2}}
}

// hides says whether a log has many users and few addresses.
func (s *stream) hides() bool {
	users := s.users.count()
	return s.peers.n >= hiddenRows && users >= hiddenUsers && users >= hiddenEach*s.peers.names.count() && s.peers.few() >= hiddenShare*float64(s.peers.n)
}

const (
	hiddenRows  = 1000 // requests; of fewer, few addresses are no wonder
	hiddenUsers = 20   // users behind them
	hiddenEach  = 5    // users for each address
	hiddenShare = 0.95 // of the requests from the four addresses that ask most
)

// few is how many requests came from the four addresses that ask most: balancers
// have several.
func (h *hitters) few() (sum float64) {
	var all []int64
	for i := range h.at {
		for j := range h.at[i] {
			all = append(all, h.at[i][j].least())
		}
	}
	slices.Sort(all)
	for _, n := range all[len(all)-4:] {
		sum += float64(n)
	}
	return sum
}
