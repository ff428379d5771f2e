package dnsrr

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	maxConns  = 1024             // open TCP connections of one listener
	idle      = 10 * time.Second // until the next query must have come whole (RFC 7766, section 6.2.3)
	idleTight = time.Second      // the same once half of the connections are taken (RFC 9210, section 4.3)
	writeTime = 5 * time.Second  // for one reply: who does not read is cut off
)

// ServeTCP answers on l until ctx is done, then closes l and all connections,
// waits for them and returns nil. A connection may ask any number of
// questions, and need not wait for the answers (RFC 7766, section 6.2.1.1).
// An accept that fails is counted and taken up again, so the only error is
// that of a listener that someone else has closed.
func (s *Server) ServeTCP(ctx context.Context, l net.Listener) error {
	ctx, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	defer l.Close()
	slots := make(chan struct{}, maxConns)
	var p pause
	for {
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // out of descriptors, or the peer has gone again
			s.restarts.Add(1)
			after(ctx, p.next())
			continue
		}
		p = pause{}
		s.admit(ctx, &wg, slots, c)
	}
}

// admit starts a conversation, or ends it at once if no slot is left: a
// client that is turned away can ask another server, one that waits cannot.
func (s *Server) admit(ctx context.Context, wg *sync.WaitGroup, slots chan struct{}, c net.Conn) {
	select {
	case slots <- struct{}{}:
		wg.Go(func() {
			defer func() { <-slots }()
			s.converse(ctx, c, func() time.Duration { return patience(len(slots)) })
		})
	default:
		c.Close()
	}
}

// patience is how long a silent connection is kept while n are open.
func patience(n int) time.Duration {
	if n > maxConns/2 {
		return idleTight
	}
	return idle
}

// converse answers the queries of one connection, in their order, until the
// other side ends it, is silent for too long, or ctx is done; and closes c.
func (s *Server) converse(ctx context.Context, c net.Conn, patience func() time.Duration) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	in := bufio.NewReader(c)
	from := addrPort(c.RemoteAddr())
	var query, room []byte
	for {
		c.SetReadDeadline(time.Now().Add(patience()))
		var err error
		if query, err = readMessage(in, query); err != nil || len(query) < headerLen {
			return
		}
		if room = s.reply(room[:0], query, from, overTCP, time.Now(), true); len(room) == 0 {
			continue
		}
		c.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := c.Write(room); err != nil {
			return
		}
	}
}

// readMessage reads one message into b, grown if need be.
func readMessage(in io.Reader, b []byte) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(size[:]))
	if cap(b) < n {
		b = make([]byte, n)
	}
	_, err := io.ReadFull(in, b[:n])
	return b[:n], err
}
