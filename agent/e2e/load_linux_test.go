package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What a stalled server is sent: over the mark at 70 %, and over that at 90 %.
const (
	overDegrade = backlog * 80 / 100
	overFail    = backlog * 95 / 100
)

// A server hangs. Its node is degraded, and gets next to no new work, while
// there still is room in its queue; its probe never says no.
func stallStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "stall", 200, 200, 400)
	f.startAll(t)
	hung, clients := f.nodes[0], newCrowd(t)

	hung.server.stall()
	hung.connect(t, clients, overDegrade)
	for _, at := range f.nodes {
		eventually(t, soon, at.id+" sends hardly anyone to "+hung.id, func() (string, bool) {
			if code, state := hung.probe(); code != 200 && code != 0 { // no answer is not a no
				t.Fatalf("the probe says %d %s", code, state)
			}
			s := at.status()
			n := s.of(hung.id)
			return s.String(), n.State == "degraded" && n.Share < 0.01 && at.shares(t, 100)[hung.id] < 0.02
		})
	}
	hung.sees(t, hung, "with all who wait, in a queue that is not full", func(s standing) bool {
		return s.Queue != nil && *s.Queue >= overDegrade && *s.Queue < backlog
	})
	hung.says(t, 200, "degraded")

	hung.server.resume()
	clients.leave()
	f.level(t)
}

// Caching resolvers stand between clients and agents. Each client takes any of
// the addresses it is given, so that connections follow answers; and answers
// follow connections, so that nodes fill evenly.
func resolversStory(t *testing.T, bin string) {
	const all = 1000
	f := newStage(t, bin, "resolvers", 400, 400, 800)
	f.serveRoomy(t)
	resolvers := []int{f.unbound(t, 1), f.unbound(t, 2)}
	f.startAll(t)

	given, clients := map[string]float64{}, newCrowd(t)
	pace := time.NewTicker(10 * time.Millisecond) // ten times as long as an answer lives
	defer pace.Stop()
	for i := range all {
		<-pace.C
		addrs, err := f.lookup(hubAddr(resolvers[i%len(resolvers)]))
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(addrs)
		for _, a := range addrs {
			given[f.idOf(a)] += 1 / float64(len(addrs))
		}
		f.byAddr(addrs[turn(i, len(addrs))]).connect(t, clients, 1)
	}
	if asked := f.asked(t); asked == 0 || asked > all/2 {
		t.Errorf("the agents were asked %d times for %d clients, want some, and far less, as resolvers remember", asked, all)
	}
	got := f.connections(t, all)
	t.Logf("given %v, got %v", given, got)
	for _, n := range f.nodes {
		if math.Abs(given[n.id]-got[n.id]) > 0.05*given[n.id] {
			t.Errorf("%s: got %v connections, want %.0f ± 5 %%, as the answers gave", n.id, got[n.id], given[n.id])
		}
		if want := all * n.fair(); math.Abs(got[n.id]-want) > 0.25*float64(n.limit) {
			t.Errorf("%s: got %v connections, want %.0f ± 25 %% of its limit", n.id, got[n.id], want)
		}
	}
}

// serveRoomy gives every node nginx, with an accept queue that does not fill while it
// waits for a processor. With the usual one half a second of that, while clients
// come, is a slope for which a node is degraded, rightly.
func (f *farm) serveRoomy(t *testing.T) {
	t.Helper()
	for _, n := range f.nodes {
		n.places = roomy
		n.server = n.nginx(t)
	}
}

// turn picks one of n, evenly over any run of clients.
func turn(i, n int) int {
	_, part := math.Modf(float64(i) * math.Phi)
	return int(part * float64(n))
}

// asked is how many questions all agents have answered.
func (f *farm) asked(t *testing.T) (sum int) {
	t.Helper()
	for _, n := range f.nodes {
		for line := range strings.Lines(n.metrics(t)) {
			if labels, count, ok := strings.Cut(strings.TrimSpace(line), "} "); ok && strings.HasPrefix(labels, "evenkeel_dns_queries_total{") {
				n, _ := strconv.Atoi(count)
				sum += n
			}
		}
	}
	return sum
}

// connections waits until every node tells its own, and they are all that
// there are.
func (f *farm) connections(t *testing.T, all int) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	eventually(t, soon, "the nodes tell their connections", func() (string, bool) {
		sum := 0
		for _, n := range f.nodes {
			if c := n.status().of(n.id).Connections; c != nil {
				got[n.id] = float64(*c)
				sum += *c
			}
		}
		return fmt.Sprint(got), sum == all
	})
	return got
}
