package health

import (
	"bytes"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// maxOpen is how many connections one listener keeps open. A farm has a handful
// of balancers; more is a mistake or an attack, and must not cost the mail
// service its file descriptors.
const maxOpen = 1024

// A door lets connections in while there is room, and watches what goes out.
type door struct {
	net.Listener
	counters *counters
	room     int64 // connections open at a time
	open     atomic.Int64
}

// Accept returns the next connection there is room for. The others are closed
// at once, which a prober sees sooner than a reply that never comes.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if d.open.Add(1) <= d.room {
			return &guest{Conn: c, door: d}, nil
		}
		d.open.Add(-1)
		d.counters.crowded.Add(1)
		c.Close()
	}
}

// A guest is a connection that notices when net/http refuses a request before
// any handler is called. There is no hook for that: the reply is all there is
// to see.
type guest struct {
	net.Conn
	door *door
	left sync.Once
}

// Close makes room for another, once.
func (g *guest) Close() error {
	g.left.Do(func() { g.door.open.Add(-1) })
	return g.Conn.Close()
}

// CloseWrite is there because net/http and the agent check look for it: they
// say the last word so that what the other side still sends does not destroy it.
func (g *guest) CloseWrite() error {
	if c, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// Write passes b on. net/http begins a Write with every reply, since ours fit
// its buffer.
func (g *guest) Write(b []byte) (int, error) {
	switch refusalIn(b) {
	case noHost:
		g.door.counters.withoutHost(g.from(), time.Now())
	case otherRefusal:
		g.door.counters.rejected.Add(1)
	}
	return g.Conn.Write(b)
}

func (g *guest) from() netip.Addr {
	if a, ok := g.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// A netRefusal is how net/http refuses a request itself.
type netRefusal uint8

const (
	noRefusal netRefusal = iota
	noHost
	otherRefusal
)

// refusalIn tells net/http's own replies from ours: they have none of our
// statuses. The words about the Host header are those of conn.serve and
// readRequest in net/http/server.go; a test notices if they change.
func refusalIn(b []byte) netRefusal {
	const at = len("HTTP/1.1 ")
	if len(b) < at+3 || !bytes.HasPrefix(b, []byte("HTTP/1.")) {
		return noRefusal
	}
	switch string(b[at : at+3]) {
	case "400":
		if bytes.HasPrefix(b[at:], []byte("400 Bad Request: missing required Host header")) {
			return noHost
		}
		return otherRefusal
	case "417", "431", "501", "505":
		return otherRefusal
	}
	return noRefusal
}
