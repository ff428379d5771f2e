package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/dnsrr"
)

// TestTwoAgents is the story of a small farm on real sockets: two agents find
// each other, show the same farm to everyone who asks, and part.
func TestTwoAgents(t *testing.T) {
	t.Parallel()
	mail := taken(t) // stands for the mail service of both
	ex01 := start(t, settings("ex01", mail, 5*time.Second))
	ex02 := start(t, settings("ex02", mail, time.Hour, ex01.farm.Addr().String()))
	both := []string{"192.0.2.1", "192.0.2.2"}

	for _, a := range []*running{ex01, ex02} {
		await(t, a.name()+" answers with both addresses", func() bool {
			got := a.addresses(t)
			return slices.Equal(got, both)
		})
		await(t, a.name()+" explains both nodes", func() bool { return len(a.why(t)) == 2 })
	}
	t.Run("why", func(t *testing.T) { whyIsReadable(t, ex02) })
	t.Run("probes", func(t *testing.T) { probesAreAnswered(t, ex01) })
	t.Run("metrics", func(t *testing.T) { metricsAreComplete(t, ex01) })
	t.Run("status", func(t *testing.T) { statusKeepsItsPromises(t, ex02) })

	ex01.tell()
	await(t, "ex02 sees ex01 draining, with no share of new work", func() bool {
		n := ex02.sees(t, "ex01")
		return n.State == "draining" && n.Share == 0
	})
	if got := ex02.addresses(t); !slices.Equal(got, both[1:]) {
		t.Errorf("while ex01 drains ex02 answers %v, want %v", got, both[1:])
	}
	if got := ex01.addresses(t); !slices.Equal(got, both[1:]) {
		t.Errorf("while it drains ex01 still answers, and not with itself: got %v, want %v", got, both[1:])
	}

	if err := ex01.wait(); err != nil {
		t.Errorf("ex01 ended with %v", err)
	}
	await(t, "ex02 knows that ex01 is gone", func() bool {
		return ex02.sees(t, "ex01").State == "down" && slices.Contains(ex02.see(t).Members, dashboard.Member{Name: "ex01", Address: ex01.farm.Addr().String(), State: "left"})
	})
	if got := ex02.addresses(t); !slices.Equal(got, both[1:]) {
		t.Errorf("ex02 answers %v when it is alone, want %v", got, both[1:])
	}

	// The drain of ex02 is an hour; but nobody is left to turn to.
	ex02.tell()
	if err := ex02.wait(); err != nil {
		t.Errorf("ex02 ended with %v", err)
	}
}

func whyIsReadable(t *testing.T, a *running) {
	line := regexp.MustCompile(`^ex0[12] state=[a-z]+ share=[01]\.[0-9]{3} why=(-|[a-z]+) age=[0-9]+\.[0-9]s$`)
	for i, got := range a.why(t) {
		if !line.MatchString(got) || !strings.HasPrefix(got, fmt.Sprintf("ex%02d ", i+1)) {
			t.Errorf("line %d of _why: got %q, want it to match %s", i, got, line)
		}
	}
}

func probesAreAnswered(t *testing.T, a *running) {
	for _, path := range []string{"/healthcheck.htm", "/mapi/healthcheck.htm", "/OWA/HealthCheck.htm"} {
		status, header, body := get(t, "http://"+a.sockets.health[0].Addr().String()+path)
		if status != http.StatusOK || body != "200 OK<br/>ex01.mail.example" || header.Get("X-FEServer") != "ex01" {
			t.Errorf("%s: %d %q of %q", path, status, body, header.Get("X-FEServer"))
		}
	}
	c, err := net.Dial("tcp", a.sockets.agentCheck[0].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(c).ReadString('\n')
	if !regexp.MustCompile(`^up ready [0-9]{1,3}%\n$`).MatchString(line) {
		t.Errorf("agent check: got %q, %v; want up ready and a percent", line, err)
	}
	if status, _, body := get(t, a.url("/healthz")); status != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz: %d %q", status, body)
	}
	if status, _, body := get(t, a.url("/")); status != http.StatusOK || !strings.HasPrefix(body, "NODE ") {
		t.Errorf("/: %d %q", status, body)
	}
}

func metricsAreComplete(t *testing.T, a *running) {
	want := []string{
		"evenkeel_build_info{", "evenkeel_source_up{source=", "evenkeel_source_age_seconds{source=",
		`evenkeel_node_state{node="ex01",state="up"}`, `evenkeel_node_state{node="ex02",state="down"}`,
		`evenkeel_node_share_ratio{node="ex02"}`, `evenkeel_node_fact_age_seconds{node="ex02"}`,
		`evenkeel_dns_queries_total{rcode="NOERROR",transport="udp",type="A"}`, `evenkeel_dns_answers_total{node="ex02"}`,
		`evenkeel_health_probes_total{dialect="healthcheck",state=`, `evenkeel_health_probes_total{dialect="agent_check",state=`,
		"evenkeel_gossip_members 2",
	}
	if runtime.GOOS == "linux" { // where connections and queues can be measured
		port := a.cfg.Sources.Listener.Ports[0]
		queue := fmt.Sprintf(`{queue="127.0.0.1:%d"}`, port)
		want = append(want, fmt.Sprintf(`evenkeel_connections{port="%d"} 0`, port), `evenkeel_node_utilisation_ratio{node="ex02"}`,
			"evenkeel_queue_depth"+queue+" 0", "evenkeel_queue_limit"+queue, "evenkeel_queue_rejected_total"+queue+" 0")
	}
	status, _, body := get(t, a.url("/metrics"))
	if status != http.StatusOK {
		t.Fatalf("/metrics: %d %s", status, body)
	}
	for _, w := range want {
		if !strings.Contains(body, "\n"+w) {
			t.Errorf("/metrics has no %s", w)
		}
	}
}

func statusKeepsItsPromises(t *testing.T, a *running) {
	status, header, body := get(t, a.url("/api/v1/status"))
	if status != http.StatusOK || header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d, %s", status, header.Get("Content-Type"))
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	has(t, "status", s, "node", "version", "at", "open", "nodes", "sources", "members")
	for _, n := range s["nodes"].([]any) {
		has(t, "nodes[]", n, "name", "addresses", "state", "why", "share", "utilisation", "connections", "connections_limit", "queue", "queue_limit", "age_seconds")
	}
	for _, n := range s["sources"].([]any) {
		has(t, "sources[]", n, "name", "up", "age_seconds")
	}
	for _, n := range s["members"].([]any) {
		has(t, "members[]", n, "name", "address", "state")
	}
	if got := s["node"]; got != "ex02" {
		t.Errorf("node is %v, want ex02", got)
	}
}

func has(t *testing.T, what string, object any, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if _, ok := object.(map[string]any)[k]; !ok {
			t.Errorf("%s has no %q: %v", what, k, object)
		}
	}
}

// settings are those of a small node that listens where the system lets it.
func settings(name string, mail netip.AddrPort, drain time.Duration, join ...string) config.Config {
	n := name[len(name)-1] - '0'
	return config.Config{
		File:    "test",
		Node:    config.Node{Name: name, FQDN: name + ".mail.example", Addresses: []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, n})}},
		Zone:    config.Zone{Name: "mail.example.", TTLMin: time.Second, TTLMax: time.Second},
		Listen:  everything(),
		Gossip:  config.Gossip{Join: join, Label: "test"},
		Sources: config.Sources{Listener: config.Listener{Ports: []uint16{mail.Port()}, Addresses: []netip.Addr{mail.Addr()}}},
		Limits:  config.Limits{Connections: 100, Degrade: 0.70, Recover: 0.55, Fail: 0.90},
		Drain:   drain,
	}
}

// A running agent, and how to end it.
type running struct {
	*agent
	tell context.CancelFunc // to leave
	wait func() error       // until it has
}

// start runs an agent, after what is to be done with it first.
func start(t *testing.T, cfg config.Config, first ...func(*agent)) *running {
	t.Helper()
	out := &outlived{w: t.Output()}
	a, err := wire(cfg, dnsrr.Records{}, slog.New(slog.NewTextHandler(out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range first {
		f(a)
	}
	ctx, tell := context.WithCancel(context.Background())
	done := make(chan struct{})
	var ended error
	go func() { ended = a.run(ctx); close(done) }()
	t.Cleanup(func() {
		tell()
		a.close() // ends what has not ended by itself
		<-done
		out.end()
	})
	return &running{agent: a, tell: tell, wait: func() error {
		select {
		case <-done:
			return ended
		case <-time.After(patience):
			return errors.New("still runs")
		}
	}}
}

// An outlived writer takes words until the end of the test, and no later ones: a
// probe of memberlist's that is on its way logs after its node has left.
type outlived struct {
	mu sync.Mutex // guards the next
	w  io.Writer
}

func (o *outlived) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

func (o *outlived) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w = io.Discard
}

func (r *running) name() string           { return r.cfg.Node.Name }
func (r *running) url(path string) string { return "http://" + r.sockets.admin.Addr().String() + path }

// ask puts a question to the agent by UDP.
func (r *running) ask(t *testing.T, name string, kind uint16) []dns.RR {
	t.Helper()
	c := dns.Client{Timeout: patience}
	reply, _, err := c.Exchange(new(dns.Msg).SetQuestion(name, kind), r.sockets.dns.bound()[0].String())
	if err != nil {
		t.Fatalf("%s: %v", r.name(), err)
	}
	return reply.Answer
}

// addresses are those of the farm, sorted.
func (r *running) addresses(t *testing.T) (out []string) {
	t.Helper()
	for _, rr := range r.ask(t, "mail.example.", dns.TypeA) {
		out = append(out, rr.(*dns.A).A.String())
	}
	slices.Sort(out)
	return out
}

func (r *running) why(t *testing.T) (out []string) {
	t.Helper()
	for _, rr := range r.ask(t, "_why.mail.example.", dns.TypeTXT) {
		out = append(out, rr.(*dns.TXT).Txt...)
	}
	slices.Sort(out)
	return out
}

// see is the agent's status, as the API gives it.
func (r *running) see(t *testing.T) (s dashboard.Status) {
	t.Helper()
	_, _, body := get(t, r.url("/api/v1/status"))
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return s
}

func (r *running) sees(t *testing.T, name string) dashboard.Node {
	t.Helper()
	for _, n := range r.see(t).Nodes {
		if n.Name == name {
			return n
		}
	}
	t.Fatalf("%s does not know %s", r.name(), name)
	return dashboard.Node{}
}

func get(t *testing.T, url string) (status int, header http.Header, body string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, body := whole(t, &http.Client{Timeout: patience}, q)
	return r.StatusCode, r.Header, body
}

// whole sends a request, and reads all of the answer.
func whole(t *testing.T, c *http.Client, q *http.Request) (r *http.Response, body string) {
	t.Helper()
	r, err := c.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

// await asks until what is promised has come true.
func await(t *testing.T, promise string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", promise)
		}
	}
}
