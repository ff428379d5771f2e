package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

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
		Longest: 30 * time.Second, Learner: stalls(), Serial: 1777878000,
		Services: []node.Carried{{Name: "imap"}, {Name: "mapi", Why: "probe", Detail: "answered 503"}, {Name: "smtp", Why: "port 25"}},
		Lacks:    map[string][]string{"ex01": {"mapi", "smtp"}, "ex03": {"imap"}},
		At:       at, Name: "ex01", Beat: 7,
		Plan: balance.Plan{
			TTL: 5 * time.Second, Open: true, Alone: true,
			Astray: balance.Astray{Known: true, Share: 0.375, More: "ex01", Much: true},
			Nodes: []balance.Standing{
				{Name: "ex01", Status: balance.Up, Share: 0.4375, Heard: true, Fact: fact(1999, 3)},
				{Name: "ex02", Status: balance.Degraded, Why: "queue", Share: 0.0025, Age: 1250 * time.Millisecond, Heard: true, Fact: fact(3100, 720)},
				{Name: "ex03", Status: balance.Failing, Why: "queue", Age: 900 * time.Millisecond, Heard: true, Fact: fact(0, 1001)},
				{Name: "ex04", Status: balance.Unknown, Why: "blind", Share: 0.56, Age: 500 * time.Millisecond, Heard: true, Fact: unmeasured},
				{Name: "ex05", Status: balance.Down, Why: "left", Age: time.Hour, Heard: true, Fact: fact(12, 0)},
				{Name: "ex06", Status: balance.Unknown, Fact: balance.Fact{Limit: 1}},
			},
		},
		Sample: queue.Sample{Logs: logged(at), Sources: []queue.Status{
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

// stalls is a Learner that saw queues grow from 4,096 connections on.
func stalls() balance.Learner {
	l, err := balance.Kept{Version: 1, Seen: []balance.Seen{{Connections: 2048, Calm: 36000}, {Connections: 4096, Calm: 600, Episodes: 4}}}.Learner()
	if err != nil {
		panic(err)
	}
	return l
}

func shown() Status {
	s := Of(seen(), "v1.2.3", []Member{
		{"ex01", "192.0.2.1:7946", "alive"}, {"ex05", "192.0.2.5:7946", "left"},
	}, []string{"two machines use the name ex02"})
	s.Throttle = judged()
	return s
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

// An empty farm has empty lists, not missing ones; only what is not known is null.
func TestNoListIsNull(t *testing.T) {
	b, err := json.Marshal(Of(&node.View{}, "", nil, nil))
	if known, unknown := strings.CutSuffix(string(b), `"astray":null,"astray_to":"","throttle":null,"logs":null}`); err != nil || !unknown || strings.Contains(known, "null") {
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

// What other machines say of themselves neither moves the cursor nor adds lines
// or columns to what an operator reads.
func TestTheTableIsOnlyShown(t *testing.T) {
	const evil = "\x1b[2J\x9b\u009b2J\r\n\t\v\u202e\xff"
	s := Status{
		Nodes:   []Node{{Name: evil, State: evil, Why: evil, Addresses: []string{evil}}},
		Sources: []Source{{Name: evil, Up: true}, {Name: evil, Error: evil}},
		Members: []Member{{Name: evil, Address: evil, State: evil}},
		Alarms:  []string{evil},
		Hints:   []string{evil},
	}
	var b strings.Builder
	if err := s.Table(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if got := strings.TrimSuffix(line, "\n"); got != Plain(got) {
			t.Errorf("shown as it is: %q", got)
		}
	}
	if got := strings.Count(b.String(), "\n"); got != 7 { // head, node, alarm, hint, two sources, member
		t.Errorf("%d lines, want 7:\n%q", got, b.String())
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"ex01: Müller’s 節点 up 73%", "ex01: Müller’s 節点 up 73%"},
		{"two\nlines,\ttwo columns", "two lines, two columns"},
		{"no-break\u00a0space", "no-break space"},
		{"\x1b[31mred\x07", "\ufffd[31mred\ufffd"},
		{"\u009b31m", "\ufffd31m"},
		{"right\u202eleft", "right\ufffdleft"},
		{"half \xe7\xaf", "half \ufffd\ufffd"},
		{"\x00\x7f", "\ufffd\ufffd"},
	} {
		if got := Plain(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[2J\u009b\xff\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := Plain(s)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) != utf8.RuneCountInString(s) || got != Plain(got) {
			t.Errorf("%q: %q", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) }); i >= 0 {
			t.Errorf("%q: %q gives orders at %d", s, got, i)
		}
	})
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
