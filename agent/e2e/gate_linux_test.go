package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The mail server of this story works on so many requests at once, each for so
// long: others wait.
const (
	workers = 8
	work    = 20 * time.Millisecond
)

// mail starts it at port 8000 of n's loopback.
func (n *node) mail(t *testing.T) {
	t.Helper()
	var l net.Listener
	if err := n.do(func() (err error) { l, err = net.Listen("tcp", "127.0.0.1:8000"); return err }); err != nil {
		t.Fatal(err)
	}
	places := make(chan struct{}, workers)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/forbidden" {
			http.Error(w, "by the mail server", http.StatusForbidden)
			return
		}
		places <- struct{}{}
		defer func() { <-places }()
		time.Sleep(work)
		io.WriteString(w, "mail\n")
	})}
	var wg sync.WaitGroup
	wg.Go(func() { s.Serve(l) })
	t.Cleanup(func() { s.Close(); wg.Wait() })
}

// front starts nginx as configs/nginx-gate.conf has it at port 80, the same
// without a word for denials at 81, and one that asks nobody at 82.
func (n *node) front(t *testing.T) {
	t.Helper()
	shipped, err := os.ReadFile("../../configs/nginx-gate.conf")
	if err != nil {
		t.Fatal(err)
	}
	const listens = "listen 80;"
	conf := strings.Replace(string(shipped), "proxy_read_timeout    75s", "proxy_read_timeout    5s", 1)
	i := strings.LastIndex(conf, "\nserver {\n")
	if i < 0 || strings.Count(conf[i:], listens) != 1 || conf == string(shipped) {
		t.Fatalf("configs/nginx-gate.conf has another shape: its last server is to %s and to wait 75s", listens)
	}
	upstreams, server := conf[:i], conf[i:]
	at := func(port uint16) string { return fmt.Sprintf("listen %s;", netip.AddrPortFrom(n.addr, port)) }
	var plain []string
	for line := range strings.Lines(strings.Replace(server, listens, at(81), 1)) {
		if !strings.Contains(line, "error_page       403") {
			plain = append(plain, line)
		}
	}
	dir := t.TempDir()
	file := n.farm.write(t, "front.conf", fmt.Sprintf(`
daemon off; master_process off; error_log stderr; pid %s;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path %[2]s; proxy_temp_path %[2]s; fastcgi_temp_path %[2]s; uwsgi_temp_path %[2]s; scgi_temp_path %[2]s;
%[3]s
%[4]s
%[5]s
server { %[6]s location / { proxy_pass http://mail; } }
}`, filepath.Join(dir, "pid"), dir, upstreams, strings.Replace(server, listens, at(80), 1), strings.Join(plain, ""), at(82)))
	n.space.start(t, nil, "nginx", "-e", "stderr", "-c", file)
	eventually(t, soon, "nginx accepts", func() (string, bool) {
		conn, err := n.farm.hub.dial(t.Context(), "tcp", netip.AddrPortFrom(n.addr, 80).String())
		if err != nil {
			return err.Error(), false
		}
		return "", conn.Close() == nil
	})
}

// One user hammers: he is refused beyond his connections, then delayed, then
// locked out. Others on the same server feel nothing of him. When the agent is
// gone everybody is served.
func gateStory(t *testing.T, bin string) {
	f := newStage(t, bin, "gate", 4000)
	n := f.nodes[0]
	n.set.Gate = "127.0.0.1:9854"
	n.set.More = "policy: {file: policy.yaml}\ngate: {domains: [CONTOSO=contoso.example]}"
	f.write(t, "policy.yaml", hammered)
	n.mail(t)
	n.front(t)
	n.start(t)
	eventually(t, soon, "the gate is open", func() (string, bool) {
		return n.agent.out.String(), strings.Contains(n.agent.out.String(), "gate: ")
	})

	spell := func(*score) { time.Sleep(3 * time.Second) }
	before, _ := play(t, n, 0, spell)
	t.Logf("others alone: %v", before)
	without, free := play(t, n, 82, spell)
	t.Logf("others, while a user hammers who is not asked about: %v", without)
	t.Logf("that user: %v", free)
	refused, delayed, lockedOut := outcome{429, "MaxConcurrency"}, outcome{200, "LocalTime"}, outcome{429, "LocalTime"}
	with, hammer := play(t, n, 80, func(h *score) {
		eventually(t, soon, "the hammer is refused beyond his connections, delayed, and locked out", func() (string, bool) {
			return h.String(), h.has(refused) && h.has(delayed) && h.has(lockedOut)
		})
		spell(h)
	})
	t.Logf("others, while a user hammers who is: %v", with)
	t.Logf("that user: %v", hammer)
	for _, y := range []*score{before, without, with} {
		if kinds := slices.Collect(maps.Keys(y.outcomes)); len(kinds) != 1 || kinds[0] != (outcome{200, ""}) {
			t.Errorf("others were not left alone: %v", y)
		}
	}

	// How long the others wait, and how much of the hammer is served in that time,
	// is the machine's affair as well, and is told above.
	n.tellsOfTheHammer(t)
	n.saysNo(t)
	n.failsOpen(t)
}

// tellsOfTheHammer: the status names him, and the metrics do not.
func (n *node) tellsOfTheHammer(t *testing.T) {
	t.Helper()
	r, err := n.web.Get("http://127.0.0.1:9853/api/v1/status")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var s struct {
		Throttle struct {
			Throttled []struct {
				User, Component, Part, Action string
				Seconds                       float64 `json:"for_seconds"`
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	who := s.Throttle.Throttled
	if len(who) != 1 || who[0].User != "hammer@contoso.example" || who[0].Component != "Ews" || who[0].Part != "LocalTime" || who[0].Action != "deny" || who[0].Seconds <= 0 {
		t.Errorf("throttled: %+v, want the hammer alone", who)
	}
	text := n.metrics(t)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "evenkeel_throttle_") || strings.HasPrefix(line, "evenkeel_gate_") {
			t.Log(strings.TrimSpace(line))
		}
	}
	for _, want := range []string{
		`evenkeel_throttle_decisions_total{action="deny",component="Ews",part="MaxConcurrency"} `, `evenkeel_throttle_decisions_total{action="delay",component="Ews",part="LocalTime"} `,
		`evenkeel_throttle_decisions_total{action="deny",component="Ews",part="LocalTime"} `, "evenkeel_throttle_over_budget 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "hammer") {
		t.Error("a name is in the metrics")
	}
}

// saysNo: in the words of each protocol, and of the front end.
func (n *node) saysNo(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		promise, name, path string
		port                uint16
		want                outcome
		retry               bool
	}{
		{"locked out", "hammer", "/ews/exchange.asmx", 80, outcome{429, "LocalTime"}, true},
		{"locked out, by any spelling of his name", `CONTOSO\Hammer`, "/ews/exchange.asmx", 80, outcome{429, "LocalTime"}, true},
		{"locked out, with nothing said about denials", "hammer", "/ews/exchange.asmx", 81, outcome{403, ""}, false},
		{"a phone without a place", "hammer", "/Microsoft-Server-ActiveSync?Cmd=Sync", 80, outcome{503, "MaxConcurrency"}, true},
		{"a phone that writes the path in its own way", "hammer", "/microsoft-server-activesync?Cmd=Sync", 80, outcome{503, "MaxConcurrency"}, true},
		{"free in another component", "hammer", "/owa/", 80, outcome{200, ""}, false},
		{"refused by the mail server itself", "user1", "/forbidden", 80, outcome{403, ""}, false},
	} {
		u := n.user(c.name, c.port)
		o, retry, err := u.gets(t.Context(), c.path)
		u.web.CloseIdleConnections()
		seconds, _ := strconv.Atoi(retry)
		if err != nil || o != c.want || c.retry != (1 <= seconds && seconds <= 300) {
			t.Errorf("%s: %v, Retry-After %q, %v; want %v", c.promise, o, retry, err, c.want)
		}
	}
}

// failsOpen: without the agent everybody is served, and so when it hangs, after
// those who asked first have waited; when it is back it judges again.
func (n *node) failsOpen(t *testing.T) {
	t.Helper()
	u := n.user("hammer", 80)
	defer u.web.CloseIdleConnections()
	served := func(while string) {
		for range 10 {
			if o, _, err := u.gets(t.Context(), "/ews/exchange.asmx"); err != nil || o != (outcome{200, ""}) {
				t.Errorf("while the agent %s: %v, %v", while, o, err)
			}
		}
	}
	judged := func() {
		eventually(t, soon, "the agent judges again", func() (string, bool) {
			o, _, err := u.gets(t.Context(), "/Microsoft-Server-ActiveSync?Cmd=Sync")
			return fmt.Sprint(o, err), o == (outcome{503, "MaxConcurrency"})
		})
	}
	n.agent.cmd.Process.Signal(syscall.SIGSTOP)
	served("hangs")
	n.agent.cmd.Process.Signal(syscall.SIGCONT)
	judged()
	n.agent.kill()
	served("is gone")
	n.start(t)
	judged()
}

// hammered is what the hammer may; others may what a fresh Exchange lets them. He
// recharges as fast as one request uses up, so that a delay is no longer than the
// request before it: a longer one than nginx waits for would let everybody in.
const hammered = `
policies:
  - name: tight
    EwsMaxConcurrency: 4
    EwsMaxBurst: 2000
    EwsRechargeRate: 3600000
    EwsCutoffBalance: 3000
    EasMaxConcurrency: 0
users:
  CONTOSO\hammer: tight
`
