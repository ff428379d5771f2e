package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// TestOneAsker: a pool that is off, and for which one address alone asks now and
// then, weighs little; asked often it may be a balancer's, of many clients.
func TestOneAsker(t *testing.T) {
	for _, c := range []struct {
		every time.Duration
		other int // which row is of another address
		want  string
	}{{5 * second, -1, "[queue-full pool-down]"}, {5 * second, 40, "[pool-down queue-full]"}, {400 * time.Millisecond, -1, "[pool-down queue-full]"}, {70 * second, -1, "[queue-full pool-down]"}} {
		var w world
		b := w.book("EX1", "httperr1.log")
		for i := range int(hour / c.every) {
			b.row(8*hour+time.Duration(i)*c.every, maillog.Record{Kind: maillog.HTTPErr, Took: -1, Authenticating: -1, Backend: -1, Delay: -1, Status: 503, Substatus: -1,
				Reason: []byte("Disabled"), Pool: []byte("DefaultAppPool"), Path: []byte("/"), Client: client(1)})
		}
		if c.other >= 0 {
			b.rows[c.other].rec.Client = client(2)
		}
		w.errs("EX2", "QueueFull", mapiPool, 503, 12*hour, 5*minute, 300)
		r := w.report(t)
		if fmt.Sprint(kindsFound(r)) != c.want {
			show(t, r)
			t.Errorf("every %v: found %v, want %s", c.every, kindsFound(r), c.want)
		}
		for _, x := range r.Findings {
			if low := x.Confidence <= direct && strings.Contains(x.Title, "one address"); x.Kind == PoolDown && low != (c.want[1] == 'q') {
				t.Errorf("every %v: %v %s", c.every, x.Confidence, x.Title)
			}
		}
	}
}

// TestConnectionsRefused: the row tells how many, and has neither client nor pool.
func TestConnectionsRefused(t *testing.T) {
	var w world
	for i := range 5 {
		w.book("EX1", "httperr1.log").row(9*hour+time.Duration(i)*30*second, maillog.Record{Kind: maillog.HTTPErr, Took: -1, Substatus: -1, Reason: []byte("25_Connections_Refused")})
	}
	r := w.report(t)
	want := "HTTP.sys refused new connections on EX1: less than 20 MB of non-paged pool were left; 125 requests refused, 2.0 minutes of outage"
	if len(r.Findings) != 1 || r.Findings[0].Title != want || !strings.Contains(r.Findings[0].Advice, "poolmon") || !strings.Contains(fmt.Sprint(r.Clear), "No pool's queue was full") {
		show(t, r)
	}
	for text, n := range map[string]int64{"7_Connections_Refused": 7, "Connections_Refused": 1, "0_Connections_Refused": 1, "999999999999999999999_Connections_Refused": 999_999} {
		l := New(Options{}).Log("EX1")
		l.Add(&maillog.Record{Kind: maillog.HTTPErr, At: day0, Reason: []byte(text)}, 1, nil)
		if got := total(l.s.ledger.of[refused][""].runs); got != n {
			t.Errorf("%s: %d, want %d", text, got, n)
		}
	}
}

// TestTrueWords: a title says no more than is known.
func TestTrueWords(t *testing.T) {
	var w world
	w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour, second, 100)
	w.errs("EX1", "AppShutdown", mapiPool, 503, 9*hour+second, 20*second, 60)
	if r := w.report(t); first(r) != Recycle || strings.Contains(r.Findings[0].Title, "filled the queue") {
		show(t, r)
		t.Error("no queue was full")
	}
	w = world{}
	w.behind(1200, 40, 2)
	if r := w.report(t); first(r) != HiddenClients || !strings.Contains(r.Findings[0].Title, "terminal servers") {
		show(t, r)
		t.Error("terminal servers have many users too")
	}
}

// TestLanes: what is shown and may be harmless is not called by the name of a finding.
func TestLanes(t *testing.T) {
	var w world
	w.flaps(2, 15*minute, 3)
	w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 2*hour, second, 100)
	r := w.report(t)
	var got []Kind
	for _, s := range r.Nodes[0].Spans {
		got = append(got, s.Kind)
	}
	if fmt.Sprint(got) != "[worker-ended probe-failed probe-failed]" || len(r.Findings) > 0 {
		t.Errorf("lanes %v, found %v", got, kindsFound(r))
	}
}
