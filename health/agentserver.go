package health

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// What an agent check may take and send.
const (
	agentPatience = time.Second           // for the line to be taken and the connection closed
	agentBreath   = 50 * time.Millisecond // before another try when the system has no room for a connection
	agentSend     = 4 << 10               // bytes of agent-send that are read and forgotten
)

// ServeAgentCheck gives every connection on l one line, as AgentCheck words it,
// until ctx is done; then it closes l and returns nil. It does not wait for what
// HAProxy's agent-send may say. An error means that l broke.
func (s *Server) ServeAgentCheck(ctx context.Context, l net.Listener) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()

	d := &door{Listener: l, counters: &s.counters, room: maxOpen}
	for {
		c, err := d.Accept()
		switch {
		case err == nil:
			wg.Go(func() { s.tell(c) })
		case ctx.Err() != nil:
			return nil
		case passing(err):
			rest(ctx, agentBreath)
		default:
			return fmt.Errorf("agent check on %v: %w", l.Addr(), err)
		}
	}
}

// tell says the line. It then waits for the other side to close: closing on
// words not yet read is a reset, and a reset may overtake the line.
func (s *Server) tell(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(agentPatience))
	all, state := s.current.Load(), Unknown
	if all != nil {
		state = all.report.State
		if _, err := c.Write(all.line); err != nil {
			return
		}
	}
	s.counters.probe(agentCheck, state)
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	io.Copy(io.Discard, io.LimitReader(c, agentSend))
}

// passing is whether Accept may do better in a while, as when the process is
// out of file descriptors: the moment balancers most need an answer.
func passing(err error) bool {
	t, ok := err.(interface{ Temporary() bool })
	return ok && t.Temporary()
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
