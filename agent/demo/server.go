// Package demo is the part of a mail farm that is not the agent, on one
// machine: servers with real accept queues, and clients that find them by DNS
// over the wire, hold connections and come back.
//
// Start with [Server] and [Crowd].
package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// greeting is what a server says once it has accepted a client; until then the
// client waits in the accept queue, as with any real server.
const greeting = "220 ready\r\n"

// A Server accepts connections, greets, and holds them until the client goes.
type Server struct {
	Backlog int                            // places in its accept queue
	Stalled func(since time.Duration) bool // whether it accepts nothing, by the time since it began; nil: never
}

// Listen opens the server's socket at addr; port 0 takes a free one. Where the
// system lets a backlog be chosen (Linux) the queue has Backlog places.
func (s Server) Listen(addr netip.AddrPort) (net.Listener, error) { return listen(addr, s.Backlog) }

// Serve accepts on l until ctx is done, and closes every connection then.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	began := time.Now()
	var held sync.WaitGroup
	defer held.Wait()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		for s.Stalled != nil && s.Stalled(time.Since(began)) {
			if !pause(ctx, 50*time.Millisecond) {
				return nil
			}
		}
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // out of descriptors, or the client has gone already
			pause(ctx, 10*time.Millisecond)
			continue
		}
		held.Go(func() { hold(ctx, c) })
	}
}

// hold greets c and keeps it until either side goes.
func hold(ctx context.Context, c net.Conn) {
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if _, err := io.WriteString(c, greeting); err != nil {
		return
	}
	io.Copy(io.Discard, c)
}

// pause waits for d, and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
