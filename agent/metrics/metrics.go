// Package metrics renders what every part of the agent counts for Prometheus.
// It is one collector with a registry of its own: the parts return their Stats
// by value and know nothing of it.
//
// Start with [Handler].
package metrics

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"evenkeel/agent/gossip"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// A Snapshot is all that one scrape shows.
type Snapshot struct {
	View   *node.View // nil before the first beat
	DNS    dnsrr.Stats
	Health health.Stats
	Gossip gossip.Stats

	DNSReopened  uint64 // addresses of DNS whose sockets were lost and opened again
	AdminRefused uint64 // requests to listen.admin with a wrong token or certificate

	Gate *Gate // nil: there is none
}

// Handler serves /metrics: what now returns at each scrape, this build, and
// the Go runtime and process.
func Handler(version string, now func() Snapshot) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{version, now},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}) // a bad series costs itself
}

type collector struct {
	version string
	now     func() Snapshot
}

// Describe sends nothing, which makes the collector an unchecked one: which
// series there are depends on the farm.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect renders one Snapshot.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	out := sink{ch}
	s := c.now()
	out.gauge("build_info", "Version of this agent; always 1.", 1, []string{"version", "goversion"}, c.version, runtime.Version())
	if s.View != nil {
		out.sample(s.View)
		out.plan(s.View)
	}
	out.dns(s.DNS)
	out.health(s.Health)
	out.gossip(s.Gossip)
	if s.Gate != nil {
		out.gate(s.Gate.Server)
		out.throttle(s.Gate.Ledger)
		out.sessions(s.Gate.Sessions)
	}
	out.counter("dns_reopened_total", "Addresses of DNS whose sockets were lost and opened again.", s.DNSReopened, nil)
	out.counter("admin_refused_total", "Requests to listen.admin with a wrong token or certificate.", s.AdminRefused, nil)
}

// A sink makes constant metrics, all with the prefix of the product.
type sink struct{ ch chan<- prometheus.Metric }

func (s sink) gauge(name, help string, v float64, labels []string, values ...string) {
	s.send(prometheus.GaugeValue, name, help, v, labels, values)
}

func (s sink) counter(name, help string, v uint64, labels []string, values ...string) {
	s.send(prometheus.CounterValue, name, help, float64(v), labels, values)
}

func (s sink) send(t prometheus.ValueType, name, help string, v float64, labels, values []string) {
	for i, text := range values { // names of nodes come from the network, and need not be text
		values[i] = strings.ToValidUTF8(text, "\uFFFD")
	}
	desc := prometheus.NewDesc("evenkeel_"+name, help, labels, nil)
	s.ch <- prometheus.MustNewConstMetric(desc, t, v, values...)
}

func (s sink) sample(v *node.View) {
	for _, p := range v.Sample.Ports {
		s.gauge("connections", "Established connections of a listening port.", float64(p.Open), []string{"port"}, strconv.Itoa(int(p.Number)))
	}
	for _, q := range v.Sample.Queues {
		l := []string{"queue"}
		if q.Depth != queue.Unmeasured {
			s.gauge("queue_depth", "Places taken in a queue.", float64(q.Depth), l, q.Name)
			s.gauge("queue_limit", "Places there are in a queue.", float64(q.Limit), l, q.Name)
		}
		s.counter("queue_rejected_total", "Turned away by a full queue since the agent started.", q.Refused, l, q.Name)
	}
	for _, g := range v.Sample.Gauges {
		s.gauge("load_ratio", "Another load, such as that of the CPU, as a share of its limit.", g.Value/g.Limit, []string{"load"}, g.Name)
	}
	s.logs(v.Sample.Logs)
	for _, src := range v.Sample.Sources {
		l := []string{"source"}
		s.gauge("source_up", "Whether the last reading of a source is good.", truth(src.Err == nil), l, src.Name)
		s.gauge("source_age_seconds", "Since the last good reading; -1 is never.", age(src.Age), l, src.Name)
	}
}

func (s sink) plan(v *node.View) {
	for _, n := range v.Plan.Nodes {
		for st := balance.Unknown; st <= balance.Down; st++ {
			s.gauge("node_state", "1 for the state a node is in.", truth(n.Status == st), []string{"node", "state"}, n.Name, st.String())
		}
		l := []string{"node"}
		s.gauge("node_share_ratio", "Share of all new work that a node gets.", n.Share, l, n.Name)
		if !n.Heard {
			continue
		}
		s.gauge("node_fact_age_seconds", "Age of what a node last said of itself.", n.Age.Seconds(), l, n.Name)
		if n.Connections >= 0 {
			s.gauge("node_utilisation_ratio", "Connections of a node over its limit.", float64(n.Connections)/float64(n.Limit), l, n.Name)
		}
	}
	for _, svc := range v.Services {
		s.gauge("service_up", "1 while a service of this node is well.", truth(svc.Why == ""), []string{"service"}, svc.Name)
	}
	s.gauge("dns_zone_serial", "Serial of the zone's SOA.", float64(v.Serial), nil)
	s.counter("returns_total", "How often this machine stood still for over five seconds, and went on.", v.Returns, nil)
	if a := v.Plan.Astray; a.Known {
		s.gauge("astray_ratio", "Share of new connections that went to other nodes than the DNS answers sent them to, at least.", a.Share, nil)
	}
	s.learnt(v.Learner.Learnt())
	s.gauge("farm_open", "1 while all nodes are over their marks.", truth(v.Plan.Open), nil)
	s.gauge("dns_ttl_seconds", "TTL of the DNS answers now given.", v.Plan.TTL.Seconds(), nil)
}

// learnt sends nothing where nothing is known: that is not zero.
func (s sink) learnt(l balance.Learnt) {
	if !l.Known() {
		return
	}
	for _, b := range []struct {
		bound string
		n     int
	}{{"estimate", l.Connections}, {"low", l.Low}, {"high", l.High}} {
		s.gauge("learnt_connections", "Connections at which the queue of this node begins to grow, and the bounds of 95 % confidence.", float64(b.n), []string{"bound"}, b.bound)
	}
}

func (s sink) dns(d dnsrr.Stats) {
	for _, q := range d.Queries {
		s.counter("dns_queries_total", "DNS queries by kind and outcome.", q.N, []string{"transport", "type", "rcode"}, q.Transport, q.Type, q.Rcode)
	}
	for _, a := range d.Answers {
		s.counter("dns_answers_total", "How often a node's address was handed out for the zone.", a.N, []string{"node"}, a.Node)
	}
	const limited = "Replies over UDP that were not sent as they were, since too many like them had gone to one network: dropped, or sent truncated."
	s.counter("dns_limited_total", limited, d.Limited, []string{"action"}, "drop")
	s.counter("dns_limited_total", limited, d.Slipped, []string{"action"}, "truncate")
	s.counter("dns_dropped_total", "Queries over UDP that the system threw away unread, on Linux.", d.Dropped, nil)
	s.counter("dns_shed_total", "Replies over UDP that the system did not take, on Linux.", d.Shed, nil)
	s.counter("dns_restarts_total", "Reads and accepts of DNS that failed and were taken up again.", d.Restarts, nil)
}

func (s sink) health(h health.Stats) {
	for _, p := range h.Probes {
		s.counter("health_probes_total", "Probes answered, by dialect and the state told.", p.N, []string{"dialect", "state"}, p.Dialect, p.State)
	}
	s.counter("health_no_host_total", "Probes by HTTP/1.1 without Host, which are answered 400 before we see them.", h.NoHost, nil)
	s.counter("health_rejected_total", "Other requests that are not HTTP.", h.Rejected, nil)
	s.counter("health_strays_total", "Requests for no page of ours.", h.Strays, nil)
}

func (s sink) gossip(g gossip.Stats) {
	s.gauge("gossip_members", "Nodes alive in the cluster, this one among them.", float64(g.Members), nil)
	s.counter("gossip_facts_heard_total", "Words of other nodes that were news.", g.Heard, nil)
	s.counter("gossip_facts_told_total", "Own facts sent.", g.Told, nil)
	s.counter("gossip_rejected_total", "Words that could not be read.", g.Rejected, nil)
	s.counter("gossip_bytes_in_total", "Bytes of words and states received.", g.BytesIn, nil)
	s.counter("gossip_bytes_out_total", "Bytes of words and states sent.", g.BytesOut, nil)
}

func age(d time.Duration) float64 {
	if d < 0 {
		return -1
	}
	return d.Seconds()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
