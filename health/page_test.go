package health

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ex01 is a node as it should be.
var ex01 = Report{Node: "ex01", FQDN: "ex01.mail.test", State: Up, Serve: true, Load: 0.43, Percent: 73}

// but is r with one thing changed.
func but(r Report, change func(*Report)) Report {
	change(&r)
	return r
}

func get(path string) Request { return Request{Method: "GET", Path: path} }

// shown is a header's value; none is not the same as an empty one.
func shown(p Page, name string) string {
	for _, h := range p.Header {
		if h[0] == name {
			return h[1]
		}
	}
	return "none"
}

func TestPageOfEveryState(t *testing.T) {
	failing := but(ex01, func(r *Report) { r.State, r.Serve, r.Reason = Failing, false, "queue" })
	for _, c := range []struct {
		name                  string
		r                     Report
		status                int
		state, reason, degree string
	}{
		{"up", ex01, 200, "up", "-", "none"},
		{"degraded serves and Envoy sends less", but(ex01, func(r *Report) { r.State, r.Reason = Degraded, "queue" }), 200, "degraded", "queue", "true"},
		{"unknown serves and says so", but(ex01, func(r *Report) { r.State, r.Reason = Unknown, "blind" }), 200, "unknown", "blind", "none"},
		{"draining serves at first", but(ex01, func(r *Report) { r.State = Draining }), 200, "draining", "-", "none"},
		{"drained", but(ex01, func(r *Report) { r.State, r.Serve = Draining, false }), 503, "draining", "-", "none"},
		{"failing", failing, 503, "failing", "queue", "none"},
		{"failing never serves", but(failing, func(r *Report) { r.Serve = true }), 503, "failing", "queue", "none"},
		{"the zero report", Report{}, 503, "unknown", "-", "none"},
	} {
		p := c.r.Page(get("/mapi/healthcheck.htm"))
		got := []any{p.Status, shown(p, "X-Evenkeel-State"), shown(p, "X-Evenkeel-Reason"), shown(p, "x-envoy-degraded")}
		want := []any{c.status, c.state, c.reason, c.degree}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: got %v, want %v", c.name, got, want)
				break
			}
		}
	}
}

// In service the page is Exchange's own, which balancers were set up for.
func TestPageInService(t *testing.T) {
	p := ex01.Page(get("/owa/healthcheck.htm"))
	if want := "200 OK<br/>ex01.mail.test"; p.Body != want {
		t.Errorf("body %q, want %q", p.Body, want)
	}
	for name, want := range map[string]string{"Content-Type": "text/html", "X-FEServer": "ex01", "X-Evenkeel-Load": "43", "Cache-Control": "no-store"} {
		if got := shown(p, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestPagePaths(t *testing.T) {
	yes := strings.Fields(`/healthcheck.htm /HealthCheck.htm /mapi/healthcheck.htm /health/mapi/healthcheck.htm
		/OWA/HealthCheck.htm /ecp/healthcheck.htm /EWS/HEALTHCHECK.HTM /oab/healthcheck.htm /RPC/HealthCheck.htm
		/autodiscover/healthcheck.htm /Microsoft-Server-Activesync/healthcheck.htm /ActiveSync/HealthCheck.htm
		/PowerShell/healthcheck.htm /imap/healthcheck.htm /smtp/healthcheck.htm /pop/healthcheck.htm /Health/Pop/healthcheck.htm`)
	no := strings.Fields(`/ /owa /owa/ /owa/healthcheck.htm/ //owa/healthcheck.htm /owa//healthcheck.htm /owa/./healthcheck.htm
		/x/../owa/healthcheck.htm /healthcheck.html /nosuch/healthcheck.htm /health/healthcheck.htm /health/health/owa/healthcheck.htm
		/healthowa/healthcheck.htm owa/healthcheck.htm healthcheck.htm //healthcheck.htm * /owahealthcheck.htm`)
	for status, paths := range map[int][]string{200: yes, 404: append(no, "")} {
		for _, path := range paths {
			if got := ex01.Page(get(path)).Status; got != status {
				t.Errorf("%q: %d, want %d", path, got, status)
			}
		}
	}
}

// A protocol that is broken by itself takes only its own page out, whatever the
// name it is asked by.
func TestPageOfBrokenProtocol(t *testing.T) {
	r := but(ex01, func(r *Report) { r.Out = ActiveSync | IMAP })
	for path, want := range map[string]string{
		"/mapi/healthcheck.htm":                               "200 up -",
		"/healthcheck.htm":                                    "200 up -",
		"/imap/healthcheck.htm":                               "503 failing service",
		"/activesync/healthcheck.htm":                         "503 failing service",
		"/health/microsoft-server-activesync/healthcheck.htm": "503 failing service",
	} {
		p := r.Page(get(path))
		got := map[int]string{200: "200", 503: "503"}[p.Status] + " " + shown(p, "X-Evenkeel-State") + " " + shown(p, "X-Evenkeel-Reason")
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestPageMethods(t *testing.T) {
	const path = "/mapi/healthcheck.htm"
	head := ex01.Page(Request{Method: "HEAD", Path: path})
	if head.Status != 200 || head.Body != ex01.Page(get(path)).Body {
		t.Errorf("HEAD: %v, want what GET gets", head)
	}
	for _, m := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", ""} {
		p := ex01.Page(Request{Method: m, Path: path})
		if p.Status != 405 || shown(p, "Allow") != "GET, HEAD" {
			t.Errorf("%q: %v, want 405 and what is allowed", m, p)
		}
	}
}

// A balancer that knows only yes and no is given a ladder: several monitors
// with rising max and different weights.
func TestPageLadder(t *testing.T) {
	const bad, kept = "max ignored, it takes a number from 1 to 1000", "over max, but the farm cannot spare this node"
	for _, c := range []struct {
		query  string
		load   float64
		leave  bool
		status int
		note   string
	}{
		{"max=80", 0.79, true, 200, "none"},
		{"max=80", 0.80, true, 200, "none"},
		{"max=80", 0.804, true, 200, "none"}, // shown as 80, so judged as 80
		{"max=80", 0.81, true, 503, "none"},
		{"max=80", 0.81, false, 200, kept}, // the guard comes first
		{"max=7", 0.07, true, 200, "none"}, // 100 × 0.07 is a little over 7
		{"max=1000", 10.00, true, 200, "none"},
		{"max=1000", math.Inf(1), true, 503, "none"},
		{"max=1", math.NaN(), true, 200, "none"}, // not measurable is not high
		{"max=1", -1, true, 200, "none"},
		{"x=1&max=80&max=99", 0.81, true, 503, "none"}, // the first one counts
		{"maximum=1&&=max", 0.81, true, 200, "none"},
		{"max=0", 0.81, true, 200, bad},
		{"max=1001", 0.81, true, 200, bad},
		{"max=-5", 0.81, true, 200, bad},
		{"max=80%25", 0.81, true, 200, bad},
		{"max", 0.81, true, 200, bad},
		{"max=99999999999999999999", 0.81, true, 200, bad},
	} {
		r := but(ex01, func(r *Report) { r.Load, r.Leave = c.load, c.leave })
		p := r.Page(Request{"GET", "/owa/healthcheck.htm", c.query})
		if got := shown(p, "X-Evenkeel-Note"); p.Status != c.status || got != c.note {
			t.Errorf("?%s at %v, leave %v: %d, note %q; want %d, note %q", c.query, c.load, c.leave, p.Status, got, c.status, c.note)
		}
		if p.Status == 503 && shown(p, "X-Evenkeel-Reason") != "max" {
			t.Errorf("?%s: refused for %q, want max", c.query, shown(p, "X-Evenkeel-Reason"))
		}
	}
}

func TestPageLoad(t *testing.T) {
	for load, want := range map[float64]string{
		0: "0", 0.004: "0", 0.005: "1", 0.43: "43", 1: "100", 2: "200", 1e300: "9999", math.Inf(1): "9999",
		-0.1: "none", math.Inf(-1): "none", math.NaN(): "none",
	} {
		if got := shown(but(ex01, func(r *Report) { r.Load = load }).Page(get("/healthcheck.htm")), "X-Evenkeel-Load"); got != want {
			t.Errorf("load %v: shown as %s, want %s", load, got, want)
		}
	}
}

// What comes from configuration and from sources must not become markup or a
// header of its own.
func TestPageText(t *testing.T) {
	r := but(ex01, func(r *Report) {
		r.Node, r.FQDN, r.Reason = "ex01\r\nX-Evil: 1", "<b>ex01 & ex02\n", " \tkö\x00 "+strings.Repeat("x", 999)
	})
	p := r.Page(get("/healthcheck.htm"))
	if want := "200 OK<br/>&lt;b&gt;ex01 &amp; ex02"; p.Body != want {
		t.Errorf("body %q, want %q", p.Body, want)
	}
	if got, want := shown(p, "X-FEServer"), "ex01  X-Evil: 1"; got != want {
		t.Errorf("X-FEServer %q, want %q", got, want)
	}
	if got := shown(p, "X-Evenkeel-Reason"); !strings.HasPrefix(got, "k") || len(got) > maxText {
		t.Errorf("reason %q, want it clean and short", got)
	}
}

// raw is a Page as bytes, for those who search in bytes.
func raw(p Page) string {
	var b strings.Builder
	b.WriteString(statusLine[p.Status])
	for _, h := range p.Header {
		b.WriteString("\r\n" + h[0] + ": " + h[1])
	}
	return b.String() + "\r\n\r\n" + p.Body
}

var statusLine = map[int]string{200: "200 OK", 404: "404 Not Found", 405: "405 Method Not Allowed", 503: "503 Service Unavailable"}

// keepsPromises is what holds for every Report and every Request.
func keepsPromises(t interface{ Fatalf(string, ...any) }, r Report, q Request) {
	p := r.Page(q)
	switch {
	case statusLine[p.Status] == "":
		t.Fatalf("%+v: status %d is none of ours", q, p.Status)
	case p.Status == 200 && (!r.Serve || r.State == Failing):
		t.Fatalf("%+v: in service, but %+v is not", q, r)
	case p.Status != 200 && strings.Contains(raw(p), "200"):
		t.Fatalf("%+v: a refusal with the digits of success: %q", q, raw(p))
	case shown(p, "X-Evenkeel-State") == "none":
		t.Fatalf("%+v: no state in %q", q, raw(p))
	}
	for _, h := range p.Header {
		if strings.ContainsFunc(h[0]+h[1], func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Fatalf("%+v: header %q is not plain", q, h)
		}
	}
}

// awkward are reports whose words and numbers like to spell success.
func awkward() *rapid.Generator[Report] {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`(mx|ex|)[02]{0,4}(\.200)?`), rapid.Just("200 OK"))
	load := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{2, 12, 20, 20.04, 2.001, 1.996, -1, math.NaN(), math.Inf(1)}))
	return rapid.Custom(func(t *rapid.T) Report {
		return Report{
			Node: text.Draw(t, "node"), FQDN: text.Draw(t, "fqdn"), Reason: text.Draw(t, "reason"),
			State: State(rapid.Uint8Range(0, 6).Draw(t, "state")), Serve: rapid.Bool().Draw(t, "serve"),
			Leave: rapid.Bool().Draw(t, "leave"), Load: load.Draw(t, "load"),
			Percent: rapid.Int().Draw(t, "percent"), Out: Protocols(rapid.Uint16().Draw(t, "out")),
		}
	})
}

func probes() *rapid.Generator[Request] {
	path := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"/owa/healthcheck.htm", "/HEALTHCHECK.HTM", "/200", "/health/imap/healthcheck.htm"}))
	query := rapid.OneOf(rapid.String(), rapid.StringMatching(`max=[0-9]{0,4}`))
	return rapid.Custom(func(t *rapid.T) Request {
		return Request{rapid.SampledFrom([]string{"GET", "HEAD", "POST", "200"}).Draw(t, "method"), path.Draw(t, "path"), query.Draw(t, "query")}
	})
}

func TestPagePromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsPromises(t, awkward().Draw(t, "report"), probes().Draw(t, "request")) })
}

func FuzzPage(f *testing.F) {
	f.Add("GET", "/owa/healthcheck.htm", "max=80", "mx200", "mx200.mail.test", "queue", 2.0, uint8(4), true, true)
	f.Add("HEAD", "//owa/healthcheck.htm", "", "ex\r\n01", "", "200", 12.0, uint8(0), false, false)
	f.Fuzz(func(t *testing.T, method, path, query, node, fqdn, reason string, load float64, state uint8, serve, leave bool) {
		r := Report{Node: node, FQDN: fqdn, Reason: reason, Load: load, State: State(state), Serve: serve, Leave: leave}
		keepsPromises(t, r, Request{method, path, query})
	})
}
