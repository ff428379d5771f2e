package gossip

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"evenkeel/agent/gossip/fabric"
)

// A farm is some nodes on one fabric, in a bubble of fake time. Every node
// tells a Fact a second, and what it tells is the instant at which it does, so
// that a hearer can be held to the truth.
type farm struct {
	t     *testing.T
	net   fabric.Fabric
	nodes []*node
	slept map[string]func() time.Duration // by name; none: never
}

type node struct {
	*Cluster
	addr netip.AddrPort
	log  *journal
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// A journal keeps what is logged.
type journal struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, string(line))
	return len(line), nil
}

// logger writes info and above to j.
func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// having returns the lines that contain all of parts.
func (j *journal) having(parts ...string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, line := range j.lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			out = append(out, line)
		}
	}
	return out
}

// seat is the address of machine n.
func seat(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}), 7946)
}

// seats lists machines 1 to n as a configuration would.
func seats(n int) []string {
	var out []string
	for i := range n {
		out = append(out, seat(i+1).String())
	}
	return out
}

// newFarm starts n nodes, mx1 to mxn, that know each other's addresses.
func newFarm(t *testing.T, n int) *farm {
	f := &farm{t: t}
	for i := range n {
		f.add(fmt.Sprintf("mx%d", i+1), i+1, seats(n))
	}
	return f
}

// add starts a node that begins to count at the clock, as ours do.
func (f *farm) add(name string, machine int, join []string) *node {
	f.t.Helper()
	return f.addFrom(name, machine, join, uint64(time.Now().UnixMilli()))
}

func (f *farm) addFrom(name string, machine int, join []string, beat uint64) *node {
	f.t.Helper()
	log := &journal{}
	c, err := Start(Options{Name: name, Join: join, Transport: f.net.Plug(seat(machine)), Label: "farm", Log: log.logger(), Slept: f.slept[name]})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(f.t.Context())
	n := &node{Cluster: c, addr: seat(machine), log: log, stop: stop}
	n.wg.Go(func() { c.Run(ctx) })
	n.wg.Go(func() { n.tellEverySecond(ctx, beat) })
	f.nodes = append(f.nodes, n)
	return n
}

func (n *node) tellEverySecond(ctx context.Context, beat uint64) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ; ; beat++ {
		err := n.Tell(beat, binary.BigEndian.AppendUint64(nil, uint64(time.Now().UnixNano())))
		if err != nil && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrLeft) {
			panic(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// crash ends a node without a word.
func (n *node) crash() {
	n.stop()
	n.Close()
	n.wg.Wait()
}

// end crashes all, and waits until the last probe in flight has timed out: a
// bubble must be empty when its test returns.
func (f *farm) end() {
	for _, n := range f.nodes {
		n.crash()
	}
	time.Sleep(time.Minute)
}

// about is what n heard of a name; the zero Heard if nothing.
func (n *node) about(name string) Heard {
	for _, h := range n.Heard() {
		if h.Name == name {
			return h
		}
	}
	return Heard{}
}

// truth is when a Fact was told.
func (h Heard) truth() time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64(h.Fact)))
}

// fresh reports whether n hears a name as a member, with a Fact not older than age.
func (n *node) fresh(name string, age time.Duration) bool {
	h := n.about(name)
	return h.Member && h.Beat > 0 && time.Since(h.Born) <= age
}

// allFresh reports whether every node hears all others so.
func allFresh(nodes []*node, age time.Duration) bool {
	for _, n := range nodes {
		for _, o := range nodes {
			if o != n && !n.fresh(o.options.Name, age) {
				return false
			}
		}
	}
	return true
}

// within waits for something, and fails if it takes longer than the bound.
func (f *farm) within(bound time.Duration, what string, ok func() bool) {
	f.t.Helper()
	start := time.Now()
	for !ok() {
		if time.Since(start) > bound {
			f.t.Fatalf("%s: not within %v", what, bound)
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.t.Logf("%s: after %v", what, time.Since(start))
}
