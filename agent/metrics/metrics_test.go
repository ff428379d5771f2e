package metrics

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"evenkeel/agent/gate"
	"evenkeel/agent/gossip"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/policy/throttle"
	"evenkeel/queue"
)

// scraped has something of everything that can be counted.
func scraped() Snapshot {
	return Snapshot{
		View: &node.View{
			Name: "ex01", Learner: stalls(), Serial: 1777878000,
			Services: []node.Carried{{Name: "imap"}, {Name: "mapi", Why: "probe"}},
			Plan: balance.Plan{
				TTL:    5 * time.Second,
				Astray: balance.Astray{Known: true, Share: 0.375, More: "ex01"},
				Nodes: []balance.Standing{
					{Name: "ex01", Status: balance.Up, Share: 0.75, Heard: true, Fact: balance.Fact{Connections: 1000, Limit: 4000}},
					{Name: "ex02", Status: balance.Degraded, Share: 0.25, Age: 1500 * time.Millisecond, Heard: true,
						Fact: balance.Fact{Connections: balance.Unmeasured, Limit: 4000}},
					{Name: "ex03", Status: balance.Unknown},
				},
			},
			Sample: queue.Sample{
				Queues: []queue.Queue{{Name: "0.0.0.0:443", Depth: 3, Limit: 1000, Refused: 12}, {Name: "0.0.0.0:25", Limit: 128}, {Name: "MapiPool", Depth: queue.Unmeasured, Refused: 60}},
				Logs:   logged(),
				Ports:  []queue.Port{{Number: 25, Open: 0}, {Number: 443, Open: 1000}},
				Gauges: []queue.Gauge{{Name: "cpu", Value: 0.5, Limit: 1}},
				Sources: []queue.Status{
					{Name: "listener", Age: 250 * time.Millisecond},
					{Name: "pdh", Age: -1, Err: queue.ErrStale},
				},
			},
		},
		DNS: dnsrr.Stats{
			Queries: []dnsrr.QueryCount{{Transport: "udp", Type: "A", Rcode: "NOERROR", N: 9}, {Transport: "tcp", Type: "A", Rcode: "NOERROR", N: 1}},
			Answers: []dnsrr.AnswerCount{{Node: "ex01", N: 7}, {Node: "ex02", N: 3}}, Restarts: 2,
		},
		Health: health.Stats{Probes: []health.ProbeCount{{Dialect: "agent_check", State: "up", N: 4}}, NoHost: 5, Rejected: 6, Strays: 8},
		Gate: &Gate{
			Server: gate.Stats{Checks: 21, Nexts: 22, Dones: 23, ROPs: 24, Held: 25, Left: 26, Waiting: 27, Failed: 28, Crowded: 29, FullHouse: 30, Unknown: 31, Bad: 32, Foreign: 33, Strays: 34, Holds: 35, Frees: 36, OverShare: 37, TooLong: 38},
			Ledger: throttle.Stats{
				Decisions: []throttle.Decisions{{Component: throttle.EWS, Action: throttle.Deny, Part: throttle.Concurrency, N: 40}, {Component: throttle.EWS, Action: throttle.Allow, N: 41}},
				Budgets:   42, Over: 43, Open: 44, Sleeps: 45, Slept: 4500 * time.Millisecond, CPUSleeps: 46, CPUSlept: time.Second / 2, Evicted: 47, Released: 48, Full: 49, Crowded: 50,
			},
			Sessions: throttle.SessionStats{Sessions: 51},
		},
		Gossip: gossip.Stats{Members: 2, Heard: 10, Told: 11, Rejected: 13, BytesIn: 14, BytesOut: 15},
	}
}

// logged has something of everything that logs say.
func logged() *queue.Logs {
	return &queue.Logs{
		Files: []queue.LogFiles{{Source: "httperr", Rows: 61, Rejected: 62, Behind: 63}, {Source: "iis"}},
		Pools: []queue.Pool{
			{Name: "MapiPool", Refused: []queue.Refused{{Reason: "AppOffline", N: 64}, {Reason: "QueueFull", N: 65}}, Stalled: queue.Count{N: 66}, Abandoned: queue.Count{N: 67}},
			{Name: "-"},
		},
		Requests:  []queue.Requests{{Log: "httpproxy", Protocol: "Mapi", Type: "Execute", N: 68}, {Log: "httpproxy", Protocol: "Mapi", Type: "NotificationWait", Waits: true, N: 69}},
		Legs:      []queue.Legs{{Log: "iis", Legs: 70, Failed: 71}},
		Throttled: []queue.Throttled{{Log: "ews", Delayed: 72, Refused: 73}},
		FrontEnds: []queue.Passed{{Server: "EX3", N: 74}}, BackEnds: []queue.Passed{{Server: "EX2", N: 75}},
		Sessions: &queue.Sessions{Log: "httpproxy", N: 76}, Over: []queue.Over{{User: "anna"}}, Probes: 77,
	}
}

// stalls is a Learner that saw queues grow from 4,096 connections on.
func stalls() balance.Learner {
	l, err := balance.Kept{Version: 1, Seen: []balance.Seen{{Connections: 2048, Calm: 36000}, {Connections: 4096, Calm: 600, Episodes: 4}}}.Learner()
	if err != nil {
		panic(err)
	}
	return l
}

func of(s Snapshot) collector { return collector{"v1", func() Snapshot { return s }} }

// Prometheus has conventions for names, units and help; and no series may come
// twice, or there is no scrape at all.
func TestConventions(t *testing.T) {
	for promise, s := range map[string]Snapshot{"with all there is": scraped(), "before the first beat": {}} {
		problems, err := testutil.CollectAndLint(of(s))
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %v", promise, problems, err)
		}
	}
}

// scrape is what a Prometheus sees, a line a series, without what the runtime adds.
func scrape(t *testing.T, s Snapshot) (lines []string) {
	t.Helper()
	w := httptest.NewRecorder()
	Handler("v1", func() Snapshot { return s }).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "evenkeel_") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// The names are promises, and every number stands under its own.
func TestSeries(t *testing.T) {
	got := scrape(t, scraped())
	for _, want := range []string{
		`evenkeel_connections{port="25"} 0`,
		`evenkeel_connections{port="443"} 1000`,
		`evenkeel_queue_depth{queue="0.0.0.0:443"} 3`,
		`evenkeel_queue_limit{queue="0.0.0.0:443"} 1000`,
		`evenkeel_queue_rejected_total{queue="0.0.0.0:443"} 12`,
		`evenkeel_load_ratio{load="cpu"} 0.5`,
		`evenkeel_source_up{source="listener"} 1`,
		`evenkeel_source_up{source="pdh"} 0`,
		`evenkeel_source_age_seconds{source="listener"} 0.25`,
		`evenkeel_source_age_seconds{source="pdh"} -1`,
		`evenkeel_node_state{node="ex02",state="degraded"} 1`,
		`evenkeel_node_state{node="ex02",state="up"} 0`,
		`evenkeel_node_state{node="ex02",state="down"} 0`,
		`evenkeel_node_share_ratio{node="ex01"} 0.75`,
		`evenkeel_node_utilisation_ratio{node="ex01"} 0.25`,
		`evenkeel_node_fact_age_seconds{node="ex02"} 1.5`,
		`evenkeel_service_up{service="imap"} 1`,
		`evenkeel_service_up{service="mapi"} 0`,
		`evenkeel_dns_zone_serial 1.777878e+09`,
		`evenkeel_farm_open 0`,
		`evenkeel_astray_ratio 0.375`,
		`evenkeel_learnt_connections{bound="estimate"} 4096`,
		`evenkeel_learnt_connections{bound="low"} 3445`,
		`evenkeel_learnt_connections{bound="high"} 4278`,
		`evenkeel_dns_ttl_seconds 5`,
		`evenkeel_dns_queries_total{rcode="NOERROR",transport="udp",type="A"} 9`,
		`evenkeel_dns_queries_total{rcode="NOERROR",transport="tcp",type="A"} 1`,
		`evenkeel_dns_answers_total{node="ex01"} 7`,
		`evenkeel_dns_restarts_total 2`,
		`evenkeel_health_probes_total{dialect="agent_check",state="up"} 4`,
		`evenkeel_health_no_host_total 5`,
		`evenkeel_health_rejected_total 6`,
		`evenkeel_health_strays_total 8`,
		`evenkeel_gossip_members 2`,
		`evenkeel_gossip_facts_heard_total 10`,
		`evenkeel_gossip_facts_told_total 11`,
		`evenkeel_gossip_rejected_total 13`,
		`evenkeel_gossip_bytes_in_total 14`,
		`evenkeel_gossip_bytes_out_total 15`,
		`evenkeel_gate_questions_total{kind="check"} 21`,
		`evenkeel_gate_questions_total{kind="next"} 22`,
		`evenkeel_gate_questions_total{kind="done"} 23`,
		`evenkeel_gate_questions_total{kind="rop"} 24`,
		`evenkeel_gate_questions_total{kind="hold"} 35`,
		`evenkeel_gate_questions_total{kind="free"} 36`,
		`evenkeel_gate_questions_total{kind="bad"} 32`,
		`evenkeel_gate_questions_total{kind="stray"} 34`,
		`evenkeel_gate_held_total 25`,
		`evenkeel_gate_left_total 26`,
		`evenkeel_gate_waiting 27`,
		`evenkeel_gate_failed_total 28`,
		`evenkeel_gate_crowded_total{why="connections"} 29`,
		`evenkeel_gate_crowded_total{why="waiters"} 30`,
		`evenkeel_gate_crowded_total{why="caller"} 37`,
		`evenkeel_gate_crowded_total{why="wait"} 38`,
		`evenkeel_gate_crowded_total{why="foreign"} 33`,
		`evenkeel_gate_unknown_tickets_total 31`,
		`evenkeel_throttle_decisions_total{action="deny",component="Ews",part="MaxConcurrency"} 40`,
		`evenkeel_throttle_decisions_total{action="allow",component="Ews",part="-"} 41`,
		`evenkeel_throttle_budgets 42`,
		`evenkeel_throttle_over_budget 43`,
		`evenkeel_throttle_open_requests 44`,
		`evenkeel_throttle_sleeps_total 45`,
		`evenkeel_throttle_sleep_seconds_total 4.5`,
		`evenkeel_throttle_cpu_sleeps_total 46`,
		`evenkeel_throttle_cpu_sleep_seconds_total 0.5`,
		`evenkeel_throttle_evicted_total 47`,
		`evenkeel_throttle_released_total 48`,
		`evenkeel_throttle_shared_total 49`,
		`evenkeel_throttle_crowded_total 50`,
		`evenkeel_queue_rejected_total{queue="MapiPool"} 60`,
		`evenkeel_log_rows_total{source="httperr"} 61`,
		`evenkeel_log_rejected_total{source="httperr"} 62`,
		`evenkeel_log_behind_bytes{source="httperr"} 63`,
		`evenkeel_log_rows_total{source="iis"} 0`,
		`evenkeel_log_refused_total{pool="MapiPool",reason="AppOffline"} 64`,
		`evenkeel_log_refused_total{pool="MapiPool",reason="QueueFull"} 65`,
		`evenkeel_log_stalled_total{pool="MapiPool"} 66`,
		`evenkeel_log_abandoned_total{pool="MapiPool"} 67`,
		`evenkeel_log_requests_total{log="httpproxy",protocol="Mapi",type="Execute",waits="false"} 68`,
		`evenkeel_log_requests_total{log="httpproxy",protocol="Mapi",type="NotificationWait",waits="true"} 69`,
		`evenkeel_log_auth_legs_total{log="iis",through="true"} 70`,
		`evenkeel_log_auth_legs_total{log="iis",through="false"} 71`,
		`evenkeel_log_throttled_total{action="delay",log="ews"} 72`,
		`evenkeel_log_throttled_total{action="refuse",log="ews"} 73`,
		`evenkeel_log_frontend_requests_total{server="EX3"} 74`,
		`evenkeel_log_backend_requests_total{server="EX2"} 75`,
		`evenkeel_mapi_sessions{log="httpproxy"} 76`,
		`evenkeel_log_probes_total 77`,
		`evenkeel_rpc_sessions 51`,
		`evenkeel_rpc_backoffs_total 0`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// Not measurable is not zero: what is not known has no series at all.
func TestWhatIsNotKnownIsNotShown(t *testing.T) {
	got := strings.Join(scrape(t, scraped()), "\n")
	for _, never := range []string{
		`evenkeel_node_utilisation_ratio{node="ex02"}`, // connections not measured
		`evenkeel_node_utilisation_ratio{node="ex03"}`, // never heard
		`evenkeel_node_fact_age_seconds{node="ex03"}`,
		`evenkeel_queue_depth{queue="MapiPool"}`, // a log has who was refused, and no depth
		`evenkeel_queue_limit{queue="MapiPool"}`,
		`anna`, // users are nobody's labels
	} {
		if strings.Contains(got, never) {
			t.Errorf("shows %s", never)
		}
	}
	if got := strings.Join(scrape(t, Snapshot{View: &node.View{}}), "\n"); strings.Contains(got, "evenkeel_learnt_") {
		t.Errorf("shows what is not learnt:\n%s", got)
	}
	for _, line := range scrape(t, Snapshot{}) {
		if strings.HasPrefix(line, "evenkeel_throttle_") || strings.HasPrefix(line, "evenkeel_gate_") || strings.HasPrefix(line, "evenkeel_node_") || strings.HasPrefix(line, "evenkeel_queue_") || strings.HasPrefix(line, "evenkeel_source_") {
			t.Errorf("before the first beat there is %s", line)
		}
	}
}

// A node is in exactly one state.
func TestOneStateEach(t *testing.T) {
	in := map[string]int{}
	for _, line := range scrape(t, scraped()) {
		if rest, ok := strings.CutPrefix(line, `evenkeel_node_state{node="`); ok && strings.HasSuffix(line, " 1") {
			in[rest[:len("ex01")]]++
		}
	}
	for _, n := range []string{"ex01", "ex02", "ex03"} {
		if in[n] != 1 {
			t.Errorf("%s is in %d states, want 1", n, in[n])
		}
	}
}

// Names of nodes come from the network. One that is no text costs its own
// label, and not the scrape.
func TestForeignNames(t *testing.T) {
	s := scraped()
	s.View.Plan.Nodes[1].Name = "ex\xff\n\"2"
	got := scrape(t, s)
	if want := "evenkeel_node_share_ratio{node=\"ex\uFFFD\\n\\\"2\"} 0.25"; !slices.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
	}
}

// Two sources may report one port by mistake: the first counts, and the rest
// of the scrape stays.
func TestASeriesThatComesTwice(t *testing.T) {
	s := scraped()
	s.View.Sample.Ports = append(s.View.Sample.Ports, queue.Port{Number: 443, Open: 5})
	got := scrape(t, s)
	for _, want := range []string{`evenkeel_connections{port="443"} 1000`, `evenkeel_node_share_ratio{node="ex01"} 0.75`} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}
