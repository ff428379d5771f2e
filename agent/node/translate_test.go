package node

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/health"
	"evenkeel/policy/balance"
	"evenkeel/queue"
)

var errGone = errors.New("gone")

// sources are n sources, the first blind of which cannot be read.
func sources(n, blind int) (s queue.Sample) {
	for i := range n {
		s.Sources = append(s.Sources, queue.Status{Name: fmt.Sprint("source", i)})
		if i < blind {
			s.Faults = append(s.Faults, queue.Fault{Source: fmt.Sprint("source", i), Err: errGone})
		}
	}
	return s
}

func TestMeasures(t *testing.T) {
	const limit = 4000
	for _, c := range []struct {
		name       string
		sample     func(*queue.Sample)
		blind      int // of two sources
		queueLimit int
		want       balance.Measure
	}{
		{"nothing listens: not measured, which is not zero", func(*queue.Sample) {}, 0, 0,
			balance.Measure{Connections: balance.Unmeasured}},
		{"an idle port is zero", func(s *queue.Sample) { s.Ports = []queue.Port{{Number: 443}} }, 0, 0,
			balance.Measure{Connections: 0}},
		{"one source of two blind is not blind", func(s *queue.Sample) { s.Ports = []queue.Port{{Number: 443, Open: 7}} }, 1, 0,
			balance.Measure{Connections: 7}},
		{"both are", func(*queue.Sample) {}, 2, 0, balance.Measure{Blind: true, Connections: balance.Unmeasured}},
		{"connections are added up, and who came with them",
			func(s *queue.Sample) {
				s.Ports, s.Arrived = []queue.Port{{Number: 25, Open: 30}, {Number: 443, Open: 400}, {Number: 993, Open: 5}}, 1234
			}, 0, 0,
			balance.Measure{Connections: 435, Arrived: 1234}},
		{"queues are not: each has its own limit, and one that nobody knows is 1000",
			func(s *queue.Sample) {
				s.Queues = []queue.Queue{{Name: "a", Depth: 3, Limit: 128, Slope: 0.5}, {Name: "b", Depth: 129, Limit: 128}, {Name: "c", Depth: 9}}
			}, 0, 0,
			balance.Measure{Connections: balance.Unmeasured, Queues: []balance.Queue{{Depth: 3, Limit: 128, Slope: 0.5}, {Depth: 129, Limit: 128}, {Depth: 9, Limit: 1000}}}},
		{"the operator knows better",
			func(s *queue.Sample) {
				s.Queues = []queue.Queue{{Name: "a", Depth: 3, Limit: 128}, {Name: "c", Depth: 9}}
			}, 0, 500,
			balance.Measure{Connections: balance.Unmeasured, Queues: []balance.Queue{{Depth: 3, Limit: 500}, {Depth: 9, Limit: 500}}}},
		{"a queue of which only refusals are known is not empty", func(s *queue.Sample) {
			s.Queues = []queue.Queue{{Name: "pool", Depth: queue.Unmeasured, Refused: 7}}
		}, 0, 500,
			balance.Measure{Connections: balance.Unmeasured}},
		{"gauges keep their names", func(s *queue.Sample) {
			s.Gauges = []queue.Gauge{{Name: "cpu", Value: 0.4, Limit: 1}, {Name: "rpc", Value: 20, Limit: 250}}
		}, 0, 0,
			balance.Measure{Connections: balance.Unmeasured, Gauges: []balance.Gauge{{Name: "cpu", Value: 0.4, Limit: 1}, {Name: "rpc", Value: 20, Limit: 250}}}},
	} {
		s := sources(2, c.blind)
		c.sample(&s)
		c.want.Limit = limit
		if got := measureOf(s, limit, c.queueLimit); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
	logs := sources(2, 1)
	logs.Sources[1].Logs = true
	if !measureOf(logs, limit, 0).Blind {
		t.Error("who can read nothing but logs sees how much there is to do")
	}
	if !measureOf(queue.Sample{}, limit, 0).Blind {
		t.Error("who has no source at all sees something")
	}
}

// A row is a beat; the sum is of those turned away so far.
func TestRefusalsAreSummedAndNeverFall(t *testing.T) {
	var all turned
	for _, step := range []struct {
		about string
		now   []queue.Queue
		want  uint64
	}{
		{"two queues", []queue.Queue{{Name: "a", Refused: 3}, {Name: "b", Refused: 4}}, 7},
		{"nothing new", []queue.Queue{{Name: "a", Refused: 3}, {Name: "b", Refused: 4}}, 7},
		{"one cannot be read", []queue.Queue{{Name: "b", Refused: 4}}, 7},
		{"the other refuses meanwhile", []queue.Queue{{Name: "b", Refused: 6}}, 9},
		{"it is back, and nobody was refused", []queue.Queue{{Name: "a", Refused: 3}, {Name: "b", Refused: 6}}, 9},
		{"a service starts anew", []queue.Queue{{Name: "a", Refused: 0}, {Name: "b", Refused: 6}}, 9},
		{"and refuses", []queue.Queue{{Name: "a", Refused: 1}, {Name: "b", Refused: 6}}, 10},
		{"two sources of one name", []queue.Queue{{Name: "a", Refused: 1}, {Name: "b", Refused: 6}, {Name: "b", Refused: 2}}, 12},
		{"which both stand", []queue.Queue{{Name: "a", Refused: 1}, {Name: "b", Refused: 6}, {Name: "b", Refused: 2}}, 12},
	} {
		if all = all.see(step.now); all.sum != step.want {
			t.Errorf("%s: %d turned away, want %d", step.about, all.sum, step.want)
		}
	}
}

// What cannot be read is said, and its node is still counted: without a Fact,
// so that nothing is answered for it, granted to it or believed of it.
func TestUnreadFactsLeaveTheNodeKnown(t *testing.T) {
	good := encoded(t, quiet())
	nodes, facts, unread := nodesOf([]Heard{
		{Name: "ex02", Member: true, Beat: 5, Born: epoch, Fact: good},
		{Name: "ex03", Member: true, Beat: 6, Born: epoch, Fact: []byte{factVersion + 1}},
		{Name: "ex04", Member: true},
		{Name: "ex05", Left: true, Beat: 9, Born: epoch, Fact: good},
		{Name: "EX06", Member: true, Beat: 5, Born: epoch, Fact: good},
		{Name: "ex07.corp", Member: true, Beat: 5, Born: epoch, Fact: good},
		{Name: "-ex08", Member: true, Beat: 5, Born: epoch, Fact: good},
		{Name: strings.Repeat("n", 64), Member: true, Beat: 5, Born: epoch, Fact: good},
		{Name: strings.Repeat("n", 63), Member: true, Beat: 5, Born: epoch, Fact: good},
	})
	var got []string
	for _, n := range nodes {
		got = append(got, fmt.Sprintf("%.6s %v %v %d %v", n.Name, n.Member, n.Left, n.Beat, len(facts[n.Name].Addrs)))
	}
	want := []string{
		"ex02 true false 5 1", "ex03 true false 0 0", "ex04 true false 0 0", "ex05 false true 9 1",
		"EX06 true false 0 0", "ex07.c true false 0 0", "-ex08 true false 0 0", "nnnnnn true false 0 0", "nnnnnn true false 5 1",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if want := []string{"ex03", "EX06", "ex07.corp", "-ex08", strings.Repeat("n", 64)}; !reflect.DeepEqual(unread, want) {
		t.Errorf("unread %q, want %q", unread, want)
	}
	for _, n := range nodes {
		if !n.Born.IsZero() != (n.Beat > 0) {
			t.Errorf("%s has a Fact, and it has none", n.Name)
		}
	}
}

func standingOf(name string, s balance.Status, why string, share, fair float64) balance.Standing {
	return balance.Standing{Name: name, Status: s, Why: why, Share: share, Fair: fair, Age: 1040 * time.Millisecond, Heard: true}
}

func TestSets(t *testing.T) {
	addrs := map[string][]netip.Addr{"ex01": {netip.MustParseAddr("192.0.2.1")}, "ex02": {netip.MustParseAddr("192.0.2.2")}}
	plan := balance.Plan{TTL: 7 * time.Second, Nodes: []balance.Standing{
		standingOf("ex01", balance.Up, "", 0.3124, 0.5),
		standingOf("ex02", balance.Down, "lost", 0, 0.5),
		{Name: "ex03", Status: balance.Unknown, Why: "unheard"},
	}}
	services := []Service{{Name: "imaps", Ports: []uint16{993, 143}, SRV: []string{"_imaps._tcp"}}, {Name: "mapi", Ports: []uint16{443}}}
	view := &View{
		Name: "ex01", Plan: plan, Addrs: addrs, Longest: 30 * time.Second, Serial: 9,
		Lacks: map[string][]string{"ex01": {"mapi", "ftp", "imaps"}, "ex02": {"ftp"}}, // of which ftp is another configuration's
	}
	got := setOf(Zone{Name: "mail.test.", Answers: 3}, services, view)
	want := dnsrr.Set{
		Zone: "mail.test.", Agent: "ex01", TTL: 7 * time.Second, MaxTTL: 30 * time.Second, Answers: 3, Serial: 9,
		Services: []dnsrr.Service{{Name: "imaps", Port: 993, SRV: []string{"_imaps._tcp"}}, {Name: "mapi", Port: 443}},
		Targets: []dnsrr.Target{
			{Name: "ex01", Addrs: addrs["ex01"], Share: 0.3124, Fair: 0.5, Lacks: []string{"imaps", "mapi"}, Why: "ex01 state=up share=0.312 why=- age=1.0s lacks=mapi,ftp,imaps"},
			{Name: "ex02", Addrs: addrs["ex02"], Gone: true, Fair: 0.5, Why: "ex02 state=down share=0.000 why=lost age=1.0s lacks=ftp"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// The words of the law are those of the page and of the agent's line.
func TestReports(t *testing.T) {
	own := func(s balance.Status, why string) balance.Fact {
		return balance.Fact{Status: s, Why: why, Load: 0.78, Connections: 3120, QueueLimit: 1000}
	}
	unmeasured := balance.Fact{Status: balance.Unknown, Why: "blind", Connections: balance.Unmeasured}
	gauged := balance.Fact{Status: balance.Up, Connections: balance.Unmeasured, Load: 0.4}
	for _, c := range []struct {
		name        string
		own         balance.Fact
		serve       bool
		share, fair float64
		want        string // status, state, load, reason | agent line
	}{
		{"at its fair share", own(balance.Up, ""), true, 0.25, 0.25, "200 up 78 - | up ready 100%"},
		{"below it", own(balance.Up, ""), true, 0.1815, 0.25, "200 up 78 - | up ready 73%"},
		{"at twice of it", own(balance.Up, ""), true, 0.5, 0.25, "200 up 78 - | up ready 200%"},
		{"at its floor", own(balance.Degraded, "queue"), true, 0.0025, 0.25, "200 degraded 78 queue | up ready 1%"},
		{"below one percent it is not taken for draining", own(balance.Degraded, "queue"), true, 0, 0.25, "200 degraded 78 queue | up ready 1%"},
		{"without a fair share", own(balance.Draining, "drain"), true, 0, 0, "200 draining 78 drain | drain"},
		{"failing", own(balance.Failing, "queue"), false, 0, 0, "503 failing 78 queue | down #queue"},
		{"blind, its load is not known, and not zero", unmeasured, true, 0.25, 0.25, "200 unknown  blind | up ready 100%"},
		{"with a processor only", gauged, true, 0.25, 0.25, "200 up 40 - | up ready 100%"},
	} {
		n := standingOf("ex01", c.own.Status, c.own.Why, c.share, c.fair)
		r := reportOf("ex01", "ex01.test", balance.Plan{Own: c.own, Serve: c.serve, Nodes: []balance.Standing{n}})
		if got := told(r); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for s := balance.Unknown; s < balance.Down; s++ {
		if states[s].String() != s.String() {
			t.Errorf("%v is told as %v", s, states[s])
		}
	}
	if r := reportOf("ex01", "", balance.Plan{Own: unmeasured}); !math.IsNaN(r.Load) {
		t.Errorf("a load that nobody measured is %v", r.Load)
	}
}

// told is what balancers see of a report, in both dialects.
func told(r health.Report) string {
	p := r.Page(health.Request{Method: http.MethodGet, Path: "/mapi/healthcheck.htm"})
	header := map[string]string{}
	for _, h := range p.Header {
		header[h[0]] = h[1]
	}
	return fmt.Sprintf("%d %s %s %s | %s", p.Status, header["X-Evenkeel-State"], header["X-Evenkeel-Load"],
		header["X-Evenkeel-Reason"], strings.TrimSpace(r.AgentCheck()))
}
