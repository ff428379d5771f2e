package gate

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// What a front end may take.
const (
	patience   = 10 * time.Second         // to send a request
	maxHeld    = time.Minute              // the longest that a request is held: Exchange delays none for longer
	idle       = 10 * time.Minute         // between two requests; a front end that keeps connections for less closes them itself
	goodbye    = time.Second              // for replies under way when Serve ends
	answering  = maxHeld + 30*time.Second // for a reply, the time that it is held included
	maxRequest = 32 << 10                 // bytes of request line and headers, which are the client's: tickets of Kerberos are long
)

// Bounds are who may connect to a listener, and how many at once.
type Bounds struct {
	Connections int            // most that are served; a quarter more, and 16, are told that there is no room, and the rest is hung up on
	Allow       []netip.Prefix // who may connect, beside loopback
}

// Serve answers on l until ctx is done, and closes l; then it returns nil. An
// error means that l broke.
func (s *Server) Serve(ctx context.Context, l net.Listener, b Bounds) error {
	srv := &http.Server{
		Handler:        s,
		ReadTimeout:    patience,
		WriteTimeout:   answering,
		IdleTimeout:    idle,
		MaxHeaderBytes: maxRequest,
		ErrorLog:       log.New(io.Discard, "", 0), // Stats tells
		ConnContext:    guestContext,
		// Or else "OPTIONS *" is answered with 200, whoever asks.
		DisableGeneralOptionsHandler: true,
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		shutdown(srv)
	})
	err := srv.Serve(&door{Listener: l, counters: &s.counters, bounds: b})
	if stop() {
		srv.Close()
		return fmt.Errorf("gate on %v: %w", l.Addr(), err)
	}
	<-stopped
	return nil
}

// shutdown lets replies finish, but waits for none that is held.
func shutdown(srv *http.Server) {
	late, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if srv.Shutdown(late) != nil {
		srv.Close()
	}
}

// A door lets connections in while there is room.
type door struct {
	net.Listener
	counters *counters
	bounds   Bounds
	open     atomic.Int64
}

// Accept returns the next connection of who may connect. One too many is a
// [guest] without a place.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !d.admits(c.RemoteAddr()) {
			d.counters.foreign.Add(1)
			c.Close()
			continue
		}
		room, open := d.bounds.Connections, int(d.open.Add(1))
		if open <= room+room/4+16 {
			return &guest{Conn: c, open: &d.open, room: room, crowded: open > room}, nil
		}
		d.open.Add(-1)
		d.counters.crowded.Add(1)
		c.Close()
	}
}

// admits says that a may connect.
func (d *door) admits(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return true // no network: a listener of a test, or a socket of this machine
	}
	ip := t.AddrPort().Addr().Unmap().WithZone("")
	return ip.IsLoopback() || slices.ContainsFunc(d.bounds.Allow, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// A guest makes room when he leaves.
type guest struct {
	net.Conn
	open    *atomic.Int64
	left    atomic.Bool
	room    int  // the places of his door
	crowded bool // there was none for him: he is told so, and no more
}

// Close may be called more than once, as that of any connection.
func (g *guest) Close() error {
	if g.left.CompareAndSwap(false, true) {
		g.open.Add(-1)
	}
	return g.Conn.Close()
}

// CloseWrite is there because net/http looks for it: the last word is said so
// that what the other side still sends does not destroy it.
func (g *guest) CloseWrite() error {
	if c, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// A guestKey is under what the context of a connection has its guest.
type guestKey struct{}

func guestContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, guestKey{}, c)
}

// guestOf is who asks; nil where no [door] let him in.
func guestOf(ctx context.Context) *guest {
	g, _ := ctx.Value(guestKey{}).(*guest)
	return g
}
