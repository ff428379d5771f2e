package sim

import (
	"testing"
	"time"
)

// What the law is for. Bounds are those that it was built to, not what one run
// gave; DESIGN.md has the table over all seeds.

func TestMorning(t *testing.T) {
	for ttl, most := range map[time.Duration]float64{5 * time.Second: 1.02, 30 * time.Second: 1.05} {
		for _, s := range []Scenario{morning(ttl), morning(ttl, Event{At: 2 * time.Hour, Do: Unplug, Nodes: []string{"ex4"}})} {
			r := Play(s, rule(t, "evenkeel"), 1, nil)
			if p := r.PeakOverIdeal(); p > most || r.ImbalanceP50 > 0.005 || r.Refused > 0 || r.Cascades > 0 {
				t.Errorf("TTL %v, %d events: peak %.3f of the ideal, imbalance %.4f, %.0f refused, %d cascades", ttl, len(s.Events), p, r.ImbalanceP50, r.Refused, r.Cascades)
			}
		}
	}
}

func TestThreeResolvers(t *testing.T) {
	s := morning(30 * time.Second)
	s.Resolvers = []Resolver{{Share: 6}, {Share: 3}, {Share: 1}}
	if r := Play(s, rule(t, "evenkeel"), 1, nil); r.PeakOverIdeal() > 1.10 || r.Refused > 0 {
		t.Errorf("peak %.3f of the ideal, %.0f refused", r.PeakOverIdeal(), r.Refused)
	}
}

// The balancer alone moves all clients to and fro. In place of it, or with it on
// our probe, nothing of that happens; without the guard it would.
func TestIncident(t *testing.T) {
	s := incident("netscaler")
	for _, c := range []struct {
		rule     string
		cascades bool
	}{{"balancer-leastconn", true}, {"evenkeel-balancer", false}, {"evenkeel-balancer-no-guard", true}, {"evenkeel", false}} {
		r := Play(s, rule(t, c.rule), 1, nil)
		if (r.Cascades > 0) != c.cascades {
			t.Errorf("%s: %d cascades", c.rule, r.Cascades)
		}
		if c.rule == "evenkeel" && r.Refused+r.Outage > 0 {
			t.Errorf("%s: %.0f refused, %.0f client minutes", c.rule, r.Refused, r.Outage)
		}
	}
}
