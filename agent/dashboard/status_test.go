package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/node"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// seen is a farm in which everything that can be shown is the case: a node
// that is well, one that is degraded, one that fails, one whose connections
// cannot be measured, one that is gone and one that was never heard.
func seen() *node.View {
	at := time.Date(2025, 6, 30, 8, 15, 0, 500_000_000, time.UTC)
	fact := func(connections, depth int) balance.Fact {
		return balance.Fact{Connections: connections, Limit: 4000, Queue: depth, QueueLimit: 1000, Up: 300 * time.Second}
	}
	unmeasured := balance.Fact{Connections: balance.Unmeasured, Limit: 8000, Up: 12500 * time.Millisecond}
	return &node.View{
		At: at, Name: "ex01", Beat: 7,
		Plan: balance.Plan{
			TTL: 5 * time.Second, Open: true, Alone: true,
			Nodes: []balance.Standing{
				{Name: "ex01", Status: balance.Up, Share: 0.4375, Heard: true, Fact: fact(1999, 3)},
				{Name: "ex02", Status: balance.Degraded, Why: "queue", Share: 0.0025, Age: 1250 * time.Millisecond, Heard: true, Fact: fact(3100, 720)},
				{Name: "ex03", Status: balance.Failing, Why: "queue", Age: 900 * time.Millisecond, Heard: true, Fact: fact(0, 1001)},
				{Name: "ex04", Status: balance.Unknown, Why: "blind", Share: 0.56, Age: 500 * time.Millisecond, Heard: true, Fact: unmeasured},
				{Name: "ex05", Status: balance.Down, Why: "left", Age: time.Hour, Heard: true, Fact: fact(12, 0)},
				{Name: "ex06", Status: balance.Unknown, Fact: balance.Fact{Limit: 1}},
			},
		},
		Sample: queue.Sample{Sources: []queue.Status{
			{Name: "listener", Age: 400 * time.Millisecond},
			{Name: "cpu", Age: 3 * time.Second, Err: queue.ErrStale},
			{Name: "pdh", Age: -1, Err: errors.New("no such counter")},
		}},
		Addrs: map[string][]netip.Addr{
			"ex01": {netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")},
			"ex02": {netip.MustParseAddr("192.0.2.2")},
		},
	}
}

func shown() Status {
	return Of(seen(), "v1.2.3", []Member{
		{"ex01", "192.0.2.1:7946", "alive"}, {"ex05", "192.0.2.5:7946", "left"},
	}, []string{"two machines use the name ex02"})
}

// The names in testdata/status.json are promises, and so are null for a number
// that is not known and [] for a list without members.
func TestJSON(t *testing.T) {
	got := ask(t, func() (Status, bool) { return shown(), true }, "/api/v1/status")
	if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d, %s", got.Code, got.Header().Get("Content-Type"))
	}
	same(t, "status.json", got.Body.String())
}

func TestTable(t *testing.T) {
	var b strings.Builder
	if err := shown().Table(&b); err != nil {
		t.Fatal(err)
	}
	same(t, "status.txt", b.String())
}

// same compares with a file of testdata.
func same(t *testing.T, file, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil || got != string(want) {
		t.Errorf("%s: %v\ngot\n%s\nwant\n%s", file, err, got, want)
	}
}

// What a machine reads is what a person is shown: the table made of the JSON
// is the table.
func TestTheTableTravelsAsJSON(t *testing.T) {
	b, err := json.Marshal(shown())
	if err != nil {
		t.Fatal(err)
	}
	var s Status
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	var near, far strings.Builder
	if err := errors.Join(shown().Table(&near), s.Table(&far)); err != nil || near.String() != far.String() {
		t.Errorf("%v\nhere\n%s\nthere\n%s", err, near.String(), far.String())
	}
}

// An empty farm has empty lists, not missing ones.
func TestNoListIsNull(t *testing.T) {
	b, err := json.Marshal(Of(&node.View{}, "", nil, nil))
	if err != nil || strings.Contains(string(b), "null") {
		t.Errorf("%v: %s", err, b)
	}
}

// A Status does not change when those that it was made of do.
func TestStatusIsItsOwn(t *testing.T) {
	members, alarms := []Member{{Name: "ex01"}}, []string{"fire"}
	s := Of(seen(), "", members, alarms)
	members[0].Name, alarms[0] = "ex02", "flood"
	if s.Members[0].Name != "ex01" || s.Alarms[0] != "fire" {
		t.Errorf("changed to %v, %v", s.Members, s.Alarms)
	}
}

// A table that cannot be written says so.
func TestTableToNobody(t *testing.T) {
	if err := shown().Table(deaf{}); !errors.Is(err, errDeaf) {
		t.Errorf("got %v, want %v", err, errDeaf)
	}
}

var errDeaf = errors.New("nobody reads")

type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

func ask(t *testing.T, now func() (Status, bool), target string) *httptest.ResponseRecorder {
	t.Helper()
	method, path, found := strings.Cut(target, " ")
	if !found {
		method, path = http.MethodGet, target
	}
	w := httptest.NewRecorder()
	Handler(now, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("metrics")) })).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return w
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
