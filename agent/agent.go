package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/agent/gossip"
	"evenkeel/agent/metrics"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// goodbye is how long the farm is given to hear that we leave.
const goodbye = 2 * time.Second

// An agent is everything that runs on one node, wired.
type agent struct {
	cfg     config.Config
	log     *slog.Logger
	sockets sockets
	farm    *gossip.Cluster
	sampler *queue.Sampler
	dns     *dnsrr.Server
	health  *health.Server
	node    *node.Node
}

// wire binds every socket and connects the parts. Nothing runs before run.
func wire(cfg config.Config, records dnsrr.Records, log *slog.Logger) (*agent, error) {
	socks, err := listen(cfg.Listen)
	if err != nil {
		return nil, err
	}
	farm, err := gossip.Start(gossip.Options{
		Name: cfg.Node.Name, Bind: cfg.Listen.Gossip, Advertise: cfg.Gossip.Advertise,
		Join: cfg.Gossip.Join, Key: cfg.Gossip.Key, Label: cfg.Gossip.Label, Log: log,
	})
	if err != nil {
		socks.close()
		return nil, refused("listen.gossip", cfg.Listen.Gossip, err)
	}
	a := &agent{cfg: cfg, log: log, sockets: socks, farm: farm, dns: &dnsrr.Server{}, health: &health.Server{}}
	own := append(socks.ports(), farm.Addr().Port())
	a.sampler = queue.NewSampler(node.Beat, queue.Platform(queue.Listener{
		Ports: cfg.Sources.Listener.Ports, Addresses: cfg.Sources.Listener.Addresses, Except: own,
	})...)
	a.node = &node.Node{
		Name: cfg.Node.Name, FQDN: cfg.Node.FQDN, Addrs: a.addresses(), Log: log,
		Zone:        node.Zone{Name: cfg.Zone.Name, Answers: cfg.Zone.Answers, Serial: 1, Records: records},
		Rules:       rulesOf(cfg, farm.Addr()),
		Connections: cfg.Limits.Connections, QueueLimit: cfg.Limits.Queue,
		Local: a.sampler.Sample, Peers: a.peers, OwnBeat: farm.OwnBeat, Asked: a.health.Asked,
		Tell: farm.Tell, DNS: a.dns.Publish, Health: a.health.Publish,
	}
	return a, nil
}

// run serves until ctx is done, leaves gently, and returns.
func (a *agent) run(ctx context.Context) error {
	servers := []func(context.Context) error{
		func(ctx context.Context) error { a.sampler.Run(ctx); return nil },
		func(ctx context.Context) error { return a.farm.Run(ctx) },
		func(ctx context.Context) error { a.live(ctx); a.part(); return nil },
		func(ctx context.Context) error { return serveHTTP(ctx, a.sockets.admin, a.admin()) },
		func(ctx context.Context) error { a.watch(ctx); return nil },
	}
	for _, pc := range a.sockets.dns {
		servers = append(servers, func(ctx context.Context) error { return a.dns.ServeUDP(ctx, pc) })
	}
	for _, l := range a.sockets.dnsTCP {
		servers = append(servers, func(ctx context.Context) error { return a.dns.ServeTCP(ctx, l) })
	}
	for _, l := range a.sockets.health {
		servers = append(servers, func(ctx context.Context) error { return a.health.Serve(ctx, l) })
	}
	for _, l := range a.sockets.agentCheck {
		servers = append(servers, func(ctx context.Context) error { return a.health.ServeAgentCheck(ctx, l) })
	}
	return serve(ctx, a.leave, servers...)
}

// live beats until ctx is done. The first beat waits a moment for the first
// readings, so that a start does not begin with faults that are none.
func (a *agent) live(ctx context.Context) {
	for range 20 {
		s := a.sampler.Sample(time.Now())
		waits := false
		for _, f := range s.Faults {
			waits = waits || errors.Is(f.Err, queue.ErrStale)
		}
		if !waits {
			break
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	a.node.Run(ctx)
}

// leave says that this node takes no new work, and returns how long clients
// are given to turn away: none where there is nobody to turn to.
func (a *agent) leave() time.Duration {
	a.node.Drain()
	others := false
	if v := a.node.View(); v != nil {
		for _, n := range v.Plan.Nodes {
			others = others || n.Name != a.cfg.Node.Name && n.Share > 0
		}
	}
	if !others {
		a.log.Info("leaving; no other node takes work, so nothing to wait for")
		return 0
	}
	a.log.Info("leaving: clients turn away; interrupt again to stop at once", "drain", a.cfg.Drain)
	return a.cfg.Drain
}

// part says goodbye to the farm. Nobody may be left to hear it.
func (a *agent) part() {
	if err := a.farm.Leave(goodbye); err != nil {
		a.log.Warn("the farm may not have heard our goodbye", "err", err)
	}
}

func (a *agent) close() {
	a.sockets.close()
	a.farm.Close()
}

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
	return dashboard.Of(v, version, members, alarms), true
}

func (a *agent) admin() http.Handler {
	version, _ := build()
	return dashboard.Handler(a.status, metrics.Handler(version, func() metrics.Snapshot {
		return metrics.Snapshot{View: a.node.View(), DNS: a.dns.Stats(), Health: a.health.Stats(), Gossip: a.farm.Stats()}
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

// serveHTTP serves h on l until ctx is done.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, WriteTimeout: 30 * time.Second}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// rulesOf are the operator's thresholds in the law's words.
func rulesOf(c config.Config, own netip.AddrPort) balance.Rules {
	return balance.Rules{
		Degrade: c.Limits.Degrade, Recover: c.Limits.Recover, Fail: c.Limits.Fail,
		Hold: c.Health.Hold, Ramp: c.Limits.Ramp, MinInService: c.Health.MinInService,
		Farm:   farmSize(c, own),
		TTLMin: c.Zone.TTLMin, TTLMax: c.Zone.TTLMax,
	}
}

// farmSize is how many nodes the configuration lists, this one among them. A
// node that starts inside a partition knows by it that there are more.
func farmSize(c config.Config, own netip.AddrPort) int {
	names := map[string]bool{}
	for _, peer := range c.Gossip.Join {
		host, _, _ := net.SplitHostPort(peer)
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		itself := host == c.Node.Name || host == strings.ToLower(c.Node.FQDN) ||
			peer == own.String() || peer == c.Listen.Gossip.String()
		if !itself {
			names[strings.ToLower(peer)] = true
		}
	}
	return len(names) + 1
}

// addresses are what DNS hands out for this node: what is configured, else the
// address that leads to the peers, else the first global one, else loopback.
func (a *agent) addresses() []netip.Addr {
	if len(a.cfg.Node.Addresses) > 0 {
		return a.cfg.Node.Addresses
	}
	if len(a.cfg.Gossip.Join) > 0 {
		return []netip.Addr{a.farm.Addr().Addr()}
	}
	all, _ := net.InterfaceAddrs() // an error means none
	for _, i := range all {
		if p, err := netip.ParsePrefix(i.String()); err == nil && p.Addr().IsGlobalUnicast() {
			return []netip.Addr{p.Addr()}
		}
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
}
