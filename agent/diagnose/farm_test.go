package diagnose

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// TestSkewFromBothSides: of two nodes three quarters of the sessions are a skew.
func TestSkewFromBothSides(t *testing.T) {
	for _, c := range []struct {
		busy int
		want Kind
	}{{158, Skew}, {142, QueueFull}} {
		var w world
		w.hold("EX1", 0, c.busy, 8*hour, 10*hour)
		w.hold("EX2", 1000, 200-c.busy, 8*hour, 10*hour)
		w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, minute, 100)
		if r := w.report(t); kindsFound(r)[0] != c.want {
			t.Errorf("%d of 200 sessions: found %v, want first %v", c.busy, kindsFound(r), c.want)
		}
	}
}

// TestRecycleFarm: two even nodes, one of which loses its worker.
func TestRecycleFarm(t *testing.T) {
	var w world
	w.hold("EX1", 0, 200, 8*hour, 9*hour)
	w.hold("EX2", 1000, 200, 8*hour, 11*hour)
	w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour, 2*second, 400)
	w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour+5*second, 90*second, 700)
	w.hold("EX1", 0, 200, 9*hour+6*second, 11*hour)
	if r := w.report(t); kindsFound(r)[0] != Recycle {
		show(t, r)
		t.Fatalf("found %v", kindsFound(r))
	}
}

// TestFlapIsNoOutage: a probe that fails while clients are refused is hung under
// why they are.
func TestFlapHangsUnderItsCause(t *testing.T) {
	var w world
	w.flaps(5, 10*minute, 3)
	for i := range 5 {
		w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour+time.Duration(i)*10*minute, 20*second, 40)
	}
	r := w.report(t)
	if got := fmt.Sprint(kindsFound(r)); got != "[queue-full probe-flap]" {
		t.Errorf("found %s", got)
		show(t, r)
	}
}

func TestFromTo(t *testing.T) {
	var w world
	w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, minute, 100)
	w.errs("EX1", "Disabled", mapiPool, 503, 11*hour, minute, 100)
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 0, "[pool-down queue-full]"},
		{10 * hour, 0, "[pool-down]"},
		{8 * hour, 10 * hour, "[queue-full]"},
		{9*hour + minute, 10 * hour, "[]"}, // one row is left
	} {
		o := Options{}
		if c.from > 0 {
			o.From = day0.Add(c.from)
		}
		if c.to > 0 {
			o.To = day0.Add(c.to)
		}
		if got := fmt.Sprint(kindsFound(w.reportOf(t, o))); got != c.want {
			t.Errorf("from %v to %v: found %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// TestSplitByFrontEnd: the log of one mailbox server tells the sessions of all
// front ends, though these have no logs of their own.
func TestSplitByFrontEnd(t *testing.T) {
	var w world
	for i := range 200 {
		front := "fe1.contoso.example"
		if i%10 == 0 {
			front = "FE2"
		}
		for at := 8 * hour; at < 9*hour; at += 4 * minute {
			r := mailbox(4 * minute)
			r.Waits, r.Type, r.Session, r.FrontEnd = true, []byte("NotificationWait"), fmt.Appendf(nil, "cookie%d", i), []byte(front)
			w.add("MBX1", at+time.Duration(i)*second, r)
		}
	}
	r := w.report(t)
	var got []string
	for _, n := range r.Nodes {
		got = append(got, fmt.Sprintf("%s %.0f", n.Node, slices.Max(n.Sessions)))
	}
	if want := "[FE2 20 MBX1 -1 fe1.contoso.example 180]"; fmt.Sprint(got) != want {
		t.Errorf("sessions %v, want %s", got, want)
	}
}

// TestNames: a server is one with its domain and without it; hosts of one name in
// two domains are two, and so are two addresses.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		nodes []string
		want  string
	}{
		{[]string{"EX1", "ex1.contoso.example"}, "[EX1]"},
		{[]string{"mail.site1.corp", "mail.site2.corp"}, "[mail.site1.corp mail.site2.corp]"},
		{[]string{"10.1.0.11", "10.1.0.21"}, "[10.1.0.11 10.1.0.21]"},
		{[]string{"fe80::1", "fe80::2"}, "[fe80::1 fe80::2]"},
		{[]string{".a", ".b"}, "[.a .b]"},
	} {
		var w world
		for _, n := range c.nodes {
			w.errs(n, "Client_Reset", "", 0, 9*hour, minute, 5)
		}
		var got []string
		for _, n := range w.report(t).Nodes {
			got = append(got, n.Node)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: nodes %v, want %s", c.nodes, got, c.want)
		}
	}
}

// TestBlind: what is not there is said, and not taken for good.
func TestBlind(t *testing.T) {
	var w world
	w.crowd("EX1", 10, 10, 8*hour, hour)
	r := w.report(t)
	all := strings.Join(r.Clear, " ") + "|" + strings.Join(r.Blind, " ")
	if strings.Contains(strings.Join(r.Clear, " "), "queue was full") || !strings.Contains(strings.Join(r.Blind, " "), "HTTPERR") {
		t.Errorf("without HTTPERR: %s", all)
	}
	if r := New(Options{}).Report(); len(r.Blind) == 0 || len(r.Clear) != 0 || len(r.Findings) != 0 {
		t.Errorf("without logs: %+v", r)
	}
}

// TestSkewIsOfTheBusyNode: a full queue of the node that has few sessions is not
// of the skew.
func TestSkewIsOfTheBusyNode(t *testing.T) {
	var w world
	w.hold("EX1", 0, 180, 8*hour, 10*hour)
	w.hold("EX2", 1000, 20, 8*hour, 10*hour)
	w.errs("EX2", "QueueFull", mapiPool, 503, 9*hour, minute, 100)
	if r := w.report(t); kindsFound(r)[0] != QueueFull {
		t.Errorf("found %v", kindsFound(r))
	}
}

// TestFailoverTakesTwoMinutes, wherever these begin; in five it is a drift.
func TestFailoverTakesTwoMinutes(t *testing.T) {
	for _, c := range []struct {
		begin, in time.Duration
		want      int
	}{{0, 110 * second, 1}, {50 * second, 110 * second, 1}, {30 * second, 15 * minute, 0}} {
		var w world
		w.hold("EX1", 0, 200, 8*hour, 9*hour)
		w.hold("EX2", 5000, 4, 8*hour, 10*hour)
		for i := range 200 {
			w.book("EX2", "HttpProxy_1.LOG").row(9*hour+c.begin+c.in*time.Duration(i)/200, proxied(i, "Connect", 10*time.Millisecond))
		}
		w.hold("EX2", 0, 200, 9*hour+c.begin+c.in, 10*hour)
		f := w.farm()
		if len(f.failovers) != c.want {
			t.Errorf("%v from second %v: %d failovers, want %d", c.in, c.begin, len(f.failovers), c.want)
		}
	}
}

func TestConfidence(t *testing.T) {
	one, two := kindsOf(maillog.IIS), kindsOf(maillog.IIS, maillog.HTTPErr)
	for _, c := range []struct {
		kinds kindSet
		seen  int
		want  float64
	}{{one, 2, 0.6}, {two, 2, 0.8}, {one, 3, 0.8}, {two, 3, 0.9}, {two | kindsOf(maillog.EWS, maillog.MapiHTTP, maillog.HTTPProxy), 3, 0.98}} {
		if got := confidence(c.kinds, c.seen, direct); got != c.want {
			t.Errorf("kinds %b, seen %d: %v, want %v", c.kinds, c.seen, got, c.want)
		}
	}
}

// TestMailboxServersInAnyOrder: two of them tell of the same front ends.
func TestMailboxServersInAnyOrder(t *testing.T) {
	var w world
	for i := range 300 {
		r := mailbox(4 * minute)
		r.Waits, r.Session, r.FrontEnd = true, fmt.Appendf(nil, "c%d", i), []byte("FE1")
		if i%20 == 0 {
			r.FrontEnd = []byte("FE2")
		}
		for at := 8 * hour; at < 10*hour; at += 4 * minute {
			w.add(fmt.Sprintf("MBX%d", i%2), at+time.Duration(i)*second/2, r)
		}
	}
	w.errs("FE1", "QueueFull", mapiPool, 503, 9*hour, minute, 100)
	one, two := New(Options{}), New(Options{})
	keys := sortedKeys(w.books)
	for i := range keys {
		b, e := w.books[keys[i]], w.books[keys[len(keys)-1-i]]
		b.tell(one.Log(b.node))
		e.tell(two.Log(e.node))
	}
	a, b := one.Report(), two.Report()
	if a.Findings[0].Kind != Skew || len(a.Findings[0].Evidence) < 4 || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a.Findings, b.Findings)
	}
}

// TestWhatCounts: a request that two logs tell of is one; a leg of logging on, a
// wait, a monitor and a row behind the front are none.
func TestWhatCounts(t *testing.T) {
	var w world
	w.hold("EX1", 0, 60, 8*hour, 9*hour)
	plain := maillog.Record{Kind: maillog.IIS, Protocol: maillog.MAPI, Status: 200, Took: 10 * time.Millisecond, Session: []byte("box@contoso.example")}
	w.times(100, "EX1", 8*hour, hour, plain)
	for _, change := range []func(*maillog.Record){
		func(r *maillog.Record) { r.Status = 401 },
		func(r *maillog.Record) { r.Waits = true },
		func(r *maillog.Record) { r.Probe = true },
		func(r *maillog.Record) { r.Behind = true },
	} {
		r := plain
		change(&r)
		w.times(7, "EX1", 8*hour, hour, r)
	}
	r := plain
	for i := range 50 {
		r.Client = netip.MustParseAddrPort("127.0.0.1:80")
		w.add("EX1", 8*hour+time.Duration(i)*minute, r)
	}
	for i := range 90 { // the mailbox server knows of sessions too; but the proxy knows better
		r := mailbox(time.Minute)
		r.Session, r.FrontEnd = fmt.Appendf(nil, "c%d", i), []byte("EX1")
		w.add("EX1", 8*hour+time.Duration(i)*second, r)
	}
	n := w.report(t).Nodes[0]
	sum := 0.0
	for _, x := range n.Requests {
		sum += x
	}
	if most := slices.Max(n.Sessions); sum != 100 || most != 60 {
		t.Errorf("%v requests, 100 were; %v sessions, 60 were", sum, most)
	}
}
