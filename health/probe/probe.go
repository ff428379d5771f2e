// Package probe asks the services of this machine how they are, as their
// clients would: a page over HTTP, or the greeting of a mail server.
//
// Start with [Prober.Run]; [Ask] says what counts as an answer.
package probe

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Every is how often a service is asked.
	Every = 5 * time.Second
	// Timeout is how long it has for its answer, connecting included. It is
	// below Every, so a service is asked one question at a time.
	Timeout = 3 * time.Second

	enough = 2 // failures in a row, until a service that was well counts as broken
)

// A Target is a service, and where it is asked; see [Ask].
type Target struct {
	Service string // unique among the targets of a Prober
	URL     string
}

// A Failure is a service that is broken.
type Failure struct {
	Err  error // the last one
	Well bool  // it was well once, since it became a target; else the mistake may be in the URL
}

// A Prober asks its targets again and again, each by itself: one that hangs
// costs the others nothing. Its methods can be called from any goroutine.
type Prober struct {
	ask     func(ctx context.Context, url string) error
	targets atomic.Pointer[[]Target]
	changed chan struct{}
	failing atomic.Pointer[map[string]Failure]
}

// New makes a Prober without targets. ask is [Ask] outside of tests; it must
// return soon after ctx is done.
func New(ask func(ctx context.Context, url string) error) *Prober {
	p := &Prober{ask: ask, changed: make(chan struct{}, 1)}
	p.targets.Store(new([]Target))
	p.failing.Store(new(map[string]Failure))
	return p
}

// Set makes these the targets, from now on. One that was a target before keeps
// what is known of it. It never waits.
func (p *Prober) Set(targets []Target) {
	own := slices.Clone(targets)
	if before := p.targets.Swap(&own); slices.Equal(*before, own) {
		return
	}
	select {
	case p.changed <- struct{}{}:
	default: // Run will look
	}
}

// Failing returns the services that are broken, and why. A service that was never
// asked, or answered lately, is not in it. The map is not to be written.
func (p *Prober) Failing() map[string]Failure { return *p.failing.Load() }

// Run asks until ctx is done.
func (p *Prober) Run(ctx context.Context) {
	known := map[Target]verdict{}
	for ctx.Err() == nil {
		select {
		case <-p.changed: // what is loaded now is newer
		default:
		}
		targets := *p.targets.Load()
		maps.DeleteFunc(known, func(t Target, _ verdict) bool { return !slices.Contains(targets, t) })
		p.publish(known)
		p.watch(ctx, targets, known)
	}
}

// An outcome is what came of one question; err is nil when the service is well.
type outcome struct {
	target Target
	err    error
}

// watch asks these targets until there are others, or ctx is done.
func (p *Prober) watch(ctx context.Context, targets []Target, known map[Target]verdict) {
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()

	outcomes := make(chan outcome)
	for _, t := range targets {
		wg.Go(func() { p.repeat(ctx, t, outcomes) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			return
		case o := <-outcomes:
			known[o.target] = known[o.target].see(o.err)
			p.publish(known)
		}
	}
}

// repeat asks one target until ctx is done.
func (p *Prober) repeat(ctx context.Context, t Target, outcomes chan<- outcome) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		err := p.once(ctx, t.URL)
		select {
		case outcomes <- outcome{t, err}:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *Prober) once(ctx context.Context, url string) error {
	ctx, done := context.WithTimeout(ctx, Timeout)
	defer done()
	return p.ask(ctx, url)
}

// publish makes the newest verdicts current.
func (p *Prober) publish(known map[Target]verdict) {
	failing := make(map[string]Failure)
	for t, v := range known {
		if v.failing {
			failing[t.Service] = Failure{v.err, v.well}
		}
	}
	p.failing.Store(&failing)
}

// A verdict is what is known of a service. The zero verdict is nothing.
type verdict struct {
	known   bool
	failing bool
	well    bool  // once
	fails   int   // in a row
	err     error // the last one
}

// see returns v after one more answer. The first is believed at once; later a
// single failure may be chance, and a single success is none.
func (v verdict) see(err error) verdict {
	if err == nil {
		return verdict{known: true, well: true}
	}
	fails := v.fails + 1
	return verdict{known: true, well: v.well, failing: !v.known || v.failing || fails >= enough, fails: fails, err: err}
}
