package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"evenkeel/agent/config"
	"evenkeel/agent/demo"
	"evenkeel/dnsrr"
)

// Demo times: a farm's day in a minute.
const (
	demoTTL     = time.Second
	demoHold    = 5 * time.Second
	demoRamp    = 10 * time.Second
	demoSession = 20 * time.Second
	demoArrive  = 5 * time.Second
	demoCycle   = time.Minute // one stall in each, unless --for is shorter
	demoFill    = 0.6         // of all limits, by the clients
)

type demoFlags struct {
	nodes, clients int
	length         time.Duration
	json, equal    bool
}

func demoCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "demo", Short: "run a whole farm on this machine, with clients", Args: noArgs}
	var f demoFlags
	c.Flags().IntVar(&f.nodes, "nodes", 3, "how many nodes, 1 to 32; their limits are 1:1:2:1:1:2…")
	c.Flags().IntVar(&f.clients, "clients", 2000, "how many clients")
	c.Flags().DurationVar(&f.length, "for", 0, "end by itself after this time")
	c.Flags().BoolVar(&f.json, "json", false, "one JSON line a second on stdout")
	c.Flags().BoolVar(&f.equal, "equal", false, "give equal shares whatever the load: plain round robin, to compare with")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if f.nodes < 1 || f.nodes > 32 || f.clients < 1 {
			return fmt.Errorf("%w: --nodes is 1 to 32, --clients at least 1", errUsage)
		}
		return runDemo(c.Context(), e, f)
	}
	return c
}

func runDemo(ctx context.Context, e env, f demoFlags) error {
	if f.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.length)
		defer cancel()
	}
	farm, err := newDemoFarm(f, e.stderr)
	if err != nil {
		return err
	}
	defer farm.close()
	farm.introduce(e.stderr)

	g, ctx := errgroup.WithContext(ctx)
	for i, m := range farm.machines {
		g.Go(func() error { return m.server.Serve(ctx, m.listener) })
		g.Go(func() error { return farm.agents[i].run(ctx) })
	}
	g.Go(func() error { farm.crowd.Run(ctx); return nil })
	g.Go(func() error { farm.show(ctx, e.stdout); return nil })
	return g.Wait()
}

// A demoFarm is agents, the servers they stand beside, and the clients.
type demoFarm struct {
	flags    demoFlags
	machines []machine
	agents   []*agent
	crowd    *demo.Crowd
	began    time.Time
}

// A machine is one node's mail server.
type machine struct {
	addr     netip.Addr
	limit    int
	server   demo.Server
	listener net.Listener
}

func newDemoFarm(f demoFlags, stderr io.Writer) (d *demoFarm, err error) {
	d = &demoFarm{flags: f, began: time.Now()}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	port := uint16(0) // the first server takes a free one, the others the same on their own address
	for i := range f.nodes {
		m, err := newMachine(f, i, port)
		if err != nil {
			return d, hinted{err, "the demo gives every node an address of 127.0.0.0/8 of its own"}
		}
		port = uint16(m.listener.Addr().(*net.TCPAddr).Port)
		d.machines = append(d.machines, m)
	}
	for i, m := range d.machines {
		a, err := d.agent(i, m, port, stderr)
		if err != nil {
			return d, err
		}
		d.agents = append(d.agents, a)
	}
	d.crowd = d.clients(port)
	return d, nil
}

// newMachine opens the server of node i. The second one stalls for a while.
func newMachine(f demoFlags, i int, port uint16) (machine, error) {
	unit := weight(i)
	total := 0
	for n := range f.nodes {
		total += weight(n)
	}
	m := machine{
		addr:   netip.AddrFrom4([4]byte{127, 0, 0, byte(11 + i)}),
		limit:  max(1, int(float64(f.clients*unit)/float64(total)/demoFill)),
		server: demo.Server{Backlog: 40 * unit},
	}
	if i == 1 {
		m.server.Stalled = f.stalled
	}
	var err error
	m.listener, err = m.server.Listen(netip.AddrPortFrom(m.addr, port))
	return m, err
}

// weight is a node's capacity in units: 1:1:2 and so on.
func weight(i int) int {
	if i%3 == 2 {
		return 2
	}
	return 1
}

// stall is when the slow node is slow, in each cycle.
func (f demoFlags) stall() (cycle, from, to time.Duration) {
	cycle = demoCycle
	if f.length > 0 {
		cycle = min(cycle, f.length)
	}
	return cycle, cycle / 8, cycle/8 + cycle/10
}

func (f demoFlags) stalled(since time.Duration) bool {
	cycle, from, to := f.stall()
	since %= cycle
	return from <= since && since < to
}

// agent wires the agent of node i, which joins the first.
func (d *demoFarm) agent(i int, m machine, port uint16, stderr io.Writer) (*agent, error) {
	at := netip.AddrPortFrom(m.addr, 0)
	cfg := config.Config{
		File:    "demo",
		Node:    config.Node{Name: fmt.Sprintf("ex%02d", i+1), FQDN: fmt.Sprintf("ex%02d.mail.test", i+1), Addresses: []netip.Addr{m.addr}},
		Zone:    config.Zone{Name: "mail.test.", TTLMin: demoTTL, TTLMax: demoTTL},
		Listen:  config.Listen{DNS: []netip.AddrPort{at}, Health: []netip.AddrPort{at}, AgentCheck: []netip.AddrPort{at}, Admin: at, Gossip: at},
		Gossip:  config.Gossip{Label: "evenkeel demo"},
		Sources: config.Sources{Listener: config.Listener{Ports: []uint16{port}, Addresses: []netip.Addr{m.addr}}},
		Limits:  config.Limits{Connections: m.limit, Degrade: 0.70, Recover: 0.55, Fail: 0.90, Ramp: demoRamp},
		Health:  config.Health{Hold: demoHold},
	}
	if i > 0 {
		cfg.Gossip.Join = []string{d.agents[0].farm.Addr().String()}
	}
	a, err := wire(cfg, dnsrr.Records{}, demoLogger(d.flags, stderr), "cpu") // which all nodes here share
	if err != nil {
		return nil, err
	}
	a.node.Rules.Even = d.flags.equal
	return a, nil
}

// demoLogger is silent where the live table would be torn apart by log lines.
func demoLogger(f demoFlags, stderr io.Writer) *slog.Logger {
	if f.json {
		return slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	return slog.New(slog.DiscardHandler)
}

// clients ask all agents, from the addresses of six resolvers.
func (d *demoFarm) clients(port uint16) *demo.Crowd {
	c := &demo.Crowd{Clients: d.flags.clients, Name: "mail.test.", Port: port, Session: demoSession, Arrive: demoArrive}
	for _, a := range d.agents {
		c.DNS = append(c.DNS, a.sockets.dns.bound()...)
	}
	for i := range 6 {
		c.Askers = append(c.Askers, netip.AddrFrom4([4]byte{127, 0, 1, byte(1 + i)}))
	}
	return c
}

func (d *demoFarm) close() {
	for _, m := range d.machines {
		m.listener.Close()
	}
	for _, a := range d.agents {
		a.close()
	}
}

// introduce says what runs, where to look, and what will happen.
func (d *demoFarm) introduce(w io.Writer) {
	cycle, from, to := d.flags.stall()
	fmt.Fprintf(w, "a farm of %d nodes and %d clients; sessions of %v, TTL %v, hold %v, ramp %v\n",
		d.flags.nodes, d.flags.clients, demoSession, demoTTL, demoHold, demoRamp)
	if d.flags.nodes > 1 {
		fmt.Fprintf(w, "ex02 accepts nothing from %v to %v of every %v\n", from, to, cycle)
	}
	fmt.Fprintln(w, "each node's dashboard, and the ports of its DNS, probe and agent check:")
	for _, a := range d.agents {
		s := a.sockets
		fmt.Fprintf(w, "  %s http://%v/ dns :%d probe :%d agent check :%d\n", a.cfg.Node.Name, s.admin.Addr(),
			s.dns.bound()[0].Port(), portOf(s.health[0]), portOf(s.agentCheck[0]))
	}
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
