package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/gossip"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/health/probe"
	"evenkeel/queue"
)

// goodbye is how long the farm is given to hear that we leave.
const goodbye = 2 * time.Second

// An agent is everything that runs on one node, wired.
type agent struct {
	cfg     config.Config                 // at the start
	now     atomic.Pointer[config.Config] // read again since; nil: never
	log     *slog.Logger
	sockets sockets
	door    *door // of the admin listener
	farm    *gossip.Cluster
	sampler *queue.Sampler
	logs    []*queue.LogSource // those of the sampler's sources that read logs
	dns     *dnsrr.Server
	kit     *dnsKit
	health  *health.Server
	node    *node.Node
	probes  *probe.Prober
	gate    *gatekeeper    // nil: front ends are not answered
	loaded  time.Time      // when the zone in use was read; of wire, and then of reload
	hup     chan os.Signal // asks for another configuration

	noting sync.Mutex      // held by note
	drains chan node.Drain // to be kept: the newest, or none

	first sync.Once
	ready chan struct{} // closed by the first beat: there is something to answer
}

// wire binds every socket and connects the parts. Nothing runs before run.
// leaveOut names sources that are not to be read.
func wire(cfg config.Config, records dnsrr.Records, log *slog.Logger, leaveOut ...string) (*agent, error) {
	socks, err := listen(cfg.Listen)
	if err == nil {
		err = socks.listenTLS(cfg)
	}
	if err != nil {
		socks.close()
		return nil, err
	}
	guard := newDoor(cfg)
	socks.secureAdmin(guard.tls())
	sleep := &node.Sleep{} // one for both: they reckon the same ages
	farm, err := gossip.Start(gossip.Options{
		Name: cfg.Node.Name, Bind: cfg.Listen.Gossip, Advertise: cfg.Gossip.Advertise,
		Join: cfg.Gossip.Join, Key: cfg.Gossip.Key, Label: cfg.Gossip.Label, Log: log,
		Slept: sleep.Slept,
	})
	if err != nil {
		socks.close()
		return nil, refused("listen.gossip", cfg.Listen.Gossip, err)
	}
	a := &agent{
		cfg: cfg, log: log, sockets: socks, door: guard, farm: farm, dns: &dnsrr.Server{}, health: &health.Server{},
		hup: make(chan os.Signal, 1), ready: make(chan struct{}), drains: make(chan node.Drain, 1),
		probes: probe.New(probe.Ask), loaded: time.Now(), kit: newKit(cfg), gate: newGatekeeper(cfg),
	}
	a.dns.Configure(a.kit.options())
	sources := queue.Platform(queue.Listener{
		Ports: cfg.Sources.Listener.Ports, Addresses: cfg.Sources.Listener.Addresses,
		Except: []uint16{farm.Addr().Port()},
		Own:    func(port uint16) bool { return slices.Contains(socks.ports(), port) },
	})
	a.logs = logsOf(cfg.Sources)
	for _, l := range a.logs {
		sources = append(sources, l)
	}
	sources = slices.DeleteFunc(sources, func(s queue.Source) bool { return slices.Contains(leaveOut, s.Name()) })
	a.sampler = queue.NewSampler(node.Beat, sources...)
	a.node = &node.Node{
		Name: cfg.Node.Name, Log: log,
		Local: a.sampler.Sample, Peers: a.peers, OwnBeat: farm.OwnBeat, Asked: a.health.Asked,
		Slept: sleep.Slept, Rejoin: farm.Rejoin,
		Tell: farm.Tell, DNS: a.dns.Publish, Covered: a.dns.Covered, Health: a.report, Kept: a.note,
		Unwell: a.unwell,
	}
	a.probes.Set(targetsOf(cfg))
	a.settle(a.node, cfg, content{records, a.loaded, a.kit.signer})
	return a, nil
}

// run serves until ctx is done, leaves gently, and returns. beside are further
// servers.
func (a *agent) run(ctx context.Context, beside ...func(context.Context) error) error {
	servers := append(beside,
		func(ctx context.Context) error { a.sample(ctx); return nil },
		func(ctx context.Context) error { a.probes.Run(ctx); return nil },
		func(ctx context.Context) error { return a.farm.Run(ctx) },
		func(ctx context.Context) error { a.live(ctx); a.part(); return nil },
		a.afterFirst(func(ctx context.Context) error {
			return serveHTTP(ctx, a.sockets.admin, a.door.guard(a.admin()), a.log)
		}),
		func(ctx context.Context) error { a.door.tell(ctx, a.log); return nil },
		func(ctx context.Context) error { a.watch(ctx); return nil },
		func(ctx context.Context) error { a.keep(ctx); return nil },
		a.afterFirst(func(ctx context.Context) error { return a.sockets.dns.run(ctx, a.dns, a.log) }),
		a.afterFirst(a.dns.ServeNotify),
	)
	for _, l := range slices.Concat(a.sockets.health, a.sockets.healthTLS) {
		servers = append(servers, a.afterFirst(func(ctx context.Context) error { return a.health.Serve(ctx, l) }))
	}
	for _, l := range a.sockets.agentCheck {
		servers = append(servers, a.afterFirst(func(ctx context.Context) error { return a.health.ServeAgentCheck(ctx, l) }))
	}
	if a.gate != nil {
		servers = append(servers,
			func(ctx context.Context) error { a.gate.watch(ctx, a.sampler.Sample, a.log); return nil },
			func(ctx context.Context) error { return a.gate.serve(ctx, a.sockets.gate) })
	}
	return serve(ctx, a.leave, servers...)
}

// report shows the newest decision to balancers. It is the last that a beat
// shows, so with the first one there is an answer for everyone.
func (a *agent) report(r health.Report) {
	a.health.Publish(r)
	a.first.Do(func() { close(a.ready) })
}

// afterFirst serves once there is something to answer: until then questions
// wait in the socket, which is better than to be told that nobody knows.
func (a *agent) afterFirst(serve func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-a.ready:
		}
		return serve(ctx)
	}
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
	if a.node.Drained() == (node.Drain{}) {
		a.node.Drain(-1) // to the end the probe says yes: this may be a restart of the agent alone
	}
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
	drain := a.current().Drain
	a.log.Info("leaving: clients turn away; interrupt again to stop at once", "drain", drain.String())
	return drain
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
