package main

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/gate"
	"evenkeel/agent/node"
	"evenkeel/dnsrr"
	"evenkeel/policy/throttle"
	"evenkeel/queue"
)

// Every word of the operator reaches the gate, and none another's place.
func TestGateOptions(t *testing.T) {
	got := optionsOf(config.Gate{
		FailOpen: true, Hold: true, Deny: 429, Assume: time.Second, Wait: time.Minute, Waiters: 7, Anonymous: true,
		Domains: []throttle.Domain{{Short: "a", Full: "a.example"}},
	})
	want := gate.Options{FailOpen: true, Hold: true, Deny: 429, Assume: time.Second, Wait: time.Minute, Waiters: 7, Anonymous: true, Domains: []throttle.Domain{{Short: "a", Full: "a.example"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A load that is not measured is not zero.
func TestLoadOfTheMachine(t *testing.T) {
	for want, gauges := range map[float64][]queue.Gauge{
		-1:   {{Name: "other", Value: 1, Limit: 1}},
		0.25: {{Name: "a", Value: 1, Limit: 1}, {Name: "cpu", Value: 0.25, Limit: 1}},
	} {
		if got := loadIn(queue.Sample{Gauges: gauges}); got != want {
			t.Errorf("%v: got %v, want %v", gauges, got, want)
		}
	}
}

// The log is told who is throttled when it begins and when it ends, and never a
// flood of names.
func TestThrottledInTheLog(t *testing.T) {
	var log notebook
	s := newSaid(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}})), func(throttle.Caller) string { return throttle.Snapshot{Hash: 7}.String() })
	anna := throttle.Spender{Caller: throttle.Caller{Name: "anna", Component: throttle.EWS}, Part: throttle.LocalTime, Action: throttle.Deny, Wait: 300 * time.Second}
	s.throttled([]throttle.Spender{anna}, false)
	anna.Wait = 299 * time.Second
	s.throttled([]throttle.Spender{anna}, false)
	anna.Part = throttle.Concurrency
	s.throttled([]throttle.Spender{anna}, false)
	s.throttled(nil, false)
	s.throttled(nil, false)
	want := `msg=throttled user=anna component=Ews part=LocalTime action=deny for=5m0s budget=Conn:0,AD:0/0/0%,CAS:0/0/0%,AB:0/0/0%,RPC:0/0/0%,FC:0/0,Hash:7,Sub:0/0
msg=throttled user=anna component=Ews part=MaxConcurrency action=deny for=4m59s budget=Conn:0,AD:0/0/0%,CAS:0/0/0%,AB:0/0/0%,RPC:0/0/0%,FC:0/0,Hash:7,Sub:0/0
msg="not throttled any more" user=anna component=Ews part=MaxConcurrency
`
	if got := log.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	evil := anna
	evil.Caller.Name = "a\u202egro.live\x1b[2J"
	s.throttled([]throttle.Spender{evil}, false)
	s.throttled(nil, false)
	s.swept(throttle.Swept{Long: []throttle.Long{{Caller: evil.Caller}}})
	if got := strings.TrimPrefix(log.String(), want); strings.Count(got, "user=\"a\ufffdgro.live\ufffd[2J\" ") != 3 || strings.ContainsAny(got, "\u202e\x1b") || strings.Contains(got, "u202e") {
		t.Errorf("of a name that gives orders: got\n%s", got)
	}
	want = log.String()

	var flood []throttle.Spender
	for range mostThrottled {
		anna.Caller.Name += "a"
		flood = append(flood, anna)
	}
	s.throttled(flood, true)
	if got := strings.TrimPrefix(log.String(), want); strings.Count(got, "\n") != mostLines+1 || !strings.HasSuffix(got, "msg=\"and more callers would be throttled\" callers=90\n") {
		t.Errorf("of a flood: got\n%s", got)
	}
}

// The gate is open from the start, and all that asks the agent knows of it.
func TestGateOfAnAgent(t *testing.T) {
	t.Parallel()
	cfg := settings("ex01", taken(t), 0)
	cfg.Listen.Gate = loopback()
	cfg.Gate = config.Gate{Deny: 403, Budgets: 1000, Requests: 100, Connections: 4, Release: time.Minute, Domains: []throttle.Domain{{Short: "contoso", Full: "contoso.example"}}}
	book, err := throttle.Compile(throttle.File{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Policy = config.Policy{Book: book, Ages: throttle.ExchangeAges()}
	a := start(t, cfg)

	get := func(url string, lines ...string) (int, string) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			name, value, _ := strings.Cut(l, ": ")
			q.Header.Set(name, value)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, r.Header.Get("X-Evenkeel-Ticket") + string(body)
	}
	at := "http://" + a.sockets.gate.Addr().String()
	status, ticket := get(at+"/v1/check", `X-Evenkeel-User: CONTOSO\anna`, "X-Evenkeel-Component: Ews")
	if status != 200 || len(ticket) != 16 {
		t.Fatalf("check: %d %q, want 200 and a ticket", status, ticket)
	}
	admin := "http://" + a.sockets.admin.Addr().String()
	if status, body := get(admin + "/api/v1/policy/explain?user=CONTOSO%5CAnna"); status != 200 || !strings.Contains(body, `"user": "anna@contoso.example"`) {
		t.Errorf("explain: %d %s", status, body)
	}
	if status, _ := get(admin + "/api/v1/policy/explain?user="); status != 400 {
		t.Errorf("explain nobody: %d, want 400", status)
	}
	_, body := get(admin + "/api/v1/status")
	var s struct {
		Throttle *struct {
			Budgets int
			Top     []struct{ User, Part string }
		}
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil || s.Throttle == nil || s.Throttle.Budgets != 1 || len(s.Throttle.Top) == 0 || s.Throttle.Top[0].User != "anna@contoso.example" {
		t.Errorf("status: %v %+v", err, s.Throttle)
	}
	if _, body := get(admin + "/metrics"); !strings.Contains(body, `evenkeel_throttle_decisions_total{action="allow",component="Ews",part="-"} 1`) ||
		!strings.Contains(body, "evenkeel_throttle_budgets 1\n") || strings.Contains(body, "anna") {
		t.Errorf("metrics:\n%s", body)
	}
	for _, want := range []int{204, 404} {
		if status, _ := get(at+"/v1/done", "X-Evenkeel-Ticket: "+ticket); status != want {
			t.Errorf("done: %d, want %d", status, want)
		}
	}
}

// A policy that was loaded stays for its time when the configuration is read
// again, unless it was asked for.
func TestPoliciesReadAgain(t *testing.T) {
	book, err := throttle.Compile(throttle.File{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{Listen: config.Listen{Gate: loopback()}, Policy: config.Policy{Book: book, Ages: throttle.ExchangeAges()}}
	k := newGatekeeper(cfg)
	loaded := func() bool { return k.cache.Explain(time.Now(), "anna").Loaded }
	k.ledger.Check(time.Now(), throttle.Caller{Name: "anna", Component: throttle.EWS}, throttle.Ask{CPU: -1})
	if !loaded() {
		t.Error("not loaded by use")
	}
	k.change(cfg)
	if k.reloaded(k.asked()); !loaded() {
		t.Error("given up by a reading that nobody asked for")
	}
	k.forget.Store(true)
	k.change(cfg)
	if k.reloaded(k.asked()); loaded() {
		t.Error("still loaded after it was asked for")
	}
}

// MAPI sessions are held back as the configuration says, also when it is read
// again; in shadow mode all of their ROPs are run.
func TestBackoffOfTheGate(t *testing.T) {
	book, err := throttle.Compile(throttle.File{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{Listen: config.Listen{Gate: loopback()}, Policy: config.Policy{Book: book, Ages: throttle.ExchangeAges()}}
	ask := func(k *gatekeeper) (status int, would string) {
		q := httptest.NewRequest(http.MethodGet, "/v1/rop", nil)
		q.Header.Set("X-Evenkeel-Session", "s")
		q.Header.Set("X-Evenkeel-Client", "15.0.4420.1017")
		q.Header.Set("X-Evenkeel-ROPs", "1000")
		q.Header.Set("X-Evenkeel-Latency", "60000")
		for range 2 { // the first is over, and begins a period; the other falls into it
			w := httptest.NewRecorder()
			k.server.ServeHTTP(w, q)
			status, would = w.Code, w.Header().Get("X-Evenkeel-Would")
		}
		return status, would
	}
	for _, shadow := range []bool{false, true} {
		status, would := 403, ""
		if shadow {
			status, would = 200, "deny"
		}
		cfg.Gate = config.Gate{Shadow: shadow, Backoff: throttle.DefaultBackoff()}
		k := newGatekeeper(cfg)
		for _, factor := range []uint32{1000, 0, 2000} {
			cfg.Gate.Backoff.Factor = factor
			wantStatus, wantWould := status, would
			if factor == 0 {
				wantStatus, wantWould = 200, ""
			}
			if factor != 1000 { // which it has from the start
				k.change(cfg)
			}
			if status, would := ask(k); status != wantStatus || would != wantWould {
				t.Errorf("shadow %v, factor %d: %d, would %q, want %d and %q", shadow, factor, status, would, wantStatus, wantWould)
			}
		}
	}
}

// A reading that was asked for and refused is over: what is in use counts at
// once, and a later reading that nobody asked for is an ordinary one.
func TestReloadThatIsRefused(t *testing.T) {
	cfg := settings("ex01", loopback(), time.Minute)
	cfg.Listen.Gate, cfg.Policy.Ages = loopback(), throttle.ExchangeAges()
	cfg.Policy.Book, _ = throttle.Compile(throttle.File{})
	k := newGatekeeper(cfg)
	a := &agent{cfg: cfg, log: slog.New(slog.DiscardHandler), node: &node.Node{}, gate: k, hup: make(chan os.Signal, 1)}
	used := func() bool {
		k.ledger.Check(time.Now(), throttle.Caller{Name: "anna", Component: throttle.EWS}, throttle.Ask{CPU: -1})
		return k.cache.Explain(time.Now(), "anna").Loaded
	}
	refused := reloader{read: func() (config.Config, dnsrr.Records, error) {
		return config.Config{}, dnsrr.Records{}, errors.New("policy.yaml:1:1: policies: unknown key")
	}}
	if !used() {
		t.Fatal("not loaded by use")
	}
	if a.reload(&refused); !k.cache.Explain(time.Now(), "anna").Loaded {
		t.Error("given up by a refused reading that nobody asked for")
	}
	a.policies().Reload()
	if a.reload(&refused); k.cache.Explain(time.Now(), "anna").Loaded {
		t.Error("still loaded after a refused reading that was asked for")
	}
	if k.asked() || !used() {
		t.Error("what was asked for outlives its reading")
	}
}

// Without listen.gate nothing of it is there.
func TestNoGate(t *testing.T) {
	if k := newGatekeeper(config.Config{}); k != nil || k.shown(time.Now()) != nil || k.stats() != nil {
		t.Error("there is something")
	}
}
