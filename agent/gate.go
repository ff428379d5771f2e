package main

import (
	"context"
	"hash/maphash"
	"log/slog"
	"math"
	"net"
	"sync/atomic"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/gate"
	"evenkeel/policy/throttle"
	"evenkeel/queue"
)

// A gatekeeper is the gate and all that it judges by.
type gatekeeper struct {
	server *gate.Server
	ledger *throttle.Ledger
	cache  *throttle.Cache
	rops   *throttle.Sessions
	cpu    atomic.Uint64 // bits of the share of all CPUs in use; negative: not known
	bounds gate.Bounds
	shadow bool
	forget atomic.Bool // what the cache has loaded is to be loaded again with the reading that was asked for
}

// newGatekeeper makes the gate; nil where there is none.
func newGatekeeper(cfg config.Config) *gatekeeper {
	if !cfg.Listen.Gate.IsValid() {
		return nil
	}
	g := cfg.Gate
	k := &gatekeeper{
		cache:  throttle.NewCache(cfg.Policy.Ages),
		bounds: gate.Bounds{Connections: g.Connections, Allow: g.Allow}, shadow: g.Shadow,
	}
	k.cpu.Store(math.Float64bits(-1))
	k.ledger = throttle.NewLedger(throttle.Options{
		Budgets: g.Budgets, Open: g.Requests, Release: g.Release, Shadow: g.Shadow, Seed: maphash.MakeSeed(), Look: k.cache.Look,
	}, k.cache.Limits)
	k.rops = throttle.NewSessions(throttle.SessionOptions{Most: g.Budgets, Shadow: g.Shadow, Seed: maphash.MakeSeed()})
	k.server = gate.New(gate.Judges{Ledger: k.ledger, Sessions: k.rops}, k.load, gate.Options{})
	k.change(cfg)
	return k
}

// change takes up what of a configuration can change while the gate is open.
func (k *gatekeeper) change(cfg config.Config) {
	if k == nil {
		return
	}
	k.server.Configure(optionsOf(cfg.Gate))
	k.rops.Publish(cfg.Gate.Backoff)
	k.cache.Keep(cfg.Policy.Ages)
	k.cache.Publish(cfg.Policy.Book)
}

// asked says, once, that the policies in use are to be forgotten. Who reads the
// configuration asks before it reads: what is asked for later is for the next.
func (k *gatekeeper) asked() bool { return k != nil && k.forget.Swap(false) }

// reloaded ends a reading that was asked for, or was not. One that was refused
// ends so too: who asked has at least what the configuration in use says, at
// once, and no later reading that nobody asked for does it for him.
func (k *gatekeeper) reloaded(asked bool) {
	if k != nil && asked {
		k.cache.Reload()
	}
}

// optionsOf are the operator's words in those of the gate.
func optionsOf(g config.Gate) gate.Options {
	return gate.Options{
		FailOpen: g.FailOpen, Hold: g.Hold, Deny: g.Deny, Assume: g.Assume, Wait: g.Wait, Waiters: g.Waiters, Anonymous: g.Anonymous, Domains: g.Domains,
	}
}

// load is the share of all CPUs in use as it was at the last beat of watch.
func (k *gatekeeper) load() float64 { return math.Float64frombits(k.cpu.Load()) }

// loadIn is the mean of all CPUs over 10 s; negative where it is not measured.
func loadIn(s queue.Sample) float64 {
	for _, g := range s.Gauges {
		if g.Name == "cpu" && g.Limit > 0 {
			return g.Value / g.Limit
		}
	}
	return -1
}

// serve answers on l until ctx is done.
func (k *gatekeeper) serve(ctx context.Context, l net.Listener) error {
	return k.server.Serve(ctx, l, k.bounds)
}

const (
	sweepEvery     = time.Second      // the ledger is swept, and the load read
	throttledEvery = 10 * time.Second // the log is told who is throttled: who is at his limit comes and goes
	sessionsEvery  = time.Minute      // the sessions are swept, all of a shard under its lock
)

// watch sweeps the ledger and the sessions, and says who is throttled, until ctx
// is done.
func (k *gatekeeper) watch(ctx context.Context, sample func(time.Time) queue.Sample, log *slog.Logger) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	var now, say, rest time.Time
	said := newSaid(log, func(c throttle.Caller) string { return k.ledger.Snapshot(now, c).String() })
	for {
		now = time.Now()
		k.cpu.Store(math.Float64bits(loadIn(sample(now))))
		said.swept(k.ledger.Sweep(now))
		if !now.Before(rest) {
			k.rops.Sweep(now)
			rest = now.Add(sessionsEvery)
		}
		if !now.Before(say) {
			said.throttled(k.ledger.Throttled(now, mostThrottled), k.shadow)
			say = now.Add(throttledEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
