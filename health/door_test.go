package health

import (
	"io"
	"net"
	"testing"
)

// A queue is a listener before which these stand.
type queue struct {
	net.Listener
	waiting []func() net.Conn
}

func (q *queue) Accept() (net.Conn, error) {
	if len(q.waiting) == 0 {
		return nil, net.ErrClosed
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	return next(), nil
}

// A door lets in as many as there is room for, and again when one has left.
func TestDoorIsFull(t *testing.T) {
	var first net.Conn
	theirs := make([]net.Conn, 3)
	enter := func(i int) net.Conn {
		ours, other := net.Pipe()
		theirs[i] = other
		return ours
	}
	var n counters
	d := &door{counters: &n, room: 1, Listener: &queue{waiting: []func() net.Conn{
		func() net.Conn { return enter(0) },
		func() net.Conn { return enter(1) },
		func() net.Conn {
			first.Close()
			first.Close() // leaving twice makes no room for two
			return enter(2)
		},
	}}}

	first, _ = d.Accept()
	if _, err := d.Accept(); err != nil {
		t.Fatal(err)
	}
	if open, crowded := d.open.Load(), n.crowded.Load(); open != 1 || crowded != 1 {
		t.Errorf("%d open and %d turned away, want 1 and 1", open, crowded)
	}
	if got, err := io.ReadAll(theirs[1]); len(got) != 0 || err != nil {
		t.Errorf("turned away with %q, %v; want a plain close", got, err)
	}
	if _, err := d.Accept(); err != net.ErrClosed {
		t.Errorf("behind the last: %v, want the listener's own error", err)
	}
}

// net/http's way of saying no has to be recognised by its words.
func TestRefusalIn(t *testing.T) {
	for reply, want := range map[string]netRefusal{
		"HTTP/1.1 400 Bad Request: missing required Host header\r\n": noHost,
		"HTTP/1.1 400 Bad Request\r\n":                               otherRefusal,
		"HTTP/1.0 417 Expectation Failed\r\n":                        otherRefusal,
		"HTTP/1.1 431 Request Header Fields Too Large\r\n":           otherRefusal,
		"HTTP/1.1 404 Not Found\r\n":                                 noRefusal,
		"HTTP/1.1 200 OK\r\n":                                        noRefusal,
		"up ready 73%\n":                                             noRefusal,
		"HTTP/1.1 40":                                                noRefusal,
		"":                                                           noRefusal,
		"400 400 400 400 400":                                        noRefusal,
	} {
		if got := refusalIn([]byte(reply)); got != want {
			t.Errorf("%q: %d, want %d", reply, got, want)
		}
	}
}
