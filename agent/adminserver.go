package main

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// What a stranger may take of listen.admin.
const (
	adminHeader = 16 << 10         // bytes of request line and headers; net/http adds 4 KiB
	adminSend   = 10 * time.Second // for a whole request; half of it for handshake and headers
	adminOpen   = 256              // connections at once
)

// serveHTTP serves h on l until ctx is done.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, says *slog.Logger) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: adminSend / 2, ReadTimeout: adminSend, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: adminHeader, ErrorLog: log.New(troubles{says}, "", 0),
		DisableGeneralOptionsHandler: true, // or "OPTIONS *" would be answered to anyone
	}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// troubles passes on what net/http has to say, but not that strangers cannot
// speak TLS: a port scan would fill the log.
type troubles struct{ log *slog.Logger }

// Write takes one line.
func (t troubles) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("TLS handshake error")) {
		t.log.Error("listen.admin", "err", string(bytes.TrimSpace(line)))
	}
	return len(line), nil
}

// A crowd is a listener that lets in no more than adminOpen at once; the rest
// is hung up on. Without a bound strangers could use up the files that the
// agent may open, and with them its other services.
type crowd struct {
	net.Listener
	places chan struct{}
}

func newCrowd(l net.Listener, most int) net.Listener { return crowd{l, make(chan struct{}, most)} }

// Accept waits for one for whom there is a place.
func (c crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case c.places <- struct{}{}:
			return &guest{Conn: conn, places: c.places}, nil
		default:
			conn.Close()
		}
	}
}

// A guest gives his place back when he leaves.
type guest struct {
	net.Conn
	places chan struct{}
	left   atomic.Bool
}

// Close may be called more than once, as that of any connection.
func (g *guest) Close() error {
	if g.left.CompareAndSwap(false, true) {
		<-g.places
	}
	return g.Conn.Close()
}
