package e2e

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"evenkeel/policy/balance"
	"evenkeel/policy/balance/sim"
)

// The simulator against the real thing: the same clients, the same farm, and a
// third node that comes when the two others hold them all.
const (
	modelClients = 600
	modelSession = 8 * time.Second // mean, without memory
	modelWindows = 45              // of a second, from the third node's start
	modelEarly   = 25 * time.Second
	modelStorm   = 6 * time.Second // in which all come
)

func modelStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "model", 600, 600, 1200)
	resolver := f.unbound(t, 1)
	a, b, c := f.nodes[0], f.nodes[1], f.nodes[2]
	a.start(t)
	b.start(t)
	a.sees(t, b, "past its ramp", func(s standing) bool { return s.State == "up" && s.Why == "" && math.Abs(s.Share-0.5) < 0.01 })
	began := time.Now()
	f.inhabit(t, resolver)
	time.Sleep(time.Until(began.Add(modelEarly))) // the time that the simulated clients are given too
	c.start(t)
	c.sees(t, c, "itself", func(s standing) bool { return s.State == "up" })

	var real [3]float64
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for range modelWindows {
		<-tick.C
		s := a.status()
		var held [3]float64
		for i, n := range f.nodes {
			if k := s.of(n.id).Connections; k != nil {
				held[i] = float64(*k)
			}
		}
		addShares(&real, held, modelWindows)
	}
	played := modelled(t)
	t.Logf("mean shares of all connections: real %.3f, simulated %.3f", real, played)
	for i, n := range f.nodes {
		if math.Abs(real[i]-played[i]) > 0.05 {
			t.Errorf("%s held %.3f of all connections, simulated %.3f, want within 5 %% of all", n.id, real[i], played[i])
		}
	}
}

// inhabit gives the farm its clients, who hold a connection, and take another
// when it ends, until the end of the test.
func (f *farm) inhabit(t *testing.T, resolver int) {
	ctx, stop := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	t.Cleanup(func() { stop(); clients.Wait() })
	for i := range modelClients {
		chance := rand.New(rand.NewPCG(1, uint64(i)))
		clients.Go(func() {
			pause(ctx, modelStorm*time.Duration(i)/modelClients)
			for ctx.Err() == nil {
				f.stay(ctx, resolver, chance, time.Duration(chance.ExpFloat64()*float64(modelSession)))
			}
		})
	}
}

// stay is one session. One that finds nobody comes again a moment later.
func (f *farm) stay(ctx context.Context, resolver int, chance *rand.Rand, d time.Duration) {
	wait := 100 * time.Millisecond
	addrs, err := f.lookup(hubAddr(resolver))
	if err == nil && len(addrs) > 0 {
		if conn, err := f.hub.dial(ctx, "tcp", addrs[chance.IntN(len(addrs))]+":25"); err == nil {
			defer conn.Close()
			wait = d
		}
	}
	pause(ctx, wait)
}

// modelled are the same mean shares in simulated time.
func modelled(t *testing.T) (shares [3]float64) {
	s := sim.Scenario{
		Name: "model", For: modelEarly + modelWindows*time.Second, From: modelEarly,
		TTL: sim.TTL{Min: ttl, Max: ttl}, Gossip: sim.Gossip{Delay: 200 * time.Millisecond},
		Rules:     balance.Rules{Degrade: 0.7, Recover: 0.55, Fail: 0.9, Hold: hold, Ramp: ramp},
		Resolvers: []sim.Resolver{{Share: 1}},
		Clients:   sim.Clients{N: modelClients, Storm: modelStorm, Session: modelSession, Again: 100 * time.Millisecond},
		Events:    []sim.Event{{Do: sim.Crash, Nodes: []string{"c"}, For: modelEarly}},
	}
	for i, limit := range []int{600, 600, 1200} { // its sessions are two connections each
		s.Nodes = append(s.Nodes, sim.Node{Name: fmt.Sprintf("%c", 'a'+i), Limit: 2 * limit, Service: 1000, Queue: backlog})
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	rule, _ := sim.Find("evenkeel")
	r := sim.Play(s, rule, 1, nil)
	first := int(modelEarly / r.Series.Every)
	for k := first; k < len(r.Series.Ideal); k++ {
		var held [3]float64
		for i, fill := range r.Series.Fill {
			held[i] = fill[k] * float64(s.Nodes[i].Limit)
		}
		addShares(&shares, held, len(r.Series.Ideal)-first)
	}
	return shares
}

// addShares adds what part each node holds, in one of so many windows, to the mean.
func addShares(mean *[3]float64, held [3]float64, windows int) {
	for i := range mean {
		mean[i] += held[i] / (held[0] + held[1] + held[2]) / float64(windows)
	}
}
