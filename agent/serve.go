package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// serve runs the servers until ctx is done, and then, in this order: says that
// we leave, lets clients turn away for as long as leave says, stops the
// servers. If a server fails first, the rest is stopped at once and its error
// returned; nobody leaves for a failed start.
func serve(ctx context.Context, leave func() time.Duration, servers ...func(context.Context) error) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, running := errgroup.WithContext(running)
	for _, s := range servers {
		g.Go(func() error { return s(running) })
	}
	g.Go(func() error {
		select {
		case <-running.Done(): // a server failed
			return nil
		case <-ctx.Done():
		}
		select {
		case <-running.Done():
		case <-time.After(leave()):
		}
		stop()
		return nil
	})
	return g.Wait()
}
