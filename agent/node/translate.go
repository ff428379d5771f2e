package node

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// This file puts the words of each room into those of the next. All of it is
// pure; it is the one place to look when a number seems to change its meaning
// on the way.

// places is the limit of a queue that nobody can tell: what IIS gives an
// application pool (queueLength, default 1000).
const places = 1000

// measureOf is what the law needs of a Sample. Not measurable is not zero: no
// ports at all means that connections could not be counted. queueLimit is for
// every queue; 0 is each queue's own, as discovered. Refusals need a memory and
// are counted by turned.
func measureOf(s queue.Sample, connections, queueLimit int) balance.Measure {
	m := balance.Measure{
		Blind:       blind(s),
		Connections: balance.Unmeasured,
		Arrived:     s.Arrived,
		Limit:       connections,
	}
	for i, p := range s.Ports {
		if i == 0 {
			m.Connections = 0
		}
		m.Connections += p.Open
	}
	for _, q := range s.Queues {
		if q.Depth == queue.Unmeasured {
			continue // of a log: its refusals count, as turned sees them; to call it empty would be a guess
		}
		limit := cmp.Or(queueLimit, q.Limit, places)
		m.Queues = append(m.Queues, balance.Queue{Depth: q.Depth, Limit: limit, Slope: q.Slope})
	}
	for _, g := range s.Gauges {
		m.Gauges = append(m.Gauges, balance.Gauge{Name: g.Name, Value: g.Value, Limit: g.Limit})
	}
	return m
}

// blind reports that no source can be read that measures load: logs tell of who
// was turned away, and not how much there is to do.
func blind(s queue.Sample) bool {
	return !slices.ContainsFunc(s.Sources, func(src queue.Status) bool {
		return !src.Logs && !slices.ContainsFunc(s.Faults, func(f queue.Fault) bool { return f.Source == src.Name })
	})
}

// restart is how long a port that the operator named may be closed before its
// service counts as broken: as long as a restart takes.
const restart = 2 * time.Second

// brokenOf names the service that is not there: a port that the operator asked
// to be measured, and on which nothing listens. closed is since when. One that
// was never open is no restart: the agent came before its server, and clients
// must not be sent there.
func brokenOf(now, closed time.Time, opened bool, ports []uint16) string {
	if len(ports) == 0 || opened && now.Sub(closed) < restart {
		return ""
	}
	return fmt.Sprintf("port %d", ports[0])
}

// A Heard is what came from another node, before it is read.
type Heard struct {
	Name   string
	Member bool      // the cluster counts it as alive
	Left   bool      // it said goodbye
	Beat   uint64    // of Fact
	Born   time.Time // when the Fact was new, by this machine's clock
	Fact   []byte    // nil: none yet
}

// nodesOf reads what was heard. A Fact that cannot be read counts as none; its
// node is still known, and so nobody fails as if it were not there. The same
// goes for a name that cannot stand in the zone: for one such node DNS would
// refuse the whole table, and a grant to it could not travel.
func nodesOf(heard []Heard) (nodes []balance.Node, facts map[string]Fact, unread []string) {
	facts = make(map[string]Fact, len(heard))
	for _, h := range heard {
		n := balance.Node{Name: h.Name, Member: h.Member, Left: h.Left}
		if h.Fact != nil {
			f, err := decodeFact(h.Fact)
			if err != nil || !label(h.Name) {
				unread = append(unread, h.Name)
			} else {
				n.Born, n.Fact = h.Born, f.Fact
				n.Beat = h.Beat
				facts[h.Name] = f
			}
		}
		nodes = append(nodes, n)
	}
	return nodes, facts, unread
}

// addrsOf is what DNS hands out for each node.
func addrsOf(facts map[string]Fact, self string, own []netip.Addr) map[string][]netip.Addr {
	addrs := make(map[string][]netip.Addr, len(facts)+1)
	for name, f := range facts {
		addrs[name] = f.Addrs
	}
	addrs[self] = own
	return addrs
}

// label reports whether name is what every node is called: a DNS label of
// small letters, digits and inner hyphens.
func label(name string) bool {
	for i := range len(name) {
		c := name[i]
		inner := c == '-' && i > 0 && i < len(name)-1
		if !(inner || '0' <= c && c <= '9' || 'a' <= c && c <= 'z') {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// setOf is what DNS answers under the plan.
func setOf(z Zone, services []Service, v *View) dnsrr.Set {
	s := dnsrr.Set{
		Zone: z.Name, Agent: v.Name, TTL: v.Plan.TTL, MaxTTL: v.Longest, Answers: z.Answers, Serial: v.Serial, Records: z.Records, Signer: z.Signer,
	}
	for _, svc := range services {
		out := dnsrr.Service{Name: svc.Name, SRV: svc.SRV}
		if len(svc.Ports) > 0 {
			out.Port = svc.Ports[0]
		}
		s.Services = append(s.Services, out)
	}
	for _, n := range v.Plan.Nodes {
		if !n.Heard {
			continue
		}
		s.Targets = append(s.Targets, dnsrr.Target{
			Name: n.Name, Addrs: v.Addrs[n.Name], Share: n.Share, Fair: n.Fair, Lacks: known(v.Lacks[n.Name], services),
			Gone: n.Status == balance.Down, Why: whyOf(n, v.Lacks[n.Name]),
		})
	}
	return s
}

// known are those names that are services here: others may have another
// configuration, and what they lack of it is nothing to this zone.
func known(names []string, services []Service) (out []string) {
	for _, svc := range services {
		if slices.Contains(names, svc.Name) {
			out = append(out, svc.Name)
		}
	}
	return out
}

// lacksBy is what each node lacks.
func lacksBy(facts map[string]Fact, self string, own []string) map[string][]string {
	lacks := make(map[string][]string)
	for name, f := range facts {
		if len(f.Lacks) > 0 {
			lacks[name] = f.Lacks
		}
	}
	if delete(lacks, self); len(own) > 0 {
		lacks[self] = own
	}
	return lacks
}

// serialsOf is every serial that others told.
func serialsOf(facts map[string]Fact) (out []uint32) {
	for _, f := range facts {
		if f.Serial != 0 {
			out = append(out, f.Serial)
		}
	}
	return out
}

// whyOf is a node's line in the _why TXT record.
func whyOf(n balance.Standing, lacks []string) string {
	line := fmt.Sprintf("%s state=%v share=%.3f why=%s age=%.1fs", n.Name, n.Status, n.Share, word(n.Why), n.Age.Seconds())
	if len(lacks) > 0 {
		line += " lacks=" + strings.Join(lacks, ",")
	}
	return line
}

func word(why string) string {
	if why == "" {
		return "-"
	}
	return why
}

var states = map[balance.Status]health.State{
	balance.Unknown:  health.Unknown,
	balance.Up:       health.Up,
	balance.Degraded: health.Degraded,
	balance.Draining: health.Draining,
	balance.Failing:  health.Failing,
}

// reportOf is what balancers are told under the plan.
func reportOf(name, fqdn string, p balance.Plan) health.Report {
	r := health.Report{
		Node: name, FQDN: fqdn, State: states[p.Own.Status], Serve: p.Serve,
		Load: p.Own.Load, Percent: 100, Leave: p.Leave, Reason: p.Own.Why,
	}
	if p.Own.Load == 0 && p.Own.Connections < 0 && p.Own.QueueLimit == 0 {
		r.Load = math.NaN() // nothing was measured, which is not the same as nothing to do
	}
	for _, n := range p.Nodes {
		if n.Name == name && n.Fair > 0 {
			r.Percent = int(100*n.Share/n.Fair + 0.5)
		}
	}
	return r
}
