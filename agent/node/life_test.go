package node

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// A world is a function of time: what one node, ex01, meets at any moment after
// its start. Nil functions say that nothing happens.
type world struct {
	sample  func(at time.Duration) queue.Sample
	others  func(at time.Duration) []Heard
	ownBeat func(at time.Duration) uint64
	slept   func(at time.Duration) time.Duration
	refuse  func(at time.Duration) error // what Tell says
	drain   time.Duration                // when to drain; 0: never
	zone    string                       // "": mail.test.

	change func(n *Node, at func() time.Duration) // what else is another; nil: nothing
}

// A life is what the outside saw of the node.
type life struct {
	start  time.Time
	shown  []moment // one a beat
	tables []*dnsrr.Table
	facts  []telling       // every attempt to tell
	log    string          // without times, a line a record
	joined []time.Duration // when the farm was to be joined anew
	last   *View
}

type moment struct {
	at     time.Duration
	report health.Report
	table  *dnsrr.Table
}

type telling struct {
	at   time.Duration
	beat uint64
	fact Fact
	size int
}

func rules() balance.Rules {
	return balance.Rules{
		Degrade: 0.7, Recover: 0.55, Fail: 0.9, Hold: 180 * time.Second, Ramp: 5 * time.Minute,
		TTLMin: 5 * time.Second, TTLMax: 30 * time.Second,
	}
}

// live runs the node in w for d of fake time.
func live(t *testing.T, w world, d time.Duration) (l life) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l.start = time.Now()
		n := l.node(t, w, &log)
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		if w.drain > 0 {
			time.AfterFunc(w.drain, func() { n.Drain(-1) })
		}
		n.Run(ctx)
		l.log, l.last = log.String(), n.View()
	})
	return l
}

// node is wired as the agent wires it, but to w and l.
func (l *life) node(t *testing.T, w world, log *bytes.Buffer) *Node {
	at := func() time.Duration { return time.Since(l.start) }
	n := &Node{
		Name: "ex01", FQDN: "ex01.test", Addrs: []netip.Addr{address(1)}, Rules: rules(), Connections: 4000,
		Zone: Zone{Name: "mail.test.", Answers: 1},
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
		Local: func(now time.Time) queue.Sample { return w.sample(now.Sub(l.start)) },
		Tell:  func(beat uint64, fact []byte) error { return l.tell(t, w, at(), beat, fact) },
		DNS:   func(table *dnsrr.Table) { l.tables = append(l.tables, table) },
		Health: func(r health.Report) {
			l.shown = append(l.shown, moment{at(), r, l.newest()})
		},
		Rejoin: func() { l.joined = append(l.joined, at()) },
	}
	if w.zone != "" {
		n.Zone.Name = w.zone
	}
	if w.others != nil {
		n.Peers = func() []Heard { return w.others(at()) }
	}
	if w.slept != nil {
		n.Slept = func() time.Duration { return w.slept(at()) }
	}
	if w.ownBeat != nil {
		n.OwnBeat = func() uint64 { return w.ownBeat(at()) }
	}
	if w.change != nil {
		w.change(n, at)
	}
	return n
}

func (l *life) newest() *dnsrr.Table {
	if len(l.tables) == 0 {
		return nil
	}
	return l.tables[len(l.tables)-1]
}

func (l *life) tell(t *testing.T, w world, at time.Duration, beat uint64, b []byte) error {
	f, err := decodeFact(b)
	if err != nil {
		t.Errorf("%v: told what cannot be read: %v", at, err)
	}
	l.facts = append(l.facts, telling{at, beat, f, len(b)})
	if w.refuse == nil {
		return nil
	}
	return w.refuse(at)
}

// story is what show makes of every beat, where it changes.
func (l life) story(show func(moment) string) string {
	var out []string
	last := ""
	for _, m := range l.shown {
		if now := show(m); now != last {
			out, last = append(out, fmt.Sprint(m.at, " ", now)), now
		}
	}
	return strings.Join(out, ", ")
}

// at is what was shown at that time.
func (l life) at(d time.Duration) moment {
	i, _ := slices.BinarySearchFunc(l.shown, d+1, func(m moment, d time.Duration) int { return int(m.at - d) })
	return l.shown[i-1]
}

// probed is the status that a balancer gets, and what it is told of the state.
func probed(m moment) string {
	p := m.report.Page(health.Request{Method: "GET", Path: "/mapi/healthcheck.htm"})
	return fmt.Sprint(p.Status, " ", m.report.State, " ", word(m.report.Reason))
}

const askers = 1000

// answers counts who is answered to a thousand askers spread evenly over all
// numbers: an exact count of shares, and no sample.
func answers(m moment) map[string]int {
	got := map[string]int{}
	q := new(dns.Msg).SetQuestion("mail.test.", dns.TypeA)
	for i := range uint64(askers) {
		r := m.table.Answer(q, dnsrr.Asker{Number: i * (1<<64/askers + 1)}, true)
		for _, rr := range r.Answer {
			got["ex0"+rr.(*dns.A).A.String()[len("192.0.2."):]]++
		}
	}
	return got
}

func address(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// holding is a sample of connections, and of one queue of 1000 places.
func holding(connections, depth int, slope float64) queue.Sample {
	return queue.Sample{
		Sources: []queue.Status{{Name: "listener"}},
		Ports:   []queue.Port{{Number: 443, Open: connections}},
		Queues:  []queue.Queue{{Name: "0.0.0.0:443", Depth: depth, Limit: 1000, Slope: slope}},
	}
}

func calm(time.Duration) queue.Sample { return holding(2000, 0, 0) }

// neighbours are ex02 and ex03, well and half full, heard this moment.
func neighbours(at time.Duration) (out []Heard) {
	for n := 2; n <= 3; n++ {
		b, err := appendFact(nil, Fact{
			Fact:  balance.Fact{Status: balance.Up, Connections: 2000, Limit: 4000, QueueLimit: 1000, Load: 0.5, Up: time.Hour, Steady: time.Minute},
			Addrs: []netip.Addr{address(n)},
		})
		if err != nil {
			panic(err)
		}
		out = append(out, Heard{Name: fmt.Sprint("ex0", n), Member: true, Beat: uint64(at/Beat) + 1, Born: time.Now(), Fact: b})
	}
	return out
}

// between is whether at is from a on and before b.
func between(at, a, b time.Duration) bool { return a <= at && at < b }
