package dnsrr

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	maxConns  = 1024             // open TCP connections of one listener
	idle      = 10 * time.Second // until the next query must have come whole (RFC 7766, section 6.2.3)
	idleTight = time.Second      // the same once half of the connections are taken (RFC 9210, section 4.3)
	writeTime = 5 * time.Second  // for one reply: who does not read is cut off
)

// ServeTCP answers on l until ctx is done, then closes l and all connections,
// waits for them and returns nil. A connection may ask any number of questions,
// and need not wait for the answers (RFC 7766, section 6.2.1.1): they are read
// one at a time, each when the answer before has been taken, so what a client
// sends ahead waits in the kernel's buffer. An accept that fails is counted and
// taken up again; an error means that l is of no more use, since someone else
// has closed it or since nothing but failures came from it for some seconds.
func (s *Server) ServeTCP(ctx context.Context, l net.Listener) error {
	ctx, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	defer l.Close()
	var seats places
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
			if p.hopeless() && !exhausted(err) {
				return err
			}
			continue
		}
		p = pause{}
		s.admit(ctx, &wg, &seats, c)
	}
}

// exhausted: it is the machine that lacks something, and it would lack it with
// another listener too.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// admit starts a conversation, or ends it at once if there is no place: a
// client that is turned away can ask another server, one that waits cannot.
func (s *Server) admit(ctx context.Context, wg *sync.WaitGroup, seats *places, c net.Conn) {
	who := clientOf(addrPort(c.RemoteAddr()).Addr())
	if !seats.take(who) {
		c.Close()
		return
	}
	wg.Go(func() {
		defer seats.leave(who)
		s.converse(ctx, c, func() time.Duration { return patience(seats.taken()) })
	})
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
// Answers to queries that came together go together.
func (s *Server) converse(ctx context.Context, c net.Conn, patience func() time.Duration) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	in := bufio.NewReader(c)
	from := addrPort(c.RemoteAddr())
	var query, out []byte
	for {
		now := time.Now()
		if !waiting(in) {
			c.SetReadDeadline(now.Add(patience()))
		}
		var err error
		if query, err = readMessage(in, query); err != nil {
			return
		}
		last := len(query) < headerLen // no message: who sends one is not listened to any more
		if !last {
			out = s.reply(out, query, from, overTCP, now, true)
		}
		if len(out) > 0 && (last || len(out) >= perMessage || !waiting(in)) {
			if out = deliver(c, out); out == nil {
				return
			}
		}
		if last {
			return
		}
	}
}

// deliver writes replies, with time for each 64 KiB of them, and returns the room
// for the next; nil: the other side does not take them. The room of a transfer
// is given back.
func deliver(c net.Conn, out []byte) []byte {
	c.SetWriteDeadline(time.Now().Add(writeTime * time.Duration(1+len(out)/tcpSize)))
	if _, err := c.Write(out); err != nil {
		return nil
	}
	if cap(out) > tcpSize {
		return []byte{}
	}
	return out[:0]
}

// waiting reports that a whole message has come already.
func waiting(in *bufio.Reader) bool {
	if in.Buffered() < 2 {
		return false
	}
	size, err := in.Peek(2)
	return err == nil && in.Buffered() >= 2+number(size, 0)
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
