package node_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"evenkeel/agent/gossip"
	"evenkeel/agent/gossip/fabric"
	"evenkeel/agent/node"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// A farm is some machines on one fabric, in a bubble of fake time. Each is a
// real Node over a real Cluster; only what it measures is made up, and is a
// function of the time since the farm began.
type farm struct {
	t        *testing.T
	net      fabric.Fabric
	start    time.Time
	size     int                             // as the configuration lists it
	slept    map[string]func() time.Duration // by name; none: never
	machines []*machine
}

type machine struct {
	*node.Node
	cluster *gossip.Cluster
	log     bytes.Buffer // read it only after end
	stop    context.CancelFunc
	wg      sync.WaitGroup
}

// A load is what a machine holds at any time: connections, and places taken in
// a queue of 1000.
type load func(at time.Duration) (connections, queue int)

func steady(connections int) load { return func(time.Duration) (int, int) { return connections, 0 } }

const (
	limit = 4000
	ramp  = 10 * time.Second
)

func seat(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), 7946)
}

func seats(n int) (out []string) {
	for i := range n {
		out = append(out, seat(i+1).String())
	}
	return out
}

// newFarm starts machines mx1, mx2 …, one a load, that list each other.
func newFarm(t *testing.T, loads ...load) *farm { return newSleepyFarm(t, nil, loads...) }

// newSleepyFarm is a farm whose first machine sleeps.
func newSleepyFarm(t *testing.T, slept func() time.Duration, loads ...load) *farm {
	f := &farm{t: t, start: time.Now(), size: len(loads), slept: map[string]func() time.Duration{"mx1": slept}}
	for i, l := range loads {
		f.add(fmt.Sprint("mx", i+1), i+1, l, nil)
	}
	return f
}

// add starts a machine. What was said under its name before may be changed by
// former, which is nil in life.
func (f *farm) add(name string, n int, l load, former func(uint64) uint64) *machine {
	f.t.Helper()
	c, err := gossip.Start(gossip.Options{Name: name, Join: seats(f.size), Transport: f.net.Plug(seat(n)), Label: "farm", Slept: f.slept[name]})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(f.t.Context())
	m := &machine{cluster: c, stop: stop}
	m.Node = &node.Node{
		Name: name, Addrs: []netip.Addr{seat(n).Addr()}, Connections: limit,
		Zone: node.Zone{Name: "mail.test.", Answers: 1},
		Rules: balance.Rules{
			Degrade: 0.7, Recover: 0.55, Fail: 0.9, Hold: 180 * time.Second, Ramp: ramp, Farm: f.size,
			TTLMin: 5 * time.Second, TTLMax: 30 * time.Second,
		},
		Log:   slog.New(slog.NewTextHandler(&m.log, nil)), // only the loop writes
		Local: func(now time.Time) queue.Sample { return sample(l(now.Sub(f.start))) },
		Peers: func() []node.Heard { return heard(c) }, OwnBeat: c.OwnBeat, Tell: c.Tell,
		Slept: f.slept[name], Rejoin: c.Rejoin,
	}
	if former != nil {
		m.OwnBeat = func() uint64 { return former(c.OwnBeat()) }
	}
	m.wg.Go(func() { c.Run(ctx) })
	m.wg.Go(func() { m.Run(ctx) })
	f.machines = append(f.machines, m)
	return m
}

func sample(connections, depth int) queue.Sample {
	return queue.Sample{
		Sources: []queue.Status{{Name: "listener"}},
		Ports:   []queue.Port{{Number: 443, Open: connections}},
		Queues:  []queue.Queue{{Name: "0.0.0.0:443", Depth: depth, Limit: 1000}},
	}
}

func heard(c *gossip.Cluster) (out []node.Heard) {
	for _, h := range c.Heard() {
		out = append(out, node.Heard(h))
	}
	return out
}

// crash ends a machine without a word.
func (m *machine) crash() {
	m.stop()
	m.cluster.Close()
	m.wg.Wait()
}

// end crashes all, and waits until the last probe in flight has timed out: a
// bubble must be empty when its test returns. It may be called again.
func (f *farm) end() {
	for _, m := range f.machines {
		m.crash()
	}
	f.machines = nil
	time.Sleep(time.Minute)
}

// of is what m thinks of a node; the zero Standing if nothing.
func (m *machine) of(name string) balance.Standing {
	if v := m.View(); v != nil {
		for _, s := range v.Plan.Nodes {
			if s.Name == name {
				return s
			}
		}
	}
	return balance.Standing{}
}

func (m *machine) alone() bool { return m.View() != nil && m.View().Plan.Alone }

// fails is whether m's probe says no.
func (m *machine) fails() bool { return m.View() != nil && !m.View().Plan.Serve }

// sees is m's plan in a line, such as "mx1 up 0.50, mx2 down 0.00".
func (m *machine) sees() string {
	var out []string
	if v := m.View(); v != nil {
		for _, s := range v.Plan.Nodes {
			out = append(out, fmt.Sprintf("%s %v %.2f", s.Name, s.Status, s.Share))
		}
	}
	return strings.Join(out, ", ")
}

// even is whether all of who give each of names the same share, to within by.
func even(who []*machine, by float64, names ...string) bool {
	for _, m := range who {
		for _, name := range names {
			if math.Abs(m.of(name).Share-1/float64(len(names))) > by {
				return false
			}
		}
	}
	return true
}

func names(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("mx", i+1))
	}
	return out
}

const look = 100 * time.Millisecond

// within waits for something, and fails if it takes longer than the bound.
func (f *farm) within(bound time.Duration, what string, ok func() bool) {
	f.t.Helper()
	for start := time.Now(); !ok(); time.Sleep(look) {
		if time.Since(start) > bound {
			f.t.Fatalf("%s: not within %v; %s", what, bound, f.sees())
		}
	}
}

// during fails if something does not hold all the time.
func (f *farm) during(d time.Duration, what string, ok func() bool) {
	f.t.Helper()
	for start := time.Now(); time.Since(start) < d; time.Sleep(look) {
		if !ok() {
			f.t.Fatalf("%s: not after %v; %s", what, time.Since(start), f.sees())
		}
	}
}

func (f *farm) sees() string {
	var out []string
	for _, m := range f.machines {
		out = append(out, fmt.Sprintf("%s sees %s", m.Name, m.sees()))
	}
	return strings.Join(out, "; ")
}

// settle waits until all hear all and the slow starts are over.
func (f *farm) settle() {
	f.t.Helper()
	f.within(10*time.Second, "all hear all", func() bool {
		for _, m := range f.machines {
			for _, name := range names(f.size) {
				if !m.of(name).Heard {
					return false
				}
			}
		}
		return true
	})
	time.Sleep(2 * ramp)
}
