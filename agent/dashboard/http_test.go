package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func ask(t *testing.T, now func() (Status, bool), target string) *httptest.ResponseRecorder {
	t.Helper()
	method, path, found := strings.Cut(target, " ")
	if !found {
		method, path = http.MethodGet, target
	}
	w := httptest.NewRecorder()
	Handler(now, nobody, Policies{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("metrics")) })).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return w
}

func nobody(string, bool, time.Duration) error { return errors.New("no such node") }

// An order is passed on whole or refused with the reason.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		path, kind, body string
		status           int
		want             string // what was passed on, or how the refusal begins
	}{
		{"drain", "application/json", `{"node":"ex02","over":"10m"}`, 202, "ex02 resume=false 10m0s"},
		{"drain", "application/json; charset=utf-8", `{}`, 202, " resume=false 5m0s"},
		{"drain", "application/json", `{"over":"0s"}`, 202, " resume=false 0s"},
		{"resume", "application/json", `{"node":"ex02"}`, 202, "ex02 resume=true 5m0s"},
		{"drain", "text/plain", `{"node":"ex02"}`, 415, "Content-Type must be"},
		{"drain", "", `{}`, 415, "Content-Type must be"},
		{"drain", "application/json", `{"over":"soon"}`, 400, "over: want a duration"},
		{"drain", "application/json", `{"over":"-1s"}`, 400, "over: want a duration"},
		{"drain", "application/json", `{"nodes":"ex02"}`, 400, "want {"},
		{"drain", "application/json", ``, 400, "want {"},
		{"drain", "application/json", `{"node":"nobody"}`, 404, "no such node"},
	} {
		var got string
		h := Handler(func() (Status, bool) { return shown(), true }, func(node string, resume bool, over time.Duration) error {
			if node == "nobody" {
				return nobody(node, resume, over)
			}
			got = fmt.Sprintf("%s resume=%v %v", node, resume, over)
			return nil
		}, Policies{}, http.NotFoundHandler())
		q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/"+c.path, strings.NewReader(c.body))
		q.Header.Set("Content-Type", c.kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		if w.Code != c.status || !strings.HasPrefix(got+w.Body.String(), c.want) || c.status == 202 && got != c.want {
			t.Errorf("%s %s: %d %q %q, want %d %q", c.path, c.body, w.Code, got, w.Body, c.status, c.want)
		}
	}
}

// A browser keeps the operator's password and would send it along with the order
// of a foreign page; but it says whose page it was. Commands say nothing.
func TestOrdersOfForeignPages(t *testing.T) {
	for _, c := range []struct {
		whose, header, value string
		want                 int
	}{
		{"a command", "", "", 202},
		{"our own page", "Sec-Fetch-Site", "same-origin", 202},
		{"typed in", "Sec-Fetch-Site", "none", 202},
		{"a foreign page", "Sec-Fetch-Site", "cross-site", 403},
		{"another port of this machine", "Sec-Fetch-Site", "same-site", 403},
		{"our own page, in an old browser", "Origin", "http://127.0.0.1:9853", 202},
		{"a foreign page, in an old browser", "Origin", "http://evil.example", 403},
		{"a page without an origin, in an old browser", "Origin", "null", 403},
	} {
		asked := false
		h := Handler(func() (Status, bool) { return shown(), true }, func(string, bool, time.Duration) error { asked = true; return nil }, Policies{}, http.NotFoundHandler())
		for _, path := range []string{"drain", "resume"} {
			q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:9853/api/v1/"+path, strings.NewReader("{}"))
			q.Header.Set("Content-Type", "application/json")
			if c.header != "" {
				q.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, q)
			if w.Code != c.want || asked != (c.want == 202) {
				t.Errorf("%s, %s: %d, passed on: %v; want %d", c.whose, path, w.Code, asked, c.want)
			}
		}
	}
}

func TestHandler(t *testing.T) {
	ready := func() (Status, bool) { return shown(), true }
	starting := func() (Status, bool) { return Status{}, false }
	for _, c := range []struct {
		when   string
		now    func() (Status, bool)
		target string
		status int
		body   string // how it begins
	}{
		{"before the first beat nothing is known", starting, "/", 503, "starting\n"},
		{"before the first beat nothing is known", starting, "/api/v1/status", 503, "starting\n"},
		{"before the first beat it is not healthy", starting, "/healthz", 503, "starting\n"},
		{"but it counts", starting, "/metrics", 200, "metrics"},
		{"then people get the table", ready, "/", 200, "NODE  "},
		{"machines the JSON", ready, "/api/v1/status", 200, "{\n  \"node\": \"ex01\",\n"},
		{"and watchmen a word", ready, "/healthz", 200, "ok\n"},
		{"to look is not to ask for", ready, "HEAD /healthz", 200, ""},
		{"nothing is changed here", ready, "POST /api/v1/status", 405, ""},
		{"nothing is changed here", ready, "DELETE /", 405, ""},
		{"there is no more", ready, "/api/v1", 404, ""},
		{"there is no more", ready, "/healthz/", 404, ""},
	} {
		got := ask(t, c.now, c.target)
		if got.Code != c.status || !strings.HasPrefix(got.Body.String(), c.body) {
			t.Errorf("%s: %s: %d %q, want %d %q", c.when, c.target, got.Code, got.Body, c.status, c.body)
		}
	}
}
