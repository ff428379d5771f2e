//go:build !race

package farmlog

import (
	"math"
	"slices"
	"time"
)

// compare holds what a story says of its logs against what was read.
func (w *witness) compare(truth Truth, s Story) {
	for kind, n := range truth.Rows {
		if w.rows[kind] != n || n == 0 {
			w.t.Errorf("%s: %d rows, said to be %d", kind, w.rows[kind], n)
		}
	}
	refused := 0
	for _, times := range w.refused {
		refused += len(times)
	}
	if int64(refused) != truth.Refused || w.probes != truth.RefusedProbes || w.bytes != truth.Bytes || len(w.sum) != truth.Files {
		w.t.Errorf("%d refused, %d probes, %d bytes, %d files: said to be %+v", refused, w.probes, w.bytes, len(w.sum), truth)
	}
	if got := time.Duration(w.outage()) * time.Second; got != truth.Outage {
		w.t.Errorf("outage of %v, said to be %v", got, truth.Outage)
	}
	for _, node := range s.Nodes {
		if got := w.runs(node); len(got) != len(truth.Outages[node]) {
			w.t.Errorf("%s: outages %v, said to be %v", node, got, truth.Outages[node])
		}
	}
	skew, most := w.skew()
	if math.Abs(skew-truth.Skew) > 1e-9 || most != truth.MostSessions {
		w.t.Errorf("skew %v of %d sessions, said to be %v of %d", skew, most, truth.Skew, truth.MostSessions)
	}
	if got := w.failovers(); got != truth.Failovers {
		w.t.Errorf("%d failovers, said to be %d", got, truth.Failovers)
	}
}

// consistent: every request that was answered stands in the logs of both sides;
// one that HTTP.sys refused stands nowhere but there.
func (w *witness) consistent(truth Truth, s Story) {
	if n := w.front["HttpProxy"]; n == 0 || w.front["W3SVC1"] != n || w.front["W3SVC2"] != n || w.front["MapiHttp"] != n {
		w.t.Errorf("requests of MAPI: %v", w.front)
	}
	if s.Name != "lockout" && s.Name != "probe-flap" && w.codes["W3SVC1 503"]+w.codes["W3SVC2 503"]+w.codes["HttpProxy 503"] > 0 {
		w.t.Errorf("refused by more than HTTP.sys: %v", w.codes)
	}
	if full := w.codes["HTTPERR QueueFull"]; (full > 0) != (truth.Pool == pMapi.pool()) {
		w.t.Errorf("%d times QueueFull", full)
	}
}

// failovers counts how often the node changes at which most sessions had their
// last row, while more than half of all went elsewhere within 2 minutes.
func (w *witness) failovers() (n int) {
	slices.SortFunc(w.seen, func(a, b sight) int { return int(a.at - b.at) })
	last, count, lead := map[string]sight{}, map[string]int{}, ""
	var recent, moves []sight
	_, most := w.skew()
	for _, s := range w.seen {
		old, ok := last[s.session]
		if ok {
			count[old.node]--
		}
		if ok && old.node != s.node {
			moves = append(moves, s)
		}
		last[s.session] = s
		count[s.node]++
		for recent = append(recent, s); recent[0].at < s.at-300_000; recent = recent[1:] {
			if o := recent[0]; last[o.session] == o {
				count[o.node]--
				delete(last, o.session)
			}
		}
		for len(moves) > 0 && moves[0].at < s.at-120_000 {
			moves = moves[1:]
		}
		switch {
		case s.node == lead || 2*count[s.node] <= len(last) || 10*len(last) < most:
		case lead == "":
			lead = s.node
		case 2*len(moves) > len(last):
			n++
			lead = s.node
		}
	}
	return n
}
