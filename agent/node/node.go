// Package node is the agent's one loop: look, decide, show.
//
//	queue, gossip ──▶ Observation ──▶ balance.Decide ──▶ Plan ──▶ dnsrr, health, gossip
//
// Everything that judges is in package balance. This package carries values
// from where they are measured to where they are shown; translate.go puts each
// into the words of the next, and wire.go into bytes for the farm.
//
// Start with [Node.Run].
package node

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/dnsrr/dnssec"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// Beat is the period of the loop (design of the balance law: all marks, slopes
// and heartbeats are made for it).
const Beat = 500 * time.Millisecond

// A Node is one machine of the farm. Its functions must not block. Local and
// Log are needed; other functions that are nil are left out.
type Node struct {
	Name  string
	FQDN  string       // shown on healthcheck.htm
	Addrs []netip.Addr // what DNS hands out for this node
	Zone  Zone
	Rules balance.Rules

	Services []Service // protocols judged one by one; none: the node is judged as a whole

	Log *slog.Logger

	Connections int             // the limit of connections
	Learn       bool            // it is learnt, and begins at Connections
	Learner     balance.Learner // what was learnt before Run
	QueueLimit  int             // places in every queue; 0: as discovered

	// Where a beat looks.
	Local   func(now time.Time) queue.Sample
	Peers   func() []Heard                     // sorted by name
	OwnBeat func() uint64                      // the highest beat heard under our own name
	Asked   func() (percent int, at time.Time) // the lowest ?max=N of late
	Covered func() time.Duration               // the TTLs of all DNS answers so far, added up
	Unwell  func() map[string]Failure          // services whose probe fails; the map is not written to
	Slept   func() time.Duration               // see [Sleep.Slept]; Peers must count by the same one

	// Where a beat shows what was decided.
	Tell   func(beat uint64, fact []byte) error
	DNS    func(*dnsrr.Table)
	Health func(health.Report)
	Rejoin func()      // this machine stood still: what the cluster thinks of it, and it of the cluster, is old
	Kept   func(Drain) // a drain began or ended; called by whoever said so

	drain atomic.Pointer[Drain]
	asks  atomic.Pointer[asking]
	wake  atomic.Pointer[chan struct{}]
	other atomic.Pointer[func(*Node)]
	view  atomic.Pointer[View]
}

// A Zone is what of a DNS answer does not come from the plan.
type Zone struct {
	Name    string    // fully qualified
	Answers int       // see [dnsrr.Set]
	Loaded  time.Time // by the wall clock, when it was read; another instant is another content, and raises the serial
	Records dnsrr.Records
	Signer  *dnssec.Signer // nil: the zone is not signed
}

// A View is what one beat saw and decided. It is never changed.
type View struct {
	At     time.Time
	Name   string
	Beat   uint64
	Sample queue.Sample
	Plan   balance.Plan
	Addrs  map[string][]netip.Addr // of every node of the plan

	Serial   uint32              // of the zone's SOA
	Services []Carried           // how each stands at this node, as configured
	Lacks    map[string][]string // by node: services that it does not carry now

	Learner balance.Learner // what this node learnt of its limit, whether it goes by it or not
	Longest time.Duration   // TTL of any answer: a resolver may hold one from before for so long
	Answers int             // most addresses in one of them, see [Zone]
	Returns uint64          // how often this machine stood still, and went on, since Run began
}

// View returns what the last beat saw and decided, or nil before the first.
func (n *Node) View() *View { return n.view.Load() }

// hurry brings the next beat about at once.
func (n *Node) hurry() {
	if c := n.wake.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default: // one is on its way
		}
	}
}

// Run beats until ctx is done. The first beat is at once.
func (n *Node) Run(ctx context.Context) {
	wake := make(chan struct{}, 1)
	n.wake.Store(&wake)
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	mem := memory{beat: uint64(time.Now().UnixMilli()), learner: n.Learner} // a restarted node outranks its former self
	mem.first = mem.beat
	for {
		mem = n.beat(time.Now(), mem)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-wake:
		}
	}
}

// memory is what one beat leaves to the next.
type memory struct {
	beat   uint64
	first  uint64 // higher than all beats of a former self
	state  balance.State
	told   Fact              // the last one sent
	toldAt time.Time         // zero: none yet
	turned turned            // refusals, by queue that is measured
	logged turned            // likewise those that logs report of others
	opened bool              // all ports were once open
	closed time.Time         // since when a port is closed; zero: none is
	obeyed map[string]uint64 // the last Ask carried out, by asker
	serial serial
	living living
	ports  map[string]listens // by service
	said   said               // what the log has said, so that only changes are
	last   *View

	learner balance.Learner

	pace    pace   // of the clocks at the last beat
	returns uint64 // see [View]
}

// Change has the loop call f before its next beat, which is at once: the only
// way to change the fields of a Node that runs. A newer f takes the place of one
// that was not called yet, so each must set all that may change.
func (n *Node) Change(f func(*Node)) {
	n.other.Store(&f)
	n.hurry()
}

func (n *Node) beat(now time.Time, mem memory) memory {
	if f := n.other.Swap(nil); f != nil {
		(*f)(n)
	}
	if own := call(n.OwnBeat); own > mem.beat { // a former self's, of before the clock was set back
		mem.beat, mem.first = own, own+1
	}
	mem.beat++
	sample := n.Local(now)
	nodes, facts, unread := nodesOf(n.peers())
	counted := n.counted(now)
	mem.obeyed = n.obey(mem.obeyed, mem.first, nodes, facts, counted)
	mem.learner = mem.learner.From(n.start())
	own := n.measure(now, sample)
	own.Limit = cmp.Or(mem.learner.Limit(), own.Limit)
	measured, others := parted(sample.Queues)
	mem.turned, mem.logged = mem.turned.see(measured), mem.logged.see(others)
	own.Refused, own.Reported = mem.turned.sum, mem.logged.sum
	if n.Covered != nil {
		own.Covered = n.Covered()
	}
	mem, services, broken := n.serves(now, mem, sample)
	own.Broken = broken
	mem.serial = mem.serial.see(now, mem.living.changed(now.Round(0), n.Zone), serialsOf(facts))

	var plan balance.Plan
	mem.state, plan = balance.Decide(n.Rules, mem.state, balance.Observation{
		Now: counted, Name: n.Name, Beat: mem.beat, Own: own, Nodes: nodes,
	})

	mem = mem.learn(counted, own, plan)
	view := n.seen(now, mem, facts, services)
	view.Sample, view.Plan = sample, plan
	mem.living = mem.living.see(now.Round(0), whoOf(view))
	mem = n.notice(view, pace{counted, now.Round(0)}, mem)
	view.Returns, view.Learner = mem.returns, mem.learner
	mem = n.show(view, mem)
	mem.said = n.say(mem.said, mem.last, view, unread)
	mem.last = view
	return mem
}

// seen begins the view of a beat.
func (n *Node) seen(now time.Time, mem memory, facts map[string]Fact, services []Carried) *View {
	return &View{
		At: now, Name: n.Name, Beat: mem.beat, Addrs: addrsOf(facts, n.Name, n.Addrs), Longest: n.Rules.TTLMax, Answers: n.Zone.Answers,
		Serial: mem.serial.at, Services: services, Lacks: lacksBy(facts, n.Name, lacksOf(services)),
	}
}

// since is the instant at which what holds now began; zero when it does not hold.
func since(before, now time.Time, holds bool) time.Time {
	switch {
	case !holds:
		return time.Time{}
	case before.IsZero():
		return now
	}
	return before
}

func call(f func() uint64) uint64 {
	if f == nil {
		return 0
	}
	return f()
}

func (n *Node) peers() []Heard {
	if n.Peers == nil {
		return nil
	}
	return n.Peers()
}

func (n *Node) measure(now time.Time, s queue.Sample) balance.Measure {
	m := measureOf(s, n.Connections, n.QueueLimit)
	d := n.Drained()
	m.Draining, m.Drained = !d.Since.IsZero(), d.over(now)
	if n.Asked != nil {
		if percent, at := n.Asked(); percent > 0 && now.Sub(at) < time.Minute {
			m.Ladder = float64(percent) / 100
		}
	}
	return m
}

// show publishes the view: the own Fact first, since the others must know what
// this node grants or withdraws before anyone acts on it.
func (n *Node) show(v *View, mem memory) memory {
	mem = n.tell(v, mem)
	if n.DNS != nil {
		t, err := dnsrr.Compile(setOf(n.Zone, n.Services, v))
		if err == nil {
			n.DNS(t)
			mem.said = n.sayHidden(mem.said, t.Hidden())
		}
		mem.said = n.sayOnce(mem.said, "dns table refused, the last one stays", err)
	}
	if n.Health != nil {
		n.Health(reportOf(n.Name, n.FQDN, v.Plan))
	}
	n.view.Store(v)
	return mem
}

// tell sends the own Fact when it has news, and as a heartbeat, at the beat that
// is nearest: a beat comes a little early or late, and to wait for the next one
// would let every other heartbeat be half a second late.
func (n *Node) tell(v *View, mem memory) memory {
	f := Fact{Fact: v.Plan.Own, Addrs: n.Addrs, Ask: n.asked(n.counted(v.At)), Serial: v.Serial, Lacks: lacksOf(v.Services)}
	due := v.At.Sub(mem.toldAt) >= balance.Heartbeat(len(v.Plan.Nodes))-Beat/2
	if n.Tell == nil || !due && !mem.toldAt.IsZero() && !news(mem.told, f) {
		return mem
	}
	b, err := appendFact(nil, f)
	if err == nil {
		err = n.Tell(v.Beat, b)
	}
	mem.told, mem.toldAt = f, v.At
	mem.said = n.sayOnce(mem.said, "not told to the farm", err)
	return mem
}

// news says that f is worth sending at once: another status, wish or grant, or
// a change by at least 5 % of a limit.
func news(told, f Fact) bool {
	return f.Status != told.Status || f.Why != told.Why || f.Wish != told.Wish || f.Grant != told.Grant || f.Ask != told.Ask ||
		f.Serial != told.Serial || !slices.Equal(f.Lacks, told.Lacks) || !slices.Equal(f.Addrs, told.Addrs) ||
		moved(f.Connections, told.Connections, f.Limit) || moved(f.Queue, told.Queue, f.QueueLimit)
}

func moved(now, before, limit int) bool { return 20*max(now-before, before-now) >= max(1, limit) }
