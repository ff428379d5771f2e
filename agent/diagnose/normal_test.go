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

// first is the kind of the finding that is told first.
func first(r Report) Kind {
	if len(r.Findings) == 0 {
		return ""
	}
	return r.Findings[0].Kind
}

// TestNormalFarms: what farms do every day is not told, whatever the logs lack.
func TestNormalFarms(t *testing.T) {
	for _, c := range []struct {
		promise string
		tell    func(w *world)
	}{
		{"older logs of one node were deleted", func(w *world) {
			w.hold("EX1", 0, 1100, 9*hour, 11*hour)
			w.hold("EX2", 5000, 1100, 10*hour+30*minute, 11*hour)
		}},
		{"some hours of one node's logs are missing", func(w *world) {
			w.hold("EX1", 0, 1100, 8*hour, 8*hour+15*minute)
			w.hold("EX1", 0, 1100, 9*hour+30*minute, 9*hour+45*minute)
			w.hold("EX2", 5000, 1100, 8*hour, 9*hour+45*minute)
		}},
		{"a standby beside two that share", func(w *world) {
			w.hold("EX1", 0, 1100, 8*hour, 8*hour+30*minute)
			w.hold("EX2", 5000, 1100, 8*hour, 8*hour+30*minute)
			w.hold("EX3", 9000, 1, 8*hour, 8*hour+30*minute)
		}},
		{"a node is emptied at noon, and nobody is refused", func(w *world) {
			w.hold("EX1", 0, 700, 11*hour+20*minute, 12*hour)
			w.hold("EX2", 5000, 700, 11*hour+20*minute, 12*hour+30*minute)
			w.hold("EX3", 7000, 5, 11*hour+20*minute, 12*hour+30*minute)
			w.hold("EX3", 0, 700, 12*hour+10*second, 12*hour+30*minute)
		}},
		{"all come within five minutes", func(w *world) {
			for i := range 20 {
				w.hold("EX1", i*100, 60, 8*hour+time.Duration(i)*15*second, 8*hour+20*minute)
				w.hold("EX2", 9000+i*100, 60, 8*hour+time.Duration(i)*15*second, 8*hour+20*minute)
			}
		}},
	} {
		var w world
		c.tell(&w)
		if r := w.report(t); len(r.Findings) > 0 {
			t.Errorf("%s: found %v", c.promise, kindsFound(r))
			show(t, r)
		}
	}
}

// TestLogsOfDifferentTimes say nothing of how sessions are spread, and that is
// said; nor is skew blamed for what one node refused.
func TestLogsOfDifferentTimes(t *testing.T) {
	var w world
	w.hold("EX1", 0, 300, 8*hour, 10*hour)
	w.hold("EX2", 5000, 300, 10*hour+5*minute, 11*hour)
	w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour+30*minute, 4*minute, 1200)
	r := w.report(t)
	if n := len(w.farm().failovers); n > 0 {
		t.Errorf("%d failovers", n)
	}
	if first(r) != QueueFull || slices.Contains(r.Clear, "The sessions were spread over the nodes.") || !strings.Contains(fmt.Sprint(r.Clear), "logs of all nodes") {
		t.Errorf("found %v, clear %v, blind %v", kindsFound(r), r.Clear, r.Blind)
	}
}

// TestMailboxServersTellLess: the log of one mailbox server has part of the
// sessions of a front end that has no logs.
func TestMailboxServersTellLess(t *testing.T) {
	var w world
	w.hold("EX1", 0, 1200, 8*hour, 9*hour)
	for i := range 400 {
		for at := 8*hour + time.Duration(i%240)*second; at < 9*hour; at += 4 * minute {
			r := mailbox(10 * time.Millisecond)
			r.User, r.FrontEnd, r.Session = fmt.Appendf(nil, "u%d", i), []byte("EX2"), fmt.Appendf(nil, "s%d", i)
			w.add("EX1", at, r)
		}
	}
	r := w.report(t)
	if len(r.Findings) > 0 || !strings.Contains(fmt.Sprint(r.Blind), "one node alone") {
		t.Errorf("found %v, blind %v", kindsFound(r), r.Blind)
	}
}

// TestCutAndBack: a device cuts the sessions of both nodes, and they come back to
// where they were, some at the second try. Nobody went over.
func TestCutAndBack(t *testing.T) {
	for _, later := range []time.Duration{0, 70 * second} {
		var w world
		ends := 10 * hour
		w.hold("EX1", 0, 300, 8*hour, ends)
		w.hold("EX2", 5000, 295, 8*hour, ends)
		w.errs("EX1", "QueueFull", mapiPool, 503, ends, 2*minute, 900)
		w.errs("EX2", "QueueFull", mapiPool, 503, ends+10*second, 2*minute, 900)
		if later > 0 {
			w.hold("EX1", 0, 300, ends+5*second, ends+minute)
			w.hold("EX2", 5000, 295, ends+5*second, ends+minute)
		}
		w.hold("EX1", 0, 300, ends+5*second+later, 11*hour)
		w.hold("EX2", 5000, 295, ends+5*second+later, 11*hour)
		if f := w.farm(); len(f.failovers) > 0 || slices.Contains(kindsFound(w.report(t)), Cascade) {
			show(t, w.report(t))
			t.Errorf("later %v: %d failovers", later, len(f.failovers))
		}
	}
}

// TestHogOfAnotherPool: one who asks much of web services does not fill MAPI's queue.
func TestHogOfAnotherPool(t *testing.T) {
	var w world
	incident(&w)
	for _, n := range []string{"EX1", "EX2"} {
		w.crowd(n, 40, 100, 9*hour, 4*hour)
		w.ask(n, "CONTOSO\\svc-crm", 4*3600*6, 9*hour, 4*hour, 15*time.Millisecond)
	}
	if r := w.report(t); first(r) != Skew {
		show(t, r)
		t.Errorf("first %s", first(r))
	}
}

// TestProtocolOfMost: it is that of more than half of the requests, in any order.
func TestProtocolOfMost(t *testing.T) {
	p := place{file: "f", line: 1}
	for _, order := range []string{"MMMMMWWWW", "WWWWMMMMM", "MWMWMWMWM", "WMMWMWMWM"} {
		var h hitters
		for _, c := range order {
			p.protocol = map[rune]maillog.Protocol{'M': maillog.MAPI, 'W': maillog.EWSProtocol}[c]
			h.add(1, []byte("anna"), netip.Addr{}, 1, &p)
		}
		if e := h.top(func(e *hitter) float64 { return float64(e.n) }); e.protocol != maillog.MAPI {
			t.Errorf("%s: %d", order, e.protocol)
		}
	}
}

// TestHogsTime is that in which one asks so much, not from the first time to the last.
func TestHogsTime(t *testing.T) {
	var w world
	for _, at := range []time.Duration{8 * hour, 18 * hour} {
		w.crowd("EX1", 30, 40, at, 20*minute)
		w.ask("EX1", "CONTOSO\\hungry", 12000, at, 20*minute, 20*time.Millisecond)
	}
	w.crowd("EX1", 30, 400, 0, 24*hour)
	if r := w.report(t); first(r) != Monopoly || !strings.HasSuffix(r.Findings[0].Title, "for 40 minutes") {
		t.Error(kindsFound(r), r.Findings[0].Title)
	}
}

// TestFarSlowServer: a mailbox server fills the queue of a node whose sessions it
// has, a good part of them, and of no other.
func TestFarSlowServer(t *testing.T) {
	for _, c := range []struct {
		of   int // of 200 sessions, those that are with the slow server
		want Kind
	}{{62, SlowBackend}, {58, QueueFull}, {0, QueueFull}} {
		var w world
		w.hold("EX1", 0, 200, 8*hour, 10*hour)
		for i := range 70 * 70 {
			r, front := mailbox(5*second), "EX1"
			if i%70 >= c.of {
				front = "EX2"
			}
			r.User, r.FrontEnd, r.Session = fmt.Appendf(nil, "u%d", i%70), []byte(front), fmt.Appendf(nil, "s%d", i%70)
			w.add("MBX6", 9*hour+20*minute+time.Duration(i)*second/5, r)
		}
		w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour+30*minute, 4*minute, 1200)
		if r := w.report(t); first(r) != c.want {
			show(t, r)
			t.Errorf("%d of 200: first %s, want %s", c.of, first(r), c.want)
		}
	}
}

// TestSlowOneOfMany: the proxy's log alone tells of thirty mailbox servers, of which
// the last is slow. Few ask it, so that it is not why a queue is full.
func TestSlowOneOfMany(t *testing.T) {
	for _, c := range []struct {
		servers int
		want    string
	}{{4, "[slow-backend queue-full]"}, {30, "[queue-full slow-backend]"}} {
		var w world
		for s := range c.servers {
			for i := range 900 {
				r := proxied(s*1000+i%50, "Execute", 20*time.Millisecond)
				if s == c.servers-1 {
					r.Took, r.Backend = 9*second, 9*second
				}
				r.BackEnd = fmt.Appendf(nil, "mbx%02d.contoso.example", s)
				w.book("EX1", "HttpProxy_1.LOG").row(8*hour+time.Duration(i)*2*second+time.Duration(s)*time.Millisecond, r)
			}
		}
		w.errs("EX1", "QueueFull", mapiPool, 503, 8*hour+28*minute, 8*minute, 1200)
		if r := w.report(t); fmt.Sprint(kindsFound(r)) != c.want {
			show(t, r)
			t.Errorf("%d servers: found %v, want %s", c.servers, kindsFound(r), c.want)
		}
	}
}

// TestClockSetBack: the hour that is written twice, as clocks are set back, is no
// trouble of anybody.
func TestClockSetBack(t *testing.T) {
	var w world
	w.hold("EX1", 0, 300, hour, 5*hour)
	w.hold("EX2", 5000, 300, hour, 5*hour)
	for _, b := range w.books {
		for i := range b.rows {
			if r := &b.rows[i]; r.at >= 3*hour { // told as late as before
				r.rec.At = r.rec.At.Add(-hour)
			}
		}
	}
	if r := w.report(t); len(r.Findings) > 0 {
		show(t, r)
	}
}

// TestReportTwice: a second report of the same logs is the same.
func TestReportTwice(t *testing.T) {
	var w world
	incident(&w)
	c := New(Options{})
	for _, key := range sortedKeys(w.books) {
		w.books[key].tell(c.Log(w.books[key].node))
	}
	if a, b := c.Report(), c.Report(); !reflect.DeepEqual(a, b) {
		t.Error("it differs")
	}
}
