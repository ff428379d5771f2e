package main

import (
	"math/rand/v2"
	"time"
)

// A link is a socket of one port that is connected to the server. Neither call
// waits.
type link interface {
	// receive takes what is there; the octets are good until the next call.
	receive() ([][]byte, error)
	// send sends datagrams of one length that stand behind each other.
	send(b []byte, size int) error
}

// batch is the most that one call sends or receives.
const batch = 64

// A load is one run.
type load struct {
	q        question
	rate     int           // queries a second, evenly spaced; 0 = as many as are answered
	window   int           // queries under way at once, of all links, where there is no rate
	length   time.Duration // of the run
	patience time.Duration // after which a query is lost
	clock    func() time.Duration
}

// A client is a run under way.
type client struct {
	load
	links []link
	flows []*flow
	r     *rand.PCG
	out   []byte
	t     tally
	next  int           // open: the flow that asks next
	swept time.Duration // when the lost were last looked for
}

// run asks until its time is over, and waits for the last answers.
func (l load) run(links []link) (tally, error) {
	c := &client{load: l, links: links, r: rand.NewPCG(1, 2), out: make([]byte, batch*len(l.q.octets))}
	for range links {
		c.flows = append(c.flows, newFlow())
	}
	turn := c.closed
	if l.rate > 0 {
		turn = c.open
	}
	for now := c.clock(); now < c.length; now = c.clock() {
		if err := turn(now); err != nil {
			return c.t, err
		}
		c.sweep(now)
	}
	c.t.Took, c.t.InTime = c.clock(), c.t.Answered
	err := c.rest()
	c.t.close()
	return c.t, err
}

// closed keeps the window full: each flow its share, by what the last turn
// freed.
func (c *client) closed(time.Duration) error {
	for i, f := range c.flows {
		if err := c.hear(i); err != nil {
			return err
		}
		share := (c.window + i) / len(c.flows)
		if n := min(batch, share-f.underway()); n > 0 {
			if err := c.ask(i, n, c.clock()); err != nil {
				return err
			}
		}
	}
	return nil
}

// open asks what is due, each from the next port, however many wait for answers.
// Who is late with asking makes the answer late, too.
func (c *client) open(now time.Duration) error {
	due := int(now.Seconds() * float64(c.rate))
	for range min(batch, due-c.t.Sent) {
		i := c.next
		c.next = (c.next + 1) % len(c.flows)
		at := time.Duration(float64(c.t.Sent+1) / float64(c.rate) * 1e9)
		if now-at >= time.Millisecond {
			c.t.Late++
		}
		if err := c.ask(i, 1, at); err != nil {
			return err
		}
	}
	for i, f := range c.flows {
		if f.underway() == 0 {
			continue
		}
		if err := c.hear(i); err != nil {
			return err
		}
	}
	return nil
}

// ask sends n queries on a flow. One that finds no slot is lost: too many wait.
func (c *client) ask(i, n int, due time.Duration) error {
	size, b := len(c.q.octets), c.out[:0]
	for range n {
		c.t.Sent++
		r := c.r.Uint64()
		id, ok := c.flows[i].ask(due, r)
		if !ok {
			c.t.Lost++
			continue
		}
		b = b[:len(b)+size]
		c.q.put(b[len(b)-size:], id, r)
	}
	if len(b) == 0 {
		return nil
	}
	return c.links[i].send(b, size)
}

// hear takes the answers of a flow.
func (c *client) hear(i int) error {
	got, err := c.links[i].receive()
	if len(got) == 0 {
		return err
	}
	at := c.clock()
	for _, b := range got {
		c.flows[i].hear(c.q, b, at, &c.t)
	}
	return err
}

// sweep gives up on what is lost, now and then.
func (c *client) sweep(now time.Duration) {
	if now-c.swept < c.patience/8 {
		return
	}
	c.swept = now
	for _, f := range c.flows {
		f.forget(now-c.patience, &c.t)
	}
}

// rest waits for what is under way.
func (c *client) rest() error {
	for now := c.clock(); c.underway() > 0; now = c.clock() {
		for i := range c.flows {
			if err := c.hear(i); err != nil {
				return err
			}
		}
		c.sweep(now)
	}
	return nil
}

func (c *client) underway() (n int) {
	for _, f := range c.flows {
		n += f.underway()
	}
	return n
}
