package sim

import "time"

// gdnsd's defaults: a check every 10 s, 10 bad ones in a row are down, 20 good ones up.
const (
	monitorEvery = 10 * time.Second
	monitorDown  = 10 * monitorEvery
	monitorUp    = 20 * monitorEvery
)

// monitored takes out who gdnsd's monitors call down; if less than half of the
// weight is left, everybody is back.
func (w *world) monitored(a *agent) {
	all, left := 0.0, 0.0
	for i := range w.nodes {
		n := &w.nodes[i]
		weight := float64(n.Limit)
		if n.drain {
			weight = 0
		}
		all += weight
		a.shares[i] = weight
		if !w.down(n) {
			left += weight
		}
	}
	if left < all/2 {
		return
	}
	for i := range w.nodes {
		if w.down(&w.nodes[i]) {
			a.shares[i] = 0
		}
	}
}

func (w *world) down(n *server) bool {
	if n.gone {
		return w.now >= n.died+at(monitorDown)
	}
	return n.born-n.died >= at(monitorDown) && w.now < n.born+at(monitorUp)
}

// steady is the TTL of others, who have but one. gdnsd's is no longer than until
// a monitor may change its mind.
func (w *world) steady() time.Duration {
	ttl := w.sc.TTL.Max
	if !w.rule.monitor {
		return ttl
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		switch down := w.down(n); {
		case n.gone && !down:
			ttl = min(ttl, (n.died + at(monitorDown) - w.now).since())
		case down && !n.gone:
			ttl = min(ttl, (n.born + at(monitorUp) - w.now).since())
		case down:
			ttl = min(ttl, monitorUp)
		default:
			ttl = min(ttl, monitorDown)
		}
	}
	return min(w.sc.TTL.Max, max(ttl, monitorEvery, w.sc.TTL.Min))
}
