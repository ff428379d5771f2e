package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/metrics"
	"evenkeel/agent/node"
)

// peers puts what was heard into the loop's words.
func (a *agent) peers() []node.Heard {
	heard := a.farm.Heard()
	out := make([]node.Heard, 0, len(heard))
	for _, h := range heard {
		out = append(out, node.Heard(h))
	}
	return out
}

// status is the newest View in the words of the API.
func (a *agent) status() (dashboard.Status, bool) {
	v := a.node.View()
	if v == nil {
		return dashboard.Status{}, false
	}
	version, _ := build()
	var members []dashboard.Member
	for _, m := range a.farm.Members() {
		members = append(members, dashboard.Member{Name: m.Name, Address: m.Addr.String(), State: m.State})
	}
	var alarms []string
	if c, ok := a.farm.Conflict(); ok {
		alarms = append(alarms, fmt.Sprintf("two machines use the name %s: %v and %v", c.Name, c.Addrs[0], c.Addrs[1]))
	}
	s := dashboard.Of(v, version, members, alarms)
	s.Throttle = a.gate.shown(time.Now())
	return s, true
}

func (a *agent) admin() http.Handler {
	version, _ := build()
	return dashboard.Handler(a.status, a.node.Ask, a.policies(), metrics.Handler(version, func() metrics.Snapshot {
		return metrics.Snapshot{
			View: a.node.View(), DNS: a.dns.Stats(), Health: a.health.Stats(), Gossip: a.farm.Stats(),
			DNSReopened: a.sockets.dns.reopened.Load(), AdminRefused: a.door.refused.Load(), Gate: a.gate.stats(),
		}
	}))
}

// watch says what only counters know: probes that never reach the page.
func (a *agent) watch(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	var said time.Time
	var before uint64
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s := a.health.Stats()
			if s.NoHost > before && now.Sub(said) > 10*time.Minute {
				a.log.Warn("a probe by HTTP/1.1 without Host is answered 400 and counts as down: send a Host header or HTTP/1.0",
					"from", s.LastNoHost.From, "count", s.NoHost)
				said = now
			}
			before = s.NoHost
		}
	}
}
